//! Caveats: doubts the program raises itself; and cells that have no answers.

use std::collections::BTreeMap;

use duress_core::answer::AbsenceKind;
use duress_core::data::TablePiece;
use duress_core::name::Name;
use duress_core::place::{Place, Under};
use duress_core::severity::Severity;
use duress_core::stressor::AttackDoubt;
use duress_core::subject::Failure;
use serde::{Deserialize, Serialize};

use crate::quantity::Missed;
use crate::tagged::tagged;

/// A doubt the program raises itself, and what it touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Caveat {
    /// What it touches.
    pub about: About,
    /// The doubt.
    pub doubt: Doubt,
}

impl Caveat {
    /// A doubt about something.
    pub fn new(about: About, doubt: Doubt) -> Caveat {
        Caveat { about, doubt }
    }
}

/// What a caveat touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum About {
    /// The whole study.
    Study,
    /// All of a subject.
    Subject(Name),
    /// All of a dataset.
    Dataset(Name),
    /// All under a stress: a ladder or a condition.
    Stress(Under),
    /// A subject on a dataset, under one stress or under several (`everything`).
    Place(Place),
    /// A gauge.
    Gauge(String),
    /// A claim, by its name.
    Claim(String),
}

impl About {
    /// The subject it is about, if it is about one.
    pub fn subject(&self) -> Option<&Name> {
        match self {
            About::Subject(subject) => Some(subject),
            About::Place(place) => Some(&place.subject),
            _ => None,
        }
    }

    /// The dataset it is about, if it is about one.
    pub fn dataset(&self) -> Option<&Name> {
        match self {
            About::Dataset(dataset) => Some(dataset),
            About::Place(place) => Some(&place.dataset),
            _ => None,
        }
    }

    /// The ladder or condition it is about, if it is about one.
    pub fn stress(&self) -> Option<&Name> {
        let under = match self {
            About::Stress(under) => under,
            About::Place(place) => &place.under,
            _ => return None,
        };
        under.stress()
    }

    /// The gauge it is about, if it is about one.
    pub fn gauge(&self) -> Option<&str> {
        match self {
            About::Gauge(gauge) => Some(gauge),
            _ => None,
        }
    }

    /// The claim it is about, if it is about one.
    pub fn claim(&self) -> Option<&str> {
        match self {
            About::Claim(claim) => Some(claim),
            _ => None,
        }
    }
}

tagged! {
    /// What may be wrong.
    pub enum Doubt {
        /// Somebody else says so: a reader of files.
        Told {
            /// What is said.
            what: String,
        } = "told" => "{what}";
        /// An attack doubts what it left standing.
        Attack {
            /// Why.
            by: AttackDoubt,
        } = "attack" => "{by}";
        /// The study was changed after a run.
        ChangedStudy {
            /// How many versions were run before.
            earlier: usize,
        } = "changed-study" => "This folder holds {earlier} earlier version{} of the study: claims may have been changed after answers were seen.", if *earlier == 1 { "" } else { "s" };
        /// The log of events does not tell all that happened.
        LogDamaged = "log-damaged" => "The log of events of this folder was damaged, cut or removed: studies that were run here before, and earlier looks at claims, may be missing from it.";
        /// Files of the ledger from before there were checksums.
        UncheckedFiles {
            /// How many.
            files: usize,
        } = "unchecked-files" => "{files} {} no checksum (an earlier duress wrote none): damage there would not be noticed.", if *files == 1 { "file of the ledger has" } else { "files of the ledger have" };
        /// Intervals over few seeds, as the first version of findings had them.
        FewSeeds {
            /// How many.
            seeds: usize,
        } = "few-seeds" => "{seeds} seeds: a bootstrap over so few is too narrow, and a t interval wide; read intervals over seeds with care.";
        /// What other seeds would do is known from few.
        SeedsAreFew {
            /// How many.
            seeds: usize,
        } = "seeds-are-few" => "{seeds} seeds: how much seeds differ is known from few, so intervals are wide{}.", if *seeds == 2 { ", and nothing is decided about others" } else { "" };
        /// Items that come in groups, and are counted as if they did not.
        IgnoresGroups {
            /// The dataset.
            dataset: Name,
            /// The column that says which group an item is of.
            column: String,
            /// How many groups.
            groups: usize,
            /// How many items.
            items: usize,
        } = "ignores-groups" => "The {items} items of {dataset} come in {groups} groups by {column}, but count as independent, so intervals may be too narrow: cluster = \"{column}\" counts with the groups, cluster = \"none\" says that there are none.";
        /// Items that have no value in the column that says their cluster.
        ItemsWithoutCluster {
            /// The dataset.
            dataset: Name,
            /// The column.
            column: String,
            /// How many have none.
            items: usize,
            /// Of how many.
            of: usize,
        } = "items-without-cluster" => "{items} of {of} items of {dataset} have no value in {column}: each counts as a cluster of its own.";
        /// How much clusters differ is known from few.
        ClustersAreFew {
            /// The dataset.
            dataset: Name,
            /// The column.
            column: String,
            /// How many clusters.
            clusters: usize,
        } = "clusters-are-few" => "{dataset} has {clusters} clusters by {column}: how much they differ is known from few, so intervals are wide, and rough where clusters are of unequal size.";
        /// A subject that is not reproducible.
        MayAnswerOtherwise {
            /// The subject.
            subject: Name,
        } = "may-answer-otherwise" => "{subject} may answer otherwise when asked again.";
        /// A rater that is not reproducible.
        MayRateOtherwise {
            /// The rater.
            rater: Name,
        } = "may-rate-otherwise" => "{rater} may rate otherwise when asked again.";
        /// A judge that is the model which put the errors in.
        OwnErrors {
            /// The subject.
            subject: Name,
            /// The model.
            model: String,
            /// The ladder or condition.
            stress: Name,
        } = "own-errors" => "{subject} judges errors that it wrote itself: {model} put in those of {stress} too.";
        /// A stressor that looks at the truth.
        SeesTruth {
            /// The ladder or condition.
            stress: Name,
        } = "sees-truth" => "{stress} looks at the truth to choose what it does.";
        /// A dataset that was pressed by a stressor that looks at the truth.
        MadeWithTruth {
            /// The dataset.
            dataset: Name,
        } = "made-with-truth" => "What was done to {dataset} looked at the truth.";
        /// A gauge that counts noise as what it measures.
        PlugIn {
            /// The gauge.
            gauge: String,
        } = "plug-in" => "{gauge} counts chance as what it measures: it leans to the worse side, the more so the fewer items.";
        /// Intervals beside their numbers.
        IntervalMisses {
            /// The gauge.
            gauge: String,
            /// At how many places.
            missed: usize,
            /// Of how many.
            places: usize,
            /// Why, at the first of them.
            because: Missed,
        } = "interval-misses" => "At {missed} of {places} places the interval of {gauge} misses its number: {because}.";
        /// Items without an answer.
        ItemsWithoutAnswer {
            /// How many.
            absent: usize,
            /// Of how many.
            of: usize,
        } = "items-without-answer" => "{absent} of {of} items have no answer; gauges are over the others.";
        /// Answers that are absent, and what kept them away.
        AnswersAbsent {
            /// How many of which kind, place by place.
            counted: Vec<String>,
        } = "answers-absent" => "Without an answer: {}. They are no zeros: gauges are over the others (tables/absent.csv).", counted.join("; ");
        /// Pieces of files that nobody read.
        NotRead {
            /// The first file.
            file: String,
            /// How many other files have the same pieces.
            more: usize,
            /// What they are.
            piece: TablePiece,
            /// What they are called.
            names: Vec<String>,
        } = "not-read" => "{file}{}: {}.", more_files(*more), piece.not_read(names);
        /// Items that a ladder cannot press at every severity.
        ItemsLeave {
            /// The ladder.
            ladder: Name,
            /// How many.
            left: usize,
            /// Of how many.
            of: usize,
            /// The first few of them.
            first: String,
        } = "items-leave" => "{left} of {of} items do not take part at every severity of {ladder} ({first}): what is read at a severity is over those that take part there, a curve over those that do everywhere (tables/leaving.csv lists the others).";
        /// Cells without answers.
        CellsWithoutAnswers {
            /// How many.
            failed: usize,
        } = "cells-without-answers" => "{failed} cell{} no answers; means are over the seeds that have, and their number is shown.", if *failed == 1 { " has" } else { "s have" };
        /// Answers that were taken for probabilities here and for logits there.
        MixedForms {
            /// The subject.
            subject: Name,
            /// Cells read as probabilities.
            probabilities: usize,
            /// Cells read as logits.
            logits: usize,
        } = "mixed-forms" => "{probabilities} cells of {subject} are read as probabilities and {logits} as logits; `form` would decide for all.";
        /// A subject that is right clearly less often than chance would be, without stress.
        BelowChance {
            /// The subject.
            subject: Name,
        } = "below-chance" => "{subject} is right less often than chance: are classes or columns swapped?";
        /// Values of items that lie outside what a gauge is meant for.
        BeyondScale {
            /// The gauge.
            gauge: String,
            /// How many values.
            beyond: usize,
            /// Of how many.
            of: usize,
            /// The smallest value it is meant for.
            low: f64,
            /// The largest.
            high: f64,
        } = "beyond-scale" => "{beyond} of {of} values of {gauge} are outside [{low}, {high}], which it and what is made of it are meant for{}.", if *high == 1.0 { ": percent? Then divide by 100" } else { "" };
        /// Maps that hardly change when the network forgets everything.
        SurvivesRandomWeights {
            /// The gauge that reads such maps.
            gauge: String,
            /// The subject.
            subject: Name,
            /// How the maps are made.
            maps: String,
            /// The gauge that found it.
            by: String,
            /// What it reads.
            reads: f64,
            /// Above what it doubts.
            above: f64,
        } = "survives-random-weights" => "{gauge} of {subject} is about maps by {maps} that hardly change when the weights are drawn at random ({by} reads {reads:.2}, above {above}): they show the image more than what was learnt. Another `attribution`, or the floors `edge-detector` and `centre-gaussian` beside it, would tell.";
        /// A gauge of explanations that is not shown to read better than a map that knows nothing.
        NotBeyondFloor {
            /// The gauge.
            gauge: String,
            /// The gauge that reads the floor.
            floor: String,
            /// The dataset.
            dataset: Name,
            /// For which subjects, at how many places, and how far it is from the floor at the first.
            places: Vec<String>,
        } = "not-beyond-floor" => "{gauge} on {dataset} is not shown to be better than its floor {floor}, a map that knows nothing of the subject, on the same items: {}. What it reads there may be owed to where things lie in the images.", places.join("; ");
        /// A gauge of explanations that is not shown to read worse than other draws of the same map do.
        WithinOtherDraws {
            /// The gauge.
            gauge: String,
            /// The gauge that reads other draws.
            floor: String,
            /// The dataset.
            dataset: Name,
            /// For which subjects, at how many places, and how far it is from other draws at the first.
            places: Vec<String>,
        } = "within-other-draws" => "{gauge} on {dataset} is not shown to be worse than {floor}, where nothing changes but what the method draws by chance, on the same items: {}. What it reads there may be noise; more `samples` make less of it.", places.join("; ");
        /// A claim that this many units cannot decide, whatever they say.
        NoOutcomeCouldStand {
            /// The claim.
            claim: String,
        } = "no-outcome-could-stand" => "{claim}: with this many units no outcome could have stood.";
    }
}

impl Doubt {
    /// Whether its sentence begins with the name of what it is about, so that nobody needs to say
    /// that before it.
    pub fn begins_with_its_name(&self) -> bool {
        matches!(
            self,
            Doubt::MayAnswerOtherwise { .. }
                | Doubt::MayRateOtherwise { .. }
                | Doubt::SeesTruth { .. }
                | Doubt::PlugIn { .. }
                | Doubt::BelowChance { .. }
                | Doubt::OwnErrors { .. }
                | Doubt::SurvivesRandomWeights { .. }
                | Doubt::NotBeyondFloor { .. }
                | Doubt::WithinOtherDraws { .. }
                | Doubt::NoOutcomeCouldStand { .. }
        )
    }
}

fn more_files(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " and another file".into(),
        more => format!(" and {more} more files"),
    }
}

/// An item that a ladder cannot press at every severity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeavingItem {
    /// The dataset.
    pub dataset: Name,
    /// The ladder.
    pub ladder: Name,
    /// The id of the item.
    pub item: String,
    /// The severities at which it does not take part.
    pub severities: Vec<Severity>,
}

/// Answers that were asked for at a place, over all seeds, and are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbsentAnswers {
    /// Where.
    pub place: Place,
    /// The rater, where it is one that did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rater: Option<Name>,
    /// How many were asked for.
    pub asked: usize,
    /// How many are absent, by what kept them away.
    pub kinds: BTreeMap<AbsenceKind, usize>,
}

impl AbsentAnswers {
    /// A place at which nothing was asked yet.
    pub fn none(place: Place, rater: Option<Name>) -> AbsentAnswers {
        AbsentAnswers {
            place,
            rater,
            asked: 0,
            kinds: BTreeMap::new(),
        }
    }

    /// How many are absent.
    pub fn absent(&self) -> usize {
        self.kinds.values().sum()
    }

    /// Which share is absent.
    pub fn share(&self) -> f64 {
        self.absent() as f64 / self.asked.max(1) as f64
    }

    /// Under which stress, how many of which kind, of how many.
    pub fn in_words(&self) -> String {
        let kinds = self
            .kinds
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"));
        let kinds: Vec<String> = kinds.collect();
        let rater = self.rater.as_ref();
        let rater = rater.map_or(String::new(), |rater| format!(", by {rater}"));
        format!(
            "{}{rater} {} of {}",
            self.place.under,
            kinds.join(", "),
            self.asked
        )
    }
}

/// A cell without answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCell {
    /// Where.
    pub place: Place,
    /// The seed of the replicate.
    pub seed: u64,
    /// Which of several ways to press equally hard, where they have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// What kind of failure, and what happened.
    #[serde(flatten)]
    pub failure: Failure,
}
