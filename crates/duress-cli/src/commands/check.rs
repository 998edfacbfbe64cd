//! `duress check`: everything that is wrong, what n can show, how long it will take.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use duress::analysis::power;
use duress::run;

use crate::args::Check;
use crate::exit::Exit;
use crate::say::{harmless, say};

pub(crate) fn check(args: &Check) -> Exit {
    let plan = match super::planned(&args.study) {
        Ok(plan) => Arc::new(plan),
        Err(exit) => return exit,
    };
    let (study, count) = (&plan.study, plan.count());
    say(format!(
        "{}: sound.\n  {} datasets, {} subjects, {} ladders, {} conditions, {} gauges, {} claims\n  {} seeds, {} cells, {} preparations\n",
        study.name,
        study.datasets.len(),
        study.subjects.len(),
        study.ladders.len(),
        study.conditions.len(),
        study.gauges.len(),
        study.claims.len(),
        study.seeds.len(),
        count.cells,
        count.preparations,
    ));
    say(datasets(&plan));
    say("What this n can show:\n");
    let sentences = power::of_study(study);
    for sentence in &sentences {
        say(format!("  {}\n", harmless(sentence)));
    }
    if sentences.is_empty() {
        say("  No claims are tested over seeds; intervals are over items.\n");
    }
    if args.timing > 0.0 {
        say(format!("{}\n", estimate(&plan, args.timing)));
    }
    Exit::Done
}

/// What a reader should know about each dataset, of its first seed where it varies; nothing where there is nothing to know.
fn datasets(plan: &duress::plan::Plan) -> String {
    let both = plan.study.datasets.iter().zip(&plan.dataset_of);
    let remarks = both.flat_map(|(decl, loaded)| {
        let remarks = plan.loaded[loaded[0]].remarks.iter();
        remarks.map(move |remark| format!("  {}: {}\n", decl.name, harmless(remark)))
    });
    let said: String = remarks.collect();
    if said.is_empty() { said } else { format!("About the data:\n{said}") }
}

fn estimate(plan: &Arc<duress::plan::Plan>, seconds: f64) -> String {
    let threads = available_parallelism().map_or(1, usize::from);
    let (total, timed) = run::time_one(plan, Duration::from_secs_f64(seconds));
    match timed {
        0 => {
            format!(
                "Time: no piece was answered within {seconds} s, so no estimate. Where pieces are slow, `--timing` gives them longer; \
                 where they fail, `duress run` says why."
            )
        }
        _ => format!(
            "Time: about {:.1} s on {threads} threads, from timing {timed} pieces.",
            total / threads as f64
        ),
    }
}
