//! How alike two maps of one image are, by a measure that a key names.

use duress_core::explanation::MapMeasure;
use duress_core::part::{Field, Takes};
use duress_core::word::Word;
use duress_nn::attribution::measure;
use duress_stats::UndefinedReason;

/// The key `measure`.
pub(crate) const MEASURE: Field = Field {
    name: "measure",
    takes: Takes::Choice(MapMeasure::spellings),
    doc: "how alike two maps are",
    default: Some("ssim"),
};

/// The key `top`.
pub(crate) const TOP: Field = Field {
    name: "top",
    takes: Takes::Number(1e-6, 1.0),
    doc: "of `top-k`: the share of places that count as strongest",
    default: Some("0.1"),
};

/// How alike two maps of this height and width are, or why that cannot be said, as where one of them
/// is the same everywhere.
pub(crate) fn likeness(
    by: MapMeasure,
    top: f64,
    before: &[f32],
    after: &[f32],
    size: [usize; 2],
) -> Result<f64, UndefinedReason> {
    match by {
        MapMeasure::Ssim => measure::ssim(before, after, size),
        MapMeasure::Spearman => measure::spearman(before, after),
        MapMeasure::Cosine => measure::cosine(before, after),
        MapMeasure::L2 => measure::unit_distance(before, after),
        MapMeasure::TopK => {
            let strongest = (top * before.len() as f64).round().max(1.0) as usize;
            measure::top_k_intersection(before, after, strongest)
        }
    }
}

/// The convention of a measure.
pub(crate) fn measure_in_words(by: MapMeasure, top: f64) -> String {
    match by {
        MapMeasure::Ssim => {
            "SSIM of maps from 0 to 1 each, windows of 11 × 11 with a normal weight of 1.5 pixels"
                .into()
        }
        MapMeasure::Spearman => "correlation of ranks, ties averaged".into(),
        MapMeasure::Cosine => "cosine of the angle between maps".into(),
        MapMeasure::L2 => "Euclidean distance of maps of length 1".into(),
        MapMeasure::TopK => format!("share of the strongest {top} of places that both have"),
    }
}
