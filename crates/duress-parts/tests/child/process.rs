//! A process for the tests of the `command` subject: the first argument says how it behaves, well
//! or badly.

#![expect(
    clippy::unwrap_used,
    reason = "a process that breaks is what the tests are about"
)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, StdinLock, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio, exit};

use duress_parts::process::frame::{Dtype, HEADER, Header, NumberKind, put_f32, put_f64};
use serde_json::{Value, json};

type In = BufReader<StdinLock<'static>>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let behaviour = arguments.first().map_or("mean", String::as_str);
    let file = arguments.get(1).map(Path::new);
    match behaviour {
        "never-reads" => wait_for_ever(),
        "hold" => hold(file.unwrap()),
        "dies-at-once" => {
            eprintln!("no such checkpoint: weights.pt");
            exit(3)
        }
        _ => {}
    }
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let hello = line(&mut input);
    assert_eq!(hello["hello"], 1);
    match behaviour {
        "garbage-hello" => say("Welcome to the model server!"),
        "other-version" => say(json!({ "hello": 2 })),
        "other-classes" => say(json!({ "hello": 1, "classes": ["x", "y"] })),
        "no-classes" | "text" | "one-by-one" | "beyond" | "mean" | "mean-crashes-once" => {
            say(json!({ "hello": 1 }))
        }
        "mean-slopes" => say(json!({ "hello": 1, "slopes": true })),
        "ratings" => say(json!({ "hello": 1, "dimensions": ["T", "B"] })),
        _ => say(json!({ "hello": 1, "classes": ["a", "b"] })),
    }
    let mut model = Model {
        means: Vec::new(),
        binary: hello["protocol"] == "binary",
    };
    let mut asked = 0;
    while let Some(question) = next(&mut input) {
        asked += 1;
        if behaviour == "echo" {
            echo(&question, &mut input);
        } else if behaviour.starts_with("mean") {
            let asks = question["fit"] != true && question["restore"] != true;
            if let Some(mark) = file.filter(|mark| asks && !mark.exists()) {
                File::create(mark).unwrap();
                exit(9)
            }
            model.reply(&question, &mut input);
        } else {
            misbehave(behaviour, file, asked, &question, &mut input);
        }
    }
}

fn misbehave(behaviour: &str, file: Option<&Path>, asked: usize, question: &Value, input: &mut In) {
    if behaviour == "never-reads-frames" {
        wait_for_ever();
    }
    let numbers = numbers(question, input);
    let (id, n) = (question["id"].clone(), count(question, &numbers));
    let good = json!({ "id": id, "probabilities": vec![[0.25, 0.75]; n] });
    match behaviour {
        "garbage" => say("epoch 1: loss 0.3"),
        "few-rows" => say(json!({ "id": id, "probabilities": vec![[0.25, 0.75]; n - 1] })),
        "wide-rows" => say(json!({ "id": id, "probabilities": vec![[0.2, 0.3, 0.5]; n] })),
        "closes-early" if asked == 2 => exit(0),
        "crashes" => {
            eprintln!("Traceback: RuntimeError: CUDA out of memory");
            exit(7)
        }
        "crashes-once" if !file.unwrap().exists() => {
            File::create(file.unwrap()).unwrap();
            exit(9)
        }
        "floods-stderr" => {
            let noise = "warning: deprecated\n".repeat(4096);
            (0..256).for_each(|_| eprint!("{noise}"));
            eprintln!("the last words");
            exit(1)
        }
        "floods-stdout" => loop {
            io::stdout()
                .write_all(&[b'x'; 1 << 16])
                .unwrap_or_else(|_| exit(0));
        },
        "never-answers" => wait_for_ever(),
        "answers-twice" => say(format!("{good}\n{good}")),
        "wrong-id" => say(json!({ "id": 99, "probabilities": vec![[0.25, 0.75]; n] })),
        "nan" => say(format!("{{\"id\":{id},\"logits\":[[NaN,1.0]]}}")),
        "nan-frame" => framed(
            &json!({ "id": id, "frame": "logits" }),
            NumberKind::Logits,
            &[n, 2],
            &vec![f32::NAN; 2 * n],
        ),
        "half-frame" => {
            let mut bytes = format!("{}\n", json!({ "id": id, "frame": "logits" })).into_bytes();
            bytes.extend_from_slice(&Header::new(NumberKind::Logits, Dtype::F32, &[n, 2]).bytes());
            put_f32(&mut bytes, &[1.0]);
            send(&bytes);
            exit(0)
        }
        "huge-frame" => framed(
            &json!({ "id": id, "frame": "logits" }),
            NumberKind::Logits,
            &[1 << 40, 1 << 20],
            &[],
        ),
        "unable" if asked == 1 => say(json!({ "id": id, "error": "the moon is full" })),
        "absent" => say(json!({ "id": id, "labels": ["b", null], "absent": { "1": "too dark" } })),
        "forms" if asked == 2 => say(json!({ "id": id, "labels": vec![0; n] })),
        "nest" => {
            start_helper(file.unwrap()).wait().unwrap();
        }
        "helped" => {
            // It is to outlive this process.
            std::mem::forget(start_helper(file.unwrap()));
            say(good);
        }
        "text" => say(json!({ "id": id, "texts": texts(question) })),
        "one-by-one" => {
            // The first two are told, and then it breaks, until it is asked about fewer.
            let all = texts(question);
            for (item, text) in all.iter().enumerate().take(2) {
                say(json!({ "id": id, "item": item, "text": text }));
            }
            match n > 3 {
                true => exit(7),
                false => say(json!({ "id": id, "texts": all })),
            }
        }
        "tells-labels" | "tells-probabilities" | "tells-logits" => {
            // As above; in its reply, what it told already is null.
            let (one, all, told) = class_keys(behaviour);
            for item in 0..n.min(2) {
                let mut line = told.clone();
                line["id"] = id.clone();
                line["item"] = json!(item);
                say(line);
            }
            let said = |item: usize| {
                if item < 2 {
                    Value::Null
                } else {
                    told[one].clone()
                }
            };
            match n > 3 {
                true => exit(7),
                false => say(json!({ "id": id, all: (0..n).map(said).collect::<Vec<_>>() })),
            }
        }
        "beyond" => say(json!({ "id": id, "item": n, "text": "one too many" })),
        "ratings" => say(json!({ "id": id, "ratings": vec![[90.0, 100.0]; n] })),
        "graph" => say(
            json!({ "id": id, "graph": { "edges": [[0, 1]], "scores": [[0, hidden(&numbers)], [0, 0]] } }),
        ),
        _ => say(good),
    }
}

/// Starts another process, which holds a lock for as long as it lives.
fn start_helper(file: &Path) -> Child {
    let me = std::env::current_exe().unwrap();
    let mut child = Command::new(me)
        .arg("hold")
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut ready)
        .unwrap();
    child
}

fn hold(file: &Path) -> ! {
    let file = File::create(file).unwrap();
    file.lock().unwrap();
    say("locked");
    wait_for_ever()
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

fn say(message: impl std::fmt::Display) {
    send(format!("{message}\n").as_bytes());
}

fn next(input: &mut In) -> Option<Value> {
    let mut text = String::new();
    (input.read_line(&mut text).unwrap() > 0).then(|| serde_json::from_str(&text).unwrap())
}

fn line(input: &mut In) -> Value {
    next(input).unwrap()
}

fn header(input: &mut In) -> Header {
    let mut bytes = [0; HEADER];
    input.read_exact(&mut bytes).unwrap();
    Header::parse(&bytes).unwrap()
}

/// The numbers of a question, wherever they are; what is hidden is NaN.
fn numbers(question: &Value, input: &mut In) -> Vec<f64> {
    if question["frame"].is_string() {
        let header = header(input);
        let mut bytes = vec![0; header.length().unwrap() as usize];
        input.read_exact(&mut bytes).unwrap();
        return match header.dtype {
            Dtype::Bytes => Vec::new(),
            Dtype::F32 => bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|b| f64::from(f32::from_le_bytes(*b)))
                .collect(),
            Dtype::F64 => bytes
                .as_chunks::<8>()
                .0
                .iter()
                .map(|b| f64::from_le_bytes(*b))
                .collect(),
        };
    }
    let rows = question["images"]
        .as_array()
        .or(question["windows"].as_array());
    let rows = rows
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .flat_map(|row| row.as_array().unwrap());
    rows.map(|number| number.as_f64().unwrap_or(f64::NAN))
        .collect()
}

fn count(question: &Value, numbers: &[f64]) -> usize {
    let rows = ["images", "windows", "texts"]
        .iter()
        .find_map(|key| question[*key].as_array());
    rows.map_or(numbers.len() / 4, Vec::len)
}

/// The key of a class in a line about one item, that of all in a reply, and what is told of each.
fn class_keys(behaviour: &str) -> (&'static str, &'static str, Value) {
    match behaviour {
        "tells-labels" => ("label", "labels", json!({ "label": "b" })),
        "tells-logits" => ("logit", "logits", json!({ "logit": [0.0, 2.0] })),
        _ => (
            "probability",
            "probabilities",
            json!({ "probability": [0.25, 0.75] }),
        ),
    }
}

fn texts(question: &Value) -> Vec<String> {
    let all = question["texts"].as_array().unwrap().iter();
    all.map(|item| {
        format!(
            "{} ({})",
            item["text"].as_str().unwrap(),
            item["beside"]["source"]
        )
    })
    .collect()
}

fn hidden(numbers: &[f64]) -> usize {
    numbers.iter().filter(|number| number.is_nan()).count()
}

fn framed(head: &Value, kind: NumberKind, axes: &[usize], numbers: &[f32]) {
    let mut bytes = format!("{head}\n").into_bytes();
    bytes.extend_from_slice(&Header::new(kind, Dtype::F32, axes).bytes());
    put_f32(&mut bytes, numbers);
    send(&bytes);
}

fn send(bytes: &[u8]) {
    // The other side may have given up on this process.
    io::stdout()
        .write_all(bytes)
        .and_then(|()| io::stdout().flush())
        .unwrap_or_else(|_| exit(0));
}

/// Gives the images back as their own gradient, piece by piece.
fn echo(question: &Value, input: &mut In) {
    let came = header(input);
    let n = came.shape[0] as usize;
    let head = json!({ "id": question["id"], "frame": "gradient", "losses": vec![0.0; n], "right": vec![true; n] });
    let mut output = io::stdout().lock();
    let back = Header {
        kind: NumberKind::Gradient,
        ..came
    };
    output.write_all(format!("{head}\n").as_bytes()).unwrap();
    output.write_all(&back.bytes()).unwrap();
    // The terminal's line buffer would look for line ends in numbers.
    output.flush().unwrap();
    let mut raw = raw_output();
    let mut left = came.length().unwrap() as usize;
    while left > 0 {
        let piece = input.fill_buf().unwrap();
        let mine = piece.len().min(left);
        raw.write_all(&piece[..mine]).unwrap();
        input.consume(mine);
        left -= mine;
    }
}

#[cfg(unix)]
fn raw_output() -> File {
    use std::os::fd::AsFd;
    File::from(io::stdout().as_fd().try_clone_to_owned().unwrap())
}

#[cfg(not(unix))]
fn raw_output() -> io::Stdout {
    io::stdout()
}

/// A classifier that knows the mean of each class; its logits are minus the squared distances.
struct Model {
    means: Vec<Vec<f64>>,
    binary: bool,
}

impl Model {
    fn reply(&mut self, question: &Value, input: &mut In) {
        let id = &question["id"];
        if question["restore"] == true {
            let text = if self.binary {
                self.bytes(input)
            } else {
                question["checkpoint"].as_str().unwrap().into()
            };
            self.means = serde_json::from_str(&text).unwrap();
            return say(json!({ "id": id }));
        }
        let images = numbers(question, input);
        if question["fit"] == true {
            self.learn(question, &images);
            let text = serde_json::to_string(&self.means).unwrap();
            return if self.binary {
                self.checkpoint(id, &text)
            } else {
                say(json!({ "id": id, "checkpoint": text }))
            };
        }
        let size = self.means[0].len();
        let logits: Vec<Vec<f64>> = images
            .chunks(size)
            .map(|image| self.logits(image))
            .collect();
        match question["ask"].as_str().unwrap() {
            "loss" => self.loss(question, &logits, size),
            "gradient" => self.gradient(question, &images, size),
            _ if self.binary => {
                let mut bytes =
                    format!("{}\n", json!({ "id": id, "frame": "logits" })).into_bytes();
                let axes = [logits.len(), self.means.len()];
                bytes
                    .extend_from_slice(&Header::new(NumberKind::Logits, Dtype::F64, &axes).bytes());
                put_f64(&mut bytes, &logits.concat());
                send(&bytes);
            }
            _ => say(json!({ "id": id, "logits": logits })),
        }
    }

    fn bytes(&self, input: &mut In) -> String {
        let mut bytes = vec![0; header(input).length().unwrap() as usize];
        input.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn checkpoint(&self, id: &Value, text: &str) {
        let mut bytes = format!("{}\n", json!({ "id": id, "frame": "checkpoint" })).into_bytes();
        bytes.extend_from_slice(
            &Header::new(NumberKind::Checkpoint, Dtype::Bytes, &[text.len()]).bytes(),
        );
        bytes.extend_from_slice(text.as_bytes());
        send(&bytes);
    }

    fn learn(&mut self, question: &Value, images: &[f64]) {
        let labels: Vec<usize> = serde_json::from_value(question["labels"].clone()).unwrap();
        let (k, size) = (
            question["classes"].as_array().unwrap().len(),
            images.len() / labels.len(),
        );
        self.means = vec![vec![0.0; size]; k];
        for (image, label) in images.chunks(size).zip(&labels) {
            self.means[*label]
                .iter_mut()
                .zip(image)
                .for_each(|(sum, pixel)| *sum += pixel);
        }
        for (class, mean) in self.means.iter_mut().enumerate() {
            let count = labels
                .iter()
                .filter(|label| **label == class)
                .count()
                .max(1) as f64;
            mean.iter_mut().for_each(|sum| *sum /= count);
        }
    }

    fn logits(&self, image: &[f64]) -> Vec<f64> {
        let distance = |mean: &Vec<f64>| {
            mean.iter()
                .zip(image)
                .map(|(m, x)| (x - m) * (x - m))
                .sum::<f64>()
        };
        self.means.iter().map(|mean| -distance(mean)).collect()
    }

    fn loss(&self, question: &Value, logits: &[Vec<f64>], size: usize) {
        let labels: Vec<usize> = serde_json::from_value(question["labels"].clone()).unwrap();
        let (mut losses, mut right, mut gradient) = (Vec::new(), Vec::new(), Vec::new());
        for (row, label) in logits.iter().zip(&labels) {
            let p = duress_core::answer::softmax(row);
            losses.push(-p[*label].max(1e-300).ln());
            right.push(row.iter().all(|other| *other <= row[*label]));
            // The derivatives of −|x − mean|² by x differ between classes by 2·mean only, and p − y
            // sums to 0.
            let pull = |class: usize| p[class] - f64::from(u8::from(class == *label));
            let slope = |at: usize| {
                (0..p.len())
                    .map(|class| 2.0 * pull(class) * self.means[class][at])
                    .sum::<f64>()
            };
            gradient.push((0..size).map(|at| slope(at) as f32).collect::<Vec<f32>>());
        }
        let head = json!({ "id": question["id"], "losses": losses, "right": right });
        if question["gradient"] != true {
            return say(head);
        }
        self.say_gradient(head, &gradient, size);
    }

    /// Any slope of the logits back to the pixels: the derivative of −|x − mean|² is 2·(mean − x).
    fn gradient(&self, question: &Value, images: &[f64], size: usize) {
        let slopes: Vec<Vec<f64>> = serde_json::from_value(question["slopes"].clone()).unwrap();
        let back = |(image, slopes): (&[f64], &Vec<f64>)| {
            let at = |at: usize| {
                let pull = |(mean, slope): (&Vec<f64>, &f64)| 2.0 * slope * (mean[at] - image[at]);
                self.means.iter().zip(slopes).map(pull).sum::<f64>() as f32
            };
            (0..size).map(at).collect::<Vec<f32>>()
        };
        let gradient: Vec<Vec<f32>> = images.chunks(size).zip(&slopes).map(back).collect();
        self.say_gradient(json!({ "id": question["id"] }), &gradient, size);
    }

    fn say_gradient(&self, mut head: Value, gradient: &[Vec<f32>], size: usize) {
        if !self.binary {
            head["gradient"] = json!(gradient);
            return say(head);
        }
        head["frame"] = json!("gradient");
        let side = (size as f64).sqrt() as usize;
        framed(
            &head,
            NumberKind::Gradient,
            &[gradient.len(), 1, side, side],
            &gradient.concat(),
        );
    }
}
