//! `duress review STUDY`: a sheet of what its stressors do to texts, and what people said of it.

use std::io;

use duress::review::{read_review, review_steps};
use duress_core::problem::Problem;
use duress_findings::Review;
use duress_report::review::{write_blind_review, write_review};
use duress_report::{counted, terminal};

use crate::args::ReviewArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::{colour, say};

pub(crate) fn review(args: &ReviewArgs) -> Exit {
    let plan = match super::planned(&args.study) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    match &args.answers {
        Some(file) => match read_review(&review_steps(&plan, None), file) {
            Ok(read) => tell(args, &read),
            Err(problem) => complain::problem(&problem),
        },
        None => write(args, &plan),
    }
}

fn write(args: &ReviewArgs, plan: &duress::plan::Plan) -> Exit {
    let steps = review_steps(plan, args.most);
    if steps.is_empty() {
        let none = Problem::new("no stressor of this study works in steps");
        return complain::problem(&none.expected("ladders such as `inject-spelling`"));
    }
    let written = match args.blind {
        true => write_blind_review(&steps, &args.out),
        false => write_review(&steps, &args.out),
    };
    match written {
        Ok(files) => {
            let names: Vec<String> = files
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            say(format!(
                "{}: {}\n",
                counted(steps.len(), "step"),
                names.join(", ")
            ));
            Exit::Done
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let there =
                Problem::new("there is a sheet already, and somebody may have written into it");
            complain::problem(
                &there
                    .expected("another folder for `--out`")
                    .in_file(&args.out),
            )
        }
        Err(error) => complain::problem(&Problem::new(error.to_string()).in_file(&args.out)),
    }
}

fn tell(args: &ReviewArgs, read: &Review) -> Exit {
    say(match args.json {
        true => {
            serde_json::to_string_pretty(read)
                .unwrap_or_else(|why| panic!("reviews are JSON: {why}"))
                + "\n"
        }
        false => terminal::review(read, super::width(), colour(&io::stdout())),
    });
    let overall = args
        .overall
        .is_none_or(|bar| read.share_named().is_some_and(|share| share >= bar));
    let each = args.each.is_none_or(|bar| {
        !read.named.is_empty() && read.named.iter().all(|kind| kind.share() >= bar)
    });
    match overall && each {
        true => Exit::Done,
        false => Exit::NotUpheld,
    }
}
