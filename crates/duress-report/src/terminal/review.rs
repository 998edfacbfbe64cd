//! What people said of steps, on one screen.

use duress_findings::{KindNamed, Review};

use super::paper::Paper;
use crate::words;

/// The counts as text of at most `width` columns; without `colour`, no control codes at all.
pub fn review(read: &Review, width: usize, colour: bool) -> String {
    let mut paper = Paper::new(width, colour);
    paper.heading(&read.file);
    let answered = words::counted(read.answered, "step");
    paper.paragraph(
        0,
        &format!("{answered} answered about, {} not", read.unanswered),
    );
    if let Some(share) = read.share_named() {
        paper.line("");
        paper.heading("Kinds that were named by somebody who was not told them");
        for kind in &read.named {
            paper.paragraph(2, &of_kind(kind));
        }
        paper.line(&format!("  right in all: {:.1} %", 100.0 * share));
    }
    if !read.judged.is_empty() {
        paper.line("");
        paper.heading("Accepted and rejected");
        for kind in &read.judged {
            let (accepted, rejected) = (kind.accepted, kind.rejected);
            paper.line(&format!(
                "  {:<23}{accepted} accepted, {rejected} rejected",
                kind.kind
            ));
        }
    }
    paper.text()
}

fn of_kind(kind: &KindNamed) -> String {
    let taken = kind.taken_for.iter();
    let taken: Vec<String> = taken
        .map(|(name, times)| format!("{name} {times}"))
        .collect();
    let (right, steps) = (kind.right, kind.steps);
    let share = 100.0 * kind.share();
    match taken.is_empty() {
        true => format!("{:<23}{right} of {steps} ({share:.0} %)", kind.kind),
        false => format!(
            "{:<23}{right} of {steps} ({share:.0} %), taken for {}",
            kind.kind,
            taken.join(", ")
        ),
    }
}
