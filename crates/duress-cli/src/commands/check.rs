//! `duress check`: everything that is wrong, what n can show, how long it will take.

use std::sync::Arc;
use std::time::Duration;

use duress::analysis::{power, power_curves};
use duress::axis::ReplicateAt;
use duress::run;
use duress::run::Budget;
use duress_parts::registry::Registry;
use duress_report::counted;

use crate::args::CheckArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::{harmless, say};

pub(crate) fn check(args: &CheckArgs) -> Exit {
    let (plan, read) = match run::examine(&args.study, &Registry::standard()) {
        Ok((plan, remarks)) => (Arc::new(plan), remarks),
        Err(rejected) => return complain::rejected(&rejected),
    };
    let study = &plan.study;
    let count = plan.count();
    let counted = [
        [
            counted(study.datasets.len(), "dataset"),
            counted(study.subjects.len(), "subject"),
            counted(study.ladders.len(), "ladder"),
            counted(study.conditions.len(), "condition"),
            counted(study.gauges.len(), "gauge"),
            counted(study.claims.len(), "claim"),
        ]
        .join(", "),
        [
            counted(study.seeds.len(), "seed"),
            counted(count.cells, "cell"),
            counted(count.preparations, "preparation"),
        ]
        .join(", "),
    ];
    say(format!(
        "{}: sound.\n  {}\n",
        study.name,
        counted.join("\n  ")
    ));
    for remark in &study.remarks {
        say(format!("  Note: {}.\n", harmless(remark)));
    }
    say(datasets(&plan));
    say(subjects(&plan, &read));
    for remark in plan.remarks() {
        say(format!("  Note: {}.\n", harmless(&remark)));
    }
    say("What this n can show:\n");
    let sentences = power::of_study(study);
    for sentence in &sentences {
        say(format!("  {}\n", harmless(sentence)));
    }
    if sentences.is_empty() {
        say("  No claims are tested over seeds; intervals are over items.\n");
    }
    say(power(&plan));
    if args.timing > 0.0 {
        say(format!("{}\n", estimate(&plan, args.timing)));
    }
    Exit::Done
}

/// How often each claim would be upheld, by how many units there are.
fn power(plan: &duress::plan::Plan) -> String {
    let curves = power_curves(plan);
    if curves.is_empty() {
        return String::new();
    }
    let mut said = String::from("Power before the run; what varies together can only show less:\n");
    for curve in &curves {
        let claims = harmless(&curve.claims.join(", "));
        said += &format!("  {claims}: {}\n", curve.heading());
        let heads: String = curve
            .heads()
            .iter()
            .map(|head| format!("{head:>9}"))
            .collect();
        said += &format!("    {:>14}{heads}\n", "");
        for (units, row) in &curve.rows {
            let units = format!("{units} {}", curve.units());
            let row: String = row
                .iter()
                .map(|one| format!("{:>9}", curve.written(*one)))
                .collect();
            said += &format!("    {units:>14}{row}\n");
        }
    }
    said
}

/// What a reader should know about each dataset, of its first seed where it varies; nothing where
/// there is nothing to know.
fn datasets(plan: &duress::plan::Plan) -> String {
    let both = plan.study.datasets.iter().zip(&plan.dataset_of);
    let remarks = both.flat_map(|(decl, loaded)| {
        let remarks = plan.loaded[loaded[ReplicateAt::FIRST]].remarks.iter();
        remarks.map(move |remark| format!("  {}: {}\n", decl.name, harmless(remark)))
    });
    let said: String = remarks.collect();
    if said.is_empty() {
        said
    } else {
        format!("About the data:\n{said}")
    }
}

/// What a reader should know about how each subject is read: of live ones of the first seed, of
/// recorded ones of every file.
fn subjects(plan: &duress::plan::Plan, recorded: &[String]) -> String {
    let live = plan.subject_remarks().into_iter();
    let live = live.map(|(subject, remark)| format!("{subject}: {remark}"));
    let said: String = live
        .chain(recorded.iter().cloned())
        .map(|remark| format!("  {}\n", harmless(&remark)))
        .collect();
    if said.is_empty() {
        said
    } else {
        format!("About the subjects:\n{said}")
    }
}

/// How long it will take, and what cannot be asked at all.
fn estimate(plan: &Arc<duress::plan::Plan>, seconds: f64) -> String {
    let threads = Budget::current().threads();
    let timed = run::time_one(plan, Duration::from_secs_f64(seconds));
    let failed = timed.failed.iter().map(|(subject, failure)| {
        format!(
            "Trouble: {subject} cannot be asked: {}.\n",
            harmless(&failure.to_string())
        )
    });
    let elsewhere: Vec<&str> = timed.elsewhere.iter().map(|name| name.as_str()).collect();
    let elsewhere = elsewhere.join(", ");
    let time = match (timed.pieces, timed.failed.is_empty()) {
        (0, true) if !elsewhere.is_empty() => {
            format!("Time: no estimate; {elsewhere} is asked elsewhere, and not for this.")
        }
        (pieces, _) if pieces > 0 && !elsewhere.is_empty() => format!(
            "Time: about {:.1} s on {threads} threads, from timing {pieces} pieces, and what {elsewhere} takes elsewhere.",
            timed.seconds / threads as f64
        ),
        (0, true) => format!(
            "Time: no piece was answered within {seconds} s, so no estimate; `--timing` gives them longer."
        ),
        (0, false) => "Time: no estimate, since no piece was answered.".into(),
        (pieces, _) => format!(
            "Time: about {:.1} s on {threads} threads, from timing {pieces} pieces.",
            timed.seconds / threads as f64
        ),
    };
    failed.chain([time]).collect()
}
