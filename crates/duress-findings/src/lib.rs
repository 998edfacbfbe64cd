//! The contract: what the analysis hands to reports, to the command and to other programs.
//!
//! Findings are data: every number comes with n, unit, method and convention, and nothing here knows
//! how an answer was got or how a page is drawn. The file `5-findings.json` of a run is one
//! [`Findings`], and [`SCHEMA`] describes it; [`from_json`] reads it, and files of older versions.
//!
//! What code may branch on is an enum whose words, and whose sentence, stand in one table. A kind
//! more is one entry there and one in the schema.

#![warn(missing_docs)]

pub mod agreement;
pub mod card;
pub mod caveat;
pub mod claim;
pub mod comparison;
pub mod curve;
pub mod estimate;
pub mod exhibit;
mod explanation;
pub mod fitting;
pub mod id;
pub mod method;
pub mod noise;
pub mod quantity;
pub mod read;
pub mod reason;
pub mod resampled;
pub mod review;
pub mod stress;
pub mod table_reading;
mod tagged;
pub mod test;
mod v1;
pub mod variance;
pub mod words;

pub use agreement::{
    Agreement, AgreementGate, AgreementMeasure, AgreementNumber, Disagreement, JudgeAgreement,
    RaterPair,
};
pub use card::{
    CellCount, ConditionCard, DatasetCard, FileRead, GaugeCard, GaugeFloor, LadderCard, Made,
    StudyCard, SubjectCard,
};
pub use caveat::{About, AbsentAnswers, Caveat, Doubt, FailedCell, LeavingItem};
pub use claim::{ClaimFinding, EarlierLook, JudgingMethod, Look, NullCard};
pub use comparison::{Change, Comparison, ComparisonDoubt, Drift, Unmatched};
pub use curve::{Curve, CurvePoint, Drop, NoBreak, Shape};
pub use duress_core::gauge::Scope;
pub use duress_core::place::{Place, Under};
pub use estimate::{Contrast, Estimate, Expectation, Level, Slice};
pub use exhibit::{EdgeShares, Exhibit, MapPair, Sight};
pub use explanation::{ExplanationAgreement, RankedSubjects};
pub use fitting::Fitting;
pub use id::Id;
pub use method::{IntervalMethod, Method};
pub use noise::{ClaimFloor, Noise, NoiseFloor, PlaceFloor};
pub use quantity::{Missed, Quantity, Range, Reading};
pub use read::{UnreadableFindings, from_json};
pub use reason::AbsenceReason;
pub use resampled::Resampled;
pub use review::{KindJudged, KindNamed, Review, ReviewStep};
pub use stress::{Effort, RealisedStress};
pub use table_reading::{Gauged, Gauging};
pub use test::{Corrected, TestCard, TestMethod, TestRoute};
pub use variance::{VariancePart, VarianceSource};
pub use words::{
    ActsOn, AnswersRead, ClaimSide, ClaimTest, Correction, DriftVerdict, FigureFormat, Layout,
    Moved, NumberForm, PressedWindows, Units, Verdict, WhichRun,
};

use duress_core::name::Name;
use serde::{Deserialize, Serialize};

/// Raised when the file's shape changes; a reader for each older shape stays.
pub const VERSION: u32 = 2;

/// The JSON schema of a [`Findings`]; keys that it does not name may be added.
pub const SCHEMA: &str = include_str!("schema.json");

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Findings {
    /// The shape of this file.
    pub version: u32,
    /// What was asked.
    pub study: StudyCard,
    /// What made the answers and the numbers.
    pub made: Made,
    /// The datasets.
    pub datasets: Vec<DatasetCard>,
    /// The subjects.
    pub subjects: Vec<SubjectCard>,
    /// The ladders.
    pub ladders: Vec<LadderCard>,
    /// Conditions with a name of their own.
    pub conditions: Vec<ConditionCard>,
    /// The gauges.
    pub gauges: Vec<GaugeCard>,
    /// How many cells there are, and how they ended.
    pub cells: CellCount,
    /// The claims, in the order of the study.
    pub claims: Vec<ClaimFinding>,
    /// A gauge at a place.
    pub estimates: Vec<Estimate>,
    /// Paired differences.
    pub contrasts: Vec<Contrast>,
    /// A gauge on the items of one value of a column.
    #[serde(default)]
    pub slices: Vec<Slice>,
    /// A gauge over the severities of a ladder.
    pub curves: Vec<Curve>,
    /// Levels to compare with, such as chance.
    #[serde(default)]
    pub levels: Vec<Level>,
    /// What was expected before anything was measured, by whom.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
    /// What attacks asked.
    #[serde(default)]
    pub efforts: Vec<Effort>,
    /// What stress came to, where that can be counted.
    #[serde(default)]
    pub realised: Vec<RealisedStress>,
    /// How subjects that are taught here were taught.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fittings: Vec<Fitting>,
    /// Doubts, each beside what it touches.
    pub caveats: Vec<Caveat>,
    /// Worst items, before and after.
    pub exhibits: Vec<Exhibit>,
    /// Items that a ladder cannot press at every severity, as far as they are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaving: Vec<LeavingItem>,
    /// Answers that were asked for and are absent, by place and by what kept them away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<AbsentAnswers>,
    /// Cells without answers, with the reason.
    pub failures: Vec<FailedCell>,
    /// What changes when nothing but the seeds does; none where the study was not run twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<NoiseFloor>,
    /// How far gauges of explanations agree, dataset by dataset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanation_agreements: Vec<ExplanationAgreement>,
}

impl Findings {
    /// What was found on one of the datasets, and every claim.
    pub fn on_dataset(&self, dataset: &Name) -> Findings {
        let mut found = self.clone();
        found.datasets.retain(|one| one.name == *dataset);
        found.estimates.retain(|one| one.place.dataset == *dataset);
        found.contrasts.retain(|one| one.of.dataset == *dataset);
        found.slices.retain(|one| one.place.dataset == *dataset);
        found.curves.retain(|one| one.dataset == *dataset);
        let agreements = &mut found.explanation_agreements;
        agreements.retain(|one| one.dataset == *dataset);
        found
    }

    /// Findings of a study in which nothing was found yet.
    pub fn new(study: StudyCard, made: Made) -> Findings {
        Findings {
            version: VERSION,
            study,
            made,
            datasets: Vec::new(),
            subjects: Vec::new(),
            ladders: Vec::new(),
            conditions: Vec::new(),
            gauges: Vec::new(),
            cells: CellCount {
                planned: 0,
                answered: 0,
                failed: 0,
            },
            claims: Vec::new(),
            estimates: Vec::new(),
            contrasts: Vec::new(),
            slices: Vec::new(),
            curves: Vec::new(),
            levels: Vec::new(),
            expectations: Vec::new(),
            efforts: Vec::new(),
            realised: Vec::new(),
            fittings: Vec::new(),
            caveats: Vec::new(),
            exhibits: Vec::new(),
            leaving: Vec::new(),
            absences: Vec::new(),
            failures: Vec::new(),
            noise_floor: None,
            explanation_agreements: Vec::new(),
        }
    }

    /// The id of everything that has one, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = &Id> {
        let claims = self.claims.iter().flat_map(|claim| {
            let parts = claim.parts.iter().map(|part| &part.id);
            std::iter::once(&claim.id).chain(parts)
        });
        let estimates = self.estimates.iter().map(|one| &one.id);
        let contrasts = self.contrasts.iter().map(|one| &one.id);
        let slices = self.slices.iter().map(|one| &one.id);
        let curves = self.curves.iter().map(|one| &one.id);
        claims
            .chain(estimates)
            .chain(contrasts)
            .chain(slices)
            .chain(curves)
    }
}
