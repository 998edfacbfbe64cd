//! Doses: changes of one kind made to a text, one at a time, each written down.
//!
//! A text has *sites* where a change of a kind can be made. They are found in the text as it was,
//! do not overlap, and do not depend on chance; chance orders them and chooses what is done at
//! each. So the text with k changes is the text with k − 1 and exactly one more, and a text that
//! has too few sites is known before anything is done. English only: sites are in English
//! sentences, and code, numbers and other scripts have none.

pub(crate) mod page;
mod recipe;
pub(crate) mod remark;
pub(crate) mod site;

pub use page::NoRoom;
pub use recipe::{Dosed, MOST_CHANGES, Recipe, TextChange};
