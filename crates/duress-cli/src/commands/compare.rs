//! `duress compare`: what changed between two runs.

use std::path::Path;

use duress::compare;
use duress::ledger::Ledger;
use duress::plan::Plan;
use duress::run::RunPaths;
use duress_findings::{Comparison, Moved};
use duress_report::comparison;

use crate::args::{CompareArgs, ComparisonForm};
use crate::complain;
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn compare(args: &CompareArgs) -> Exit {
    match story(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn story(args: &CompareArgs) -> Result<Exit, Exit> {
    let before = reopen(&args.before)?;
    let after = reopen(&args.after)?;
    let compared = compare::compare((&before.0, &before.1), (&after.0, &after.1))
        .map_err(|error| complain::ledger(&error))?;
    say(match args.form {
        ComparisonForm::Table => comparison::table(&compared, super::width()),
        ComparisonForm::Markdown => comparison::markdown(&compared),
        ComparisonForm::Junit => comparison::junit(&compared),
        ComparisonForm::Json => json(&compared),
    });
    let worse = compared.count(Moved::Worse) > 0;
    let closed = args.gate && (worse || compared.lost() || compared.is_empty());
    Ok(if closed { Exit::NotUpheld } else { Exit::Done })
}

fn reopen(run: &Path) -> Result<(Plan, Ledger), Exit> {
    Ok((
        super::reopened(run)?,
        Ledger::open(&RunPaths::new(run).ledger()),
    ))
}

fn json(compared: &Comparison) -> String {
    serde_json::to_string_pretty(compared)
        .unwrap_or_else(|why| panic!("a comparison is JSON: {why}"))
        + "\n"
}
