//! `duress init`: a commented study that runs.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use duress::init::{self, StudyTopic};
use duress_core::problem::Problem;
use duress_parts::registry::Registry;

use crate::args::InitArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn init(args: &InitArgs) -> Exit {
    let about = StudyTopic::parse(&args.about);
    match about.and_then(|about| init::study(&about, &args.out, &Registry::standard())) {
        Ok(text) => write(args, &text),
        Err(problem) => complain::problem(&problem),
    }
}

fn write(args: &InitArgs, text: &str) -> Exit {
    // Opening fails where the file is there: no study is ever overwritten, not even between a look
    // and a write.
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&args.out);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => {
            let out = args.out.display();
            say(format!(
                "Wrote {out}. Look at it, then:\n  duress check {out}\n  duress run {out}\n"
            ));
            Exit::Done
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let there = Problem::new("the file is there already, and is not overwritten")
                .in_file(&args.out);
            complain::problem(&there.hint("name another with `--out`"))
        }
        Err(error) => complain::problem(
            &Problem::new(format!("it cannot be written: {error}")).in_file(&args.out),
        ),
    }
}
