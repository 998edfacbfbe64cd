//! Parts that only tests and benches have: items made at once, subjects in every kind of trouble, a
//! stressor that can be counted on.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};

use duress_core::answer::{
    Answers, ClassAnswers, ItemAnswer, ItemForm, RatingAnswers, Said, TextAnswers,
};
use duress_core::cost::Cost;
use duress_core::data::{Dataset, Images, InputKind, Inputs, Items, Source, Split, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::{
    Abilities, AtOnce, Failure, Fitted, Intake, ItemByItem, Learns, Lesson, Subject, SubjectPart,
};
use duress_core::truth::{Labels, Truth};
use duress_parts::registry::Registry;

/// The parts that come with duress, and those of the tests.
pub(crate) fn registry() -> Registry {
    [&TINY, &ACTOR, &CRITIC, &SHOVE, &PROMPTED]
        .into_iter()
        .try_fold(Registry::standard(), Registry::with)
        .unwrap()
}

/// Raised by the critic that stops a run while it rates: a stop at no other moment.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// How often actors with this tally were asked, and fitted.
pub(crate) fn asked(tally: &str) -> usize {
    count(&format!("{tally} asked"), 0)
}

/// How often actors with this tally were fitted.
pub(crate) fn fitted(tally: &str) -> usize {
    count(&format!("{tally} fitted"), 0)
}

/// Adds to a tally, and returns what it was before.
fn count(tally: &str, more: usize) -> usize {
    static TALLIES: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);
    let mut tallies = TALLIES.lock().unwrap_or_else(PoisonError::into_inner);
    let tally = tallies
        .get_or_insert_default()
        .entry(tally.into())
        .or_default();
    *tally += more;
    *tally - more
}

/// Images of two pixels: the first says the class (a quarter or three quarters), the second tells
/// the items apart.
static TINY: Part = Part {
    name: "tiny",
    version: 1,
    fields: &[
        Field {
            name: "items",
            takes: Takes::Whole(1, 1_000_000),
            doc: "how many",
            default: Some("10"),
        },
        Field {
            name: "varies",
            takes: Takes::Flag,
            doc: "whether seeds matter",
            default: Some("false"),
        },
    ],
    source: "//! Items that are there at once.",
    build: Build::Dataset(|params| {
        Ok(Box::new(Tiny {
            items: params.count("items"),
            varies: params.flag("varies"),
        }))
    }),
};

struct Tiny {
    items: usize,
    varies: bool,
}

impl Source for Tiny {
    fn kind(&self) -> InputKind {
        InputKind::Images
    }

    fn offers(&self) -> Question {
        Question::Classes
    }

    fn varies(&self) -> bool {
        self.varies
    }

    fn load(&self, seed: Seed) -> Result<Dataset, Problem> {
        let shade = if self.varies {
            seed.child("shade").draws().uniform()
        } else {
            0.5
        };
        let pixels = (0..self.items).flat_map(|i| {
            let class = if i % 2 == 0 { 0.25 } else { 0.75 };
            [class, (shade * i as f64 / self.items as f64) as f32]
        });
        let images = Images::new([1, 1, 2], pixels.collect())?;
        let items = Items::new(
            (0..self.items).map(|i| format!("item {i}")).collect(),
            Inputs::Images(images),
        )?;
        let labels = (0..self.items as u32).map(|i| i % 2).collect();
        Dataset::new(
            None,
            Split::new(
                items,
                Truth::Labels(Labels::new(classes(), labels).unwrap()),
            )?,
        )
    }
}

fn classes() -> Vec<String> {
    vec!["dark".into(), "light".into()]
}

/// A subject that does what it is told to.
static ACTOR: Part = Part {
    name: "actor",
    version: 1,
    fields: &[
        Field {
            name: "does",
            takes: Takes::Choice(|| {
                vec![
                    "answer",
                    "logits",
                    "labels",
                    "skip",
                    "panic",
                    "panic-fitting",
                    "panic-once",
                    "refuse",
                    "hang",
                    "too-few",
                    "nan",
                    "sum-to-two",
                    "wrong-question",
                    "one-at-a-time",
                    "hang-alone",
                    "four-elsewhere",
                    "two-questions",
                    "item-by-item",
                    "item-by-item-breathless",
                ]
            }),
            doc: "what it does when it is asked",
            default: Some("answer"),
        },
        Field {
            name: "learns",
            takes: Takes::Flag,
            doc: "whether it is fitted",
            default: Some("true"),
        },
        Field {
            name: "tally",
            takes: Takes::Text,
            doc: "where it is counted",
            default: Some("nowhere"),
        },
    ],
    source: "//! A subject that does what it is told to.",
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(Actor::new(params))))),
};

#[derive(Clone)]
struct Actor {
    does: String,
    learns: bool,
    tally: String,
    /// Room for one, as a process that answers one question after the other.
    stage: Arc<Mutex<()>>,
    /// Those who play only when they are four.
    quartet: Arc<Barrier>,
}

impl Actor {
    fn new(params: &Params) -> Actor {
        Actor {
            does: params.text("does").into(),
            learns: params.flag("learns"),
            tally: params.text("tally").into(),
            stage: Arc::default(),
            quartet: Arc::new(Barrier::new(4)),
        }
    }
}

impl Subject for Actor {
    fn abilities(&self) -> Abilities {
        Abilities {
            accepts: InputKind::Images,
            answers: match self.does.as_str() {
                "two-questions" => vec![Question::Classes, Question::Ratings],
                _ => vec![Question::Classes],
            },
            learns: if self.learns {
                Learns::Items
            } else {
                Learns::Nothing
            },
            gradients: false,
            reproducible: true,
            batch_tolerance: 0.0,
            at_once: match self.does.as_str() {
                "one-at-a-time" | "hang-alone" => AtOnce::ONE,
                "four-elsewhere" => AtOnce::Elsewhere(const { NonZero::new(4).unwrap() }),
                _ => AtOnce::Any,
            },
        }
    }

    fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        count(&format!("{} fitted", self.tally), 1);
        assert_ne!(self.does, "panic-fitting", "stage fright");
        Ok(Box::new(self.clone()))
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Fitted for Actor {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        let before = count(&format!("{} asked", self.tally), 1);
        let light: Vec<f64> = items
            .images()?
            .pixels()
            .chunks(2)
            .map(|pixels| f64::from(pixels[0]))
            .collect();
        let rows =
            |form: fn(f64) -> [f64; 2]| light.iter().flat_map(|light| form(*light)).collect();
        if question == Question::Ratings {
            let rows = light.iter().map(|light| Ok(vec![100.0 * light])).collect();
            return Ok(Answers::Ratings(RatingAnswers::new(vec!["T".into()], rows)));
        }
        let said = match self.does.as_str() {
            "panic" => panic!("forgot the lines"),
            "panic-once" if before == 0 => panic!("forgot the lines, this once"),
            "refuse" => return Err(Failure::unable("not in this costume")),
            "hang" | "hang-alone" => loop {
                std::thread::park();
            },
            "one-at-a-time" => {
                let _stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
                std::thread::sleep(std::time::Duration::from_millis(150));
                Said::Probabilities(rows(|light| [1.0 - light, light]))
            }
            "four-elsewhere" => {
                self.quartet.wait();
                Said::Probabilities(rows(|light| [1.0 - light, light]))
            }
            "wrong-question" => {
                let texts = vec![Ok("To be, or not to be".into()); items.len()];
                return Ok(Answers::Texts(TextAnswers { texts }));
            }
            "too-few" => Said::Probabilities(vec![0.5, 0.5]),
            "nan" => Said::Probabilities(rows(|_| [f64::NAN, 1.0])),
            "sum-to-two" => Said::Probabilities(rows(|_| [1.0, 1.0])),
            "logits" => Said::Logits(rows(|light| [1.0 - 4.0 * light, 4.0 * light - 3.0])),
            "labels" => Said::Labels {
                label: light.iter().map(|light| u32::from(*light > 0.5)).collect(),
                confidence: Some(light.iter().map(|light| light.max(1.0 - light)).collect()),
            },
            _ => Said::Probabilities(rows(|light| [1.0 - light, light])),
        };
        let answers = ClassAnswers::new(classes(), said);
        Ok(Answers::Classes(if self.does == "skip" {
            answers.without(1, "was not in the mood")
        } else {
            answers
        }))
    }

    fn item_by_item(&self) -> Option<&dyn ItemByItem> {
        self.does.starts_with("item-by-item").then_some(self)
    }

    fn checkpoint(&self) -> Vec<u8> {
        b"lines".to_vec()
    }
}

/// How many items the breathless one answers before it gives up, the first time.
pub(crate) const BREATH: usize = 4;

impl ItemByItem for Actor {
    fn form(&self, _question: Question) -> ItemForm {
        ItemForm::Labels(classes())
    }

    fn answer_items(
        &self,
        _question: Question,
        items: &Items,
        intake: &dyn Intake,
    ) -> Result<(), Failure> {
        for i in 0..items.len() {
            let before = count(&format!("{} asked", self.tally), 1);
            if self.does == "item-by-item-breathless" && before == BREATH {
                return Err(Failure::unable("out of breath"));
            }
            let light = f64::from(items.images()?.image(i)[0]);
            let answer = ItemAnswer::Label(u32::from(light > 0.5), Some(light.max(1.0 - light)));
            let cost = Cost {
                requests: 1,
                input_tokens: Some(7),
                ..Cost::default()
            };
            intake.keep(i, answer, cost)?;
        }
        Ok(())
    }
}

/// A subject that rates texts: a half where it is told what they are about and a reference.
static CRITIC: Part = Part {
    name: "critic",
    version: 1,
    fields: &[
        Field {
            name: "does",
            takes: Takes::Choice(|| {
                vec![
                    "rate",
                    "stop-at-the-second",
                    "panic-once",
                    "hang",
                    "classes",
                    "one-at-a-time",
                ]
            }),
            doc: "what it does when it is asked",
            default: Some("rate"),
        },
        Field {
            name: "learns",
            takes: Takes::Flag,
            doc: "whether it is fitted",
            default: Some("false"),
        },
        Field {
            name: "tally",
            takes: Takes::Text,
            doc: "where it is counted",
            default: Some("nowhere"),
        },
    ],
    source: "//! A subject that rates texts.",
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(Critic(Actor::new(params)))))),
};

#[derive(Clone)]
struct Critic(Actor);

impl Subject for Critic {
    fn abilities(&self) -> Abilities {
        Abilities {
            accepts: InputKind::Texts,
            answers: vec![Question::Ratings],
            ..self.0.abilities()
        }
    }

    fn fit(&self, lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        count(&format!("{} fitted", self.0.tally), 1);
        assert_ne!(self.0.learns, lesson.items().is_empty(), "what it is on");
        Ok(Box::new(self.clone()))
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

impl Fitted for Critic {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        assert_eq!(question, Question::Ratings);
        let before = count(&format!("{} asked", self.0.tally), 1);
        match self.0.does.as_str() {
            "panic-once" if before == 0 => panic!("fell asleep"),
            "stop-at-the-second" if before == 1 => STOP.store(true, Ordering::Relaxed),
            "hang" => loop {
                std::thread::park();
            },
            "classes" => {
                let said = Said::Probabilities(vec![0.5; 2 * items.len()]);
                return Ok(Answers::Classes(ClassAnswers::new(classes(), said)));
            }
            "one-at-a-time" => {
                let alone = self.0.stage.try_lock();
                assert!(alone.is_ok(), "two at once");
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            _ => {}
        }
        let told =
            |text: &Text| text.beside("about").is_some() && text.beside("reference").is_some();
        let rate = |text: &Text| Ok(vec![if told(text) { 0.5 } else { 0.0 }]);
        let rows = items.texts()?.iter().map(rate).collect();
        let dimensions = vec!["s-acc".into()];
        Ok(Answers::Ratings(RatingAnswers::new(dimensions, rows)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        b"a notebook".to_vec()
    }
}

/// Moves the pixel that says the class towards the other class, for the first items only: severity
/// 0.3 turns three of ten.
static SHOVE: Part = Part {
    name: "shove",
    version: 1,
    fields: &[Field {
        name: "breaks-its-promise",
        takes: Takes::Flag,
        doc: "whether it moves pixels further than it says",
        default: Some("false"),
    }],
    source: "//! Turns as large a share of the items as its severity says.",
    build: Build::Stressor(|params| {
        Ok(Stressor::Blind(Box::new(Shove {
            cheats: params.flag("breaks-its-promise"),
        })))
    }),
};

struct Shove {
    cheats: bool,
}

impl Blind for Shove {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Images,
            unit: "share of items",
            most: 1.0,
            sees_truth: false,
            promise: if self.cheats {
                Promise::Linf
            } else {
                Promise::InTheBox
            },
        }
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        _seed: Seed,
    ) -> Result<Items, Failure> {
        let turned = (severity.value() * pressed.items.len() as f64).round() as usize;
        let images = pressed.items.images()?.map(|i, image| {
            if i < turned {
                image[0] = 1.0 - image[0];
            }
        });
        Ok(pressed.items.with(Inputs::Images(images)))
    }
}

/// A subject that says the text it is asked about when told to, of some texts when asked to, and
/// never otherwise.
static PROMPTED: Part = Part {
    name: "prompted",
    version: 1,
    fields: &[],
    source: "//! A subject that listens to its instruction.",
    build: Build::Subject(|_| Ok(SubjectPart::Live(Box::new(Prompted)))),
};

struct Prompted;

/// Whether the subject is right when it is asked politely.
fn obliges(text: &str) -> bool {
    text.chars().map(u32::from).sum::<u32>() % 3 == 0
}

impl Subject for Prompted {
    fn abilities(&self) -> Abilities {
        Abilities::comes_ready(InputKind::Texts, Question::Text)
    }

    fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(Prompted))
    }

    fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(Prompted))
    }
}

impl Fitted for Prompted {
    fn answer(&self, _question: Question, items: &Items) -> Result<Answers, Failure> {
        let said = |text: &Text| match text.beside("instruction") {
            Some("Do!") => text.text.clone(),
            Some("Please.") if obliges(&text.text) => text.text.clone(),
            _ => "?".to_string(),
        };
        let texts = items.texts()?.iter().map(|text| Ok(said(text)));
        Ok(Answers::Texts(TextAnswers {
            texts: texts.collect(),
        }))
    }

    fn checkpoint(&self) -> Vec<u8> {
        Vec::new()
    }
}
