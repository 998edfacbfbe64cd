//! Findings by gauge: curves along each ladder, the numbers beside them, and paired differences.

use super::html::Html;
use super::{caveats, draw, shown};
use crate::digest::{CaveatFilter, Digest};
use crate::figures::{Figure, Home, LARGE};
use crate::tables::format::{self, Table};
use crate::{tables, words};
use duress_findings::GaugeCard;

/// The section.
pub(crate) fn write(page: &mut Html, digest: &Digest<'_>, figures: &[Figure], tables: &[Table]) {
    page.raw("<section id=\"findings\"><h2>Findings</h2>");
    toggles(page, digest);
    for gauge in digest.gauges() {
        one(page, digest, gauge, figures, tables);
    }
    page.raw("</section>");
}

/// Boxes that show and hide subjects, stressors and gauges; without script there is nothing to
/// toggle, so they start hidden.
fn toggles(page: &mut Html, digest: &Digest<'_>) {
    let findings = digest.findings;
    page.raw("<form id=\"toggles\" hidden>");
    let subjects = findings
        .subjects
        .iter()
        .enumerate()
        .map(|(i, s)| (i.to_string(), s.name.to_string(), digest.style(&s.name)));
    group(page, "Subjects", "s", subjects.collect());
    let ladders = findings
        .ladders
        .iter()
        .map(|l| (l.name.to_string(), l.name.to_string(), None));
    group(page, "Stressors", "l", ladders.collect());
    let gauges = digest
        .gauges()
        .map(|g| (g.name.clone(), g.name.clone(), None));
    group(page, "Gauges", "g", gauges.collect());
    page.raw("</form>");
}

fn group(
    page: &mut Html,
    legend: &'static str,
    kind: &'static str,
    boxes: Vec<(String, String, Option<usize>)>,
) {
    if boxes.len() < 2 {
        return;
    }
    page.raw("<fieldset data-kind=\"")
        .raw(kind)
        .raw("\"><legend>")
        .raw(legend)
        .raw("</legend>");
    page.raw("<button type=\"button\" data-all=\"1\">all</button><button type=\"button\" data-all=\"\">none</button>");
    for (value, name, style) in boxes {
        page.raw("<label><input type=\"checkbox\" checked value=\"")
            .text(&value)
            .raw("\" data-name=\"")
            .text(&name);
        page.raw("\">");
        if let Some(style) = style {
            let style = style % duress_figure::ink::SERIES;
            page.raw("<span class=\"dot\" style=\"background:var(--s")
                .text(&style.to_string())
                .raw(")\"></span>");
        }
        page.text(&name).raw("</label>");
    }
    page.raw("</fieldset>");
}

fn one(
    page: &mut Html,
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    figures: &[Figure],
    tables: &[Table],
) {
    page.raw("<section class=\"gauge\" data-g=\"")
        .text(&gauge.name)
        .raw("\"><h3>")
        .text(&gauge.name)
        .raw("</h3><p>");
    page.text(&words::sentence(&gauge.summary))
        .raw(" <span class=\"note\">")
        .text(&words::axis(gauge))
        .raw("; convention: ");
    page.text(&gauge.scale.convention)
        .raw("; scope: ")
        .text(&gauge.scope.to_string())
        .raw(".</span></p>");
    let beside = CaveatFilter {
        gauge: Some(&gauge.name),
        ..CaveatFilter::default()
    };
    caveats(page, "Caveats", digest.caveats(beside).collect());
    let file = tables::overview_file(&gauge.name);
    let empty = !tables.iter().any(|table| table.file == file)
        && !digest.panels.iter().any(|p| p.gauge.name == gauge.name);
    if empty {
        page.raw("<p class=\"u\">Nothing was read with this gauge.</p>");
    }
    for figure in shown(figures, &Home::Gauge(gauge.name.clone())) {
        draw(page, figure);
    }
    show(page, tables, &file);
    let many = digest
        .panels
        .iter()
        .filter(|panel| panel.gauge.name == gauge.name)
        .count()
        > LARGE;
    page.raw(if many {
        "<div class=\"many\">"
    } else {
        "<div>"
    });
    for (i, panel) in digest
        .panels
        .iter()
        .enumerate()
        .filter(|(_, panel)| panel.gauge.name == gauge.name)
    {
        page.raw("<div class=\"panel\" data-l=\"")
            .text(panel.ladder.name.as_str())
            .raw("\">");
        for figure in shown(figures, &Home::Panel(i)) {
            draw(page, figure);
        }
        if panel.ladder.sees_truth {
            page.raw("<p class=\"note\">This stressor looks at the truth.</p>");
        }
        let ladder = Some(&panel.ladder.name);
        let none = CaveatFilter::default();
        let mut doubts: Vec<_> = digest
            .caveats(CaveatFilter {
                gauge: Some(&gauge.name),
                ladder,
                ..none
            })
            .collect();
        doubts.extend(digest.caveats(CaveatFilter { ladder, ..none }));
        // What is doubted elsewhere is said there.
        doubts.retain(|caveat| {
            let about = caveat.about.dataset();
            about.is_none_or(|dataset| dataset == panel.dataset)
        });
        caveats(page, "Caveats", doubts);
        show(page, tables, &tables::ladder_file(panel));
        page.raw("</div>");
    }
    page.raw("</div>");
    for figure in shown(figures, &Home::Details(gauge.name.clone())) {
        draw(page, figure);
    }
    for figure in shown(figures, &Home::Contrasts(gauge.name.clone())) {
        draw(page, figure);
        if let Some(table) = tables
            .iter()
            .find(|table| table.file == tables::contrasts_file(&gauge.name))
        {
            page.raw("<details><summary>The differences as a table</summary>");
            format::html(page, table);
            page.raw("</details>");
        }
    }
    show(page, tables, &tables::composition_file(&gauge.name));
    show(page, tables, &tables::slices_file(&gauge.name));
    show(page, tables, &tables::variances_file(&gauge.name));
    page.raw("</section>");
}

/// A table; a long one is folded away, so that figures stay beside each other.
fn show(page: &mut Html, tables: &[Table], file: &str) {
    const LONG: usize = 25;
    let Some(table) = tables.iter().find(|table| table.file == file) else {
        return;
    };
    if table.rows.len() > LONG {
        page.raw("<details><summary>")
            .text(&format!("The numbers, {} rows", table.rows.len()))
            .raw("</summary>");
        format::html(page, table);
        page.raw("</details>");
    } else {
        format::html(page, table);
    }
}
