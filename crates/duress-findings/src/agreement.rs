//! What a judge and people agree on: read from one table of labels, without a study.

use serde::Serialize;

duress_core::words! {
    /// A number about a judge beside people.
    pub enum AgreementMeasure {
        /// The share of items on which both say the same.
        Observed = "agreement",
        /// Of what people pass, how much the judge passes.
        TruePositive = "tpr",
        /// Of what people fail, how much the judge fails.
        TrueNegative = "tnr",
        /// Cohen's κ.
        Kappa = "kappa",
        /// Cohen's κ with linear weights.
        LinearKappa = "kappa-linear",
        /// Cohen's κ with quadratic weights.
        QuadraticKappa = "kappa-quadratic",
        /// Gwet's AC1.
        Ac1 = "ac1",
        /// Krippendorff's α.
        Alpha = "alpha",
        /// Kendall's τ-b.
        Tau = "tau",
        /// What share people pass.
        BaseRate = "base-rate",
        /// What share the judge passes.
        JudgeRate = "judge-rate",
        /// What share people would pass, by Rogan and Gladen.
        RoganGladen = "corrected-rogan-gladen",
        /// What share people would pass, prediction-powered.
        PredictionPowered = "corrected-ppi",
    }
}

/// A number with its interval, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgreementNumber {
    /// What it is.
    pub measure: AgreementMeasure,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The lower and the upper end of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// How the interval was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Why there is no value, or no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
    /// How many items entered.
    pub items: usize,
}

/// A judge beside what people say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeAgreement {
    /// The judge.
    pub judge: String,
    /// Items that both labelled.
    pub both: usize,
    /// Items that only the judge labelled.
    pub only_judge: usize,
    /// Items that only people labelled.
    pub only_people: usize,
    /// The numbers.
    pub numbers: Vec<AgreementNumber>,
}

/// A bar that an agreement has to clear.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgreementGate {
    /// The judge.
    pub judge: String,
    /// The number.
    pub measure: AgreementMeasure,
    /// What it has to reach.
    pub bar: f64,
    /// Whether it is shown to.
    pub verdict: crate::Verdict,
    /// What would decide it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would_decide: Option<String>,
}

/// κ between two raters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaterPair {
    /// One of them.
    pub one: String,
    /// The other.
    pub other: String,
    /// Items that both labelled.
    pub items: usize,
    /// Cohen's κ; none where it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kappa: Option<f64>,
}

/// An item on which raters differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// The item.
    pub item: String,
    /// Who said what.
    pub said: Vec<(String, String)>,
}

/// All that was read from a table of labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The table.
    pub file: String,
    /// What was found in it, in words.
    pub found: Vec<String>,
    /// How many items it is about.
    pub items: usize,
    /// The level of the intervals.
    pub level: f64,
    /// Each judge beside people.
    pub judges: Vec<JudgeAgreement>,
    /// Krippendorff's α among people, where there are several: what a judge can hope for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people_alpha: Option<AgreementNumber>,
    /// Krippendorff's α over everybody.
    pub panel_alpha: AgreementNumber,
    /// κ of every two raters.
    pub pairs: Vec<RaterPair>,
    /// Items on which raters differ, those with the fewest of one mind first.
    pub disagreements: Vec<Disagreement>,
    /// The bars that were set.
    pub gates: Vec<AgreementGate>,
}
