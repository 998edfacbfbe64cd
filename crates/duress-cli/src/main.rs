//! The command. Reads as a story: what was asked, done, and how it ended.

mod args;
mod commands;
mod complain;
mod exit;
mod progress;
mod say;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Verb};
use exit::Exit;

fn main() -> ExitCode {
    quiet_subjects();
    let args = Args::parse();
    let done = std::panic::catch_unwind(|| match &args.verb {
        Verb::Check(check) => commands::check::check(check),
        Verb::Plan(plan) => commands::plan::plan(plan),
        Verb::Run(run) => commands::run::run(run),
        Verb::Report(report) => commands::report::report(report),
        Verb::Compare(compare) => commands::compare::compare(compare),
        Verb::Gauge(gauge) => commands::gauge::gauge(gauge),
        Verb::Agree(agree) => commands::agree::agree(agree),
        Verb::Review(review) => commands::review::review(review),
        Verb::Inject(inject) => commands::inject::inject(inject),
        Verb::Init(init) => commands::init::init(init),
        Verb::List(list) => commands::list::list(list),
        Verb::Explain(explain) => commands::explain::explain(explain),
        Verb::Schema(args) => commands::schema::schema(args),
        Verb::Verify(verify) => commands::verify::verify(verify),
    });
    match done {
        Ok(Exit::Done) if say::lost() => Exit::BadInput.into(),
        Ok(exit) => exit.into(),
        Err(_) => Exit::OurFault.into(),
    }
}

/// A subject's panic is kept in the ledger with its reason; only our own is worth a backtrace.
fn quiet_subjects() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let subject = std::thread::current().name() == Some(duress::run::SUBJECT_THREAD);
        if !subject && !duress::run::is_reading_a_file() {
            eprintln!(
                "duress: this is a bug in duress, not in your study; please report it with the lines below."
            );
            usual(panic);
        }
    }));
}
