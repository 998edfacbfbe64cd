//! A sheet of what was done to texts, for people to look at: CSV to write into, HTML to read.
//!
//! A blind one names neither kind nor who did it, and hands the sources apart: whoever fills it in
//! says of what kind each step is.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use duress_findings::ReviewStep;

use crate::page::html::Html;
use crate::tables::format::csv::File;

/// Writes `review.csv` and `review.html` into a folder, which is made if it is not there; what they
/// are called is returned.
pub fn write_review(steps: &[ReviewStep], folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut csv = File::new(&[
        "id", "dataset", "seed", "item", "k", "kind", "by", "diff", "prompt", "source", "verdict",
        "remark",
    ]);
    for step in steps {
        let (seed, k) = (step.seed.to_string(), step.k.to_string());
        csv.row(&[
            step.id.as_str(),
            &step.dataset,
            &seed,
            &step.item,
            &k,
            &step.kind,
            &step.by,
            &step.diff,
            &step.prompt,
            &step.source,
            "",
            "",
        ]);
    }
    write_all(
        folder,
        [("review.csv", csv.text()), ("review.html", page(steps))],
    )
}

/// Writes `diffs.csv`, with an empty column `subtype`, and `sources.csv`.
pub fn write_blind_review(steps: &[ReviewStep], folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut diffs = File::new(&["id", "item", "diff", "subtype"]);
    for step in steps {
        diffs.row(&[step.id.as_str(), &step.item, &step.diff, ""]);
    }
    let items: BTreeMap<&str, &ReviewStep> = steps
        .iter()
        .map(|step| (step.item.as_str(), step))
        .collect();
    let mut sources = File::new(&["item", "prompt", "source"]);
    for (item, step) in items {
        sources.row(&[item, &step.prompt, &step.source]);
    }
    write_all(
        folder,
        [("diffs.csv", diffs.text()), ("sources.csv", sources.text())],
    )
}

/// Writes files that are not there yet: somebody may have written into one.
fn write_all(folder: &Path, files: [(&str, String); 2]) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut written = Vec::new();
    for (name, text) in files {
        let file = folder.join(name);
        let mut new = fs::File::create_new(&file)?;
        new.write_all(text.as_bytes())?;
        written.push(file);
    }
    Ok(written)
}

fn page(steps: &[ReviewStep]) -> String {
    let mut html = Html::default();
    html.raw("<!doctype html><meta charset=\"utf-8\"><title>Review</title><style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}del{background:#fdd}ins{background:#dfd;text-decoration:none}small{color:#666}</style><h1>Review</h1><p>Write <code>accepted</code> or <code>rejected</code> into the column <code>verdict</code> of review.csv.</p>");
    for step in steps {
        html.raw("<section id=\"").text(&step.id).raw("\"><h3>");
        html.text(&format!("{} · {} {}", step.kind, step.item, step.k));
        html.raw("</h3><p><small>")
            .text(&format!("{} by {}", step.id, step.by));
        html.raw("</small></p><p>");
        write_diff(&mut html, step);
        html.raw("</p></section>");
    }
    html.finish()
}

/// The text with its marks as elements.
fn write_diff(html: &mut Html, step: &ReviewStep) {
    let (unchanged, mut rest) = step.diff.split_at(step.marks_at);
    html.text(unchanged);
    let marks = [
        ("[--]".len(), &step.before, "<del>", "</del>"),
        ("{++}".len(), &step.after, "<ins>", "</ins>"),
    ];
    for (around, what, open, close) in marks.into_iter().filter(|mark| !mark.1.is_empty()) {
        rest = &rest[around + what.len()..];
        html.raw(open).text(what).raw(close);
    }
    html.text(rest);
}
