//! `duress report`: findings and report from the answers that are kept.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use duress::analysis::{self, findings::Findings, findings::Verdict};
use duress::ledger::{Ledger, export};
use duress::plan::Plan;
use duress::run::{EventLog, Folder};
use duress_core::problem::Problem;

use crate::args::{Gate, Report};
use crate::complain;
use crate::exit::Exit;
use crate::say::{colour, harmless, say};

pub(crate) fn report(args: &Report) -> Exit {
    match redraw(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn redraw(args: &Report) -> Result<Exit, Exit> {
    let plan = super::reopened(&args.run)?;
    let _held = Folder::hold(&args.run).map_err(|error| complain::folder(&error))?;
    let mut earlier = EventLog::studies(&args.run.join("3-events.jsonl"));
    earlier.retain(|hash| *hash != plan.study.hash);
    if let Some(file) = &args.answers {
        write_answers(&plan, &args.run, file)
            .map_err(|error| complain::disk(&file.display().to_string(), &error))?;
    }
    make(&plan, &args.run, &earlier, args.gate)
}

/// Finds, writes findings and report, and prints the summary.
pub(super) fn make(
    plan: &Plan,
    folder: &Path,
    earlier: &[String],
    gate: Option<Gate>,
) -> Result<Exit, Exit> {
    let ledger = Ledger::open(&folder.join("4-ledger"));
    let findings = analysis::analyse(plan, &ledger, earlier).map_err(|error| {
        let wrong = Problem::new(error.why).in_file(&error.path);
        complain::problem(
            &wrong.hint("remove that file and run again: only its cell is asked anew"),
        )
    })?;
    write(&findings, folder)
        .map_err(|error| complain::disk(&folder.display().to_string(), &error))?;
    say(duress::report::terminal::summary(
        &findings,
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
    let page = folder
        .join("6-report")
        .join("index.html")
        .display()
        .to_string();
    say(format!("\nReport: {}\n", harmless(&page)));
    Ok(exit(&findings, gate))
}

fn write(findings: &Findings, folder: &Path) -> io::Result<()> {
    let json = serde_json::to_vec_pretty(findings)
        .unwrap_or_else(|why| panic!("findings are JSON: {why}"));
    duress::run::write_whole(&folder.join("5-findings.json"), &json)?;
    duress::report::write(findings, &folder.join("6-report"))
}

fn write_answers(plan: &Plan, run: &Path, file: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(file)?);
    export::answers_csv(plan, &Ledger::open(&run.join("4-ledger")), &mut out)?;
    out.flush()
}

fn exit(findings: &Findings, gate: Option<Gate>) -> Exit {
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
