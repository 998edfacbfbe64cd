//! The report in a terminal: verdicts first, then each curve as a row of small bars.

use duress_core::gauge::{Detail, Group};
use duress_core::number::{self, NumberFormat};
use duress_figure::label::tame;

mod agreement;
mod paper;
mod review;
mod table_reading;

pub use agreement::agreement;
pub use review::review;
pub use table_reading::table_reading;

use paper::{Paper, Tone, columns, cut};

use crate::digest::{Digest, Panel};
use crate::tables::spread_in_words;
use crate::{noise, words};
use duress_core::subject::FailureKind;
use duress_findings::{
    Caveat, ClaimFinding, ClaimSide, Curve, Doubt, Estimate, FailedCell, Findings, GaugeCard,
    NoBreak, Place, Quantity, Reading, Under, Verdict,
};

/// Curves of this many panels are shown; the page has the rest.
const PANELS: usize = 8;
/// Subjects of this many rows per panel are shown.
const ROWS: usize = 8;
/// Numbers of this many whole ladders and subjects are shown.
const WHOLE: usize = 24;
/// How wide the names of their gauges are.
const GAUGE_ROOM: usize = 16;
/// So many of the hardest arrangements are named.
const EXTREMES: usize = 3;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Verdicts and findings as text of at most `width` columns; without `colour`, no control codes at
/// all.
///
/// Text from a study, a dataset or a subject is shown with its control characters replaced.
pub fn summary(findings: &Findings, width: usize, colour: bool) -> String {
    let digest = Digest::of(findings);
    let mut paper = Paper::new(width, colour);
    head(&mut paper, findings);
    for claim in &findings.claims {
        verdict(&mut paper, &digest, claim);
    }
    noise_floor(&mut paper, &digest);
    for panel in digest.panels.iter().take(PANELS) {
        ladder(&mut paper, &digest, panel);
    }
    if digest.panels.is_empty() {
        for gauge in digest.gauges().take(PANELS) {
            overview(&mut paper, &digest, gauge);
        }
    }
    if digest.panels.len() > PANELS {
        paper.line(&format!(
            "… and {} in the report",
            words::counted(digest.panels.len() - PANELS, "more curve")
        ));
    }
    whole(&mut paper, &digest);
    undefined_everywhere(&mut paper, findings);
    tail(&mut paper, findings);
    paper.text()
}

/// What changes when nothing does, where the study was run twice.
fn noise_floor(paper: &mut Paper, digest: &Digest<'_>) {
    let Some(floor) = &digest.findings.noise_floor else {
        return;
    };
    paper.line("");
    paper.marked(Tone::Strong, &noise::heading(floor), "");
    let lines = noise::lines(digest.findings, digest.several_datasets());
    let shown = ROWS.max(floor.claims.len());
    for line in lines.iter().take(shown) {
        paper.paragraph(2, line);
    }
    if lines.len() > shown {
        let more = words::counted(lines.len() - shown, "more number");
        paper.line(&format!("  … and {more} in the report"));
    }
}

/// Gauges that read nothing anywhere, with the first reason: a row of dashes says nothing.
fn undefined_everywhere(paper: &mut Paper, findings: &Findings) {
    for gauge in &findings.gauges {
        let mut of_gauge = findings
            .estimates
            .iter()
            .filter(|one| one.gauge == gauge.name)
            .map(|one| &one.quantity.value)
            .peekable();
        let first = of_gauge.peek().map(|value| words::reading(value));
        if let Some(why) = first
            && of_gauge.all(|value| value.value().is_none())
        {
            paper.line("");
            paper.marked(
                Tone::Bad,
                &format!("{} has no value anywhere", gauge.name),
                "",
            );
            paper.paragraph(2, &why);
        }
    }
}

/// How many reasons for failed cells are told.
const REASONS: usize = 3;

/// Why cells failed, with how many did for a reason and the first of them, the most frequent reason
/// first.
fn reasons(failures: &[FailedCell]) -> Vec<(&FailedCell, usize)> {
    let mut counts: Vec<(&FailedCell, usize)> = Vec::new();
    for failed in failures {
        let known = |(first, _): &&mut (&FailedCell, usize)| first.failure == failed.failure;
        match counts.iter_mut().find(known) {
            Some((_, count)) => *count += 1,
            None => counts.push((failed, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn why_failed(paper: &mut Paper, failures: &[FailedCell], several_datasets: bool) {
    for (first, count) in reasons(failures).into_iter().take(REASONS) {
        let cells = words::counted(count, "cell");
        let place = words::failed_at(first, several_datasets);
        let seed = first.seed;
        let why = &first.failure;
        let which = if count > 1 { ", the first " } else { ", " };
        paper.paragraph(2, &format!("{cells}{which}{place}, seed {seed}: {why}"));
    }
}

/// How what failed is asked again: a further run asks by itself only about what was not asked.
fn asking_again(failures: &[FailedCell]) -> Option<&'static str> {
    let not_asked = |failed: &&FailedCell| failed.failure.kind == FailureKind::NotAsked;
    let all = failures.len();
    match failures.iter().filter(not_asked).count() {
        _ if all == 0 => None,
        some if some == all => Some("Running again asks what was not asked."),
        0 => Some("`duress run --retry` asks again where cells failed."),
        _ => Some(
            "Running again asks what was not asked, and with `--retry` also where cells failed.",
        ),
    }
}

/// Cells that had answers and failed when they were asked again, as text of at most `width` columns.
pub fn failed_again(
    failures: &[FailedCell],
    several_datasets: bool,
    width: usize,
    colour: bool,
) -> String {
    let mut paper = Paper::new(width, colour);
    let cells = words::counted(failures.len(), "cell");
    let failed = format!("Asked again, {cells} failed");
    paper.marked(Tone::Bad, &failed, ": their answers of before stand");
    why_failed(&mut paper, failures, several_datasets);
    paper.text()
}

fn head(paper: &mut Paper, findings: &Findings) {
    paper.heading(&findings.study.name);
    let counts = [
        words::counted(findings.subjects.len(), "subject"),
        words::counted(findings.study.seeds.len(), "seed"),
        format!(
            "{} of {} cells answered",
            findings.cells.answered, findings.cells.planned
        ),
    ];
    paper.line(&counts.join(" · "));
    if findings.cells.failed > 0 {
        paper.marked(
            Tone::Bad,
            &format!("{} failed", words::counted(findings.cells.failed, "cell")),
            ": listed in the report, averaged nowhere",
        );
        why_failed(paper, &findings.failures, findings.datasets.len() > 1);
        if let Some(way_on) = asking_again(&findings.failures) {
            paper.paragraph(2, way_on);
        }
    }
    if !findings.claims.is_empty() {
        paper.line("");
    }
}

fn verdict(paper: &mut Paper, digest: &Digest<'_>, claim: &ClaimFinding) {
    let refused = digest.refusal(&claim.name);
    let (tone, sign) = match claim.verdict {
        _ if refused.is_some() => (Tone::Bad, '⊘'),
        Verdict::Upheld => (Tone::Good, '✓'),
        Verdict::Refuted => (Tone::Bad, '✗'),
        Verdict::Undecided => (Tone::Open, '○'),
    };
    let word = digest.word_on(&claim.name, claim);
    paper.marked(tone, &format!("{sign} {word:<10}"), &claim.name);
    if let Some(floor) = refused {
        paper.paragraph(4, &words::refused(floor, claim.verdict));
    }
    if let Some(look) = &claim.look {
        paper.paragraph(4, &look.to_string());
    }
    if claim.parts.is_empty() {
        paper.paragraph(4, &claim.sentence);
        numbers(paper, 4, claim);
    } else {
        paper.paragraph(4, &claim.why);
    }
    for (name, part) in claim.judged().filter(|_| !claim.parts.is_empty()) {
        let word = digest.word_on(&name, part);
        paper.paragraph(4, &format!("{word}: {}", part.name));
        paper.paragraph(6, &part.sentence);
        numbers(paper, 6, part);
    }
    if let Some(what) = &claim.would_decide {
        paper.paragraph(4, &format!("would decide it: {what}"));
    }
}

/// What was judged, and what each p-value is against.
fn numbers(paper: &mut Paper, indent: usize, claim: &ClaimFinding) {
    let value = match &claim.quantity.value {
        Reading::Value(_) => words::judged(claim),
        undefined => words::reading(undefined),
    };
    let against = match (claim.side, claim.is_difference()) {
        (ClaimSide::Equivalent, _) => "of equivalence",
        (_, true) => "against zero",
        (_, false) => "against the margin",
    };
    let p = match &claim.test {
        Ok(test) if test.p_adjusted != test.p => {
            format!(
                ", p {} {against} (corrected over the family)",
                words::p(test.p_adjusted)
            )
        }
        Ok(test) => format!(", p {} {against}", words::p(test.p)),
        Err(why) => format!(", no p: {why}"),
    };
    let margin = number::tidy(claim.margin);
    let narrower = words::narrower(claim);
    let of_verdict = words::p_of_verdict(claim);
    paper.paragraph(
        indent,
        &format!("{value}{narrower}, margin {margin}{of_verdict}{p}"),
    );
    if let Some(note) = words::interval_beyond(claim) {
        paper.paragraph(indent, &note);
    }
}

fn ladder(paper: &mut Paper, digest: &Digest<'_>, panel: &Panel<'_>) {
    let (Some(first), Some(last)) = (
        panel.ladder.severities.first(),
        panel.ladder.severities.last(),
    ) else {
        return;
    };
    let on = if digest.several_datasets() {
        format!(" on {}", panel.dataset)
    } else {
        String::new()
    };
    paper.line("");
    paper.marked(
        Tone::Strong,
        &arrow(panel.gauge),
        &format!(" under {}{on}, {first} to {last}", panel.ladder.name),
    );
    let values = panel
        .curves
        .iter()
        .flat_map(|curve| &curve.points)
        .filter_map(|point| point.quantity.value.value());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
        (l.min(v), h.max(v))
    });
    // Shares are drawn from zero, so that a bar's length means something.
    let (low, high) = if low >= 0.0 {
        (0.0, if high <= 1.0 { 1.0 } else { high })
    } else {
        (low, high)
    };
    let shown = panel.curves.len().min(ROWS);
    let names = panel
        .curves
        .iter()
        .take(shown)
        .map(|curve| columns(curve.subject.as_str()));
    let room = names.max().unwrap_or(0).clamp(7, (paper.width / 3).max(8));
    let bars = panel.ladder.severities.len().min(paper.width / 4);
    let heads = format!(
        "  {} {:>8} {:>8}  {}",
        pad("subject", room),
        "clean",
        "hardest",
        pad("", bars)
    );
    paper.line(&format!("{heads}  breaks at"));
    let columns = columns_of(panel);
    for curve in panel.curves.iter().take(shown) {
        paper.line(&row(digest, curve, room, bars, (low, high), columns));
    }
    if panel.curves.iter().any(|curve| digest.is_doubted(curve)) {
        paper.paragraph(2, words::DOUBTED);
    }
    if panel.curves.len() > shown {
        paper.line(&format!(
            "  … and {} in the report",
            words::counted(panel.curves.len() - shown, "more subject")
        ));
    }
    if let Some((some, all)) = digest.fewest_items(panel) {
        paper.paragraph(
            2,
            &format!("over the {some} of {all} items that are read at every severity"),
        );
    }
}

/// The digits of the two columns of numbers, which are read from row to row.
fn columns_of(panel: &Panel<'_>) -> NumberFormat {
    let ends = panel
        .curves
        .iter()
        .flat_map(|curve| [curve.points.first(), curve.points.last()]);
    NumberFormat::alike(
        &ends
            .flatten()
            .filter_map(|point| point.quantity.value.value())
            .collect::<Vec<f64>>(),
    )
}

fn row(
    digest: &Digest<'_>,
    curve: &Curve,
    room: usize,
    bars: usize,
    (low, high): (f64, f64),
    digits: NumberFormat,
) -> String {
    let short = |point: Option<&duress_findings::CurvePoint>| {
        let value = point.and_then(|point| point.quantity.value.value());
        value.map_or_else(|| "–".into(), |value| digits.write(value))
    };
    let bar = |point: &duress_findings::CurvePoint| match point.quantity.value.value() {
        Some(value) if high > low => {
            BARS[(((value - low) / (high - low)).clamp(0.0, 1.0) * 7.0).round() as usize]
        }
        Some(_) => BARS[3],
        None => '·',
    };
    let clean = curve
        .points
        .first()
        .filter(|point| point.severity.is_clean());
    let drawn: String = curve.points.iter().take(bars).map(bar).collect();
    let breaks = match &curve.break_point {
        Ok(severity) => severity.to_string(),
        Err(NoBreak::Nowhere) => "nowhere".into(),
        Err(NoBreak::Improves) => "nowhere, improves".into(),
        Err(NoBreak::NotShown { unit, .. }) => format!("not shown ({unit})"),
        Err(NoBreak::NeitherIsBetter) => "–".into(),
        Err(_) if clean.is_none() => "–".into(),
        Err(_) => "unknown".into(),
    };
    let breaks = words::marked(&breaks, digest.is_doubted(curve));
    let name = pad(&cut(&tame(curve.subject.as_str()), room), room);
    format!(
        "  {name} {:>8} {:>8}  {}  {breaks}",
        short(clean),
        short(curve.points.last()),
        pad(&drawn, bars),
    )
}

/// Gauges of whole ladders and of all that a subject did, which no curve shows, with what they are
/// made of.
fn whole(paper: &mut Paper, digest: &Digest<'_>) {
    let findings = digest.findings;
    let is_whole =
        |one: &&Estimate| matches!(one.place.under, Under::Ladder(_) | Under::Everything);
    let all: Vec<&Estimate> = findings.estimates.iter().filter(is_whole).collect();
    if all.is_empty() || digest.panels.is_empty() {
        return;
    }
    paper.line("");
    paper.marked(Tone::Strong, "over whole ladders", "");
    let name = |one: &Estimate| findings.gauges.iter().find(|card| card.name == one.gauge);
    for one in all.iter().take(WHOLE) {
        let gauge = name(one).map_or_else(|| one.gauge.clone(), arrow);
        let whose = whose_whole(digest, &one.place);
        let head = format!("{} {whose}", pad(&gauge, GAUGE_ROOM));
        head_and_number(paper, &head, &words::quantity(&one.quantity));
        let dataset = &one.place.dataset;
        let mut cards = findings.datasets.iter();
        if let Some(card) = cards.find(|card| card.name == *dataset) {
            let fewer = fewer_items(&one.quantity, card.test_items);
            let told = "the report's leaving.csv and absent.csv tell of the others";
            fewer
                .iter()
                .for_each(|fewer| paper.paragraph(4, &format!("{fewer}: {told}")));
        }
        for line in made_of(one) {
            paper.paragraph(4, &line);
        }
    }
    if all.len() > WHOLE {
        let more = words::counted(all.len() - WHOLE, "more number");
        paper.line(&format!("  … and {more} in the report"));
    }
}

/// On one line; a number under its head where they do not fit, such as why there is none.
fn head_and_number(paper: &mut Paper, head: &str, number: &str) {
    let room = paper.width.saturating_sub(columns(number) + 4);
    if columns(head) <= room {
        paper.line(&format!("  {}  {number}", pad(head, room)));
    } else {
        let room = paper.width.saturating_sub(2);
        paper.line(&format!("  {}", cut(head, room)));
        paper.paragraph(4, number);
    }
}

/// Whose number it is: the subject, on which dataset and over which ladder where there are several.
fn whose_whole(digest: &Digest<'_>, place: &Place) -> String {
    let mut whose = tame(place.subject.as_str());
    if digest.several_datasets() {
        whose += &format!(" on {}", place.dataset);
    }
    if let Under::Ladder(ladder) = &place.under
        && digest.findings.ladders.len() > 1
    {
        whose += &format!(" under {ladder}");
    }
    whose
}

/// That a number leaves out items of a dataset, where it does.
fn fewer_items(quantity: &Quantity, all: usize) -> Option<String> {
    let over = quantity.items;
    (over > 0 && over < all).then(|| format!("over {over} of {all} items"))
}

/// The hardest arrangements of a grid, or what the spread of groups is.
fn made_of(estimate: &Estimate) -> Vec<String> {
    detail_lines(estimate.detail())
}

/// What a number is made of, in a line or two.
fn detail_lines(detail: Option<&Detail>) -> Vec<String> {
    match detail {
        Some(Detail::Grid(grid)) => {
            let width = grid.columns.len().max(1);
            let first = grid.cells.iter().step_by(width).zip(&grid.rows);
            let mut rows: Vec<(f64, &String)> = first
                .filter_map(|(cell, name)| Some((*cell.value.as_ref().ok()?, name)))
                .collect();
            if rows.len() < 2 {
                return Vec::new();
            }
            rows.sort_by(|a, b| b.0.total_cmp(&a.0));
            let shown = rows.iter().take(EXTREMES);
            let shown: Vec<String> = shown
                .map(|(value, name)| format!("{name} {}", number::fixed(*value, 3)))
                .collect();
            let least = rows[EXTREMES.min(rows.len())..]
                .last()
                .map(|(value, name)| format!("; least {name} {}", number::fixed(*value, 3)));
            vec![format!(
                "most by {}: {}{}",
                grid.row_axis,
                shown.join(", "),
                least.unwrap_or_default()
            )]
        }
        Some(Detail::Spread(spread)) => {
            let group = |group: &Group| {
                let value = group
                    .value
                    .as_ref()
                    .map_or_else(|_| "undefined".to_owned(), |value| number::fixed(*value, 3));
                format!("{} {value} (n = {})", group.name, group.n)
            };
            let groups: Vec<String> = spread.groups.iter().map(group).collect();
            vec![groups.join(", "), spread_in_words(spread)]
        }
        _ => Vec::new(),
    }
}

/// Gauges without ladders: one row per subject and place.
fn overview(paper: &mut Paper, digest: &Digest<'_>, gauge: &GaugeCard) {
    let of_gauge = || {
        digest
            .findings
            .estimates
            .iter()
            .filter(|estimate| estimate.gauge == gauge.name)
    };
    if of_gauge().next().is_none() {
        return;
    }
    paper.line("");
    paper.marked(Tone::Strong, &arrow(gauge), "");
    for estimate in of_gauge().take(ROWS) {
        let place = estimate.place.in_words(digest.several_datasets());
        let number = words::quantity(&estimate.quantity);
        let room = paper.width.saturating_sub(columns(&number) + 4).max(10);
        paper.line(&format!(
            "  {}  {number}",
            pad(&cut(&tame(&place), room), room)
        ));
    }
    if of_gauge().count() > ROWS {
        paper.line(&format!(
            "  … and {} more in the report",
            of_gauge().count() - ROWS
        ));
    }
}

/// How many different caveats are told.
const CAVEATS: usize = 5;

/// Each caveat once, with all that it is about before it.
fn said(caveats: &[Caveat]) -> Vec<(String, String)> {
    let mut found: Vec<(Vec<String>, &Doubt)> = Vec::new();
    let known = |found: &[(Vec<String>, &Doubt)], doubt: &Doubt, about: &String| {
        found
            .iter()
            .any(|(abouts, said)| *said == doubt && abouts.contains(about))
    };
    for Caveat { about, doubt, .. } in caveats {
        let whose = about
            .subject()
            .map(ToString::to_string)
            .or_else(|| about.gauge().map(String::from))
            .or_else(|| about.claim().map(String::from))
            .or_else(|| about.dataset().map(ToString::to_string));
        let about = match (whose, about.stress()) {
            // What holds when clean holds under stress too.
            (Some(whose), Some(_)) if known(&found, doubt, &whose) => continue,
            (Some(whose), Some(ladder)) => format!("{whose} under {ladder}"),
            (Some(whose), None) => whose,
            (None, Some(ladder)) => ladder.to_string(),
            (None, None) => String::new(),
        };
        match found.iter_mut().find(|(_, said)| *said == doubt) {
            Some((abouts, _)) if !abouts.contains(&about) => abouts.push(about),
            Some(_) => {}
            None => found.push((vec![about], doubt)),
        }
    }
    found
        .into_iter()
        .map(|(abouts, doubt)| (before_doubt(abouts, doubt), doubt.to_string()))
        .collect()
}

/// What stands before a doubt: whom it is about, unless its sentence begins with that.
fn before_doubt(mut abouts: Vec<String>, doubt: &Doubt) -> String {
    abouts.retain(|about| !about.is_empty());
    if abouts.is_empty() || doubt.begins_with_its_name() {
        return String::new();
    }
    format!("{}: ", abouts.join(", "))
}

fn tail(paper: &mut Paper, findings: &Findings) {
    if !findings.caveats.is_empty() {
        paper.line("");
        paper.marked(
            Tone::Open,
            &words::counted(findings.caveats.len(), "caveat"),
            ", each beside its number in the report",
        );
        let said = said(&findings.caveats);
        for (about, text) in said.iter().take(CAVEATS) {
            paper.paragraph(2, &format!("{about}{text}"));
        }
        if said.len() > CAVEATS {
            paper.line(&format!(
                "  … and {} more in the report",
                said.len() - CAVEATS
            ));
        }
    }
}

fn arrow(gauge: &GaugeCard) -> String {
    format!("{} {}", gauge.name, words::arrow(gauge.scale.direction))
        .trim_end()
        .into()
}

/// A text of exactly this many columns, if it is not longer.
fn pad(text: &str, room: usize) -> String {
    format!("{text}{}", " ".repeat(room.saturating_sub(columns(text))))
}
