//! `duress inject STUDY`: errors that a model writes are asked for and kept, so that runs ask nobody.

use duress::review::prepare_steps;
use duress_core::problem::Problem;
use duress_report::counted;

use crate::args::InjectArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::{harmless, say};

pub(crate) fn inject(args: &InjectArgs) -> Exit {
    let plan = match super::planned(&args.study) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let prepared = prepare_steps(&plan);
    if prepared.is_empty() {
        let none = Problem::new("no ladder of this study has errors that a model writes");
        return complain::problem(&none.expected("`use = \"inject-llm\"`"));
    }
    let mut exit = Exit::Done;
    for (ladder, made) in prepared {
        match made {
            Ok(made) => say(format!(
                "{ladder}: {} put into {}; {} could not take a further one\n",
                counted(made.made, "error"),
                counted(made.items, "text"),
                made.refused
            )),
            Err(failure) => {
                say(format!("{ladder}: {}\n", harmless(&failure.why)));
                exit = Exit::CellsFailed;
            }
        }
    }
    exit
}
