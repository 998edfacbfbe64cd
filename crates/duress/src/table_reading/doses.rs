//! A table of a judge's ratings of responses with errors put in, read by the part that a study would
//! name: a ladder for each kind of error, in each dimension.

use std::path::Path;

use duress_core::answer::Answers;
use duress_core::data::{Inputs, Items, Text};
use duress_core::gauge::Columns;
use duress_core::name::Name;
use duress_core::number;
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::place::Under;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_parts::judge::rated_doses::{RatedDoses, has_doses, rated_doses};
use duress_parts::registry::Registry;
use duress_tables::formats;
use duress_tables::layout::words::LABEL_COLUMNS;

use super::TableHints;
use super::classes::{file_name, folder};
use super::scored_ladder::{ScoredLadder, ScoredRung};

/// What a table without a column for it has its doses of.
const NAMELESS: &str = "dose";

/// Ratings of responses at each dose.
#[derive(Clone)]
pub(super) struct DosedRatings {
    pub(super) dimensions: Vec<String>,
    pub(super) ladders: Vec<DoseLadder>,
    pub(super) items: usize,
    pub(super) found: Vec<String>,
}

/// One kind of error.
#[derive(Clone)]
pub(super) struct DoseLadder {
    pub(super) name: String,
    pub(super) scores: ScoredLadder,
}

/// Ratings, if that is what the table holds: doses, and no true class.
pub(super) fn read(
    file: &Path,
    hints: &TableHints,
    registry: &Registry,
) -> Result<Option<DosedRatings>, Problem> {
    if file.is_dir() {
        return Ok(None);
    }
    let heads = formats::heads(file)?;
    let labelled = hints.label.is_some() || LABEL_COLUMNS.find(&heads).is_some();
    if labelled || !has_doses(&heads) {
        return Ok(None);
    }
    let about = rated_doses(file, hints.id.as_deref())?;
    if about.ladders.is_empty() {
        return Err(Problem::new("no row has an error put in")
            .expected("doses above 0 beside those of 0")
            .in_file(file));
    }
    let recording = recording(file, hints, registry)?;
    let ids = about.ids.clone();
    let texts = vec![Text::new(""); ids.len()];
    let items = Items::new(ids, Inputs::Texts(texts))
        .map_err(|why| Problem::new(why.to_string()).in_file(file))?;
    let look_up = |under: Under| {
        let at = Circumstances {
            subject: name("table")?,
            seed: 0,
            under,
            variant: None,
        };
        recording.look_up(&at, Question::Ratings, &items)
    };
    let mut ladders = Vec::new();
    for (ladder, doses) in &about.ladders {
        let has_clean = about.own_clean.contains(ladder);
        let ladder = ladder.as_deref().unwrap_or(NAMELESS);
        let at = |severity: &Severity| -> Result<Under, Problem> {
            Ok(Under::Rung {
                ladder: name(ladder)?,
                severity: severity.clone(),
            })
        };
        let clean = match has_clean {
            true => look_up(at(&Severity::clean())?)?,
            false => look_up(Under::Clean)?,
        };
        let mut rungs = vec![rung(Severity::clean(), clean)];
        for severity in doses {
            rungs.push(rung(severity.clone(), look_up(at(severity)?)?));
        }
        ladders.push(DoseLadder {
            name: ladder.into(),
            scores: ScoredLadder::new(rungs, Columns::default()),
        });
    }
    let clean = ladders.first().map(|first| &first.scores.rungs[0].answers);
    let Some(Answers::Ratings(rated)) = clean else {
        return Ok(None);
    };
    let dimensions = rated.dimensions().to_vec();
    Ok(Some(DosedRatings {
        items: items.len(),
        found: found(&dimensions, &about),
        dimensions,
        ladders,
    }))
}

fn name(said: &str) -> Result<Name, Problem> {
    Name::new(said).map_err(|not| Problem::new(not.to_string()))
}

fn rung(severity: Severity, answers: Answers) -> ScoredRung {
    ScoredRung {
        severity,
        variant: 0,
        name: None,
        answers,
    }
}

fn recording(
    file: &Path,
    hints: &TableHints,
    registry: &Registry,
) -> Result<Box<dyn Recording>, Problem> {
    let part = registry.find(PartKind::Subject, "recorded-ratings")?;
    let mut keys = vec![
        ("files", Raw::Text(file_name(file))),
        ("clean", Raw::Text(file_name(file))),
    ];
    keys.extend(hints.id.clone().map(|id| ("id", Raw::Text(id))));
    let params = Params::of(part, &keys, folder(file));
    let params = params.map_err(|mut problems| problems.swap_remove(0))?;
    let Build::Subject(build) = part.build else {
        return Err(Problem::new("`recorded-ratings` is no subject"));
    };
    match build(&params)? {
        SubjectPart::Recorded(recording) => Ok(recording),
        SubjectPart::Live(_) => Err(Problem::new("`recorded-ratings` is asked here")),
    }
}

fn found(dimensions: &[String], about: &RatedDoses) -> Vec<String> {
    let kinds = about.ladders.len();
    let kinds = match kinds {
        1 => "one kind of error".into(),
        some => format!("{} kinds of error", number::count(some as u64)),
    };
    vec![
        format!("ratings in {}", dimensions.join(", ")),
        format!("doses of {kinds}"),
    ]
}
