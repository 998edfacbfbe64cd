//! Reasons: why there is no number, no interval, no test.

use duress_core::gauge::Undefined;
use duress_core::subject::{Failure, FailureKind};

use crate::tagged::tagged;

tagged! {
    /// Why something is not there. The sentence is written from the value, here and nowhere else.
    ///
    /// ```
    /// use duress_findings::AbsenceReason;
    /// let why = AbsenceReason::UndefinedInResamples { undefined: 300, resamples: 2000 };
    /// assert_eq!(why.kind(), "undefined-in-resamples");
    /// assert_eq!(why.to_string(), "undefined in 300 of 2000 resamples");
    /// ```
    pub enum AbsenceReason {
        /// The gauge says so, in its own words.
        Gauge {
            /// What it says.
            why: String,
        } = "gauge" => "{why}";
        /// The cell has no answers.
        CellFailed {
            /// What kind of failure.
            failure: FailureKind,
            /// What happened.
            why: String,
        } = "cell-failed" => "{failure}: {why}";
        /// Nobody asked yet.
        CellNotRun = "cell-not-run" => "the cell was not run";
        /// The clean twin cannot be read.
        CleanTwin {
            /// Why not.
            why: Box<AbsenceReason>,
        } = "clean-twin" => "clean: {why}";
        /// What is true of the items is not in the ledger.
        TruthNotKept = "truth-not-kept" => "the truth was not kept";
        /// The ids of the items are not in the ledger.
        ItemsNotKept = "items-not-kept" => "its items were not kept";
        /// A slice by a column that the dataset does not have.
        NoSuchColumn = "no-such-column" => "its items have no such column";
        /// An empty slice.
        NoItemHas {
            /// The value of the column.
            value: String,
        } = "no-item-has" => "no item has `{value}`";
        /// No gauge is at this place.
        NothingToRead = "nothing-to-read" => "there is nothing to read at this place";
        /// One side of a comparison is not there.
        NothingToCompareWith = "nothing-to-compare-with" => "there is nothing to compare with at this place";
        /// Both sides are there, with different numbers of units.
        UnitsDiffer {
            /// Units of the one.
            left: usize,
            /// Units of the other.
            right: usize,
        } = "units-differ" => "{left} units against {right}: they cannot be paired";
        /// Rankings of too few subjects, or by too few gauges, to be compared.
        TooFewToRank {
            /// Subjects that every gauge has read.
            subjects: usize,
            /// Gauges of explanations.
            gauges: usize,
        } = "too-few-to-rank" => "{subjects} subject{} by {gauges} gauge{} of explanations: rankings are compared of three subjects by two gauges at least", if *subjects == 1 { "" } else { "s" }, if *gauges == 1 { "" } else { "s" };
        /// Two runs without a seed in common.
        NoCommonSeed = "no-common-seed" => "the two runs have no seed in common";
        /// Two runs without an item in common.
        NoCommonItem = "no-common-item" => "the two runs have no item in common";
        /// Spread over seeds is wanted, and there is one.
        OneSeed = "one-seed" => "one seed has no spread; only other seeds would show it";
        /// Two seeds have a spread, but show nothing that is meant for others.
        TwoSeeds = "two-seeds" => "two seeds give an interval, but decide nothing about others";
        /// Spread over clusters is wanted, and there is one.
        OneCluster {
            /// The column that says which.
            column: String,
        } = "one-cluster" => "all items are of one cluster by {column}; only others would show how much they differ";
        /// The error of a reading is what it loses without some of the items.
        NotWithoutSomeItems = "not-without-some-items" => "it does not exist without some of the items, so its error is not known";
        /// What is combined has values for different seeds.
        OtherSeeds = "other-seeds" => "the two were not read on the same seeds";
        /// A claim of several parts: they have what it has not.
        InParts = "in-parts" => "it is a claim of several parts, each with its own";
        /// A level so small that the verdict would hang on the last few resamples.
        TooFewResamples {
            /// How many there are.
            resamples: usize,
            /// How many the level needs.
            needed: usize,
        } = "too-few-resamples" => "{resamples} resamples cannot tell what this level asks for, {needed} could (`resamples`)";
        /// DeLong's test compares the items of one seed.
        MoreThanOneSeed {
            /// How many there are.
            seeds: usize,
        } = "more-than-one-seed" => "DeLong's test is about the items of one seed, and there are {seeds}";
        /// DeLong's test is about an area under the ROC curve of two classes.
        NoRocOfTwoClasses = "no-roc-of-two-classes" => "DeLong's test is about an area under the ROC curve of two classes, which this gauge is not";
        /// A number made of no numbers.
        NothingToCombine = "nothing-to-combine" => "there is nothing to combine";
        /// A number made of others, which these do not give.
        DoesNotExist = "does-not-exist" => "it does not exist for these values";
        /// The gauge gave infinity, or no number at all.
        NotFinite {
            /// What it gave, as text.
            value: String,
        } = "not-finite" => "it is {value}, which is no number to report";
        /// Too many resamples have no value.
        UndefinedInResamples {
            /// How many have none.
            undefined: usize,
            /// How many were drawn.
            resamples: usize,
        } = "undefined-in-resamples" => "undefined in {undefined} of {resamples} resamples";
        /// Resamples do not differ.
        SameInEveryResample = "same-in-every-resample" => "every resample gives the same value, so resampling cannot tell how sure it is";
        /// Intervals were not asked for.
        NotAskedFor = "not-asked-for" => "not asked for";
        /// Read in one pass, which gives the number exactly and nothing to resample.
        Streamed = "streamed" => "streamed, exact";
        /// Read in one pass, which gives the number between two ends.
        StreamedWithin {
            /// The lower end.
            low: f64,
            /// The upper end.
            high: f64,
        } = "streamed-within" => "streamed, the exact value lies from {low:.9} to {high:.9}";
        /// Read in one pass, and undefined.
        StreamedUndefined = "streamed-undefined" => "streamed, none";
        /// A curve with a gap.
        RungWithoutValue = "rung-without-value" => "a rung has no value";
        /// There is no worse, so there is no fall.
        NeitherIsBetter = "neither-is-better" => "neither way is better";
        /// A curve whose values are differences from clean has no clean rung to fall from.
        AlreadyAgainstClean = "already-against-clean" => "every value is already against clean";
        /// The claim is judged by an interval alone.
        NoPValue = "no-p-value" => "the bootstrap gives an interval and no p-value";
        /// The claim pairs items, and the gauge is not a mean over them.
        NoMeanOverItems = "no-mean-over-items" => "this gauge is no mean over items: use `unit = \"seeds\"` or `test = \"bootstrap\"`";
        /// McNemar's test wants ones and zeros.
        NotRightOrWrong = "not-right-or-wrong" => "McNemar needs right or wrong per item: one seed, and a gauge such as accuracy";
        /// There are fewer units than a formula needs.
        TooFew {
            /// What is counted.
            what: String,
            /// The smallest number that works.
            need: usize,
            /// The number there is.
            got: usize,
        } = "too-few" => "undefined: {got} {what}, at least {need} needed";
        /// Two samples that must be paired have different lengths.
        Unpaired {
            /// Length of the first.
            left: usize,
            /// Length of the second.
            right: usize,
        } = "unpaired" => "undefined: {left} values cannot be paired with {right}";
        /// An input of a formula is infinite or not a number.
        InputNotFinite {
            /// Which input.
            what: String,
            /// Its position.
            at: usize,
        } = "input-not-finite" => "undefined: {what}: value {at} is not a finite number";
        /// A parameter lies where the question makes no sense.
        OutOfRange {
            /// Which parameter.
            what: String,
            /// Its value, as text: it need not be finite.
            value: String,
            /// What would have been accepted.
            expected: String,
        } = "out-of-range" => "undefined: {what} is {value}, expected {expected}";
        /// All values are equal, so there is no spread to compare with.
        NoSpread {
            /// What has no spread.
            what: String,
        } = "no-spread" => "undefined: {what} are all equal";
        /// A measure of discrimination met one class only.
        OneClass {
            /// Number of positives.
            positives: usize,
            /// Number of negatives.
            negatives: usize,
        } = "one-class" => "undefined: needs both classes, got {positives} positives and {negatives} negatives";
        /// Exact counting was asked for beyond the size at which it is done.
        TooLarge {
            /// What is too large.
            what: String,
            /// The largest size that works.
            limit: usize,
            /// The size there is.
            got: usize,
        } = "too-large" => "undefined: {what} is {got}, exact counting stops at {limit}";
        /// So many resamples had no value that the rest would mislead.
        MostlyUndefined {
            /// Resamples without a value.
            undefined: usize,
            /// Resamples drawn.
            resamples: usize,
            /// The first reason met.
            first: Box<AbsenceReason>,
        } = "mostly-undefined" => "undefined: {undefined} of {resamples} resamples had no value (the first: {first})";
        /// No finite answer exists.
        Unreachable {
            /// What cannot be reached.
            what: String,
        } = "unreachable" => "undefined: no finite {what} exists";
        /// A statistic says so, in its own words.
        Statistic {
            /// What it says.
            why: String,
        } = "statistic" => "undefined: {why}";
    }
}

impl AbsenceReason {
    /// What a gauge says.
    pub fn gauge(why: impl Into<String>) -> AbsenceReason {
        AbsenceReason::Gauge { why: why.into() }
    }

    /// Whether the sentence itself says that something is undefined, so that nobody needs to say it
    /// before it.
    fn says_undefined(&self) -> bool {
        matches!(
            self,
            AbsenceReason::TooFew { .. }
                | AbsenceReason::Unpaired { .. }
                | AbsenceReason::InputNotFinite { .. }
                | AbsenceReason::OutOfRange { .. }
                | AbsenceReason::NoSpread { .. }
                | AbsenceReason::OneClass { .. }
                | AbsenceReason::TooLarge { .. }
                | AbsenceReason::MostlyUndefined { .. }
                | AbsenceReason::Unreachable { .. }
                | AbsenceReason::Statistic { .. }
        )
    }

    /// The sentence behind the word "undefined", which it says once.
    ///
    /// ```
    /// use duress_findings::AbsenceReason;
    /// let flat = AbsenceReason::NoSpread { what: "the values".into() };
    /// assert_eq!(flat.as_undefined(), "undefined: the values are all equal");
    /// assert_eq!(AbsenceReason::NeitherIsBetter.as_undefined(), "undefined: neither way is better");
    /// ```
    pub fn as_undefined(&self) -> String {
        if self.says_undefined() {
            self.to_string()
        } else {
            format!("undefined: {self}")
        }
    }
}

impl From<Undefined> for AbsenceReason {
    fn from(undefined: Undefined) -> AbsenceReason {
        AbsenceReason::gauge(undefined.why)
    }
}

impl From<Failure> for AbsenceReason {
    fn from(failure: Failure) -> AbsenceReason {
        AbsenceReason::CellFailed {
            failure: failure.kind,
            why: failure.why,
        }
    }
}
