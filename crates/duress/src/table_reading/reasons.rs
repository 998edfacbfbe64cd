//! Why a table was read as it was, in words.

use duress_core::number;
use duress_tables::layout::guess::Reason;

/// The sentences for a reason.
pub(crate) fn in_words(reason: &Reason) -> Vec<String> {
    match reason {
        Reason::ClassesNamedIn { column } => {
            vec![format!("the classes are called as `{column}` has them")]
        }
        Reason::IsNoConfidence { column, prediction } => vec![format!(
            "`{column}` goes with `{prediction}`, and so is not how sure each was"
        )],
        Reason::GoesWithPrediction {
            column,
            prediction,
            about,
            threshold,
        } => {
            let mut words = vec![format!(
                "`{column}` goes with `{prediction}`, which is not read: what is said follows from it"
            )];
            words.extend(threshold.map(|threshold| {
                format!(
                    "`{prediction}` says `{about}` from {} on, so {} of them differ from what is likelier, which is what is read here; `--form labels`, in a study `form = \"labels\"`, reads `{prediction}` itself",
                    number::tidy(threshold.from),
                    number::count(threshold.differing)
                )
            }));
            words
        }
    }
}
