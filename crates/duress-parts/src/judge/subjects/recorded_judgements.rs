//! What a judge of pairs said elsewhere, in both orders.
//!
//! # What it does
//! Reads the files that JudgeBench, LLMBar and MT-Bench (FastChat's `model_judgment`, and the verdicts
//! of GPT-4 that were published with people's votes) keep about a judge, and answers `prefers-first`
//! with what stands there: without stress as the pairs were given, under a ladder with `use =
//! "elsewhere"` as they were said to be when the two had changed places. JudgeBench keeps each decision
//! in the frame it was made in; the others map winners back, and that is undone here.
//!
//! # Why it matters
//! Judgements that exist are read without asking anybody: `order-consistency`,
//! `first-slot-preference`, `tie-share`, `both-orders-accuracy`.
//!
//! # Promise
//! Pairs are matched by id. A decision that is null, an error or unknown is a pair without a rating;
//! one that is not in the file is listed so.
//!
//! # Example
//! ```toml
//! [subject.judge]
//! use = "recorded-judgements"
//! file = "judge_name=arena_hard.jsonl"
//!
//! [ladder.swapped]
//! use = "elsewhere"
//! severities = [1]
//! ```
//!
//! # Reference
//! S. Tan et al., JudgeBench, 2024; Z. Zeng et al., LLMBar, 2023; L. Zheng et al., MT-Bench, 2023.

use std::collections::BTreeMap;
use std::path::PathBuf;

use duress_core::answer::{Absence, AbsenceKind, Answers, RatingAnswers};
use duress_core::data::Items;
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_tables::judgements::{PairJudgement, read_judgements};

use crate::judge::frame::both_orders::PREFERS_FIRST;

/// The part.
pub static PART: Part = Part {
    name: "recorded-judgements",
    version: 1,
    fields: &[Field {
        name: "file",
        takes: Takes::Text,
        doc: "what the judge said, relative to the study: JSON lines, or one JSON list",
        default: None,
    }],
    source: include_str!("recorded_judgements.rs"),
    build: Build::Subject(|params| {
        let file = params.folder().join(params.text("file"));
        Ok(SubjectPart::Recorded(Box::new(RecordedJudgements { file })))
    }),
};

struct RecordedJudgements {
    file: PathBuf,
}

impl Recording for RecordedJudgements {
    fn answers(&self) -> Vec<Question> {
        vec![Question::Ratings]
    }

    fn sources(&self, _at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![self.file.clone()])
    }

    fn look_up(
        &self,
        at: &Circumstances,
        _question: Question,
        items: &Items,
    ) -> Result<Answers, Problem> {
        let said = read_judgements(&self.file)?;
        let by_id: BTreeMap<&str, &PairJudgement> =
            said.iter().map(|one| (one.id.as_str(), one)).collect();
        let swapped = at.under.stress().is_some();
        let row = |id: &str| {
            let none = || Absence::new(AbsenceKind::Unrecorded, "the file has no such pair");
            let judged = by_id.get(id).ok_or_else(none)?;
            let said = if swapped {
                &judged.swapped
            } else {
                &judged.as_given
            };
            let unparsable = |why: &String| Absence::new(AbsenceKind::Unparsable, why.clone());
            said.as_ref().map(|first| vec![*first]).map_err(unparsable)
        };
        let rows = items.ids().iter().map(row).collect();
        Ok(Answers::Ratings(RatingAnswers::new(
            vec![PREFERS_FIRST.into()],
            rows,
        )))
    }
}
