//! Parts built as a study would have them, for tests of several families.
#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::path::Path;

use duress_core::gauge::{CellGauge, Gauge};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::place::Under;
use duress_core::subject::Circumstances;

/// A gauge with these keys.
pub(crate) fn gauge(part: &'static Part, keys: &[(&str, Raw)]) -> Gauge {
    let Build::Gauge(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    build(&Params::of(part, keys, Path::new("")).unwrap()).unwrap()
}

/// A gauge of single cells with these keys.
pub(crate) fn cell(part: &'static Part, keys: &[(&str, Raw)]) -> Box<dyn CellGauge> {
    match gauge(part, keys) {
        Gauge::Cell(gauge) => gauge,
        _ => panic!("{} reads a cell", part.name),
    }
}

/// Where a recording is asked about clean items.
pub(crate) fn clean() -> Circumstances {
    let subject = Name::new("net").unwrap();
    Circumstances {
        subject,
        seed: 42,
        under: Under::Clean,
        variant: None,
    }
}
