//! `duress report`: findings and report from the answers that are kept.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use duress::ledger::Ledger;
use duress::ledger::export::{self, Exported};
use duress::ledger::export_images::{self, ExportedImages};
use duress::ledger::export_maps;
use duress::ledger::export_weights;
use duress::run::RunPaths;
use duress::{Finished, Registry};
use duress_core::number;
use duress_core::problem::Problem;
use duress_findings::{Findings, NoiseFloor, Verdict};

use crate::args::{Gate, ReportArgs};
use crate::complain;
use crate::exit::Exit;
use crate::say::{colour, harmless, say, warn};

pub(crate) fn report(args: &ReportArgs) -> Exit {
    match redraw(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn redraw(args: &ReportArgs) -> Result<Exit, Exit> {
    let finished = duress::find_again(&args.run, &Registry::standard())
        .map_err(|error| complain::run(&error))?;
    if let Some(file) = &args.answers {
        write_answers(&args.run, file)?;
    }
    if let Some(folder) = &args.images {
        write_images(&args.run, folder)?;
    }
    if let Some(folder) = &args.maps {
        write_maps(&args.run, folder)?;
    }
    if let Some(folder) = &args.weights {
        write_weights(&args.run, folder)?;
    }
    if let Some(folder) = &args.summary {
        write_summary(&finished.findings, &args.others, folder)?;
    }
    Ok(show(&finished, args.gate))
}

/// Writes what stress cost in this run and in others, as their findings have it.
fn write_summary(first: &Findings, others: &[PathBuf], folder: &Path) -> Result<(), Exit> {
    let mut runs = vec![first.clone()];
    for run in others {
        let file = RunPaths::new(run).findings();
        let name = file.display().to_string();
        let text = fs::read_to_string(&file).map_err(|error| complain::disk(&name, &error))?;
        let findings = duress_findings::from_json(&text)
            .map_err(|why| complain::problem(&Problem::new(why.to_string()).in_file(&file)))?;
        runs.push(findings);
    }
    duress_report::write_stress_summary(&runs, folder)
        .map_err(|error| complain::disk(&folder.display().to_string(), &error))
}

/// Writes the report beside the findings and prints the summary.
pub(super) fn show(finished: &Finished, gate: Option<Gate>) -> Exit {
    let findings = &finished.findings;
    let paths = finished.paths();
    if let Err(error) = duress_report::write(findings, &paths.report()) {
        return complain::disk(&paths.root().display().to_string(), &error);
    }
    if let Err(error) = finished.seal() {
        return complain::run(&error);
    }
    say(duress_report::terminal::summary(
        findings,
        super::width(),
        colour(&io::stdout()),
    ));
    let count = &findings.cells;
    let unrun = count.planned - count.answered - count.failed;
    if unrun > 0 {
        say(format!(
            "\n{unrun} of {} cells were not run: `duress run` goes on where it stopped.\n",
            count.planned
        ));
    }
    let again = &finished.failed_again;
    if !again.is_empty() {
        let several = findings.datasets.len() > 1;
        let colour = colour(&io::stdout());
        let told = duress_report::terminal::failed_again(again, several, super::width(), colour);
        say(format!("\n{told}"));
    }
    let page = paths.page().display().to_string();
    say(format!("\nReport: {}\n", harmless(&page)));
    match exit(findings, gate) {
        Exit::Done if !again.is_empty() => Exit::CellsFailed,
        other => other,
    }
}

fn write_answers(run: &Path, file: &Path) -> Result<(), Exit> {
    let plan = super::reopened(run)?;
    let written = || -> io::Result<Exported> {
        let mut out = BufWriter::new(fs::File::create(file)?);
        let ledger = Ledger::open(&RunPaths::new(run).ledger());
        let exported = export::answers_csv(&plan, &ledger, &mut out)?;
        out.flush()?;
        Ok(exported)
    };
    let name = file.display().to_string();
    let exported = written().map_err(|error| complain::disk(&name, &error))?;
    if let Some(note) = not_written(&exported) {
        warn(harmless(&format!("{name}: {note}\n")));
    }
    Ok(())
}

fn write_images(run: &Path, folder: &Path) -> Result<(), Exit> {
    let plan = super::reopened(run)?;
    let ledger = Ledger::open(&RunPaths::new(run).ledger());
    let name = folder.display().to_string();
    let exported = export_images::images_into(&plan, &ledger, folder)
        .map_err(|error| complain::disk(&name, &error))?;
    let ExportedImages {
        archives,
        broken,
        pictures,
        without,
    } = exported;
    if without > 0 {
        warn(harmless(&format!(
            "{name}: the images of {} of attacks were not kept: their ladder needs `keep = \"adversarial\"` before the run\n",
            duress_report::counted(without, "cell"),
        )));
    }
    say(harmless(&format!(
        "{name}: {}; {pictures} of {broken} images that break a subject still do in 8 bits, and are PNG files too\n",
        duress_report::counted(archives, "archive"),
    )));
    Ok(())
}

fn write_maps(run: &Path, folder: &Path) -> Result<(), Exit> {
    let plan = super::reopened(run)?;
    let ledger = Ledger::open(&RunPaths::new(run).ledger());
    let name = folder.display().to_string();
    let exported = export_maps::maps_into(&plan, &ledger, folder)
        .map_err(|error| complain::disk(&name, &error))?;
    if exported.archives == 0 {
        warn(harmless(&format!(
            "{name}: there is no map to write: a gauge that reads maps asks for them\n"
        )));
        return Ok(());
    }
    let mut note = format!(
        "{name}: {} with {}, which are kept in half precision",
        duress_report::counted(exported.archives, "archive"),
        duress_report::counted(exported.maps, "map"),
    );
    if exported.unexplained > 0 {
        let without = duress_report::counted(exported.unexplained, "item");
        note += &format!("; {without} without one, as `explained` says");
    }
    say(harmless(&format!("{note}\n")));
    Ok(())
}

fn write_weights(run: &Path, folder: &Path) -> Result<(), Exit> {
    let plan = super::reopened(run)?;
    let ledger = Ledger::open(&RunPaths::new(run).ledger());
    let name = folder.display().to_string();
    let exported = export_weights::weights_into(&plan, &ledger, folder)
        .map_err(|error| complain::disk(&name, &error))?;
    let mut note = format!(
        "{name}: {}",
        duress_report::counted(exported.files.len(), "file")
    );
    if exported.without > 0 {
        note += &format!(
            "; {} without one: not fitted yet, or of no such form",
            duress_report::counted(exported.without, "subject and seed")
        );
    }
    say(harmless(&format!("{note}\n")));
    Ok(())
}

/// What a reader of the file should know that is not in it.
fn not_written(exported: &Exported) -> Option<String> {
    let cells = exported.left_out.iter();
    let asked: Vec<String> = cells
        .map(|(question, cells)| {
            format!(
                "{} about {question}",
                duress_report::counted(*cells, "cell")
            )
        })
        .collect();
    match (exported.rows, asked.is_empty()) {
        (0, true) => Some("there is no answer to write".into()),
        (0, false) => Some(format!(
            "there is nothing to write: only classes and texts are written, and there are {}",
            asked.join(" and ")
        )),
        (_, false) => Some(format!(
            "only classes and texts are written; left out: {}",
            asked.join(" and ")
        )),
        (_, true) => None,
    }
}

/// Why a gate that has nothing to judge does not open.
pub(super) fn no_claim() -> Problem {
    Problem::new("`--gate` without a claim: nothing would be judged")
        .expected("a `[[claim]]` in the study")
        .hint("`duress init` writes a first one")
}

/// Claims whose margin is below what changes by itself: they ask for nothing, so no verdict is let
/// through.
fn below_noise(findings: &Findings) -> Vec<Problem> {
    let refused = findings.noise_floor.iter().flat_map(NoiseFloor::refused);
    refused
        .map(|claim| {
            let floor = claim.noise.floor.value().unwrap_or(0.0);
            let found = format!(
                "claim `{}`: a margin of {} is below the noise floor of {}, which two runs differ by when nothing changes",
                claim.claim,
                number::tidy(claim.margin),
                number::short(floor)
            );
            let hint = "more seeds lower the floor; `5-findings.json` has it for every gauge and place";
            Problem::new(found).expected("a margin above the floor, or none").hint(hint)
        })
        .collect()
}

fn exit(findings: &Findings, gate: Option<Gate>) -> Exit {
    let refused = below_noise(findings);
    if !refused.is_empty() {
        refused.iter().for_each(|problem| {
            complain::problem(problem);
        });
        return Exit::BadInput;
    }
    if gate.is_some() && findings.claims.is_empty() {
        return complain::problem(&no_claim());
    }
    let closed = |verdict: Verdict| match gate {
        None => false,
        Some(Gate::Upheld) => verdict != Verdict::Upheld,
        Some(Gate::Refuted) => verdict == Verdict::Refuted,
    };
    if findings.claims.iter().any(|claim| closed(claim.verdict)) {
        Exit::NotUpheld
    } else if findings.cells.answered < findings.cells.planned {
        Exit::CellsFailed
    } else {
        Exit::Done
    }
}
