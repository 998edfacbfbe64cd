//! Layouts: the files, names and columns that readers of a field look for, made from the same
//! findings as the report.
//!
//! A study asks for them with `[report] layouts = ["rq1"]`. Each is one file here and fills folders
//! of `6-report/`. A number that the study does not read leaves its cell empty, and `notes.md` says
//! which gauge would fill it.

use std::fs;
use std::io;
use std::path::Path;

use duress_core::gauge::Detail;
use duress_core::name::Name;
use duress_figure::font::Fonts;
use duress_figure::scene::Scene;
use duress_figure::svg::{self, Dress};
use duress_figure::{pdf, raster};

use super::digest::{Digest, Panel};
use super::words::mean_and_sd;
use crate::tables::format::csv::{File, number};
use duress_findings::{Layout, Place, Under};

mod attack_spectrum;
mod order;
mod robustness;
mod rq1;
mod rq1_trio;
mod selective;
mod sensitivity;

/// The files readers of one field look for.
struct LayoutFiles {
    /// What a study calls it.
    word: Layout,
    /// Where its notes are.
    folder: &'static str,
    /// The gauges it reads, as a study must call them.
    gauges: &'static [&'static str],
    /// What its columns mean, where their names do not say it.
    columns: fn(&Digest<'_>) -> String,
    /// The files.
    pieces: fn(&Digest<'_>) -> Vec<Piece>,
}

/// Every layout.
const ALL: &[&LayoutFiles] = &[
    &selective::LAYOUT,
    &attack_spectrum::LAYOUT,
    &rq1::LAYOUT,
    &order::LAYOUT,
    &robustness::LAYOUT,
    &sensitivity::LAYOUT,
];

/// One file of a layout.
struct Piece {
    /// Where in the report's folder; a figure's format is its ending.
    path: String,
    content: Content,
}

enum Content {
    Text(String),
    Figure(Scene),
    Bytes(Vec<u8>),
}

impl Piece {
    fn text(path: impl Into<String>, text: impl Into<String>) -> Piece {
        Piece {
            path: path.into(),
            content: Content::Text(text.into()),
        }
    }

    fn figure(path: impl Into<String>, scene: Scene) -> Piece {
        Piece {
            path: path.into(),
            content: Content::Figure(scene),
        }
    }
}

/// Writes the layouts that the study asks for, about the dataset it names.
pub(super) fn write(digest: &Digest<'_>, folder: &Path) -> io::Result<()> {
    match &digest.findings.study.layouts_on {
        Some(dataset) => {
            let found = digest.findings.on_dataset(dataset);
            write_all(&Digest::of(&found), folder)
        }
        None => write_all(digest, folder),
    }
}

fn write_all(digest: &Digest<'_>, folder: &Path) -> io::Result<()> {
    for layout in ALL
        .iter()
        .filter(|layout| digest.findings.study.layouts.contains(&layout.word))
    {
        let notes = Piece::text(format!("{}/notes.md", layout.folder), notes(layout, digest));
        for piece in (layout.pieces)(digest).iter().chain([&notes]) {
            let path = folder.join(&piece.path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, piece.bytes()?)?;
        }
    }
    Ok(())
}

impl Piece {
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let scene = match &self.content {
            Content::Text(text) => return Ok(text.clone().into_bytes()),
            Content::Bytes(bytes) => return Ok(bytes.clone()),
            Content::Figure(scene) => scene,
        };
        let fonts = Fonts::for_texts(
            scene
                .marks
                .iter()
                .filter_map(|mark| mark.words())
                .map(|t| t.words.as_str()),
        );
        match self.path.rsplit_once('.').map(|(_, format)| format) {
            Some("png") => raster::write(scene, &fonts).map_err(io::Error::other),
            Some("pdf") => Ok(pdf::write(scene, &fonts)),
            _ => Ok(svg::write(scene, Dress::Alone).into_bytes()),
        }
    }
}

/// Which study the files are of, by which conventions, and what they lack.
fn notes(layout: &LayoutFiles, digest: &Digest<'_>) -> String {
    let findings = digest.findings;
    let mut notes = format!(
        "# Layout `{}`\n\nStudy `{}`, {}, seeds {:?}; written by duress {}.\nStandard deviations divide by n − 1. An empty cell: no value; the report says why.\n\n",
        layout.word,
        findings.study.name,
        findings.study.hash,
        findings.study.seeds,
        findings.made.duress
    );
    for gauge in layout.gauges {
        notes += &match findings.gauges.iter().find(|card| card.name == *gauge) {
            Some(card) => format!("- `{gauge}`: {}\n", card.scale.convention),
            None => format!("- `{gauge}` is not read by the study: its columns are empty.\n"),
        };
    }
    notes + &(layout.columns)(digest)
}

/// For a layout whose columns say what they mean.
fn plain(_: &Digest<'_>) -> String {
    String::new()
}

/// Where a subject was tested, in the order of the study.
struct Tested<'a> {
    subject: &'a Name,
    dataset: &'a Name,
}

impl Tested<'_> {
    fn at(&self, under: &Under) -> Place {
        Place {
            subject: self.subject.clone(),
            dataset: self.dataset.clone(),
            under: under.clone(),
        }
    }

    /// What a model is called: the subject, with the dataset where it was tested on several.
    fn name(&self, digest: &Digest<'_>) -> String {
        let several = tested(digest)
            .iter()
            .filter(|other| other.subject == self.subject)
            .count()
            > 1;
        if several {
            format!("{} on {}", self.subject, self.dataset)
        } else {
            self.subject.to_string()
        }
    }
}

/// Every subject with every dataset at which one of its gauges was read.
fn tested<'a>(digest: &Digest<'a>) -> Vec<Tested<'a>> {
    let mut found: Vec<Tested<'a>> = Vec::new();
    for subject in &digest.findings.subjects {
        let estimates = digest
            .findings
            .estimates
            .iter()
            .filter(|e| e.place.subject == subject.name);
        for estimate in estimates {
            let known = |one: &Tested<'_>| {
                one.subject == &subject.name && *one.dataset == estimate.place.dataset
            };
            if !found.iter().any(known) {
                found.push(Tested {
                    subject: &subject.name,
                    dataset: &estimate.place.dataset,
                });
            }
        }
    }
    found
}

/// Every subject at which this gauge was read.
fn tested_by<'a>(digest: &Digest<'a>, gauge: &str) -> Vec<Tested<'a>> {
    let read = |one: &Tested<'_>| {
        let at = |e: &&duress_findings::Estimate| {
            e.gauge == gauge && e.place.subject == *one.subject && e.place.dataset == *one.dataset
        };
        digest.findings.estimates.iter().any(|e| at(&e))
    };
    tested(digest).into_iter().filter(read).collect()
}

/// What a gauge read for every seed that has a value.
fn of_seeds(digest: &Digest<'_>, gauge: &str, place: &Place) -> Vec<f64> {
    let by_seed = digest
        .estimate(gauge, place)
        .map_or(&[][..], |estimate| &estimate.by_seed);
    by_seed
        .iter()
        .filter_map(|(_, reading)| reading.value())
        .collect()
}

/// What a gauge's number is made of, for one seed.
fn detail_of<'a>(digest: &Digest<'a>, gauge: &str, place: &Place, seed: u64) -> Option<&'a Detail> {
    let details = &digest.estimate(gauge, place)?.details;
    details
        .iter()
        .find(|(known, _)| *known == seed)
        .map(|(_, detail)| detail)
}

/// The value of one class or group for one seed.
fn of_class(
    digest: &Digest<'_>,
    gauge: &str,
    place: &Place,
    seed: u64,
    class: &str,
) -> Option<f64> {
    match detail_of(digest, gauge, place, seed)? {
        Detail::Groups(groups) => groups
            .iter()
            .find(|group| group.name == class)?
            .value
            .as_ref()
            .ok()
            .copied(),
        _ => None,
    }
}

/// The names of the classes or groups a gauge's details have.
fn classes<'a>(digest: &Digest<'a>, gauge: &str) -> Vec<&'a str> {
    let details = digest
        .findings
        .estimates
        .iter()
        .filter(|e| e.gauge == gauge)
        .filter_map(|e| e.detail());
    let mut names: Vec<&str> = Vec::new();
    for detail in details {
        let Detail::Groups(groups) = detail else {
            continue;
        };
        for group in groups {
            if !names.contains(&group.name.as_str()) {
                names.push(&group.name);
            }
        }
    }
    names
}

/// The ladders along which a gauge was read, attacks first.
fn attacks_first<'a, 'b>(digest: &'b Digest<'a>, gauge: &str) -> Vec<&'b Panel<'a>> {
    let mut panels: Vec<_> = digest
        .panels
        .iter()
        .filter(|panel| panel.gauge.name == gauge)
        .collect();
    panels.sort_by_key(|panel| !panel.ladder.aware);
    panels
}

/// The first attack along which a gauge was read; without one, the first ladder.
fn first_attack<'a, 'b>(digest: &'b Digest<'a>, gauge: &str) -> Option<&'b Panel<'a>> {
    attacks_first(digest, gauge).first().copied()
}

/// The highest rung of a panel's ladder.
fn hardest(panel: &Panel<'_>) -> Option<Under> {
    let severity = panel
        .ladder
        .severities
        .last()
        .filter(|severity| !severity.is_clean())?;
    Some(Under::Rung {
        ladder: panel.ladder.name.clone(),
        severity: severity.clone(),
    })
}

/// A number with every digit, or nothing.
fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

/// A table of one row per model: mean and standard deviation of each column over seeds.
fn summary(rows: &[(String, Vec<Vec<f64>>)], columns: &[String]) -> String {
    let heads = columns
        .iter()
        .flat_map(|column| [format!("{column}_mean"), format!("{column}_std")]);
    let mut file = File::new(
        &["model".to_owned(), "n_seeds".to_owned()]
            .into_iter()
            .chain(heads)
            .collect::<Vec<_>>(),
    );
    for (model, values) in rows {
        let n = values.iter().map(Vec::len).max().unwrap_or(0);
        let cells = values.iter().flat_map(|values| {
            let (mean, sd) = mean_and_sd(values);
            [cell(mean), cell(sd)]
        });
        file.row(
            &[model.clone(), n.to_string()]
                .into_iter()
                .chain(cells)
                .collect::<Vec<_>>(),
        );
    }
    file.text()
}
