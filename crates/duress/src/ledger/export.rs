//! Lists of items as CSV, for people who want every answer: the report itself sees findings only.

use std::io::{self, Write};

use duress_core::answer::Answers;

use super::{Entry, Ledger};
use crate::plan::Plan;

/// Writes one row per answered item of every cell about classes.
pub fn answers_csv(plan: &Plan, ledger: &Ledger, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "subject,dataset,under,seed,item,answer,confidence,absent"
    )?;
    for cell in plan.cells() {
        let Ok(Some(Entry::Answered(kept))) = ledger.entry(plan.id(cell)) else {
            continue;
        };
        let Answers::Classes(said) = &kept.answers else {
            continue;
        };
        let place = plan.place(cell);
        let seed = plan.study.seeds[cell.replicate];
        for (i, id) in kept.ids.iter().enumerate() {
            let answer = said
                .label(i)
                .map_or("", |class| said.classes()[class as usize].as_str());
            let confidence = said.confidence(i).map_or(String::new(), |c| c.to_string());
            let absent = said
                .absent()
                .get(&i)
                .map_or("", |absence| absence.why.as_str());
            let row = [id, answer, &confidence, absent].map(quoted).join(",");
            writeln!(
                out,
                "{},{},{},{seed},{row}",
                place.subject, place.dataset, place.under
            )?;
        }
    }
    Ok(())
}

/// A CSV field, quoted where it must be.
fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}
