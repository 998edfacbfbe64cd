//! How much of the probability is there while the strongest pixels are put back.
//!
//! # What it does
//! Begins with what `fill` makes of the image and puts pixels back in the order of a map, the
//! strongest first, in `steps` equal shares; the area under the probability of the class, from
//! nothing of the image to the whole of it.
//!
//! # Why it matters
//! If a map is right, the answer comes back with the few pixels that it points at.
//!
//! # Promise
//! Higher is better, and depends on the subject as much as on the map: compare it with the same gauge
//! of a floor (`attribution = "centre-gaussian"`, `"edge-detector"`) and with the same `fill`.
//!
//! # Example
//! ```toml
//! [gauge.insertion]
//! use = "insertion"
//! attribution = "grad-cam"
//! fill = "blur"
//! ```
//!
//! # Reference
//! V. Petsiuk, A. Das and K. Saenko, RISE, BMVC 2018.

use duress_core::explanation::Erasure;
use duress_core::gauge::{Direction, Gauge};
use duress_core::part::{Build, Part};

use crate::classify::frame::attribution_keys::attribution_fields;
use crate::classify::frame::erasure::{FILL, STEPS, erasure_gauge};

/// The part.
pub static PART: Part = Part {
    name: "insertion",
    version: 1,
    fields: attribution_fields![STEPS, FILL],
    source: include_str!("insertion.rs"),
    build: Build::Gauge(|params| {
        let gauge = erasure_gauge(params, Erasure::Insertion, Direction::Higher)?;
        Ok(Gauge::Cell(Box::new(gauge)))
    }),
};
