//! How a figure is drawn: plain data in; SVG, PNG at 300 dots per inch and vector PDF out.
//!
//! This crate knows no findings and no stage. A figure is a plain struct ([`curve::Curves`],
//! [`forest::Forest`], …) whose `draw` lays it out as a [`scene::Scene`]: a list of marks with
//! coordinates. The three writers ([`svg`], [`raster`], [`pdf`]) know only scenes, so all of them
//! show the same thing, and a test can ask a scene whether two texts overlap or anything leaves the
//! canvas.
//!
//! Text is set in the font that ships here, a subset of Source Sans 3 (licence beside it,
//! `font/OFL.md`). Glyphs it lacks, such as Chinese, Japanese and Korean, are taken from a font
//! found on the machine when the figure is written; where there is none, a box stands for them
//! ([`font::Fonts::lacks`] says for which).

pub mod axis;
pub mod bars;
pub mod curve;
pub mod font;
pub mod forest;
pub mod frame;
pub mod graph;
pub mod heat;
pub mod ink;
pub mod label;
pub mod marker;
pub mod multiples;
pub mod pdf;
pub mod raster;
pub mod reference;
pub mod reliability;
pub mod scene;
pub mod svg;
mod tag;
pub mod tradeoff;
