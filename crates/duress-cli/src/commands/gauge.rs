//! `duress gauge FILE`: every gauge that applies to a table, without a study.

use std::io;

use duress::table_reading::{self, AnswerForm, GaugeOptions, TableHints};
use duress_core::problem::Problem;
use duress_parts::registry::Registry;

use crate::args::{self, GaugeArgs};
use crate::complain;
use crate::exit::Exit;
use crate::say::{colour, say, warn};

pub(crate) fn gauge(args: &GaugeArgs) -> Exit {
    let options = options(args);
    let registry = Registry::standard();
    table_reading::let_files_expand(args.expansion);
    let gauged = match args.stream {
        true => table_reading::stream(&args.file, &options, &registry),
        false => table_reading::gauge(&args.file, &options, &registry),
    };
    let gauged = match gauged {
        Ok(gauged) => gauged,
        Err(problem) => return complain::problem(&problem),
    };
    say(match args.json {
        true => {
            serde_json::to_string_pretty(&gauged)
                .unwrap_or_else(|why| panic!("readings are JSON: {why}"))
                + "\n"
        }
        false => {
            duress_report::terminal::table_reading(&gauged, super::width(), colour(&io::stdout()))
        }
    });
    if let Some(folder) = &args.out {
        match duress_report::write_order_scores(&gauged, folder) {
            Ok(files) => files
                .iter()
                .for_each(|file| warn(format!("Wrote {}\n", file.display()))),
            Err(why) => {
                let wrong = Problem::new(format!("it cannot be written: {why}"));
                return complain::problem(&wrong.in_file(folder));
            }
        }
    }
    // Who names a gauge wants its number; that there is none is no success.
    let undefined = |one: &duress_findings::Gauging| one.quantity.value.value().is_none();
    match !args.only.is_empty() && gauged.gauges.iter().any(undefined) {
        true => Exit::BadInput,
        false => Exit::Done,
    }
}

fn options(args: &GaugeArgs) -> GaugeOptions {
    GaugeOptions {
        hints: TableHints {
            label: args.label.clone(),
            id: args.id.clone(),
            score: args.score.clone(),
            classes: args.classes.clone(),
            form: form(args.form),
            cluster: args.cluster.clone(),
            structures: args.structures.clone(),
        },
        keys: args.set.clone(),
        only: args.only.clone(),
        intervals: !args.no_intervals,
        level: args.level,
        resamples: args.resamples,
        details: args.json,
    }
}

fn form(said: args::AnswerFormArg) -> AnswerForm {
    match said {
        args::AnswerFormArg::Auto => AnswerForm::Auto,
        args::AnswerFormArg::Probabilities => AnswerForm::Probabilities,
        args::AnswerFormArg::Logits => AnswerForm::Logits,
        args::AnswerFormArg::Labels => AnswerForm::Labels,
    }
}
