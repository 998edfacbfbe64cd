//! Corruption errors: what a subject gets wrong under corruptions, divided by what another does.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::word::Word;

use crate::shared::frame::chosen_ladders::{LADDERS, chosen_ladders};
use crate::shared::frame::meter_mixture::mean_over_rungs;

duress_core::words! {
    /// Published errors to divide by, in place of a subject.
    enum PublishedErrors {
        None = "none",
        AlexNet = "alexnet",
    }
}

/// What errors are divided by.
#[derive(Clone, Debug, PartialEq)]
enum Divisor {
    /// Those of a subject of the study, on the same items.
    Subject(String),
    /// Those that were published of AlexNet on ImageNet-C.
    AlexNet,
}

/// The errors of AlexNet on ImageNet-C, mean over the five levels of each corruption, as the authors
/// of the benchmark publish them.
const ALEXNET: [(&str, f64); 15] = [
    ("gaussian-noise", 0.886_428),
    ("shot-noise", 0.894_468),
    ("impulse-noise", 0.922_640),
    ("defocus-blur", 0.819_880),
    ("glass-blur", 0.826_268),
    ("motion-blur", 0.785_948),
    ("zoom-blur", 0.798_360),
    ("snow", 0.866_816),
    ("frost", 0.826_572),
    ("fog", 0.819_324),
    ("brightness", 0.564_592),
    ("contrast", 0.853_204),
    ("elastic-transform", 0.646_056),
    ("pixelate", 0.717_840),
    ("jpeg-compression", 0.606_500),
];

/// The error of AlexNet on ImageNet itself, as the same authors publish it.
const ALEXNET_CLEAN: f64 = 0.435;

/// Which of the two errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CorruptionErrorKind {
    /// The error under corruption.
    Whole,
    /// What corruption adds to the clean error.
    BeyondClean,
}

/// A gauge of corruption errors.
pub(crate) struct CorruptionError {
    kind: CorruptionErrorKind,
    of: String,
    ladders: Vec<String>,
    divisor: Divisor,
}

impl CorruptionError {
    /// Its keys.
    pub(crate) const FIELDS: &[Field] = &[
        Field {
            name: "of",
            takes: Takes::Text,
            doc: "the gauge of single cells that is 1 where nothing is wrong; the error is 1 minus it",
            default: Some("accuracy"),
        },
        LADDERS,
        Field {
            name: "reference",
            takes: Takes::Text,
            doc: "the subject of this study by whose errors those of every subject are divided",
            default: Some(""),
        },
        Field {
            name: "constants",
            takes: Takes::Choice(PublishedErrors::spellings),
            doc: "published errors to divide by instead; ladders then have the names of their corruptions and the severities 1 to 5",
            default: Some("none"),
        },
    ];

    pub(crate) fn new(
        params: &Params,
        kind: CorruptionErrorKind,
    ) -> Result<CorruptionError, Problem> {
        let divisor = match (params.text_if("reference"), params.choice("constants")) {
            (Some(subject), PublishedErrors::None) => Divisor::Subject(subject.into()),
            (None, PublishedErrors::AlexNet) => Divisor::AlexNet,
            (None, PublishedErrors::None) => {
                return Err(Problem::new("nothing to divide errors by")
                    .expected("`reference`, a subject of this study, or `constants`"));
            }
            (Some(_), PublishedErrors::AlexNet) => {
                return Err(Problem::new("both a `reference` and `constants`")
                    .expected("one of them to divide errors by"));
            }
        };
        Ok(CorruptionError {
            kind,
            of: params.text("of").into(),
            ladders: params.texts("ladders").to_vec(),
            divisor,
        })
    }

    fn ratios(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        divisor: impl Fn(&Name, &[Rung]) -> Result<Errors, Undefined>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let chosen = chosen_ladders(ladders, &self.ladders)?;
        let mut ratios = Vec::with_capacity(chosen.len());
        for (name, rungs) in chosen {
            let of_ladder =
                |why: Undefined| Undefined::new(format!("on ladder `{name}`: {}", why.why));
            let above = Errors::of_rungs(rungs, self.kind).map_err(of_ladder)?;
            let below = divisor(name, rungs).map_err(of_ladder)?;
            ratios.push(Ratio {
                ladder: name.to_string(),
                above,
                below,
            });
        }
        let units = ratios[0].above.units().unwrap_or(0);
        let sides = ratios.iter().flat_map(|ratio| [&ratio.above, &ratio.below]);
        if sides.filter_map(Errors::units).any(|other| other != units) {
            return Err(Undefined::new("the ladders are about different items"));
        }
        Ok(Arc::new(MeanRatio { ratios, units }))
    }
}

impl SubjectGauge for CorruptionError {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let error = match self.kind {
            CorruptionErrorKind::Whole => "mean error over severities",
            CorruptionErrorKind::BeyondClean => "mean error over severities less the clean error",
        };
        let divisor = match &self.divisor {
            Divisor::Subject(name) => format!("that of `{name}` on the same items"),
            Divisor::AlexNet => {
                "that of AlexNet on ImageNet-C, a published constant that was not measured here"
                    .into()
            }
        };
        let convention = format!(
            "mean over ladders of {error} ÷ {divisor}; error is 1 − {}: {}",
            self.of, of.convention
        );
        let least = match self.kind {
            CorruptionErrorKind::Whole => Some(0.0),
            CorruptionErrorKind::BeyondClean => None,
        };
        Scale {
            direction: Direction::Lower,
            best: Some(0.0),
            ends: (least, None),
            convention,
            ..of.clone()
        }
    }

    fn reference(&self) -> Option<&str> {
        match &self.divisor {
            Divisor::Subject(name) => Some(name),
            Divisor::AlexNet => None,
        }
    }

    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        _columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        match &self.divisor {
            Divisor::AlexNet => {
                self.ratios(ladders, |name, rungs| published(name, rungs, self.kind))
            }
            Divisor::Subject(name) => Err(Undefined::new(format!(
                "it is read beside subject `{name}`, which is not here"
            ))),
        }
    }

    fn open_beside(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        reference: &[(Name, Vec<Rung>)],
        columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let Divisor::Subject(subject) = &self.divisor else {
            return self.open(ladders, columns);
        };
        self.ratios(ladders, |name, rungs| {
            let beside = reference.iter().find(|(other, _)| other == name);
            let (_, beside) = beside.ok_or_else(|| {
                Undefined::new(format!("it does not press the reference `{subject}`"))
            })?;
            if severities(beside) != severities(rungs) {
                return Err(Undefined::new(format!(
                    "the reference `{subject}` is pressed at other severities"
                )));
            }
            Errors::of_rungs(beside, self.kind)
        })
    }
}

fn severities(rungs: &[Rung]) -> Vec<f64> {
    rungs.iter().map(|rung| rung.severity.value()).collect()
}

fn published(name: &Name, rungs: &[Rung], kind: CorruptionErrorKind) -> Result<Errors, Undefined> {
    let known = ALEXNET.iter().find(|(known, _)| *known == name.as_str());
    let Some((_, error)) = known else {
        let names: Vec<&str> = ALEXNET.iter().map(|(known, _)| *known).collect();
        return Err(Undefined::new(format!(
            "no error of AlexNet is published under this name; there is {}",
            names.join(", ")
        )));
    };
    if severities(rungs) != [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] {
        return Err(Undefined::new(
            "what is published of AlexNet is a mean over the severities 1, 2, 3, 4 and 5",
        ));
    }
    Ok(Errors::Published(match kind {
        CorruptionErrorKind::Whole => *error,
        CorruptionErrorKind::BeyondClean => error - ALEXNET_CLEAN,
    }))
}

/// The error on a ladder, above or below the line.
enum Errors {
    /// 1 less what is read under stress.
    Whole(Arc<dyn Meter>),
    /// What is read when clean less what is read under stress.
    BeyondClean {
        clean: Arc<dyn Meter>,
        pressed: Arc<dyn Meter>,
    },
    /// A number from elsewhere.
    Published(f64),
}

impl Errors {
    fn of_rungs(rungs: &[Rung], kind: CorruptionErrorKind) -> Result<Errors, Undefined> {
        let pressed = mean_over_rungs(rungs)?;
        let clean = rungs.iter().find(|rung| rung.severity.is_clean());
        let clean = clean.ok_or_else(|| Undefined::new("there is no clean rung"))?;
        Ok(match kind {
            CorruptionErrorKind::Whole => Errors::Whole(pressed),
            CorruptionErrorKind::BeyondClean => Errors::BeyondClean {
                clean: Arc::clone(&clean.meter),
                pressed,
            },
        })
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        Ok(match self {
            Errors::Whole(pressed) => 1.0 - pressed.read(weights)?,
            Errors::BeyondClean { clean, pressed } => {
                clean.read(weights)? - pressed.read(weights)?
            }
            Errors::Published(error) => *error,
        })
    }

    fn meters(&self) -> Vec<&Arc<dyn Meter>> {
        match self {
            Errors::Whole(pressed) => vec![pressed],
            Errors::BeyondClean { clean, pressed } => vec![clean, pressed],
            Errors::Published(_) => Vec::new(),
        }
    }

    fn units(&self) -> Option<usize> {
        self.meters().first().map(|meter| meter.units())
    }
}

struct Ratio {
    ladder: String,
    above: Errors,
    below: Errors,
}

/// The mean over ladders of errors divided by errors.
struct MeanRatio {
    ratios: Vec<Ratio>,
    units: usize,
}

impl MeanRatio {
    fn meters(&self) -> impl Iterator<Item = &Arc<dyn Meter>> {
        let sides = self.ratios.iter();
        sides.flat_map(|ratio| [ratio.above.meters(), ratio.below.meters()].concat())
    }
}

impl Meter for MeanRatio {
    fn units(&self) -> usize {
        self.units
    }

    fn is_rough(&self) -> bool {
        self.meters().any(|meter| meter.is_rough())
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.meters().all(|meter| meter.takes_part(unit))
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let mut sum = 0.0;
        for ratio in &self.ratios {
            let below = ratio.below.read(weights)?;
            // What rounding leaves of a difference is not an error to divide by.
            if below <= 1e-12 {
                return Err(Undefined::new(format!(
                    "on ladder `{}` the reference has an error of {below} to divide by",
                    ratio.ladder
                )));
            }
            sum += ratio.above.read(weights)? / below;
        }
        Ok(sum / self.ratios.len() as f64)
    }
}
