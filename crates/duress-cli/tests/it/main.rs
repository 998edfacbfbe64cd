//! The command as people and scripts meet it: one binary of tests, a module per subject.

mod adversarial;
mod agree;
mod answers;
mod batch;
mod bounds;
mod command;
mod compare;
mod drafts;
mod drift;
mod endpoint;
mod files;
mod gauge;
mod harness;
mod init;
mod judge_layouts;
mod judges;
mod leaving;
mod mistakes;
mod network;
mod planted;
mod review;
mod sensitivity_files;
mod silence;
mod study_text;
mod unread;
