//! Damage: what a ledger has that is not what was written is moved out of the way and asked again.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use duress_stats::parallel::map_list;

use super::event::Event;
use crate::ledger::{Ledger, Unreadable, UnreadableKind};
use crate::plan::{Id, Plan};

/// Looks through the cells and datasets of a plan that are kept; a run then asks for what is gone.
/// Answers that are gone take along what was rated of them: a subject need not say the same again.
/// What a later duress wrote, or the disk does not give, is left where it is; whoever reads it says
/// so.
pub fn set_aside_damaged(
    plan: &Plan,
    ledger: &Ledger,
    tell: &(dyn Fn(&Event) + Sync),
) -> io::Result<()> {
    let (answered, failed) = ledger.cells()?;
    let kept = |id: &Id| answered.contains(id) || failed.contains(id);
    let ids: HashSet<Id> = plan.cells().map(|cell| plan.id(cell)).collect();
    let ids: Vec<Id> = ids.into_iter().filter(kept).collect();
    let mut gone = HashSet::new();
    for (id, damaged) in ids.iter().zip(map_list(&ids, |id| damage(ledger, *id))) {
        if let Some(damaged) = damaged {
            move_away(ledger, &damaged.path, damaged.why, tell)?;
            gone.insert(*id);
        }
    }
    for loaded in plan.loaded.iter() {
        match ledger.dataset(loaded.fingerprint) {
            Err(bad) if bad.kind == UnreadableKind::Damaged => {
                move_away(ledger, &bad.path, bad.why, tell)?;
            }
            _ => {}
        }
    }
    for cell in plan.cells() {
        let rated = plan.rated(cell).map(|rated| plan.id(rated));
        if rated.is_some_and(|rated| gone.contains(&rated)) {
            for file in ledger.files_of_cell(plan.id(cell)) {
                if file.exists() {
                    let why = "it rates answers that were damaged and are asked again";
                    move_away(ledger, &file, why.into(), tell)?;
                }
            }
        }
    }
    Ok(())
}

/// What is wrong with the file of a cell; nothing where it is whole.
fn damage(ledger: &Ledger, id: Id) -> Option<Unreadable> {
    let bad = ledger.entry(id).err()?;
    (bad.kind == UnreadableKind::Damaged).then_some(bad)
}

/// Moves a file away, and tells of it.
pub(super) fn move_away(
    ledger: &Ledger,
    file: &Path,
    why: String,
    tell: &(dyn Fn(&Event) + Sync),
) -> io::Result<()> {
    ledger.set_aside(file)?;
    tell(&Event::Damaged {
        file: file.display().to_string(),
        why,
    });
    Ok(())
}
