//! Data: items with ids, what a subject sees of them, and the truth that it does not.

mod dataset;
mod images;
mod inputs;
mod items;
mod split;
mod table_use;
mod text;
mod windows;

pub use dataset::{Dataset, Describe, Source};
pub use images::Images;
pub use inputs::{InputKind, Inputs};
pub use items::Items;
pub use split::{REGIME, Split};
pub use table_use::{TablePiece, TableUse};
pub use text::Text;
pub use windows::Windows;
