//! `duress compare`: what changed between two runs.

use std::path::Path;

use duress::compare::{self, Comparison, Moved};
use duress::ledger::Ledger;
use duress::plan::Plan;
use duress_core::problem::Problem;

use crate::args::{Compare, Form};
use crate::complain;
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn compare(args: &Compare) -> Exit {
    match story(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn story(args: &Compare) -> Result<Exit, Exit> {
    let (before, after) = (reopen(&args.before)?, reopen(&args.after)?);
    let compared =
        compare::compare((&before.0, &before.1), (&after.0, &after.1)).map_err(|error| {
            let wrong = Problem::new(error.why).in_file(&error.path);
            complain::problem(
                &wrong.hint("remove that file and run again: only its cell is asked anew"),
            )
        })?;
    say(match args.form {
        Form::Table => compared.table(super::width()),
        Form::Markdown => compared.markdown(),
        Form::Junit => compared.junit(),
        Form::Json => json(&compared),
    });
    let closed = args.gate
        && (compared.count(Moved::Worse) > 0 || compared.lost() || compared.changes.is_empty());
    Ok(if closed { Exit::NotUpheld } else { Exit::Done })
}

fn reopen(run: &Path) -> Result<(Plan, Ledger), Exit> {
    Ok((super::reopened(run)?, Ledger::open(&run.join("4-ledger"))))
}

fn json(compared: &Comparison) -> String {
    serde_json::to_string_pretty(compared)
        .unwrap_or_else(|why| panic!("a comparison is JSON: {why}"))
        + "\n"
}
