//! What a process can be asked: hello, to learn, to remember, about items, for its loss, for logits
//! and slopes.

use std::ops::Range;
use std::time::Duration;

use duress_core::answer::{Answers, ItemAnswer};
use duress_core::data::{Images, InputKind, Inputs, Items, Windows};
use duress_core::question;
use duress_core::subject::{Failure, Learns, Loss};
use duress_core::truth::Labels;
use serde_json::{Value, json};

use super::child::Program;
use super::frame::{NumberKind, Numbers, VERSION};
use super::message::{OutgoingMessage, Payload, Reply, ReplyHead};
use super::reading::{Asked, gradient, logits, losses};
use super::talk::{Allowance, HearEarly, Talk, nothing_early};

/// The most bytes a checkpoint may have.
const LARGEST_CHECKPOINT: u64 = 4 << 30;

/// What was agreed about a process before it is started.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What is started.
    pub program: Program,
    /// Whether numbers go in frames.
    pub protocol: Protocol,
    /// What it is given.
    pub accepts: InputKind,
    /// What it is asked.
    pub answers: question::Question,
    /// What it is taught.
    pub learns: Learns,
    /// Whether it offers gradients.
    pub gradients: bool,
    /// The names of the classes, where the study has them.
    pub classes: Vec<String>,
    /// How many items it is asked about at a time.
    pub batch: usize,
    /// How long a reply may take.
    pub timeout: Duration,
    /// How long learning may take.
    pub fit_timeout: Duration,
    /// How often a process that ended is started again.
    pub restarts: usize,
}

duress_core::words! {
    /// How arrays of numbers travel.
    pub enum Protocol {
        /// As JSON.
        Json = "json",
        /// As frames of raw numbers, each behind a line of JSON.
        Binary = "binary",
    }
}

/// A process that has said hello.
pub struct Visit {
    talk: Talk,
    classes: Option<Vec<String>>,
    dimensions: Vec<String>,
    slopes: bool,
}

impl Visit {
    /// Starts a process and greets it.
    pub fn begin(terms: &Terms, seed: u32) -> Result<Visit, Failure> {
        let what = "hello";
        let mut talk = Talk::start(&terms.program)?;
        let hello = json!({
            "hello": VERSION,
            "protocol": terms.protocol,
            "accepts": word(terms.accepts),
            "answers": terms.answers,
            "learns": terms.learns,
            "gradients": terms.gradients,
            "classes": Some(&terms.classes).filter(|classes| !classes.is_empty()),
            "seed": seed,
        });
        let reply = talk.ask(
            what,
            OutgoingMessage::line(&hello),
            Allowance {
                time: terms.timeout,
                frame: 0,
            },
            &mut nothing_early,
        )?;
        if let Err(why) = greeted(terms, &reply) {
            return Err(talk.unusable_reply(what, format!("line {}: {why}", reply.line)));
        }
        let head = reply.head;
        Ok(Visit {
            talk,
            classes: head.classes,
            dimensions: head.dimensions.unwrap_or_default(),
            slopes: head.slopes,
        })
    }

    /// The names of the classes it said in its hello.
    pub fn classes(&self) -> Option<&[String]> {
        self.classes.as_deref()
    }

    /// The names of the dimensions it rates in.
    pub fn dimensions(&self) -> &[String] {
        &self.dimensions
    }

    /// Whether it said in its hello that it tells logits and takes slopes.
    pub fn slopes(&self) -> bool {
        self.slopes
    }

    /// Teaches it; what it returns is its checkpoint.
    pub fn teach(
        &mut self,
        terms: &Terms,
        items: &Items,
        labels: Option<&Labels>,
    ) -> Result<Vec<u8>, Failure> {
        let mut head = json!({ "id": self.talk.next_id(), "fit": terms.learns != Learns::Nothing });
        if let Some(labels) = labels {
            head["labels"] = json!(labels.of());
            head["classes"] = json!(labels.classes());
        }
        let allowed = Allowance {
            time: terms.fit_timeout,
            frame: LARGEST_CHECKPOINT,
        };
        let which = 0..items.len();
        let reply = self.about(
            terms,
            head,
            (items, which),
            "fit",
            allowed,
            &mut nothing_early,
        )?;
        let line = reply.line;
        let checkpoint = match (reply.frame, reply.head.checkpoint) {
            (Some((header, Numbers::Bytes(bytes))), None)
                if header.kind == NumberKind::Checkpoint =>
            {
                bytes
            }
            (None, Some(text)) => text.into_bytes(),
            _ => {
                let why = format!("line {line}: expected a checkpoint");
                return Err(self.talk.unusable_reply("fit", why));
            }
        };
        match self.talk.secret_in(&checkpoint).map(String::from) {
            None => Ok(checkpoint),
            Some(name) => {
                let why = format!(
                    "line {line}: the checkpoint holds the value of the environment variable {name}, and checkpoints are kept"
                );
                Err(self.talk.unusable_reply("fit", why))
            }
        }
    }

    /// Gives it the checkpoint it once returned.
    pub fn remind(&mut self, terms: &Terms, checkpoint: &[u8]) -> Result<(), Failure> {
        let id = self.talk.next_id();
        let question = if terms.protocol == Protocol::Binary {
            let head = json!({ "id": id, "restore": true, "frame": "checkpoint" });
            OutgoingMessage::framed(
                &head,
                NumberKind::Checkpoint,
                &[checkpoint.len()],
                Payload::Bytes(checkpoint),
            )
        } else {
            let text = std::str::from_utf8(checkpoint).map_err(|_| {
                Failure::unable("the checkpoint is not text, but the protocol is JSON")
            })?;
            OutgoingMessage::line(&json!({ "id": id, "restore": true, "checkpoint": text }))
        };
        self.reply(
            "restore",
            id,
            question,
            Allowance {
                time: terms.timeout,
                frame: 0,
            },
            &mut nothing_early,
        )
        .map(|_| ())
    }

    /// Asks about the items at these positions. What it says of single ones before its reply is handed
    /// to `early`, with the position among those asked about.
    pub fn ask(
        &mut self,
        terms: &Terms,
        asked: &Asked<'_>,
        items: &Items,
        which: Range<usize>,
        allowed: Allowance,
        early: &mut dyn FnMut(usize, ItemAnswer) -> Result<(), Failure>,
    ) -> Result<Answers, Failure> {
        let what = format!(
            "items {} to {} of {}",
            which.start + 1,
            which.end,
            items.len()
        );
        let id = self.talk.next_id();
        let head = json!({ "id": id, "ask": asked.question });
        let mut hear = |line: ReplyHead| {
            let (item, answer) = asked.read_one(line, id, which.len())?;
            early(item, answer).map_err(|failure| failure.why)
        };
        let reply = self.about(
            terms,
            head,
            (items, which.clone()),
            &what,
            allowed,
            &mut hear,
        )?;
        let line = reply.line;
        asked.read(reply, which.len()).map_err(|why| {
            self.talk
                .unusable_reply(&what, format!("line {line}: {why}"))
        })
    }

    /// Asks for the loss at these images and labels.
    pub fn loss(
        &mut self,
        terms: &Terms,
        (images, shape): (&[f32], [usize; 3]),
        labels: &[u32],
        gradient: bool,
        allowed: Allowance,
    ) -> Result<(Vec<Loss>, Vec<f32>), Failure> {
        let id = self.talk.next_id();
        let head = json!({ "id": id, "ask": "loss", "labels": labels, "gradient": gradient });
        let what = format!("the loss of {} images", labels.len());
        let axes = [labels.len(), shape[0], shape[1], shape[2]];
        self.about_pixels(terms, head, (images, axes), &what, allowed, |reply| {
            losses(reply, &axes, gradient)
        })
    }

    /// Asks for the logits of these images.
    pub fn logits(
        &mut self,
        terms: &Terms,
        images: &[f32],
        axes: [usize; 4],
        classes: usize,
        allowed: Allowance,
    ) -> Result<Vec<f32>, Failure> {
        let head = json!({ "id": self.talk.next_id(), "ask": "logits" });
        let what = format!("the logits of {} images", axes[0]);
        self.about_pixels(terms, head, (images, axes), &what, allowed, |reply| {
            logits(reply, axes[0], classes)
        })
    }

    /// Asks how an objective changes with each pixel, given how it changes with each logit.
    pub fn gradient(
        &mut self,
        terms: &Terms,
        images: &[f32],
        axes: [usize; 4],
        slopes: &[&[f32]],
        allowed: Allowance,
    ) -> Result<Vec<f32>, Failure> {
        let head = json!({ "id": self.talk.next_id(), "ask": "gradient", "slopes": slopes });
        let what = format!("the gradient of {} images", axes[0]);
        self.about_pixels(terms, head, (images, axes), &what, allowed, |reply| {
            gradient(reply, &axes)
        })
    }

    /// Sends a head with images behind or inside it, and reads the reply.
    fn about_pixels<T>(
        &mut self,
        terms: &Terms,
        head: Value,
        (images, axes): (&[f32], [usize; 4]),
        what: &str,
        allowed: Allowance,
        read: impl Fn(Reply) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let id = head["id"].as_u64().unwrap_or_default();
        let question = pixels(terms.protocol, head, images, axes);
        let reply = self.reply(what, id, question, allowed, &mut nothing_early)?;
        let line = reply.line;
        read(reply).map_err(|why| {
            self.talk
                .unusable_reply(what, format!("line {line}: {why}"))
        })
    }

    /// Takes back a gradient, whose memory serves the next one.
    pub fn done_with(&mut self, gradient: Vec<f32>) {
        self.talk.done_with(gradient);
    }

    /// Sends a head with the items behind or inside it.
    fn about(
        &mut self,
        terms: &Terms,
        head: Value,
        (items, which): (&Items, Range<usize>),
        what: &str,
        allowed: Allowance,
        early: &mut HearEarly<'_>,
    ) -> Result<Reply, Failure> {
        let id = head["id"].as_u64().unwrap_or_default();
        let values;
        let question = match items.inputs() {
            Inputs::Images(images) => {
                let (some, axes) = some_images(images, &which);
                pixels(terms.protocol, head, some, axes)
            }
            Inputs::Windows(windows) => {
                values = some_windows(windows, &which);
                of_windows(terms.protocol, head, windows, &which, &values)
            }
            Inputs::Texts(texts) => {
                let some = texts[which].iter();
                let each =
                    some.map(|text| json!({ "text": text.text, "beside": text.all_beside() }));
                OutgoingMessage::line(&with(head, "texts", Value::Array(each.collect())))
            }
            Inputs::Unseen(_) => {
                return Err(Failure::unable(
                    "there is nothing to show to a process but ids",
                ));
            }
        };
        self.reply(what, id, question, allowed, early)
    }

    fn reply(
        &mut self,
        what: &str,
        id: u64,
        question: OutgoingMessage<'_>,
        allowed: Allowance,
        early: &mut HearEarly<'_>,
    ) -> Result<Reply, Failure> {
        let reply = self.talk.ask(what, question, allowed, early)?;
        if reply.head.id == Some(id) {
            return Ok(reply);
        }
        let came = reply.head.id.map_or("none".into(), |came| came.to_string());
        let why = format!(
            "line {}: expected a reply with id {id}, came id {came}",
            reply.line
        );
        Err(self.talk.unusable_reply(what, why))
    }
}

fn word(kind: InputKind) -> Value {
    json!(kind)
}

fn greeted(terms: &Terms, reply: &Reply) -> Result<(), String> {
    let head = &reply.head;
    if head.hello != Some(VERSION) {
        let came = head
            .hello
            .map_or("none".into(), |version| format!("version {version}"));
        return Err(format!(
            "expected a hello of version {VERSION}, came {came}"
        ));
    }
    let twice = |names: &[String]| {
        names
            .iter()
            .enumerate()
            .any(|(at, name)| names[..at].contains(name))
    };
    match (&head.classes, &head.dimensions) {
        (Some(said), _) if !terms.classes.is_empty() && *said != terms.classes => {
            let expected = &terms.classes;
            Err(format!(
                "the study says the classes are {expected:?}, the process says {said:?}"
            ))
        }
        (Some(said), _) if twice(said) => Err(format!("a class is there twice: {said:?}")),
        (_, None) if terms.answers == question::Question::Ratings => {
            Err("expected dimensions, the names of what it rates".into())
        }
        _ => Ok(()),
    }
}

fn with(mut head: Value, key: &str, value: Value) -> Value {
    head[key] = value;
    head
}

fn some_images<'a>(images: &'a Images, which: &Range<usize>) -> (&'a [f32], [usize; 4]) {
    let ([c, h, w], size) = (images.shape(), images.size());
    (
        &images.pixels()[which.start * size..which.end * size],
        [which.len(), c, h, w],
    )
}

fn pixels(
    protocol: Protocol,
    head: Value,
    images: &[f32],
    axes: [usize; 4],
) -> OutgoingMessage<'_> {
    if protocol == Protocol::Binary {
        let head = with(head, "frame", json!("images"));
        return OutgoingMessage::framed(&head, NumberKind::Images, &axes, Payload::F32(images));
    }
    let rows: Vec<&[f32]> = images.chunks(axes[1..].iter().product()).collect();
    OutgoingMessage::line(&with(
        with(head, "shape", json!(axes[1..])),
        "images",
        json!(rows),
    ))
}

/// The values of some windows; NaN where they are hidden.
fn some_windows(windows: &Windows, which: &Range<usize>) -> Vec<f64> {
    let steps = windows.steps();
    let variables = windows.variables().len();
    let places = which.clone().flat_map(|window| {
        (0..steps)
            .flat_map(move |step| (0..variables).map(move |variable| (window, step, variable)))
    });
    places
        .map(|(window, step, variable)| windows.get(window, step, variable).unwrap_or(f64::NAN))
        .collect()
}

fn of_windows<'a>(
    protocol: Protocol,
    head: Value,
    windows: &Windows,
    which: &Range<usize>,
    values: &'a [f64],
) -> OutgoingMessage<'a> {
    let steps = windows.steps();
    let variables = windows.variables();
    let head = with(head, "variables", json!(variables));
    let head = with(head, "regimes", json!(windows.regimes()[which.clone()]));
    if protocol == Protocol::Binary {
        let (head, axes) = (
            with(head, "frame", json!("windows")),
            [which.len(), steps, variables.len()],
        );
        return OutgoingMessage::framed(&head, NumberKind::Windows, &axes, Payload::F64(values));
    }
    // JSON has no NaN: serde writes what is hidden as null.
    let rows: Vec<&[f64]> = values.chunks(steps * variables.len()).collect();
    OutgoingMessage::line(&with(
        with(head, "shape", json!([steps, variables.len()])),
        "windows",
        json!(rows),
    ))
}
