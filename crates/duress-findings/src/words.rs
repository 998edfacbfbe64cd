//! The closed lists of words that a study writes and findings repeat, each spelled once.

duress_core::words! {
    /// Where stress acts.
    pub enum ActsOn {
        /// On the data fitted.
        Train = "train",
        /// On the data tested.
        Test = "test",
        /// On both.
        Both = "both",
        /// It acted before the answers were recorded.
        Elsewhere = "elsewhere",
    }
}

duress_core::words! {
    /// What is resampled.
    pub enum Units {
        /// The items.
        Items = "items",
        /// The replicates.
        Seeds = "seeds",
        /// Both.
        ItemsAndSeeds = "items-and-seeds",
    }
}

duress_core::words! {
    /// How p-values are corrected over a family.
    pub enum Correction {
        /// Not at all.
        None = "none",
        /// Holm's step-down Bonferroni.
        Holm = "holm",
        /// Holm with Šidák's levels.
        HolmSidak = "holm-sidak",
        /// Hommel's closed test.
        Hommel = "hommel",
        /// Benjamini and Hochberg's false discovery rate.
        BenjaminiHochberg = "bh",
        /// Benjamini and Yekutieli's, under any dependence.
        BenjaminiYekutieli = "by",
    }
}

impl Correction {
    /// What it is called in print.
    pub fn name(self) -> &'static str {
        match self {
            Correction::None => "none",
            Correction::Holm => "Holm",
            Correction::HolmSidak => "Holm–Šidák",
            Correction::Hommel => "Hommel",
            Correction::BenjaminiHochberg => "Benjamini–Hochberg",
            Correction::BenjaminiYekutieli => "Benjamini–Yekutieli",
        }
    }
}

duress_core::words! {
    /// What became of a claim.
    pub enum Verdict {
        /// The interval lies beyond the margin.
        Upheld = "upheld",
        /// The interval lies wholly short of it.
        Refuted = "refuted",
        /// Neither.
        Undecided = "undecided",
    }
}

duress_core::words! {
    /// Which way a gauge went between two runs.
    pub enum Moved {
        /// The interval of the difference lies on the better side of zero.
        Better = "better",
        /// It lies on the worse side.
        Worse = "worse",
        /// It lies on one side, and neither is better.
        Changed = "changed",
        /// Nothing changed at all: every reading is the same.
        Same = "same",
        /// The interval holds zero.
        Unclear = "unclear",
        /// There is no interval, and the difference says why.
        Undefined = "undefined",
    }
}

duress_core::words! {
    /// Who changed between two runs: a judge, or what it judges.
    pub enum DriftVerdict {
        /// The judge: it rates the same responses otherwise.
        Judge = "judge",
        /// The responses: by more than the judge did.
        System = "system",
        /// One of them: the judge could have caused it.
        Either = "either",
        /// No change is shown.
        Neither = "neither",
        /// Nobody can tell: no responses are the same in both runs.
        NoAnchor = "no-anchor",
    }
}

duress_core::words! {
    /// Which of two runs that are compared.
    pub enum WhichRun {
        /// The one before.
        First = "first",
        /// The one after.
        Second = "second",
    }
}

duress_core::words! {
    /// As what a classifier's answers were read.
    pub enum AnswersRead {
        /// A class for each item.
        Labels = "labels",
        /// A class for each item, and how sure.
        LabelsWithConfidence = "labels-with-confidence",
        /// A number for each class, before any softmax.
        Logits = "logits",
        /// A probability for each class.
        Probabilities = "probabilities",
    }
}

impl AnswersRead {
    /// As a sentence says it.
    pub fn in_words(self) -> &'static str {
        match self {
            AnswersRead::Labels => "labels",
            AnswersRead::LabelsWithConfidence => "labels with a confidence",
            AnswersRead::Logits => "logits",
            AnswersRead::Probabilities => "probabilities",
        }
    }
}

duress_core::words! {
    /// Which of a dataset's windows were pressed.
    pub enum PressedWindows {
        /// Those tested.
        Tested = "tested",
        /// Those fitted.
        Fitted = "fitted",
    }
}

duress_core::words! {
    /// Which way a claim goes.
    pub enum ClaimSide {
        /// By more than the margin.
        Greater = "greater",
        /// By more than the margin, downwards.
        Less = "less",
        /// Within the margin.
        Equivalent = "equivalent",
    }
}

duress_core::words! {
    /// For what a number is meant.
    pub enum Scope {
        /// New items, these replicates.
        Items = "items",
        /// New replicates, these items.
        Replicates = "replicates",
        /// New items and new replicates.
        Both = "both",
    }
}

impl From<Scope> for Units {
    fn from(scope: Scope) -> Units {
        match scope {
            Scope::Items => Units::Items,
            Scope::Replicates => Units::Seeds,
            Scope::Both => Units::ItemsAndSeeds,
        }
    }
}

duress_core::words! {
    /// How a claim is tested.
    pub enum ClaimTest {
        /// As the design asks for: crossed, t over seeds, or over the items of one seed.
        Design = "design",
        /// Student's t on paired differences.
        PairedT = "paired-t",
        /// Wilcoxon's signed ranks.
        Wilcoxon = "wilcoxon",
        /// The sign test.
        Sign = "sign",
        /// All sign flips.
        SignFlip = "sign-flip",
        /// McNemar on right and wrong.
        Mcnemar = "mcnemar",
        /// DeLong's on areas under the ROC curve of two classes.
        Delong = "delong",
        /// Two one-sided t tests.
        Tost = "tost",
        /// The bootstrap interval under the study's units.
        Bootstrap = "bootstrap",
    }
}

duress_core::words! {
    /// A format figures are written in.
    pub enum FigureFormat {
        /// Vector graphics for pages.
        Svg = "svg",
        /// Pixels, at 300 dots per inch.
        Png = "png",
        /// Vector graphics for print.
        Pdf = "pdf",
    }
}

duress_core::words! {
    /// How tables write numbers.
    pub enum NumberForm {
        /// With intervals.
        Intervals = "intervals",
        /// As mean and standard deviation over seeds.
        MeanAndSd = "mean-sd",
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the table of words derives what all words have, and a default is not among it"
)]
impl Default for NumberForm {
    fn default() -> NumberForm {
        NumberForm::Intervals
    }
}

duress_core::words! {
    /// Whose files, names and columns a report writes beside its own.
    pub enum Layout {
        /// Selective prediction: coverage, risk, thresholds.
        Selective = "selective",
        /// Accuracy over attacks and budgets.
        AttackSpectrum = "attack-spectrum",
        /// The tables of the first research question.
        Rq1 = "rq1",
        /// Scrambled order.
        Order = "order",
        /// Robustness of causal learners.
        Robustness = "robustness",
        /// Judges under dose.
        Sensitivity = "sensitivity",
    }
}
