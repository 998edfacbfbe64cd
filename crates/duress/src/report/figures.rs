//! The figures of a report: findings turned into what the figure crate draws.

use std::fs;
use std::io;
use std::path::Path;

use duress_core::gauge::Direction;
use duress_core::severity::Severity;
use duress_figure::curve::{Curves, Origin, Point, Reference, Series};
use duress_figure::forest::{Forest, Row};
use duress_figure::frame::Titles;
use duress_figure::number;
use duress_figure::scene::Scene;
use duress_figure::svg::{self, Dress};

use super::digest::{Digest, Panel};
use super::words;
use crate::analysis::findings::{
    ClaimFinding, Contrast, Curve, Expectation, GaugeCard, Quantity, Under, Verdict,
};

/// How wide figures are: the text width of a paper, 7.1 inches.
const WIDTH: f64 = 680.0;
/// Rows of a forest plot beyond which the eye gives up.
const ROWS: usize = 30;

/// A figure with its place in the report.
pub(crate) struct Figure {
    /// The name of its files, without the ending.
    pub(crate) file: String,
    /// Where the page shows it.
    pub(crate) home: Home,
    /// What is drawn.
    pub(crate) scene: Scene,
}

/// Where the page shows a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// With the verdicts.
    Claims,
    /// With the panel of this number.
    Panel(usize),
    /// With the contrasts of this gauge.
    Contrasts(String),
}

/// Every figure, in the order of the report.
pub(crate) fn all(digest: &Digest<'_>) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add =
        |file: String, home: Home, scene: Scene| figures.push(Figure { file: slug(&file), home, scene });
    for (family, claims) in families(&digest.findings.claims) {
        let scene = claim_forest(&family, &claims).draw(WIDTH);
        add(format!("claims-{family}"), Home::Claims, scene);
    }
    for (i, panel) in digest.panels.iter().enumerate() {
        let file = format!("curve-{}-{}-{}", panel.gauge.name, panel.ladder.name, panel.dataset);
        add(file, Home::Panel(i), panel_curves(digest, panel).draw(WIDTH));
    }
    for gauge in &digest.findings.gauges {
        if let Some(forest) = contrast_forest(digest, gauge) {
            add(format!("contrasts-{}", gauge.name), Home::Contrasts(gauge.name.clone()), forest.draw(WIDTH));
        }
    }
    figures
}

/// Writes every figure into `folder`.
pub(crate) fn write(figures: &[Figure], folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for figure in figures {
        fs::write(folder.join(format!("{}.svg", figure.file)), svg::write(&figure.scene, Dress::Alone))?;
    }
    Ok(())
}

/// A name that may stand in a path: letters, digits, and dashes between them.
pub(crate) fn slug(name: &str) -> String {
    let safe: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '.' || c == '_' { c } else { '-' }).collect();
    let short: String = safe.chars().take(100).collect();
    short.trim_matches(['-', '.']).to_owned()
}

/// The natural ends of a gauge's axis: values between 0 and 1 are shares.
fn ends<'a>(quantities: impl Iterator<Item = &'a Quantity>) -> (Option<f64>, Option<f64>) {
    let shares =
        quantities.filter_map(|quantity| quantity.value.value()).all(|value| (0.0..=1.0).contains(&value));
    if shares { (Some(0.0), Some(1.0)) } else { (None, None) }
}

fn panel_curves(digest: &Digest<'_>, panel: &Panel<'_>) -> Curves {
    let severities: Vec<&Severity> = panel.ladder.severities.iter().collect();
    let mut series: Vec<Series> = panel.curves.iter().map(|curve| curve_series(digest, curve)).collect();
    series.extend(expected_series(digest, panel));
    let references = digest.levels(&panel.gauge.name, panel.dataset).map(|level| Reference {
        name: level.name.clone(),
        y: level.value,
        origin: Origin::Measured,
    });
    let on = if digest.several_datasets() { format!(" on {}", panel.dataset) } else { String::new() };
    let basis =
        panel.curves.first().and_then(|curve| curve.points.last()).map(|point| words::basis(&point.quantity));
    Curves {
        titles: Titles {
            title: format!("{} under {}{on}", panel.gauge.name, panel.ladder.name),
            remark: basis.map_or_else(String::new, |basis| format!("{basis}.")),
            x: format!("severity of {}: {}", panel.ladder.name, panel.ladder.unit),
            y: words::axis(panel.gauge),
        },
        ticks: severities.iter().map(|severity| (severity.value(), severity.to_string())).collect(),
        ends: ends(panel.curves.iter().flat_map(|curve| &curve.points).map(|point| &point.quantity)),
        series,
        references: references.collect(),
    }
}

fn curve_series(digest: &Digest<'_>, curve: &Curve) -> Series {
    let point = |severity: &Severity, quantity: &Quantity| Point {
        x: severity.value(),
        y: quantity.value.value(),
        interval: quantity.interval.as_ref().ok().map(|range| (range.low, range.high)),
        tip: format!(
            "{}, {} {severity}: {} {}",
            curve.subject,
            curve.ladder,
            curve.gauge,
            words::quantity(quantity)
        ),
    };
    let style = digest.style(&curve.subject);
    Series {
        name: curve.subject.to_string(),
        key: digest.key(&curve.subject),
        style,
        origin: Origin::Measured,
        marked: style.is_some(),
        points: curve.points.iter().map(|p| point(&p.severity, &p.quantity)).collect(),
    }
}

/// What was expected along a ladder, one series for each subject and source.
fn expected_series(digest: &Digest<'_>, panel: &Panel<'_>) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for expectation in &digest.findings.expectations {
        let Some(x) = expected_at(expectation, panel) else { continue };
        let name = format!("{}, {}", expectation.place.subject, expectation.source);
        let middle = f64::midpoint(expectation.low, expectation.high);
        let tip = format!(
            "expected, not measured: {name}: {} to {}",
            number::short(expectation.low),
            number::short(expectation.high)
        );
        let point = Point { x, y: Some(middle), interval: Some((expectation.low, expectation.high)), tip };
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name,
                key: digest.key(&expectation.place.subject),
                style: digest.style(&expectation.place.subject),
                origin: Origin::Elsewhere,
                marked: true,
                points: vec![point],
            }),
        }
    }
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    series
}

fn expected_at(expectation: &Expectation, panel: &Panel<'_>) -> Option<f64> {
    if expectation.gauge != panel.gauge.name || expectation.place.dataset != *panel.dataset {
        return None;
    }
    match &expectation.place.under {
        Under::Clean => Some(0.0),
        Under::Rung { ladder, severity } if *ladder == panel.ladder.name => Some(severity.value()),
        _ => None,
    }
}

fn families(claims: &[ClaimFinding]) -> Vec<(String, Vec<&ClaimFinding>)> {
    let mut families: Vec<(String, Vec<&ClaimFinding>)> = Vec::new();
    for claim in claims {
        match families.iter_mut().find(|(family, _)| *family == claim.family) {
            Some((_, members)) => members.push(claim),
            None => families.push((claim.family.clone(), vec![claim])),
        }
    }
    families
}

fn claim_forest(family: &str, claims: &[&ClaimFinding]) -> Forest {
    let row = |claim: &&ClaimFinding| Row {
        name: format!("{}: {}", claim.name, words::verdict(claim.verdict)),
        value: claim.quantity.value.value(),
        interval: claim.judged_by.as_ref().ok().map(|range| (range.low, range.high)),
        margin: Some(claim.margin),
        stands: claim.verdict != Verdict::Undecided,
        origin: Origin::Measured,
        words: match (&claim.quantity.value.value(), &claim.judged_by) {
            (Some(value), Ok(range)) => format!("{} {}", number::signed(*value), words::range(range)),
            (Some(value), Err(_)) => number::signed(*value),
            (None, _) => "undefined".into(),
        },
        tip: claim.sentence.clone(),
    };
    Forest {
        titles: Titles {
            title: format!("Claims of family {family}"),
            remark: "Intervals are those the verdicts rest on, corrected over the family. Dashed: each claim's margin. \
                     Filled: decided; hollow: undecided."
                .into(),
            x: "what was judged, in the unit of each claim's gauge".into(),
            y: String::new(),
        },
        zero: 0.0,
        rows: claims.iter().take(ROWS).map(row).collect(),
    }
}

/// The differences between subjects at their hardest, those that stand first.
fn contrast_forest(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Forest> {
    let mut contrasts: Vec<&Contrast> =
        digest.findings.contrasts.iter().filter(|c| c.gauge == gauge.name).collect();
    let total = contrasts.len();
    if total == 0 {
        return None;
    }
    if total > ROWS {
        contrasts.sort_by_key(|contrast| {
            (contrast.of.subject == contrast.against.subject, !stands(&contrast.quantity))
        });
        contrasts.truncate(ROWS);
    }
    let better = if gauge.scale.direction == Direction::Higher { "right" } else { "left" };
    let shown = if total > ROWS {
        format!(" Shown: {ROWS} of {total}; all are in the table.")
    } else {
        String::new()
    };
    Some(Forest {
        titles: Titles {
            title: format!("Paired differences in {}", gauge.name),
            remark: format!("On the same units. Filled: the interval excludes zero.{shown}"),
            x: format!("difference in {}, in its own unit ({better}: better)", gauge.name),
            y: String::new(),
        },
        zero: 0.0,
        rows: contrasts.iter().map(|contrast| contrast_row(digest, contrast)).collect(),
    })
}

fn contrast_row(digest: &Digest<'_>, contrast: &Contrast) -> Row {
    let name = words::difference(&contrast.of, &contrast.against, digest.several_datasets());
    let words = match contrast.quantity.value.value() {
        Some(_) => words::signed(&contrast.quantity),
        None => "undefined".into(),
    };
    Row {
        tip: format!("{name}: {}; {}", words::signed(&contrast.quantity), words::basis(&contrast.quantity)),
        name,
        value: contrast.quantity.value.value(),
        interval: contrast.quantity.interval.as_ref().ok().map(|range| (range.low, range.high)),
        margin: None,
        stands: stands(&contrast.quantity),
        origin: Origin::Measured,
        words,
    }
}

/// Whether an interval excludes zero.
pub(crate) fn stands(quantity: &Quantity) -> bool {
    quantity.interval.as_ref().is_ok_and(|range| range.low > 0.0 || range.high < 0.0)
}
