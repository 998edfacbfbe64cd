//! The tables of a report: findings turned into rows and columns.

mod composition;
mod explanation;
pub(crate) mod format;

use std::collections::BTreeSet;

use crate::digest::{Digest, Panel};
use crate::figures::slug;
use crate::stress_summary::{short_table, stress_rows};
use crate::words;
pub(crate) use composition::in_words as spread_in_words;
use duress_core::answer::AbsenceKind;
use duress_core::number;
use duress_core::word::Word;
use duress_findings::{
    ClaimFinding, Contrast, Estimate, Expectation, GaugeCard, Layout, NumberForm, Place, Quantity,
    Reading, Under, VariancePart, VarianceSource,
};
pub(crate) use explanation::EXPLANATION_AGREEMENT;
use format::{Number, Spread, Table, TableCell, numbers, words as words_column};

/// Contrasts of one gauge that a table shows; the rest is in the CSV file.
const CONTRASTS: usize = 400;

/// Every table, in the order of the report.
pub(crate) fn all(digest: &Digest<'_>) -> Vec<Table> {
    let mut tables = vec![claims(digest)];
    for gauge in digest.gauges() {
        tables.extend(overview(digest, gauge));
        let panels = digest
            .panels
            .iter()
            .filter(|panel| panel.gauge.name == gauge.name);
        tables.extend(panels.map(|panel| ladder(digest, panel)));
        tables.extend(contrasts(digest, gauge));
        tables.extend(composition::composition(digest, gauge));
        tables.extend(slices(digest, gauge));
        tables.extend(variances(digest, gauge));
    }
    tables.extend(expectations(digest));
    tables.push(explanation::agreement(digest));
    if digest.findings.study.layouts.contains(&Layout::Robustness) {
        tables.push(short_table(&stress_rows(digest)));
    }
    tables.push(efforts(digest));
    tables.push(realised(digest));
    tables.push(absent_answers(digest));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The file name of a gauge's overview.
pub(crate) fn overview_file(gauge: &str) -> String {
    slug(&format!("overview-{gauge}"))
}

/// The file name of a panel's table.
pub(crate) fn ladder_file(panel: &Panel<'_>) -> String {
    slug(&format!(
        "{}-{}-{}",
        panel.gauge.name, panel.ladder.name, panel.dataset
    ))
}

/// The file name of a gauge's contrasts.
pub(crate) fn contrasts_file(gauge: &str) -> String {
    slug(&format!("contrasts-{gauge}"))
}

/// The file name of what a gauge's numbers are made of.
pub(crate) fn composition_file(gauge: &str) -> String {
    slug(&format!("composition-{gauge}"))
}

/// The file name of a gauge's slices.
pub(crate) fn slices_file(gauge: &str) -> String {
    slug(&format!("slices-{gauge}"))
}

/// The file name of where a gauge's variance comes from.
pub(crate) fn variances_file(gauge: &str) -> String {
    slug(&format!("variance-{gauge}"))
}

/// Where the variance comes from, one row per subject and dataset without stress, and one where it was
/// asked with several templates; the rest is in the CSV file.
fn variances(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Table> {
    let by_template = |one: &Estimate| {
        let mut sources = one.variance.iter().map(|part| part.source);
        sources.any(|source| source == VarianceSource::Template)
    };
    let unpressed = |one: &Estimate| matches!(one.place.under, Under::Clean | Under::Everything);
    let shown: Vec<&Estimate> = digest
        .findings
        .estimates
        .iter()
        .filter(|one| one.gauge == gauge.name && !one.variance.is_empty())
        .filter(|one| unpressed(one) || by_template(one))
        .collect();
    let occurs = |source: &VarianceSource| {
        let mut parts = shown.iter().flat_map(|one| &one.variance);
        parts.any(|part| part.source == *source)
    };
    let sources: Vec<VarianceSource> = VarianceSource::ALL.iter().copied().filter(occurs).collect();
    let of_answer = sources.iter().map(|source| numbers(source.to_string()));
    let of_error = sources
        .iter()
        .map(|source| numbers(format!("error: {source}")));
    let columns = std::iter::once(words_column("where"))
        .chain(of_answer)
        .chain(of_error);
    let title = format!("Where the variance of {} comes from", gauge.name);
    let mut table = Table::new(variances_file(&gauge.name), title, columns.collect());
    for one in shown {
        let share = |pick: fn(&VariancePart) -> f64| {
            let of_source = move |source: &VarianceSource| {
                let part = one.variance.iter().find(|part| part.source == *source);
                part.map_or(TableCell::Nothing, |part| percent(pick(part)))
            };
            sources.iter().map(of_source)
        };
        let mut row = vec![TableCell::Words(
            one.place.in_words(digest.several_datasets()),
        )];
        row.extend(share(|part| part.share));
        row.extend(share(|part| part.error_share));
        table.rows.push(row);
    }
    table.notes.push(
        "Shares of the variance of one answer, then of the squared standard error of the number: what more clusters, items or replicates would lessen. With one replicate, item holds the rest.".into(),
    );
    if sources.contains(&VarianceSource::Template) {
        table.notes.push(
            "Templates are those that were asked with: the number is about these, so they add nothing to its error.".into(),
        );
    }
    (!table.rows.is_empty()).then_some(table)
}

fn percent(share: f64) -> TableCell {
    TableCell::Words(format!("{} %", number::fixed(100.0 * share, 1)))
}

/// The file name of what attacks asked.
pub(crate) const EFFORTS: &str = "attack-effort";

/// One row per rung that was attacked.
fn efforts(digest: &Digest<'_>) -> Table {
    let heads = [
        "queries per item",
        "of them for a gradient",
        "most about one item",
        "items",
    ]
    .map(numbers);
    let columns = std::iter::once(words_column("up to"))
        .chain(heads)
        .collect();
    let mut table = Table::new(
        EFFORTS,
        "What the attacks asked, from the start of the ladder on",
        columns,
    );
    for effort in &digest.findings.efforts {
        table.rows.push(vec![
            TableCell::Words(effort.place.in_words(digest.several_datasets())),
            TableCell::Estimate(Number::plain(effort.queries, 1)),
            TableCell::Estimate(Number::plain(effort.gradients, 1)),
            TableCell::Estimate(Number::plain(f64::from(effort.most), 0)),
            TableCell::Estimate(Number::plain(effort.items as f64, 0)),
        ]);
    }
    table
}

/// The file name of what stress came to.
pub(crate) const REALISED: &str = "realised-stress";

/// One row per dataset and rung whose press can be counted.
fn realised(digest: &Digest<'_>) -> Table {
    let heads = [
        "values hidden",
        "values changed",
        "changed by (root mean square)",
        "edits of a changed text",
        "seeds",
    ]
    .map(numbers);
    let columns = ["pressed by", "dataset"]
        .map(words_column)
        .into_iter()
        .chain(heads)
        .collect();
    let mut table = Table::new(
        REALISED,
        "What the stress came to, mean over seeds",
        columns,
    );
    for one in &digest.findings.realised {
        let of_windows = |cell: TableCell| match one.mean.edits {
            Some(_) => TableCell::Nothing,
            None => cell,
        };
        let edits = one.mean.edits.map(number::short).map(TableCell::Words);
        let pressed = match &one.variant {
            Some(variant) => format!("{}, {variant}", one.under),
            None => one.under.to_string(),
        };
        table.rows.push(vec![
            TableCell::Words(pressed),
            TableCell::Words(format!("{}, {}", one.dataset, one.windows)),
            of_windows(percent(one.mean.hidden)),
            percent(one.mean.changed),
            of_windows(TableCell::Words(number::short(one.mean.moved))),
            edits.unwrap_or(TableCell::Nothing),
            TableCell::Estimate(Number::plain(one.seeds as f64, 0)),
        ]);
    }
    table
}

/// The file name of which answers are absent.
pub(crate) const ABSENT: &str = "absent-answers";

/// One row per place at which answers are absent, with a column for each kind that occurs.
fn absent_answers(digest: &Digest<'_>) -> Table {
    let places = &digest.findings.absences;
    let kinds = places.iter().flat_map(|one| one.kinds.keys().copied());
    let occur: BTreeSet<AbsenceKind> = kinds.collect();
    let kinds = occur.iter().map(|kind| numbers(kind.to_string()));
    let columns = std::iter::once(words_column("where"))
        .chain([numbers("asked"), numbers("answered")])
        .chain(kinds);
    let title = "Answers that are absent, by what kept them away";
    let mut table = Table::new(ABSENT, title, columns.collect());
    let count = |count: usize| TableCell::Estimate(Number::plain(count as f64, 0));
    for one in places {
        let place = one.place.in_words(digest.several_datasets());
        let place = match &one.rater {
            Some(rater) => format!("{place}, rated by {rater}"),
            None => place,
        };
        let of_kind = |kind| count(one.kinds.get(kind).copied().unwrap_or(0));
        let mut row = vec![
            TableCell::Words(place),
            count(one.asked),
            count(one.asked.saturating_sub(one.absent())),
        ];
        row.extend(occur.iter().map(of_kind));
        table.rows.push(row);
    }
    table
}

/// One row per slice, the worst of each place and column named.
fn slices(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Table> {
    let columns = ["where", "column", "slice"].map(words_column).into_iter();
    let columns = columns.chain([
        numbers("items"),
        numbers(gauge.name.clone()),
        words_column("worst"),
    ]);
    let title = format!("{} by slices of the items", words::axis(gauge));
    let mut table = Table::new(slices_file(&gauge.name), title, columns.collect());
    for slice in digest
        .findings
        .slices
        .iter()
        .filter(|slice| slice.gauge == gauge.name)
    {
        let read = slice_cell(&mut table, &slice.quantity);
        table.rows.push(vec![
            TableCell::Words(slice.place.in_words(digest.several_datasets())),
            TableCell::Words(slice.column.clone()),
            TableCell::Words(slice.slice.clone()),
            TableCell::Estimate(Number::plain(slice.quantity.items as f64, 0)),
            read,
            TableCell::Words(if slice.worst {
                "worst".into()
            } else {
                String::new()
            }),
        ]);
    }
    (!table.rows.is_empty()).then(|| finished(table, gauge))
}

/// The cell of a slice; how many items it has stands beside it, so that one note can speak for all.
fn slice_cell(table: &mut Table, quantity: &Quantity) -> TableCell {
    let Reading::Value(value) = quantity.value else {
        return cell(table, quantity, false);
    };
    let unit = quantity.unit.with_items_as("the items of each slice");
    let why = format!(
        "{}, {}.",
        words::counted(quantity.replicates, "seed"),
        words::certainty(quantity, &unit)
    );
    let note = table.note(&why);
    TableCell::Estimate(Number::new(
        value,
        Spread::of(&quantity.interval),
        false,
        Some(note),
    ))
}

/// The cell of a quantity, with a note that says what it rests on.
fn cell(table: &mut Table, quantity: &Quantity, signed: bool) -> TableCell {
    match &quantity.value {
        Reading::Undefined(why) => TableCell::Undefined(table.note(&format!("Undefined: {why}."))),
        Reading::Value(value) => {
            let note = table.note(&format!("{}.", words::basis(quantity)));
            TableCell::Estimate(Number::new(
                *value,
                Spread::of(&quantity.interval),
                signed,
                Some(note),
            ))
        }
    }
}

/// The cell of an estimate, in the form the study asks for: with its interval, or as mean and
/// deviation over seeds.
fn estimated(
    digest: &Digest<'_>,
    table: &mut Table,
    quantity: &Quantity,
    estimate: Option<&Estimate>,
) -> TableCell {
    let by_seed = estimate.map_or(&[][..], |estimate| &estimate.by_seed);
    let values: Vec<f64> = by_seed
        .iter()
        .filter_map(|(_, reading)| reading.value())
        .collect();
    match (digest.findings.study.numbers, words::mean_and_sd(&values)) {
        (NumberForm::MeanAndSd, (Some(value), Some(sd))) => {
            let note = format!(
                "Mean ± standard deviation (n − 1) over {} seeds.",
                values.len()
            );
            TableCell::Estimate(Number::new(
                value,
                Spread::Deviation(sd),
                false,
                Some(table.note(&note)),
            ))
        }
        _ => cell(table, quantity, false),
    }
}

/// A rung of a panel's ladder; the first is clean.
fn rung(panel: &Panel<'_>, severity: &duress_core::severity::Severity) -> Under {
    match severity.is_clean() {
        true => Under::Clean,
        false => Under::Rung {
            ladder: panel.ladder.name.clone(),
            severity: severity.clone(),
        },
    }
}

/// One row per subject, one column per place that is no rung: clean, conditions, whole ladders,
/// everything.
fn overview(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Table> {
    let unders = digest.unders(&gauge.name);
    // A ladder's table begins with the clean column; a table of that column alone would say nothing
    // new.
    let on_ladders = digest
        .panels
        .iter()
        .any(|panel| panel.gauge.name == gauge.name);
    if on_ladders
        && unders
            .iter()
            .all(|(_, under)| matches!(under, Under::Clean))
    {
        return None;
    }
    let head = |dataset: &duress_core::name::Name, under: &Under| {
        if digest.several_datasets() {
            format!("{}, {dataset}", under)
        } else {
            under.to_string()
        }
    };
    let mut columns = vec![words_column("subject")];
    columns.extend(
        unders
            .iter()
            .map(|(dataset, under)| numbers(head(dataset, under))),
    );
    let beside = if on_ladders {
        ", beside the ladders"
    } else {
        ""
    };
    let title = format!("{}{beside}", words::axis(gauge));
    let mut table = Table::new(overview_file(&gauge.name), title, columns);
    for subject in &digest.findings.subjects {
        let mut row = vec![TableCell::Words(subject.name.to_string())];
        for (dataset, under) in &unders {
            let place = Place {
                subject: subject.name.clone(),
                dataset: (*dataset).clone(),
                under: (*under).clone(),
            };
            row.push(match digest.estimate(&gauge.name, &place) {
                Some(estimate) => estimated(digest, &mut table, &estimate.quantity, Some(estimate)),
                None => TableCell::Nothing,
            });
        }
        if row
            .iter()
            .any(|cell| matches!(cell, TableCell::Estimate(_) | TableCell::Undefined(_)))
        {
            table.rows.push(row);
        }
    }
    floor_rows(digest, gauge, &mut table, &unders);
    for (i, (dataset, under)) in unders.iter().enumerate() {
        embolden(digest, gauge, &mut table, i + 1, dataset, under);
    }
    (!table.rows.is_empty()).then(|| finished(table, gauge))
}

/// One row per subject, one column per rung, and how the curve falls.
fn ladder(digest: &Digest<'_>, panel: &Panel<'_>) -> Table {
    let on = if digest.several_datasets() {
        format!(" on {}", panel.dataset)
    } else {
        String::new()
    };
    let title = format!(
        "{} under {}{on}, by severity ({})",
        words::axis(panel.gauge),
        panel.ladder.name,
        panel.ladder.unit
    );
    let mut columns = vec![words_column("subject")];
    columns.extend(
        panel
            .ladder
            .severities
            .iter()
            .map(|severity| numbers(severity.to_string())),
    );
    columns.extend([
        numbers("area"),
        words_column("breaks at"),
        words_column("falls"),
    ]);
    let mut table = Table::new(ladder_file(panel), title, columns);
    let mut any_doubted = false;
    for curve in &panel.curves {
        let doubted = digest.is_doubted(curve);
        any_doubted |= doubted;
        let mut row = vec![TableCell::Words(words::marked(
            curve.subject.as_str(),
            doubted,
        ))];
        for severity in &panel.ladder.severities {
            let point = curve
                .points
                .iter()
                .find(|point| point.severity == *severity);
            let place = Place {
                subject: curve.subject.clone(),
                dataset: curve.dataset.clone(),
                under: rung(panel, severity),
            };
            let estimate = digest.estimate(&panel.gauge.name, &place);
            row.push(match point {
                Some(point) => estimated(digest, &mut table, &point.quantity, estimate),
                None => TableCell::Nothing,
            });
        }
        row.push(cell(&mut table, &curve.area, false));
        row.push(TableCell::Words(match &curve.break_point {
            Ok(severity) => severity.to_string(),
            Err(why) => why.to_string(),
        }));
        row.push(TableCell::Words(words::shape(
            &curve.shape,
            digest.findings.study.cliff_factor,
        )));
        table.rows.push(row);
    }
    let severities = panel.ladder.severities.iter();
    let unders: Vec<Under> = severities.map(|severity| rung(panel, severity)).collect();
    let places: Vec<_> = unders.iter().map(|under| (panel.dataset, under)).collect();
    floor_rows(digest, panel.gauge, &mut table, &places);
    for (i, severity) in panel.ladder.severities.iter().enumerate() {
        embolden(
            digest,
            panel.gauge,
            &mut table,
            i + 1,
            panel.dataset,
            &rung(panel, severity),
        );
    }
    if any_doubted {
        table.notes.push(words::DOUBTED.into());
    }
    finished(table, panel.gauge)
}

/// What the floors of a gauge read at these places, a row for each floor and subject below those of
/// the gauge.
fn floor_rows(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    table: &mut Table,
    places: &[(&duress_core::name::Name, &Under)],
) {
    let columns = table.columns.len();
    for floor in digest.floors_of(&gauge.name) {
        let name = floor.name.strip_prefix(&format!("{}-", gauge.name));
        let name = name.unwrap_or(&floor.name);
        for subject in &digest.findings.subjects {
            let mut row = vec![TableCell::Words(format!("floor {name}, {}", subject.name))];
            for (dataset, under) in places {
                let place = Place {
                    subject: subject.name.clone(),
                    dataset: (*dataset).clone(),
                    under: (*under).clone(),
                };
                row.push(match digest.estimate(&floor.name, &place) {
                    Some(estimate) => estimated(digest, table, &estimate.quantity, Some(estimate)),
                    None => TableCell::Nothing,
                });
            }
            let is_read = row
                .iter()
                .any(|cell| matches!(cell, TableCell::Estimate(_)));
            row.resize_with(columns, || TableCell::Nothing);
            if is_read {
                table.rows.push(row);
            }
        }
    }
}

fn finished(table: Table, gauge: &GaugeCard) -> Table {
    let mut table = table.settled().aligned();
    let bold = table
        .rows
        .iter()
        .flatten()
        .filter_map(TableCell::number)
        .any(|number| number.bold);
    let lettered = table.lettered();
    let mut remarks = format!(
        "{}: {}.",
        gauge.name,
        gauge.scale.convention.trim_end_matches('.')
    );
    if bold {
        remarks.push_str(
            " Bold: better than every other row by a paired difference whose interval excludes zero.",
        );
    }
    if lettered || table.notes.is_empty() {
        table.notes.push(remarks);
    } else {
        table.notes[0] = format!("{} {remarks}", table.notes[0]);
    }
    table
}

/// Makes the best of a column bold, if its lead over every other row stands.
fn embolden(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    table: &mut Table,
    column: usize,
    dataset: &duress_core::name::Name,
    under: &Under,
) {
    let place = |row: &[TableCell]| match row.first() {
        Some(TableCell::Words(subject)) => {
            duress_core::name::Name::new(subject)
                .ok()
                .map(|subject| Place {
                    subject,
                    dataset: dataset.clone(),
                    under: under.clone(),
                })
        }
        _ => None,
    };
    let value = |row: &[TableCell]| {
        row.get(column)
            .and_then(TableCell::number)
            .map(|number| number.value)
    };
    let rated: Vec<(usize, f64, Place)> = (table.rows.iter().enumerate())
        .filter_map(|(i, row)| Some((i, value(row)?, place(row)?)))
        .collect();
    let better =
        |a: &(usize, f64, Place), b: &(usize, f64, Place)| gauge.scale.direction.better(a.1, b.1);
    let Some(best) = rated
        .iter()
        .reduce(|best, next| if better(next, best) { next } else { best })
    else {
        return;
    };
    let others = rated.iter().filter(|other| other.0 != best.0);
    let leads = rated.len() > 1
        && others
            .into_iter()
            .all(|other| digest.beats(gauge, &best.2, &other.2));
    if let (true, TableCell::Estimate(number)) = (leads, &mut table.rows[best.0][column]) {
        number.bold = true;
    }
}

fn claims(digest: &Digest<'_>) -> Table {
    let columns = vec![
        words_column("claim"),
        words_column("verdict"),
        words_column("what is claimed"),
        numbers("judged"),
        numbers("margin"),
        words_column("side"),
        words_column("p, adjusted"),
    ];
    let mut table = Table::new("claims", "Verdicts", columns);
    for claim in &digest.findings.claims {
        if !claim.parts.is_empty() {
            table.rows.push(claim_of_parts(digest, claim));
        }
        for (name, one) in claim.judged() {
            let row = judged_row(digest, &mut table, name, one);
            table.rows.push(row);
        }
    }
    let mut table = table.settled();
    let claims = digest.findings.claims.iter();
    let refusals = claims.filter_map(|claim| {
        let floor = digest.refusal(&claim.name)?;
        let why = words::refused(floor, claim.verdict);
        Some(format!("{} is refused: {why}.", claim.name))
    });
    table.notes.extend(refusals);
    table
}

/// A claim of parts: what has numbers stands in the rows below it.
fn claim_of_parts(digest: &Digest<'_>, claim: &ClaimFinding) -> Vec<TableCell> {
    let empty = || TableCell::Words(String::new());
    vec![
        TableCell::Words(claim.name.clone()),
        TableCell::Words(digest.word_on(&claim.name, claim)),
        TableCell::Words(claim.why.clone()),
        empty(),
        empty(),
        empty(),
        empty(),
    ]
}

fn judged_row(
    digest: &Digest<'_>,
    table: &mut Table,
    name: String,
    claim: &ClaimFinding,
) -> Vec<TableCell> {
    // A value that is judged by itself is no difference, and has no sign to show.
    let signed = claim.is_difference();
    let value = match (&claim.quantity.value, &claim.judged_by) {
        (Reading::Undefined(why), _) => {
            TableCell::Undefined(table.note(&format!("Undefined: {why}.")))
        }
        (Reading::Value(value), judged) => {
            let note = match judged {
                Ok(range) => format!(
                    "The interval beside the verdict, not adjusted over the family: {}\u{a0}%, {}.",
                    number::tidy(100.0 * range.level),
                    words::judged_how(claim)
                ),
                Err(why) => format!("No interval to judge by: {why}."),
            };
            let note = table.note(&note);
            TableCell::Estimate(Number::new(*value, Spread::of(judged), signed, Some(note)))
        }
    };
    let p = match &claim.test {
        Ok(test) => {
            format!(
                "{} ({}; {})",
                number::p_value(test.p_adjusted),
                test.method,
                test.correction
            )
        }
        Err(why) => format!("no test: {why}"),
    };
    // A margin is a number somebody wrote down: no digits behind what it needs.
    let margin = number::tidy(claim.margin);
    let decimals = margin
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let word = digest.word_on(&name, claim);
    vec![
        TableCell::Words(name),
        TableCell::Words(word),
        TableCell::Words(claim.sentence.clone()),
        value,
        TableCell::Estimate(Number::plain(claim.margin, decimals)),
        TableCell::Words(claim.side.to_string()),
        TableCell::Words(p),
    ]
}

fn contrasts(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Table> {
    let of_gauge: Vec<&Contrast> = digest
        .findings
        .contrasts
        .iter()
        .filter(|c| c.gauge == gauge.name)
        .collect();
    let columns = vec![
        words_column("difference"),
        numbers(format!("in {}", gauge.name)),
        words_column("against zero"),
    ];
    let title = format!("Paired differences in {}", words::axis(gauge));
    let mut table = Table::new(contrasts_file(&gauge.name), title, columns);
    for contrast in of_gauge.iter().take(CONTRASTS) {
        let name = contrast
            .of
            .minus(&contrast.against, digest.several_datasets());
        let number = cell(&mut table, &contrast.quantity, true);
        let stands = match (
            &contrast.quantity.value,
            crate::figures::stands(&contrast.quantity),
        ) {
            (Reading::Undefined(_), _) => "",
            (_, true) => "stands",
            (_, false) => "does not stand",
        };
        table.rows.push(vec![
            TableCell::Words(name),
            number,
            TableCell::Words(stands.into()),
        ]);
    }
    let mut table = table.settled().aligned();
    if of_gauge.len() > CONTRASTS {
        table.notes.push(format!(
            "Shown: {CONTRASTS} of {}; all are in contrasts.csv.",
            of_gauge.len()
        ));
    }
    (!table.rows.is_empty()).then_some(table)
}

/// What was measured beside what was expected.
fn expectations(digest: &Digest<'_>) -> Option<Table> {
    let columns = vec![
        words_column("place"),
        words_column("gauge"),
        words_column("expected, not measured here"),
        words_column("by whom"),
        numbers("measured"),
        words_column("measured is"),
    ];
    let mut table = Table::new("expectations", "Measured beside expected", columns);
    for expectation in &digest.findings.expectations {
        let estimate = digest.estimate(&expectation.gauge, &expectation.place);
        let measured = match estimate {
            Some(estimate) => cell(&mut table, &estimate.quantity, false),
            None => TableCell::Nothing,
        };
        table.rows.push(vec![
            TableCell::Words(expectation.place.in_words(digest.several_datasets())),
            TableCell::Words(expectation.gauge.clone()),
            TableCell::Words(format!(
                "{} to {}",
                number::short(expectation.low),
                number::short(expectation.high)
            )),
            TableCell::Words(expectation.source.clone()),
            measured,
            TableCell::Words(against_expectation(expectation, estimate).into()),
        ]);
    }
    (!table.rows.is_empty()).then(|| table.settled())
}

/// How an estimate stands to what was expected of it; nothing where nothing was.
pub(crate) fn expectation_of(digest: &Digest<'_>, estimate: &Estimate) -> &'static str {
    let about = |e: &&Expectation| e.gauge == estimate.gauge && e.place == estimate.place;
    let expectation = digest.findings.expectations.iter().find(about);
    expectation.map_or("", |expectation| {
        against_expectation(expectation, Some(estimate))
    })
}

/// Within where the number lies in what was expected, beyond where its whole interval lies outside.
fn against_expectation(expectation: &Expectation, estimate: Option<&Estimate>) -> &'static str {
    let Some(quantity) = estimate.map(|estimate| &estimate.quantity) else {
        return "not measured";
    };
    let Some(value) = quantity.value.value() else {
        return "undefined";
    };
    let outside = |range: &duress_findings::Range| {
        range.high < expectation.low || range.low > expectation.high
    };
    if (expectation.low..=expectation.high).contains(&value) {
        "within"
    } else if quantity.interval.as_ref().is_ok_and(outside) {
        "beyond"
    } else {
        "outside, but the interval reaches in"
    }
}
