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
    }
}
