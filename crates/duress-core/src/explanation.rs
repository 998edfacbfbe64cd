//! Explanations: what may be asked about where an answer comes from.
//!
//! An [`Attribution`] says how a map over the pixels of an image is made; an [`Explanation`] is
//! either such a map or something that puts such maps to the test: what happens to the answer when
//! pixels are taken away in their order, how far a map moves when its image hardly does, whether it
//! survives a network with random weights, and how an answer moves along a concept.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::severity::Severity;

crate::words! {
    /// How a map is made.
    pub enum AttributionMethod {
        /// Gradient-weighted class activation map (Selvaraju et al., 2017).
        GradCam = "grad-cam",
        /// The same with weights by pixel (Chattopadhay et al., 2018).
        GradCamPlusPlus = "grad-cam++",
        /// How the logit changes with each pixel, without its sign (Simonyan et al., 2014).
        InputGradient = "input-gradient",
        /// That change times the pixel (Shrikumar et al., 2016).
        GradientTimesInput = "gradient-times-input",
        /// Gradients summed along the way from a baseline (Sundararajan et al., 2017).
        IntegratedGradients = "integrated-gradients",
        /// The mean of gradients under noise (Smilkov et al., 2017).
        SmoothGrad = "smooth-grad",
        /// How the logit changes when a patch is covered (Zeiler and Fergus, 2014).
        Occlusion = "occlusion",
        /// A bump in the middle of every image: what says nothing about a network.
        CentreGaussian = "centre-gaussian",
        /// Where an image has edges: what says nothing about a network.
        EdgeDetector = "edge-detector",
    }
}

impl AttributionMethod {
    /// Whether it asks no network at all: a floor for all others.
    pub fn is_floor(self) -> bool {
        matches!(
            self,
            AttributionMethod::CentreGaussian | AttributionMethod::EdgeDetector
        )
    }

    /// Whether it draws by chance: another draw gives another map.
    pub fn draws(self) -> bool {
        self == AttributionMethod::SmoothGrad
    }

    /// Whether it looks at a layer in between.
    pub fn has_layer(self) -> bool {
        matches!(
            self,
            AttributionMethod::GradCam | AttributionMethod::GradCamPlusPlus
        )
    }
}

crate::words! {
    /// What stands where a pixel was taken away.
    pub enum Fill {
        /// Black.
        Black = "black",
        /// The mean colour of the image.
        Mean = "mean",
        /// The image, blurred.
        Blur = "blur",
        /// What the neighbours suggest, with a little noise (ROAD; Rong et al., 2022).
        NoisyLinear = "noisy-linear",
    }
}

crate::words! {
    /// How alike two maps are.
    pub enum MapMeasure {
        /// Structural similarity, 11 × 11 Gaussian windows.
        Ssim = "ssim",
        /// Correlation of ranks.
        Spearman = "spearman",
        /// The cosine of the angle between them.
        Cosine = "cosine",
        /// The Euclidean distance of maps of length 1.
        L2 = "l2",
        /// The share of the strongest pixels that both have.
        TopK = "top-k",
    }
}

crate::words! {
    /// Whether pixels are taken away or put back, the strongest first.
    pub enum Erasure {
        /// From the image to nothing.
        Deletion = "deletion",
        /// From nothing to the image.
        Insertion = "insertion",
    }
}

/// The class that a map is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Towards {
    /// What the subject says of the image without stress: the same class for both maps of a pair.
    CleanAnswer,
    /// What it says of the image it is shown.
    Answer,
    /// This class, whatever it says.
    Class(String),
}

impl fmt::Display for Towards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Towards::CleanAnswer => f.write_str("clean-answer"),
            Towards::Answer => f.write_str("answer"),
            Towards::Class(name) => write!(f, "class {name}"),
        }
    }
}

/// How a map over the pixels of an image is made. What a method has no use for is not set, so that
/// equal maps are equal questions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Attribution {
    /// How.
    pub method: AttributionMethod,
    /// Of which class.
    pub towards: Towards,
    /// The layer that is looked at; the last with places in it unless named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// How many steps or draws are summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// The deviation of the noise, in pixel units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Severity>,
    /// Where a way of gradients begins, or what covers a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// The side of a patch, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<u32>,
    /// Which of several draws of the same noise: another one is the noise floor.
    #[serde(default, skip_serializing_if = "is_first")]
    pub draw: u32,
    /// How many items are explained, evenly spread over the split; 0 for all.
    #[serde(default, skip_serializing_if = "is_first")]
    pub items: u32,
}

fn is_first(draw: &u32) -> bool {
    *draw == 0
}

impl Attribution {
    /// A map by this method of the class that is said of the image without stress, with nothing
    /// else set.
    pub fn new(method: AttributionMethod) -> Attribution {
        Attribution {
            method,
            towards: Towards::CleanAnswer,
            layer: None,
            samples: None,
            noise: None,
            fill: None,
            patch: None,
            draw: 0,
            items: 0,
        }
    }

    /// Whether two maps are made in the same way, whatever class, draw or items they are of.
    ///
    /// ```
    /// use duress_core::explanation::{Attribution, AttributionMethod, Towards};
    /// let one = Attribution::new(AttributionMethod::GradCam);
    /// let answer = Attribution { towards: Towards::Answer, items: 64, ..one.clone() };
    /// let layer = Attribution { layer: Some("layer3".into()), ..one.clone() };
    /// assert!(one.is_made_like(&answer) && !one.is_made_like(&layer));
    /// ```
    pub fn is_made_like(&self, other: &Attribution) -> bool {
        let bare = |of: &Attribution| Attribution {
            towards: Towards::Answer,
            draw: 0,
            items: 0,
            ..of.clone()
        };
        bare(self) == bare(other)
    }

    /// The positions of the items that are explained, of so many: evenly spread.
    ///
    /// ```
    /// use duress_core::explanation::{Attribution, AttributionMethod};
    /// let mut asked = Attribution::new(AttributionMethod::GradCam);
    /// assert_eq!(asked.positions(3), [0, 1, 2]);
    /// asked.items = 2;
    /// assert_eq!(asked.positions(10), [0, 5]);
    /// assert_eq!(asked.positions(1), [0]);
    /// ```
    pub fn positions(&self, of: usize) -> Vec<usize> {
        let wanted = match self.items as usize {
            0 => of,
            some => some.min(of),
        };
        (0..wanted).map(|nth| nth * of / wanted).collect()
    }
}

impl fmt::Display for Attribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} towards {}", self.method, self.towards)?;
        if let Some(layer) = &self.layer {
            write!(f, ", layer {layer}")?;
        }
        if let Some(samples) = self.samples {
            write!(f, ", {samples} samples")?;
        }
        if let Some(noise) = &self.noise {
            write!(f, ", noise {}", noise.value())?;
        }
        if let Some(fill) = self.fill {
            write!(f, ", {fill}")?;
        }
        if let Some(patch) = self.patch {
            write!(f, ", patches of {patch}")?;
        }
        if self.draw > 0 {
            write!(f, ", draw {}", self.draw)?;
        }
        if self.items > 0 {
            write!(f, ", {} items", self.items)?;
        }
        Ok(())
    }
}

/// What is asked about where answers come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Explanation {
    /// A map for each item.
    Map(Attribution),
    /// The probability of the class while pixels are taken away, or put back, in the order of a
    /// map; one number at each of `steps` + 1 points.
    Curve {
        /// The map.
        of: Attribution,
        /// Which way.
        erasure: Erasure,
        /// What stands where a pixel is not.
        fill: Fill,
        /// In how many equal steps.
        steps: u32,
    },
    /// How far a map is from foretelling what noise does to the logit (Yeh et al., 2019).
    Infidelity {
        /// The map.
        of: Attribution,
        /// How many draws of noise.
        draws: u32,
        /// Its deviation, in pixel units.
        noise: Severity,
        /// Whether the map is scaled by what fits best.
        scaled: bool,
    },
    /// The furthest a map moves while no pixel moves further than a radius (Yeh et al., 2019).
    MaxSensitivity {
        /// The map.
        of: Attribution,
        /// How many draws.
        draws: u32,
        /// How far pixels may move.
        radius: Severity,
    },
    /// How alike the map is to those of the same image under small noise: the lowest of some draws.
    Steadiness {
        /// The map.
        of: Attribution,
        /// By which measure.
        measure: MapMeasure,
        /// How many draws.
        draws: u32,
        /// How far pixels may move.
        radius: Severity,
    },
    /// How alike the map is to the same map with other draws: the furthest of some. For methods that
    /// draw by chance.
    Redrawn {
        /// The map.
        of: Attribution,
        /// By which measure.
        measure: MapMeasure,
        /// The share of places that count as strongest, where the measure looks at those.
        top: Option<Severity>,
        /// How many other draws.
        draws: u32,
    },
    /// How alike the map is to that of the same network with its last layers drawn at random, from
    /// the last one alone to all of them (Adebayo et al., 2018).
    Randomised {
        /// The map.
        of: Attribution,
        /// By which measure.
        measure: MapMeasure,
    },
    /// How the logit changes along a concept, found against several sets of images without it (Kim
    /// et al., 2018).
    Concept {
        /// The concept, by name.
        concept: String,
        /// Of which class.
        towards: Towards,
        /// The layer it is sought in; unless named, the last before places are joined for the last
        /// time: what follows may be linear, and would say the same of every image.
        layer: Option<String>,
        /// How many sets of images it is found against.
        sets: u32,
        /// How many images a set has.
        images: u32,
        /// How many items are explained, evenly spread over the split; 0 for all.
        items: u32,
    },
}

impl Explanation {
    /// The map that it is, or is about.
    pub fn attribution(&self) -> Option<&Attribution> {
        match self {
            Explanation::Map(of)
            | Explanation::Curve { of, .. }
            | Explanation::Infidelity { of, .. }
            | Explanation::MaxSensitivity { of, .. }
            | Explanation::Steadiness { of, .. }
            | Explanation::Redrawn { of, .. }
            | Explanation::Randomised { of, .. } => Some(of),
            Explanation::Concept { .. } => None,
        }
    }

    /// The class that it is about.
    pub fn towards(&self) -> &Towards {
        match self {
            Explanation::Concept { towards, .. } => towards,
            other => match other.attribution() {
                Some(of) => &of.towards,
                None => unreachable!("everything but a concept is about a map"),
            },
        }
    }

    /// The positions of the items that are explained, of so many.
    pub fn positions(&self, of: usize) -> Vec<usize> {
        let items = match self {
            Explanation::Concept { items, .. } => *items,
            other => other.attribution().map_or(0, |asked| asked.items),
        };
        let spread = Attribution {
            items,
            ..Attribution::new(AttributionMethod::GradCam)
        };
        spread.positions(of)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Explanation::Map(of) => write!(f, "map by {of}"),
            Explanation::Curve {
                of,
                erasure,
                fill,
                steps,
            } => write!(f, "{erasure} in {steps} steps, {fill}, by {of}"),
            Explanation::Infidelity {
                of,
                draws,
                noise,
                scaled,
            } => {
                let form = if *scaled {
                    "scaled infidelity"
                } else {
                    "infidelity"
                };
                write!(
                    f,
                    "{form}, {draws} draws of noise {}, by {of}",
                    noise.value()
                )
            }
            Explanation::MaxSensitivity { of, draws, radius } => write!(
                f,
                "max-sensitivity, {draws} draws within {}, by {of}",
                radius.value()
            ),
            Explanation::Steadiness {
                of,
                measure,
                draws,
                radius,
            } => write!(
                f,
                "steadiness in {measure}, {draws} draws within {}, by {of}",
                radius.value()
            ),
            Explanation::Redrawn {
                of,
                measure,
                top,
                draws,
            } => {
                let top = top.as_ref();
                let top = top.map_or(String::new(), |top| format!(" of {}", top.value()));
                write!(f, "{draws} other draws in {measure}{top}, by {of}")
            }
            Explanation::Randomised { of, measure } => {
                write!(f, "randomised layers in {measure}, by {of}")
            }
            Explanation::Concept {
                concept,
                towards,
                layer,
                sets,
                images,
                items,
            } => write!(
                f,
                "concept {concept} towards {towards}, layer {}, {sets} sets of {images}, {items} items",
                layer.as_deref().unwrap_or("last but one")
            ),
        }
    }
}

/// An explanation that is asked for.
///
/// A plan has a question in every cell and copies it about, so one is as small as a reference: each
/// that a process ever asks for is kept once, to its end. There are as many as gauges of studies
/// name different ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskedExplanation(&'static Explanation);

impl AskedExplanation {
    /// The one there is of this explanation.
    ///
    /// ```
    /// use duress_core::explanation::{AskedExplanation, Attribution, AttributionMethod, Explanation};
    /// let asked = || AskedExplanation::new(Explanation::Map(Attribution::new(AttributionMethod::GradCam)));
    /// assert_eq!(asked(), asked());
    /// assert_eq!(asked().to_string(), "map by grad-cam towards clean-answer");
    /// ```
    pub fn new(explanation: Explanation) -> AskedExplanation {
        static ASKED: Mutex<BTreeSet<&'static Explanation>> = Mutex::new(BTreeSet::new());
        let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = asked.get(&explanation) {
            return AskedExplanation(known);
        }
        let kept: &'static Explanation = Box::leak(Box::new(explanation));
        asked.insert(kept);
        AskedExplanation(kept)
    }

    /// What is asked, for as long as the process lasts.
    pub fn explanation(self) -> &'static Explanation {
        self.0
    }
}

impl Deref for AskedExplanation {
    type Target = Explanation;

    fn deref(&self) -> &Explanation {
        self.0
    }
}

impl fmt::Debug for AskedExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl fmt::Display for AskedExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

impl Serialize for AskedExplanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AskedExplanation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AskedExplanation, D::Error> {
        Explanation::deserialize(deserializer).map(AskedExplanation::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_between_questions_can_be_read_in_their_text() {
        let cam = Attribution::new(AttributionMethod::GradCam);
        let layered = Attribution {
            layer: Some("layer3".into()),
            ..cam.clone()
        };
        let fewer = Attribution {
            items: 64,
            ..cam.clone()
        };
        let curve = |fill, steps| Explanation::Curve {
            of: cam.clone(),
            erasure: Erasure::Deletion,
            fill,
            steps,
        };
        let all = [
            Explanation::Map(cam.clone()),
            Explanation::Map(layered),
            Explanation::Map(fewer),
            curve(Fill::Black, 50),
            curve(Fill::Blur, 50),
            curve(Fill::Black, 10),
        ];
        let texts: BTreeSet<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), all.len());
    }
}
