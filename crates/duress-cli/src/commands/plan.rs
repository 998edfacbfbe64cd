//! `duress plan`: what will be asked, without asking it.

use std::fmt::Write;

use crate::args;
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn plan(args: &args::PlanArgs) -> Exit {
    let plan = match super::planned(&args.study) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    if !args.cells {
        let axes = serde_json::to_string_pretty(&plan.axes())
            .unwrap_or_else(|why| panic!("axes are JSON: {why}"));
        say(axes + "\n");
        return Exit::Done;
    }
    let mut lines = String::new();
    for cell in plan.cells() {
        let id = plan.id(cell);
        let place = plan.place(cell);
        let seed = plan.study.seeds[cell.replicate];
        let by = match cell.rater {
            Some(rater) => format!(" by {}", plan.study.raters[rater].name),
            None => String::new(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            lines,
            "{id}  {}  {}  seed {seed}  {}  {}{by}",
            place.subject, place.dataset, place.under, cell.question
        );
    }
    say(lines);
    Exit::Done
}
