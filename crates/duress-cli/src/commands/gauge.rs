//! `duress gauge FILE`: every gauge that applies to a table, without a study.

use std::io;

use clap::ValueEnum;
use duress::gauge::{self, Options, Told};
use duress_parts::registry::Registry;

use crate::args::Gauge;
use crate::complain;
use crate::exit::Exit;
use crate::say::{colour, say};

pub(crate) fn gauge(args: &Gauge) -> Exit {
    let (options, registry) = (options(args), Registry::standard());
    let gauged = match args.stream {
        true => gauge::stream(&args.file, &options, &registry),
        false => gauge::gauge(&args.file, &options, &registry),
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
    Exit::Done
}

fn options(args: &Gauge) -> Options {
    let form = args
        .form
        .to_possible_value()
        .map_or_else(String::new, |word| word.get_name().into());
    Options {
        told: Told {
            label: args.label.clone(),
            id: args.id.clone(),
            score: args.score.clone(),
            classes: args.classes.clone(),
            form,
        },
        only: args.only.clone(),
        intervals: !args.no_intervals,
        level: args.level,
        resamples: args.resamples,
        details: args.json,
    }
}
