//! Texts: arrangements, tokens, lexical measures, retrieval, injected errors, and the arithmetic of
//! judges. Knows no study.
//!
//! [`arrangement`] scrambles the units of a text; [`lexical`] compares an explanation with
//! references; [`retrieval`] finds the entry of a dictionary that is most like a text; [`length`]
//! bins texts by their length; [`injection`] puts errors into a text, one at a time, [`lure`] what
//! should impress nobody, [`placebo`] what changes nothing, all by the [`dose`]; [`judge`] weighs
//! errors that were found, and finds some itself by rules.

pub mod arrangement;
pub mod chinese_form;
mod closed_class;
pub mod dense_tokens;
pub mod dose;
pub mod injection;
pub mod judge;
pub mod length;
pub mod lexical;
pub mod lure;
#[cfg(test)]
mod odd_texts;
pub mod placebo;
pub mod retrieval;
pub mod sentence;
pub mod token;
