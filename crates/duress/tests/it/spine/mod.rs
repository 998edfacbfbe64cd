//! The spine from a study's text to findings, as a program that uses the library sees it.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

mod analysis;
mod claims;
mod clusters;
mod corruptions;
mod damage;
mod datasets_compared;
mod doubted;
mod explanations;
mod findings_schema;
mod fitting;
mod fixed_before;
mod floors;
mod images;
mod isic_layout;
mod ledger;
mod mistakes;
mod parts;
mod plan;
mod question;
mod raters;
mod run;
mod schema;
mod studies;
mod templates;
mod transfer;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use duress::plan::Plan;
use duress::run::{Event, Folder, Options, Outcome};
use duress::study::{Rejected, Study};
use duress_core::name::Name;
use duress_core::severity::Severity;
use duress_findings::{Estimate, Findings, Place, Under};

/// The plan of a study's text, or everything that is wrong with it; its files are beside `path`.
fn planned_at(path: &Path, text: &str) -> Result<Plan, Rejected> {
    let registry = parts::registry();
    duress::plan::make(Study::parse(path, text, &registry)?, &registry)
}

/// The plan of a study's text.
fn planned(text: &str) -> Arc<Plan> {
    match planned_at(Path::new("study.toml"), text) {
        Ok(plan) => Arc::new(plan),
        Err(rejected) => panic!("{:#?}", rejected.problems),
    }
}

/// A run that nobody stops, and what happened in it.
fn run_with(plan: &Arc<Plan>, folder: &Path, options: &Options) -> (Outcome, Vec<Event>) {
    let folder = Folder::take(folder, plan).unwrap();
    let heard = std::sync::Mutex::new(Vec::new());
    let tell = |event: &Event| heard.lock().unwrap().push(event.clone());
    let never = AtomicBool::new(false);
    let outcome =
        duress::run::run(plan, &folder.ledger().unwrap(), options, &tell, &never).unwrap();
    (outcome, heard.into_inner().unwrap())
}

/// Runs what is missing in a folder.
fn run_in(plan: &Arc<Plan>, folder: &Path) -> Outcome {
    run_with(
        plan,
        folder,
        &Options {
            jobs: 2,
            retry: false,
            cache: None,
            batch: None,
        },
    )
    .0
}

/// What a folder's ledger says about a plan.
fn findings_in(plan: &Plan, folder: &Path) -> Findings {
    let ledger = duress::ledger::Ledger::open(&folder.join("4-ledger"));
    duress::analysis::analyse(plan, &ledger, &duress::analysis::History::default()).unwrap()
}

/// Everything from a text to findings, in a folder that is gone afterwards.
fn found(text: &str) -> Findings {
    let (plan, folder) = (planned(text), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    findings_in(&plan, folder.path())
}

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

/// A rung, or clean when the severity is 0.
fn under(ladder: &str, severity: f64) -> Under {
    let severity = Severity::new(severity).unwrap();
    if severity.is_clean() {
        Under::Clean
    } else {
        Under::Rung {
            ladder: name(ladder),
            severity,
        }
    }
}

fn estimate<'a>(findings: &'a Findings, gauge: &str, subject: &str, under: &Under) -> &'a Estimate {
    let at = |place: &Place| place.subject == name(subject) && place.under == *under;
    let mut found = findings
        .estimates
        .iter()
        .filter(|one| one.gauge == gauge && at(&one.place));
    found
        .next()
        .unwrap_or_else(|| panic!("no {gauge} of {subject} at {under:?}"))
}

/// A study of a linear network that is taught on nine tenths of the digits; `more` comes behind.
fn linear_on_digits(name: &str, more: &str) -> String {
    format!(
        "name = \"{name}\"\nseeds = [1]\n\n[dataset.digits]\nuse = \"digits\"\nfit-share = 0.9\n\n\
         [subject.linear]\nuse = \"trained\"\non = \"digits\"\nnetwork = \"linear\"\nepochs = 4\n{more}"
    )
}

/// One dataset of ten items, one actor, one ladder that turns a share of the items; `more` comes on
/// top.
fn small(more: &str) -> String {
    let gauges = if more.contains("[analysis]") {
        ""
    } else {
        "\n[analysis]\ngauges = [\"accuracy\"]\n"
    };
    format!(
        "name = \"small\"\nseeds = [1, 2]\n\n[dataset.tiny]\nuse = \"tiny\"\n\n[subject.actor]\nuse = \"actor\"\n\n\
         [ladder.shove]\nuse = \"shove\"\nseverities = [0.2, 0.5]\n{gauges}\n{more}"
    )
}
