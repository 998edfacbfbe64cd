//! Lists of items as CSV, for people who want every answer: the report itself sees findings only.

use std::collections::BTreeMap;
use std::io::{self, Write};

use duress_core::answer::Answers;
use duress_core::csv_field::csv_field;
use duress_core::question::Question;

use super::{Kept, Ledger, LedgerEntry};
use crate::plan::{Cell, Plan};

/// What was written, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Rows, one per item.
    pub rows: usize,
    /// Cells whose answers are no class and no text of an item, by what they were asked.
    pub left_out: BTreeMap<Question, usize>,
}

/// Writes one row per item of every cell about classes or texts.
pub fn answers_csv(plan: &Plan, ledger: &Ledger, out: &mut impl Write) -> io::Result<Exported> {
    writeln!(
        out,
        "subject,dataset,under,seed,item,answer,confidence,absent"
    )?;
    let mut exported = Exported::default();
    for cell in plan.cells() {
        let entry = ledger.entry(plan.id(cell)).map_err(io::Error::other)?;
        let Some(LedgerEntry::Answered(kept)) = entry else {
            continue;
        };
        match kept.answers {
            Answers::Classes(_) | Answers::Texts(_) => {
                exported.rows += write_cell(plan, cell, &kept, out)?;
            }
            _ => *exported.left_out.entry(cell.question).or_default() += 1,
        }
    }
    Ok(exported)
}

fn write_cell(plan: &Plan, cell: Cell, kept: &Kept, out: &mut impl Write) -> io::Result<usize> {
    let place = plan.place(cell);
    let seed = plan.study.seeds[cell.replicate].to_string();
    let under = place.under.to_string();
    for (i, id) in kept.ids.iter().enumerate() {
        let (answer, confidence, absent) = answer(&kept.answers, i);
        let fields = [
            place.subject.as_str(),
            place.dataset.as_str(),
            &under,
            &seed,
            id,
            answer,
            &confidence,
            absent,
        ];
        writeln!(out, "{}", fields.map(csv_field).join(","))?;
    }
    Ok(kept.ids.len())
}

/// What was said about an item, how sure, and why there is nothing.
fn answer(answers: &Answers, i: usize) -> (&str, String, &str) {
    match answers {
        Answers::Classes(said) => {
            let class = said.label(i).map(|class| &said.classes()[class as usize]);
            let confidence = said.confidence(i).map_or(String::new(), |c| c.to_string());
            let absent = said.absent().get(&i).map(|absence| &absence.why);
            let class = class.map_or("", String::as_str);
            (class, confidence, absent.map_or("", String::as_str))
        }
        Answers::Texts(said) => match &said.texts[i] {
            Ok(text) => (text, String::new(), ""),
            Err(absence) => ("", String::new(), &absence.why),
        },
        _ => unreachable!("other answers are not about items"),
    }
}
