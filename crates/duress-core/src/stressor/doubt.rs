//! Doubts of an attack: why what it left standing may not be robust.

use serde::{Deserialize, Serialize};

/// Why what an attack left standing may not be robust, as the attack itself noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "doubt", rename_all = "kebab-case")]
pub enum AttackDoubt {
    /// Gradients were exactly zero: the attack could not move.
    ZeroGradients {
        /// For how many items.
        items: usize,
        /// Of how many that were right when clean.
        of: usize,
        /// How many of them have a saturated softmax.
        saturated: usize,
    },
    /// Small steps along gradients did not raise the loss: gradients lead nowhere.
    ShatteredGradients {
        /// For how many items.
        misled: usize,
        /// Of how many that were probed.
        probed: usize,
    },
    /// The same question got two answers.
    Randomised {
        /// For how many clean items.
        differ: usize,
        /// Of how many that were asked about twice.
        asked: usize,
    },
    /// Items that fell to a smaller severity withstood a larger one.
    LargerIsWeaker {
        /// How many looks.
        withstood: usize,
        /// Of how many.
        looked: usize,
    },
    /// The loss still rose when the steps were used up.
    StillRising {
        /// How many ascents.
        rising: usize,
        /// Of how many that broke nothing.
        ended: usize,
    },
    /// The last of several starts still broke items.
    RestartsStillBreak {
        /// How many.
        broken: usize,
        /// Of how many it was tried on.
        tried: usize,
    },
    /// More items fell to an attack that sees answers only than to one on gradients.
    AnswersBeatGradients {
        /// How many.
        broken: usize,
        /// Of how many that gradients did not break.
        tried: usize,
    },
    /// In an ensemble, answers alone broke more of what every gradient had left than one further
    /// attack of many would.
    AnswersStillBreak {
        /// How many.
        broken: usize,
        /// Of how many.
        tried: usize,
    },
    /// Items fell to images that were made against another subject, and fewer to the subject's own
    /// gradients.
    TransferBeatsGradients {
        /// How many.
        broken: usize,
        /// Of how many that its own gradients did not break.
        tried: usize,
    },
    /// The other subject whose slopes were climbed has none that lead anywhere.
    BlindSource {
        /// For how many items.
        items: usize,
        /// Of how many.
        of: usize,
    },
    /// One attack of an ensemble has a doubt that the others do not share.
    OfOneStage {
        /// Which.
        stage: String,
        /// Its doubt.
        says: Box<AttackDoubt>,
    },
    /// All attacks of an ensemble that could have a doubt share it.
    OfAllStages {
        /// Their doubt.
        says: Box<AttackDoubt>,
    },
    /// What the subject tells as logits are probabilities.
    ProbabilityOutputs,
    /// Of several losses only the cross-entropy could be climbed.
    OneLoss,
    /// There were no gradients to climb, only answers.
    AnswersOnly,
}

/// What is left to do where every slope is masked: nothing that an ensemble does by itself.
const AROUND_THE_MASK: &str = "`square` with more `queries` goes on where it stopped, and `transfer` from a subject without \
                               the mask goes around it";

impl std::fmt::Display for AttackDoubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write_finding(f)?;
        write!(f, "; {}", self.remedy())
    }
}

impl AttackDoubt {
    /// What was noticed, without what would settle it.
    fn write_finding(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AttackDoubt::ZeroGradients {
                items,
                of,
                saturated,
            } => write!(
                f,
                "the gradient was exactly zero somewhere on the way for {items} of {of} items ({saturated} with a saturated \
                 softmax): the attack could not move there, and what it did not break says little"
            ),
            AttackDoubt::ShatteredGradients { misled, probed } => write!(
                f,
                "a small step along the gradient did not raise the loss of {misled} of {probed} items: gradients lead \
                 nowhere, and what was not broken says little"
            ),
            AttackDoubt::Randomised { differ, asked } => write!(
                f,
                "{differ} of {asked} clean items asked about twice gave two different losses: the subject is randomised; \
                 gradients were averaged and breaks confirmed"
            ),
            AttackDoubt::LargerIsWeaker { withstood, looked } => write!(
                f,
                "a larger severity looks weaker: {withstood} of {looked} looks again at items broken lower down did not \
                 break them"
            ),
            AttackDoubt::StillRising { rising, ended } => write!(
                f,
                "the loss still rose at the last step of {rising} of {ended} ascents that broke nothing"
            ),
            AttackDoubt::RestartsStillBreak { broken, tried } => write!(
                f,
                "the last restart still broke {broken} of {tried} items"
            ),
            AttackDoubt::AnswersBeatGradients { broken, tried } => write!(
                f,
                "{broken} of {tried} items that gradients had not broken fell to answers alone: gradients are masked"
            ),
            AttackDoubt::AnswersStillBreak { broken, tried } => write!(
                f,
                "{broken} of {tried} items that no gradient had broken fell to answers alone: gradients are masked, and \
                 more may fall"
            ),
            AttackDoubt::TransferBeatsGradients { broken, tried } => write!(
                f,
                "{broken} of {tried} items that its own gradients had not broken fell to images made against another \
                 subject, more than fell to them: gradients are masked"
            ),
            AttackDoubt::BlindSource { items, of } => write!(
                f,
                "the slopes of the other subject led nowhere for {items} of {of} items: what it did not break says little"
            ),
            AttackDoubt::OfOneStage { stage, says } => {
                write!(f, "of the ensemble's attacks `{stage}` noticed that ")?;
                says.write_finding(f)
            }
            AttackDoubt::OfAllStages { says } => {
                f.write_str("all of the ensemble's attacks noticed that ")?;
                says.write_finding(f)
            }
            AttackDoubt::ProbabilityOutputs => f.write_str(
                "what the subject tells as logits are probabilities: losses of them are flat where it is sure",
            ),
            AttackDoubt::OneLoss => f.write_str(
                "the subject tells the gradient of its cross-entropy only, so that no other loss could be climbed",
            ),
            AttackDoubt::AnswersOnly => f.write_str(
                "the subject gives answers only: an attack with gradients would be stronger",
            ),
        }
    }

    /// What would settle it.
    pub fn remedy(&self) -> &'static str {
        match self {
            AttackDoubt::ZeroGradients { .. } => {
                "climb `loss = \"dlr\"` or `\"margin\"`, or run `attack-suite`"
            }
            AttackDoubt::ShatteredGradients { .. }
            | AttackDoubt::AnswersBeatGradients { .. }
            | AttackDoubt::TransferBeatsGradients { .. } => {
                "run `square` or `attack-suite`, which need no gradients"
            }
            AttackDoubt::AnswersStillBreak { .. } => AROUND_THE_MASK,
            AttackDoubt::OfAllStages { says } => match **says {
                AttackDoubt::ZeroGradients { .. } | AttackDoubt::ShatteredGradients { .. } => {
                    AROUND_THE_MASK
                }
                _ => says.remedy(),
            },
            AttackDoubt::BlindSource { .. } => {
                "climb another subject, or `loss = \"dlr\"` or `\"margin\"` there"
            }
            AttackDoubt::OfOneStage { .. } => "the others did not, so nothing rests on it",
            AttackDoubt::Randomised { .. } => "more `repeats` make it surer",
            AttackDoubt::LargerIsWeaker { .. } => {
                "more `steps`, `restarts` or `apgd` should find them"
            }
            AttackDoubt::StillRising { .. } => "more `steps`, or `apgd`, would go on",
            AttackDoubt::RestartsStillBreak { .. } => "more `restarts` would find more",
            AttackDoubt::ProbabilityOutputs => "tell logits instead",
            AttackDoubt::AnswersOnly => {
                "a process offers them with `gradients = true` (docs/command.md)"
            }
            AttackDoubt::OneLoss => {
                "say `slopes` in its hello and answer `logits` and `gradient` (docs/command.md)"
            }
        }
    }

    /// Whether what was left standing cannot be taken for robust.
    pub fn is_grave(&self) -> bool {
        match self {
            AttackDoubt::OfAllStages { says } => says.is_grave(),
            AttackDoubt::Randomised { .. }
            | AttackDoubt::OfOneStage { .. }
            | AttackDoubt::ProbabilityOutputs
            | AttackDoubt::OneLoss
            | AttackDoubt::AnswersOnly => false,
            AttackDoubt::ZeroGradients { .. }
            | AttackDoubt::ShatteredGradients { .. }
            | AttackDoubt::LargerIsWeaker { .. }
            | AttackDoubt::StillRising { .. }
            | AttackDoubt::RestartsStillBreak { .. }
            | AttackDoubt::AnswersBeatGradients { .. }
            | AttackDoubt::AnswersStillBreak { .. }
            | AttackDoubt::TransferBeatsGradients { .. }
            | AttackDoubt::BlindSource { .. } => true,
        }
    }
}
