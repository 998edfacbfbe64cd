//! Stressors of the order of a text, and of what stands in it.

pub mod arrangement;
pub mod chinese_form;
pub mod homoglyph;
pub mod instruction;
pub mod jamo;
pub mod keyboard;
pub mod letter_case;
pub mod look_alike;
pub mod ocr;
pub mod option_order;
pub mod punctuation;
pub mod spacing;
pub mod typo;
pub mod width;
pub mod word_drop;
pub mod word_swap;
pub mod zero_width;
