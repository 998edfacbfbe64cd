//! Messages: a line of JSON, and a frame after it where the line says so.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::frame::{Dtype, Header, Incoming, NumberKind, Numbers, put_f32, put_f64};
use super::secrets::InheritedSecrets;

/// The longest line a process may write.
const LONGEST_LINE: usize = 256 << 20;

/// What is sent: a line, and the numbers of a frame behind it.
pub struct OutgoingMessage<'a> {
    line: Vec<u8>,
    sent: usize,
    numbers: Payload<'a>,
}

/// The numbers of a frame that is sent.
pub enum Payload<'a> {
    /// There is no frame.
    None,
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
    /// Bytes.
    Bytes(&'a [u8]),
}

impl<'a> OutgoingMessage<'a> {
    /// A line with nothing behind it.
    pub fn line(head: &serde_json::Value) -> OutgoingMessage<'a> {
        let mut line = head.to_string().into_bytes();
        line.push(b'\n');
        OutgoingMessage {
            line,
            sent: 0,
            numbers: Payload::None,
        }
    }

    /// A line with a frame behind it; the head has to name the frame's kind.
    pub fn framed(
        head: &serde_json::Value,
        kind: NumberKind,
        axes: &[usize],
        numbers: Payload<'a>,
    ) -> OutgoingMessage<'a> {
        let dtype = match numbers {
            Payload::F32(_) => Dtype::F32,
            Payload::F64(_) => Dtype::F64,
            Payload::None | Payload::Bytes(_) => Dtype::Bytes,
        };
        let mut question = OutgoingMessage::line(head);
        question
            .line
            .extend_from_slice(&Header::new(kind, dtype, axes).bytes());
        OutgoingMessage {
            numbers,
            ..question
        }
    }

    /// Whether nothing is left to send.
    pub fn is_sent(&self) -> bool {
        self.sent == self.line.len()
            && match self.numbers {
                Payload::None => true,
                Payload::F32(left) => left.is_empty(),
                Payload::F64(left) => left.is_empty(),
                Payload::Bytes(left) => left.is_empty(),
            }
    }

    /// Puts the next bytes into `out`, at most `room` of them and at least one unless all are sent.
    pub fn fill(&mut self, out: &mut Vec<u8>, room: usize) {
        if self.sent < self.line.len() {
            let piece = room.min(self.line.len() - self.sent);
            out.extend_from_slice(&self.line[self.sent..self.sent + piece]);
            self.sent += piece;
            return;
        }
        match &mut self.numbers {
            Payload::None => {}
            Payload::F32(left) => put_f32(out, split(left, room / 4)),
            Payload::F64(left) => put_f64(out, split(left, room / 8)),
            Payload::Bytes(left) => out.extend_from_slice(split(left, room)),
        }
    }
}

fn split<'a, T>(left: &mut &'a [T], room: usize) -> &'a [T] {
    let (now, later) = left.split_at(room.min(left.len()));
    *left = later;
    now
}

/// The line of a reply; what it does not have is `None`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReplyHead {
    /// The version of the protocol, in a hello.
    pub hello: Option<u16>,
    /// Which question this is the reply to.
    pub id: Option<u64>,
    /// Why there is no answer.
    pub error: Option<String>,
    /// The kind of the frame that follows.
    pub frame: Option<String>,
    /// The names of the classes, in a hello.
    pub classes: Option<Vec<String>>,
    /// Whether it tells logits and takes slopes of them back to the pixels, in a hello.
    pub slopes: bool,
    /// The names of the dimensions of ratings, in a hello.
    pub dimensions: Option<Vec<String>>,
    /// Rows of probabilities.
    pub probabilities: Option<Rows>,
    /// Rows of logits.
    pub logits: Option<Rows>,
    /// A class per item, as a number or by name.
    pub labels: Option<Vec<Option<Label>>>,
    /// How sure it was, beside labels.
    pub confidences: Option<Vec<Option<f64>>>,
    /// A text per item.
    pub texts: Option<Vec<Option<String>>>,
    /// Rows of ratings.
    pub ratings: Option<Rows>,
    /// A graph.
    pub graph: Option<GraphHead>,
    /// The loss of each item.
    pub losses: Option<Vec<f64>>,
    /// Whether the label is the answer, item by item.
    pub right: Option<Vec<bool>>,
    /// The derivative of the loss by each pixel.
    pub gradient: Option<Vec<Vec<f32>>>,
    /// What was learnt.
    pub checkpoint: Option<String>,
    /// The one item, by its position, that a line before the reply is about.
    pub item: Option<usize>,
    /// The text of that item.
    pub text: Option<String>,
    /// The rating of that item.
    pub rating: Option<Vec<f64>>,
    /// The probability that item has of each class.
    pub probability: Option<Vec<f64>>,
    /// The logit that item has of each class.
    pub logit: Option<Vec<f64>>,
    /// The class of that item.
    pub label: Option<Label>,
    /// How sure it was of that.
    pub confidence: Option<f64>,
    /// Why there is no answer about the items at these positions.
    pub absent: BTreeMap<usize, String>,
}

/// A row per item; `null` where there is no answer.
pub type Rows = Vec<Option<Vec<f64>>>;

/// A class.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// By its position.
    Number(u32),
    /// By its name.
    Name(String),
}

/// A graph as a process writes it.
#[derive(Debug, Deserialize)]
pub struct GraphHead {
    /// Pairs of variables, by position.
    pub edges: Vec<(u32, u32)>,
    /// How strongly each variable (row) acts on each (column).
    pub scores: Vec<Vec<f64>>,
    /// How the edges were chosen.
    #[serde(default)]
    pub rule: String,
}

/// A reply that is whole.
#[derive(Debug)]
pub struct Reply {
    /// Its line.
    pub head: ReplyHead,
    /// Its frame, where the line announced one.
    pub frame: Option<(Header, Numbers)>,
    /// The number of its line among all lines of the process, from 1.
    pub line: usize,
    /// The keys of the line, for messages.
    pub keys: Vec<String>,
}

/// A reply that comes in pieces.
#[derive(Default)]
pub struct Listener {
    secrets: InheritedSecrets,
    lines: usize,
    line: Vec<u8>,
    head: Option<(ReplyHead, Vec<String>)>,
    frame: Option<Incoming>,
    spare: Vec<f32>,
}

impl Listener {
    /// Listens to a process that knows secrets: none of them is in what is heard.
    pub fn new(secrets: InheritedSecrets) -> Listener {
        Listener {
            secrets,
            ..Listener::default()
        }
    }

    /// Takes back the numbers of a frame, whose memory serves the next one.
    pub fn done_with(&mut self, numbers: Vec<f32>) {
        self.spare = numbers;
    }

    /// Takes what belongs to the reply from the front of `bytes`: how many bytes that were, and the
    /// reply once it is whole. A frame of more than `most` bytes is refused.
    pub fn take(&mut self, bytes: &[u8], most: u64) -> Result<(usize, Option<Reply>), String> {
        let mut taken = 0;
        if self.head.is_none() {
            taken = match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => at + 1,
                None => bytes.len(),
            };
            self.line.extend_from_slice(&bytes[..taken]);
            if self.line.len() > LONGEST_LINE {
                return Err(format!(
                    "line {} has more than {LONGEST_LINE} bytes",
                    self.lines + 1
                ));
            }
            if self.line.last() != Some(&b'\n') {
                return Ok((taken, None));
            }
            self.open(most)?;
        }
        if let Some(frame) = &mut self.frame {
            let line = self.lines;
            let of_frame = frame
                .take(&bytes[taken..])
                .map_err(|why| format!("after line {line}: {why}"))?;
            taken += of_frame;
            if !frame.is_whole() {
                return Ok((taken, None));
            }
        }
        Ok((taken, self.finish()))
    }

    fn open(&mut self, most: u64) -> Result<(), String> {
        self.lines += 1;
        let line = std::mem::take(&mut self.line);
        let parsed = parse(&line, &self.secrets);
        let (head, keys) = parsed.map_err(|why| format!("line {}: {why}", self.lines))?;
        self.frame = match &head.frame {
            Some(word) if NumberKind::of_word(word).is_none() => {
                return Err(format!("line {}: no frame is called {word:?}", self.lines));
            }
            Some(_) => Some(Incoming::into_spare(most, std::mem::take(&mut self.spare))),
            None => None,
        };
        self.head = Some((head, keys));
        Ok(())
    }

    fn finish(&mut self) -> Option<Reply> {
        let (head, keys) = self.head.take()?;
        let frame = self.frame.take().and_then(Incoming::finish);
        Some(Reply {
            head,
            frame,
            line: self.lines,
            keys,
        })
    }

    /// How far a reply has come, for messages.
    pub fn progress(&self) -> String {
        match (&self.frame, self.line.len()) {
            (Some(frame), _) => frame.progress(),
            (None, 0) => format!("nothing after line {}", self.lines),
            (None, _) => format!(
                "line {} without its end: {}",
                self.lines + 1,
                shown(&self.line, &self.secrets)
            ),
        }
    }
}

fn parse(line: &[u8], secrets: &InheritedSecrets) -> Result<(ReplyHead, Vec<String>), String> {
    let mut object: serde_json::Map<String, serde_json::Value> =
        match serde_json::from_slice::<serde_json::Value>(line) {
            Ok(serde_json::Value::Object(object)) => object,
            Ok(_) => {
                return Err(format!(
                    "expected a JSON object, came {}",
                    shown(line, secrets)
                ));
            }
            Err(why) => return Err(not_json(line, &why, secrets)),
        };
    // What is to be given back as it is, is looked at where it is kept.
    let checkpoint = object.remove(CHECKPOINT);
    secrets.strike_map(&mut object);
    object.extend(checkpoint.map(|checkpoint| (CHECKPOINT.into(), checkpoint)));
    let keys = object.keys().cloned().collect();
    let head = serde_json::from_value(serde_json::Value::Object(object));
    head.map(|head| (head, keys)).map_err(|why| {
        let why = secrets.strike(&why.to_string());
        format!("{why}, in {}", shown(line, secrets))
    })
}

/// The key of what a process gets back as it wrote it.
const CHECKPOINT: &str = "checkpoint";

/// What stands where JSON ends being JSON, because `NaN` is the usual reason and has no place in
/// it.
fn not_json(line: &[u8], why: &serde_json::Error, secrets: &InheritedSecrets) -> String {
    let at = why.column().saturating_sub(1).min(line.len());
    let near = String::from_utf8_lossy(&line[at.saturating_sub(8)..line.len().min(at + 24)]);
    let words = ["NaN", "-Infinity", "Infinity"];
    if let Some(word) = words.iter().find(|word| near.contains(**word)) {
        return format!("a number that is not finite, at column {}: {word}", at + 1);
    }
    format!(
        "expected a JSON object, came {} (not JSON at column {})",
        shown(line, secrets),
        at + 1
    )
}

/// The beginning of a line, for messages.
fn shown(line: &[u8], secrets: &InheritedSecrets) -> String {
    let text = secrets.strike(&String::from_utf8_lossy(line));
    let text = text.trim_end();
    let beginning: String = text.chars().take(120).collect();
    let more = if beginning.len() < text.len() {
        "…"
    } else {
        ""
    };
    format!("{beginning:?}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], piece: usize) -> Result<Vec<Reply>, String> {
        let mut listener = Listener::default();
        let mut replies = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (taken, reply) = listener.take(&rest[..piece.min(rest.len())], 1000)?;
            replies.extend(reply);
            rest = &rest[taken..];
        }
        Ok(replies)
    }

    #[test]
    fn replies_are_the_same_however_they_are_torn() {
        let mut bytes = b"{\"hello\":1}\n{\"id\":1,\"frame\":\"logits\"}\n".to_vec();
        bytes.extend_from_slice(&Header::new(NumberKind::Logits, Dtype::F64, &[1, 2]).bytes());
        put_f64(&mut bytes, &[10.0, -10.0]);
        bytes.extend_from_slice(
            b"{\"id\":2,\"labels\":[0,\"cat\",null],\"absent\":{\"2\":\"tired\"}}\n",
        );
        for piece in 1..=bytes.len() {
            let replies = all(&bytes, piece).unwrap();
            assert_eq!(
                replies.iter().map(|reply| reply.line).collect::<Vec<_>>(),
                [1, 2, 3]
            );
            assert_eq!(
                replies[1].frame.as_ref().unwrap().1,
                Numbers::F64(vec![10.0, -10.0])
            );
            assert_eq!(replies[2].head.absent[&2], "tired");
        }
    }

    #[test]
    fn what_is_no_reply_is_refused_with_its_line() {
        let check = |bytes: &[u8], expected: &str| {
            let why = all(bytes, 7).unwrap_err();
            assert!(why.contains(expected), "{why}");
        };
        check(
            b"{\"id\":1}\nLoading weights...\n",
            "line 2: expected a JSON object, came \"Loading weights...\"",
        );
        check(b"[1]\n", "line 1: expected a JSON object, came \"[1]\"");
        check(
            b"{\"id\":1,\"logits\":[[NaN,1]]}\n",
            "line 1: a number that is not finite, at column 20",
        );
        check(b"{\"id\":1,\"logits\":[[1e999]]}\n", "line 1: ");
        check(b"{\"id\":1,\"logits\":\"high\"}\n", "invalid type");
        check(
            b"{\"id\":1,\"frame\":\"tensor\"}\n",
            "no frame is called \"tensor\"",
        );
        check(b"\xff\xfe\n", "line 1: expected a JSON object");
    }

    #[test]
    fn a_question_is_sent_whole_in_any_pieces() {
        let pixels = [0.25_f32; 100];
        let head = serde_json::json!({ "id": 1, "frame": "images" });
        let send = |room: usize| {
            let mut question = OutgoingMessage::framed(
                &head,
                NumberKind::Images,
                &[1, 10, 10],
                Payload::F32(&pixels),
            );
            let mut out = Vec::new();
            while !question.is_sent() {
                question.fill(&mut out, room);
            }
            out
        };
        assert_eq!(send(4), send(1 << 20));
        assert_eq!(send(64).len(), head.to_string().len() + 1 + 48 + 400);
    }
}
