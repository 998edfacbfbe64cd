//! What was read from a table, on one screen.

use duress_core::gauge::{Direction, Scope};
use duress_figure::label::tame;

use duress_findings::{Gauged, Gauging, Quantity, Reading};

use super::paper::Paper;
use super::{detail_lines, fewer_items};
use crate::words;

/// The readings as text of at most `width` columns; without `colour`, no control codes at all.
pub fn table_reading(gauged: &Gauged, width: usize, colour: bool) -> String {
    let mut paper = Paper::new(width, colour);
    paper.heading(&gauged.file);
    let found = format!(
        "{} · {}",
        words::counted(gauged.items, "item"),
        gauged.found.join(" · ")
    );
    paper.paragraph(0, &found);
    paper.line("");
    let longest = gauged
        .gauges
        .iter()
        .map(|one| one.gauge.chars().count())
        .max()
        .unwrap_or(0);
    let mut block = None;
    for one in &gauged.gauges {
        if let Some(head) = block_head(one).filter(|head| block.as_ref() != Some(head)) {
            paper.line(&head);
            block = Some(head);
        }
        row(
            &mut paper,
            one,
            gauged.with_intervals,
            longest.min(width / 2),
        );
        if one.scope != Scope::Cell {
            // Here a gauge is called as its part is.
            let told = format!("`duress explain {}` says which are left out", one.gauge);
            let fewer = fewer_items(&one.quantity, gauged.items);
            fewer
                .iter()
                .for_each(|fewer| paper.paragraph(6, &format!("{fewer}: {told}")));
        }
        for line in detail_lines(one.detail.as_ref().filter(|_| one.scope != Scope::Cell)) {
            paper.paragraph(6, &line);
        }
    }
    paper.line("");
    paper.paragraph(0, &basis(gauged));
    paper.text()
}

/// What stands above the numbers of one of several models, of a dimension without errors, and with
/// errors of one kind.
fn block_head(one: &Gauging) -> Option<String> {
    if let Some(model) = &one.model {
        return Some(tame(model));
    }
    let dimension = one.dimension.as_ref()?;
    Some(match &one.ladder {
        Some(ladder) => format!("{dimension}, {ladder}"),
        None => format!("{dimension}, no error"),
    })
}

fn row(paper: &mut Paper, one: &Gauging, with_intervals: bool, room: usize) {
    let arrow = words::arrow(one.scale.direction);
    let name = format!("  {:<room$} {arrow}  ", one.gauge);
    match (&one.quantity.value, &one.quantity.interval) {
        (Reading::Undefined(why), _) => {
            paper.line(&format!("{name}undefined"));
            paper.paragraph(6, &why.to_string());
        }
        (Reading::Value(_), Ok(_)) => {
            let method = one.quantity.method.made.name();
            paper.line(&format!(
                "{name}{:<28} {method}",
                words::quantity(&one.quantity)
            ));
            if let Some(why) = one.quantity.missed() {
                paper.paragraph(6, &format!("the interval misses the number: {why}"));
            }
        }
        (Reading::Value(_), Err(_)) if !with_intervals => {
            paper.line(&format!("{name}{}", words::quantity(&one.quantity)));
        }
        (Reading::Value(_), Err(why)) => {
            paper.line(&format!(
                "{name}{:<28} no interval",
                words::quantity(&one.quantity)
            ));
            paper.paragraph(6, &why.to_string());
        }
    }
}

/// What the numbers rest on.
fn basis(gauged: &Gauged) -> String {
    let without = gauged
        .gauges
        .iter()
        .any(|one| one.scale.direction == Direction::Neither);
    let neither = if without {
        ", without an arrow neither"
    } else {
        ""
    };
    let arrows = format!(
        "↑ higher is better, ↓ lower is better{neither}. `duress explain NAME` says what a gauge reads."
    );
    let with = || {
        gauged
            .gauges
            .iter()
            .filter_map(|one| Some((one.quantity.interval.as_ref().ok()?, one)))
    };
    let Some((range, _)) = with().next() else {
        return format!("No intervals; {arrows}");
    };
    let mut methods: Vec<String> = with()
        .map(|(_, one)| one.quantity.method.to_string())
        .collect();
    methods.sort_unstable();
    methods.dedup();
    let level = duress_core::number::tidy(range.level * 100.0);
    let over = over(with().map(|(_, one)| &one.quantity));
    format!(
        "{level} % intervals over {over}: {}; {arrows}",
        methods.join("; ")
    )
}

/// What intervals are over: gauges may leave out different items.
fn over<'a>(all: impl Iterator<Item = &'a Quantity>) -> String {
    let mut units: Vec<(usize, String)> = all
        .map(|one| {
            (
                one.items,
                one.unit.with_items_as(&words::counted(one.items, "item")),
            )
        })
        .collect();
    units.sort_unstable();
    units.dedup();
    match units.as_slice() {
        [(fewest, _), .., (most, _)] => format!("{fewest} to {most} items"),
        one => one.iter().map(|(_, unit)| unit.as_str()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use duress_findings::{IntervalMethod, Range, Resampled};

    use super::*;

    fn of_items(items: usize, unit: Resampled) -> Quantity {
        let range = Range {
            low: 0.4,
            high: 0.6,
            level: 0.95,
        };
        Quantity::new(Reading::Value(0.5), Ok(range))
            .of(items, 1)
            .by(unit, IntervalMethod::Wilson)
    }

    #[test]
    fn intervals_are_over_the_items_that_entered() {
        let some = |items: usize| of_items(items, Resampled::Items { items });
        assert_eq!(over([some(5), some(5)].iter()), "5 items");
        assert_eq!(over([some(8), some(5)].iter()), "5 to 8 items");
        let clusters = Resampled::Clusters {
            clusters: 4,
            column: "patient".into(),
            items: 8,
        };
        let said = over([of_items(8, clusters)].iter());
        assert_eq!(said, "4 clusters by patient (8 items)");
    }
}
