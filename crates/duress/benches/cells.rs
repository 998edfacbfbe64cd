//! What the tool itself costs, without any subject's own work: planning, asking, resuming. `cargo
//! bench -p duress --bench cells`

#![expect(
    clippy::unwrap_used,
    reason = "what a bench makes up is known to be right"
)]

#[path = "../tests/it/spine/parts.rs"]
#[expect(
    dead_code,
    reason = "the tests count how often parts are asked; the bench does not"
)]
mod parts;

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use duress::plan::Plan;
use duress::run::{Event, EventLog, Folder, Options};
use duress::study::Study;

fn main() -> ExitCode {
    let met = [planning(), asking(), resuming()];
    if met.iter().all(|met| *met) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// One line with the number and its bar.
fn line(what: &str, measured: f64, bar: f64, unit: impl Display) -> bool {
    let met = measured < bar;
    println!(
        "{what}: {measured:.3} {unit}, bar {bar} {unit}: {}",
        if met { "met" } else { "MISSED" }
    );
    met
}

/// A study of `subjects` × `seeds` × (1 + `rungs`) cells on ten items.
fn study(subjects: usize, seeds: usize, rungs: usize) -> String {
    let seeds: Vec<usize> = (0..seeds).collect();
    let severities: Vec<f64> = (1..=rungs).map(|rung| rung as f64 / rungs as f64).collect();
    let actors: String = (0..subjects)
        .map(|i| format!("[subject.actor-{i}]\nuse = \"actor\"\ntally = \"{i}\"\n\n"))
        .collect();
    format!(
        "name = \"bench\"\nseeds = {seeds:?}\n\n[dataset.tiny]\nuse = \"tiny\"\n\n{actors}\
         [ladder.shove]\nuse = \"shove\"\nseverities = {severities:?}\n\n[analysis]\ngauges = [\"accuracy\"]\n"
    )
}

fn planned(text: &str) -> Arc<Plan> {
    let registry = parts::registry();
    let study = Study::parse(Path::new("study.toml"), text, &registry).unwrap();
    Arc::new(
        duress::plan::make(study, &registry).unwrap_or_else(|wrong| panic!("{:?}", wrong.problems)),
    )
}

/// From the text of a study to the identity of every cell.
fn planning() -> bool {
    let text = study(10, 100, 999);
    let begun = Instant::now();
    let plan = planned(&text);
    let named = plan
        .cells()
        .map(|cell| plan.id(cell))
        .filter(|id| id.bytes()[0] < 128)
        .count();
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(plan.count().cells, 1_000_000);
    assert!(
        (400_000..600_000).contains(&named),
        "identities are spread evenly"
    );
    line("plan of 1,000,000 cells, each named", seconds, 3.0, "s")
}

/// A whole run, events written, with a subject that answers at once; all the rest is ours.
fn asking() -> bool {
    let (plan, folder) = (planned(&study(2, 10, 99)), tempfile::tempdir().unwrap());
    let begun = Instant::now();
    run(&plan, folder.path());
    let each = begun.elapsed().as_secs_f64() * 1e3 / plan.count().cells as f64;
    line(
        "overhead per cell, of 2,000 cells on one thread",
        each,
        1.0,
        "ms",
    )
}

/// Running again what is done already.
fn resuming() -> bool {
    let (plan, folder) = (planned(&study(10, 10, 999)), tempfile::tempdir().unwrap());
    fill(&plan, folder.path());
    let begun = Instant::now();
    run(&plan, folder.path());
    line(
        "resuming a ledger of 100,000 cells",
        begun.elapsed().as_secs_f64(),
        2.0,
        "s",
    )
}

fn run(plan: &Arc<Plan>, folder: &Path) {
    let folder = Folder::take(folder, plan).unwrap();
    let log: EventLog = folder.events().unwrap();
    let tell = |event: &Event| log.write(event).unwrap();
    let options = Options {
        jobs: 1,
        retry: false,
        cache: None,
        batch: None,
    };
    let outcome = duress::run::run(
        plan,
        &folder.ledger().unwrap(),
        &options,
        &tell,
        &AtomicBool::new(false),
    )
    .unwrap();
    assert_eq!(outcome.answered, plan.count().cells);
}

/// Every cell in its place. They are never opened when a run is resumed, so files with next to
/// nothing in them will do.
fn fill(plan: &Plan, folder: &Path) {
    let cells = folder.join("4-ledger/cells");
    std::fs::create_dir_all(&cells).unwrap();
    for cell in plan.cells() {
        let name = plan.id(cell).to_string();
        let shelf = cells.join(&name[..2]);
        std::fs::create_dir_all(&shelf).unwrap();
        std::fs::write(shelf.join(format!("{name}.parquet")), "PAR1").unwrap();
    }
}
