//! Figures as files and as golden images: one binary of tests.

mod files;
mod golden;
mod kinds;
mod layout;
