//! `duress agree FILE`: judges against people, from one table of their labels.

use std::io;

use duress::agreement::{self, AgreementOptions, RaterHints};
use duress_findings::Verdict;

use crate::args::AgreeArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::{colour, say};

pub(crate) fn agree(args: &AgreeArgs) -> Exit {
    let options = AgreementOptions {
        hints: RaterHints {
            judges: args.judge.clone(),
            humans: args.human.clone(),
        },
        positive: args.positive.clone(),
        gates: args.gate.clone(),
        level: args.level,
        resamples: args.resamples,
        listed: args.disagreements,
    };
    let read = match agreement::agree(&args.file, &options) {
        Ok(read) => read,
        Err(problem) => return complain::problem(&problem),
    };
    say(match args.json {
        true => {
            serde_json::to_string_pretty(&read)
                .unwrap_or_else(|why| panic!("agreements are JSON: {why}"))
                + "\n"
        }
        false => duress_report::terminal::agreement(&read, super::width(), colour(&io::stdout())),
    });
    let upheld = read
        .gates
        .iter()
        .all(|gate| gate.verdict == Verdict::Upheld);
    match upheld {
        true => Exit::Done,
        false => Exit::NotUpheld,
    }
}
