//! `cargo xtask real-server`: language models through a server that nobody here wrote. llama.cpp's own,
//! with a model of 93 MB, both out of packages, on the loopback address; at most 130 short calls.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::findings;
use crate::simulate;
use crate::step::{Done, Steps, command, fresh, root, target};
use crate::studies::duress;

/// A study that is shipped and wants a server.
struct ServedStudy {
    folder: &'static str,
    /// The table it reads.
    table: &'static str,
    /// How many items it asks about.
    items: usize,
    /// Of how many there is a reading at least: log-probabilities promise all, and a small model none.
    read: usize,
}

const CHOICE: ServedStudy = ServedStudy {
    folder: "studies/endpoint/classify",
    table: "questions.csv",
    items: 8,
    read: 8,
};
const JUDGE: ServedStudy = ServedStudy {
    folder: "studies/judge/endpoint",
    table: "responses.jsonl",
    items: 2,
    read: 0,
};

const ORDER: ServedStudy = ServedStudy {
    folder: "studies/order/endpoint",
    table: "idioms.csv",
    items: 6,
    read: 3,
};

/// The address that shipped studies name.
const SHIPPED_ADDRESS: &str = "http://127.0.0.1:8080/v1";

/// How long anything here is waited for.
const PATIENCE: Duration = Duration::from_secs(180);

/// The step alone.
pub(crate) fn alone() -> Done {
    let mut steps = Steps::default();
    let done = simulate::release_build(&mut steps).and_then(|()| real_server(&mut steps));
    print!("\n{}", steps.table());
    done
}

/// Installs the server where it is missing, starts it, and drives everything that a study can ask of
/// one.
pub(crate) fn real_server(steps: &mut Steps) -> Done {
    let python = install(steps)?;
    let chat = RunningServer::start(&python, "chat")?;
    let rerank = RunningServer::start(&python, "rerank")?;
    let scratch = target().join("xtask-real-server");
    fresh(&scratch)?;
    for study in [&CHOICE, &JUDGE, &ORDER] {
        shipped_study(steps, study, &chat, &scratch)?;
    }
    errors_by_the_model(steps, &chat, &scratch)?;
    for asked in &SERVICES {
        let server = if asked.name == "relevance" {
            &rerank
        } else {
            &chat
        };
        one_service(steps, asked, server, &scratch)?;
    }
    killed_and_resumed(steps, &chat, &scratch)
}

fn install(steps: &mut Steps) -> Result<String, String> {
    const VENV: &str = ".venv/model-server";
    let python = root().join(VENV).join("bin/python").display().to_string();
    if !root().join(VENV).exists() {
        steps.run(
            "python environment",
            &mut command("python3", &["-m", "venv", VENV]),
        )?;
    }
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "-r",
        "e2e/requirements.txt",
    ];
    steps.run("a model server and its model", &mut command(&python, &pip))?;
    Ok(python)
}

/// A server that runs until this is dropped.
struct RunningServer {
    process: Child,
    port: u16,
}

impl RunningServer {
    fn start(python: &str, service: &str) -> Result<RunningServer, String> {
        let taken = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = taken
            .map_err(|error| format!("no port is free: {error}"))?
            .port();
        let mut start = command(python, &["e2e/model_server.py", &port.to_string(), service]);
        start
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = start
            .spawn()
            .map_err(|error| format!("the server: {error}"))?;
        Ok(RunningServer { process, port })
    }

    fn base(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Multiple choice by the log-probabilities of the first token, and a judge's scores, as shipped.
fn shipped_study(
    steps: &mut Steps,
    served: &ServedStudy,
    server: &RunningServer,
    scratch: &Path,
) -> Done {
    let folder = scratch.join(served.folder.replace('/', "-"));
    let study = copy_of_study(served, &folder, server, &|study| study)?;
    let out = folder.join("run");
    let name = format!("a real server: {}", served.folder);
    steps.run(&name, &mut run(&study, &out))?;
    let findings = findings::read(&out)?.value;
    let clean = &findings["estimates"][0];
    let read = clean["items"].as_u64().unwrap_or(0) as usize;
    if read < served.read {
        return Err(format!("{} through a real server: {clean}", served.folder));
    }
    no_failure(&findings)
}

/// A ladder of errors that the model writes. What to write is told word for word: a model of this size
/// finds none of its own, and whether it does is not what is tried here.
const WRITTEN_ERRORS: &str = r#"use = "inject-llm"
subtype = "spelling"
file = "errors.jsonl"
base-url = "http://127.0.0.1:8080/v1"
model = "local"
max-tokens = 48
template = 'Repeat this: {"quote": "the", "replacement": "thee"}'
severities = [1]"#;

/// Errors are asked for and kept, nobody is asked for them again, and a run reads them.
fn errors_by_the_model(steps: &mut Steps, server: &RunningServer, scratch: &Path) -> Done {
    let folder = scratch.join("errors");
    let by_rules = "use = \"inject-spelling\"\nseverities = [2]";
    let base = server.base();
    let written = WRITTEN_ERRORS.replace(SHIPPED_ADDRESS, &base);
    let study = copy_of_study(&JUDGE, &folder, server, &|study| {
        study.replace(by_rules, &written)
    })?;
    let inject = || {
        let mut inject = duress();
        inject.arg("inject").arg(&study);
        inject
    };
    let kept = || {
        let kept = fs::read_to_string(folder.join("errors.jsonl"));
        kept.map_err(|error| format!("errors that a model wrote: {error}"))
    };
    steps.run("a real server: errors by the model", &mut inject())?;
    let errors = kept()?;
    let made = errors.lines().filter(|line| !line.contains("\"refused\""));
    if made.count() != JUDGE.items {
        return Err(format!("errors through a real server: {errors}"));
    }
    steps.run("a real server: errors are kept", &mut inject())?;
    if kept()? != errors {
        return Err("errors that are kept were asked for again".into());
    }
    let out = folder.join("run");
    steps.run("a real server: errors are judged", &mut run(&study, &out))?;
    no_failure(&findings::read(&out)?.value)
}

/// The shipped study with another address, changed further, in a folder of its own.
fn copy_of_study(
    served: &ServedStudy,
    folder: &Path,
    server: &RunningServer,
    change: &dyn Fn(String) -> String,
) -> Result<PathBuf, String> {
    fresh(folder)?;
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let from = root().join(served.folder);
    fs::copy(from.join(served.table), folder.join(served.table)).map_err(said)?;
    let study = fs::read_to_string(from.join("study.toml")).map_err(said)?;
    let file = folder.join("study.toml");
    let study = change(study.replace(SHIPPED_ADDRESS, &server.base()));
    fs::write(&file, study).map_err(said)?;
    Ok(file)
}

fn run(study: &Path, out: &Path) -> Command {
    let mut run = duress();
    run.arg("run").arg(study).arg("--out").arg(out);
    run
}

/// That a server failed at nothing; what a small model says need not be readable.
fn no_failure(findings: &Value) -> Done {
    let failed = findings.pointer("/failures/0");
    let absences = findings["absences"].as_array().into_iter().flatten();
    let mut absent = absences.filter(|place| place["kinds"].get("failed").is_some());
    match failed.or(absent.next()) {
        None => Ok(()),
        Some(failed) => Err(format!("a real server failed: {failed}")),
    }
}

/// Something a server is asked for beside chats.
struct AskedService {
    name: &'static str,
    keys: &'static str,
    dimension: &'static str,
    /// Whether every reply has to hold a number: a schema, an embedding and a rerank promise that, and
    /// a small model does not.
    promises: bool,
}

const SERVICES: [AskedService; 4] = [
    AskedService {
        name: "schema",
        keys: "answers = \"ratings\"\ndimensions = [\"T\"]\nmax-tokens = 24\ntemplate = \"Rate from 0 to 100 how true this is, as JSON: {{ text }}\"",
        dimension: "T",
        promises: true,
    },
    AskedService {
        name: "messages",
        keys: "wire = \"anthropic\"\nanswers = \"ratings\"\ndimensions = [\"T\"]\nmax-tokens = 24\ntemplate = \"Reply with {\\\"T\\\": 50} and nothing else. {{ text }}\"",
        dimension: "T",
        promises: false,
    },
    AskedService {
        name: "similarity",
        keys: "answers = \"similarity\"\nagainst = \"source\"",
        dimension: "similarity",
        promises: true,
    },
    AskedService {
        name: "relevance",
        keys: "answers = \"relevance\"\nagainst = \"source\"",
        dimension: "relevance",
        promises: true,
    },
];

/// Two texts, rated in one way.
fn one_service(
    steps: &mut Steps,
    asked: &AskedService,
    server: &RunningServer,
    scratch: &Path,
) -> Done {
    let folder = scratch.join(asked.name);
    fresh(&folder)?;
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let texts = "id,response,source\none,Grass is green.,Fresh grass is green.\ntwo,Snow is warm.,Snow is cold.\n";
    fs::write(folder.join("texts.csv"), texts).map_err(said)?;
    let study = format!(
        "name = \"{0}\"\nseeds = [1]\n[dataset.texts]\nuse = \"judged-responses\"\nfile = \"texts.csv\"\n[subject.model]\nuse = \"endpoint\"\nbase-url = \"{1}\"\nmodel = \"local\"\n{2}\n[gauge.rated]\nuse = \"mean-rating\"\ndimension = \"{3}\"\n[analysis]\nunits = \"items\"\n",
        asked.name,
        server.base(),
        asked.keys,
        asked.dimension
    );
    let file = folder.join("study.toml");
    let out = folder.join("run");
    fs::write(&file, study).map_err(said)?;
    steps.run(
        &format!("a real server: {}", asked.name),
        &mut run(&file, &out),
    )?;
    let findings = findings::read(&out)?.value;
    let rated = &findings["estimates"][0];
    match asked.promises && rated["items"] != 2 {
        true => Err(format!("{} through a real server: {rated}", asked.name)),
        false => no_failure(&findings),
    }
}

/// `kill -9` in the middle: running again asks only what is missing. That it asks no more is held by
/// a budget of exactly so many requests.
fn killed_and_resumed(steps: &mut Steps, server: &RunningServer, scratch: &Path) -> Done {
    let folder = scratch.join("killed");
    let slowly = |budget: usize| {
        move |study: String| {
            let ladder = study.find("[ladder.").unwrap_or(study.len());
            let analysis = study.find("[analysis]").unwrap_or(study.len());
            let study = format!("{}{}", &study[..ladder], &study[analysis..]);
            study
                .replace("class-from = \"first-token\"", "class-from = \"text\"")
                .replace("max-tokens = 1", "max-tokens = 32")
                .replace("in-flight = 4", "in-flight = 1")
                .replace("requests = 100", &format!("requests = {budget}"))
        }
    };
    let study = copy_of_study(&CHOICE, &folder, server, &slowly(CHOICE.items))?;
    let out = folder.join("run");
    let mut first = run(&study, &out);
    first.stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = first.spawn().map_err(|error| format!("duress: {error}"))?;
    let kept = wait_for_answers(&out, 3);
    let _ = process.kill();
    let _ = process.wait();
    let kept = kept?.max(answers_kept(&out));
    if kept >= CHOICE.items {
        return Err("the run was done before it was killed".into());
    }
    let text = fs::read_to_string(root().join(CHOICE.folder).join("study.toml"));
    let text = text.map_err(|error| error.to_string())?;
    let text = slowly(CHOICE.items - kept)(text.replace(SHIPPED_ADDRESS, &server.base()));
    fs::write(&study, text).map_err(|error| error.to_string())?;
    steps.run("a real server: killed and resumed", &mut run(&study, &out))?;
    no_failure(&findings::read(&out)?.value)
}

/// Waits until a run has kept so many answers of its only cell.
fn wait_for_answers(out: &Path, wanted: usize) -> Result<usize, String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match answers_kept(out) {
            kept if kept >= wanted => return Ok(kept),
            _ => thread::sleep(Duration::from_millis(5)),
        }
    }
    Err(format!("{wanted} answers did not come within {PATIENCE:?}"))
}

/// How many answers stand in the cell that is being answered.
fn answers_kept(out: &Path) -> usize {
    let shelves = fs::read_dir(out.join("4-ledger/partial"))
        .into_iter()
        .flatten();
    let files = shelves
        .flatten()
        .flat_map(|shelf| fs::read_dir(shelf.path()).into_iter().flatten());
    let texts = files
        .flatten()
        .filter_map(|file| fs::read_to_string(file.path()).ok());
    texts.map(|text| text.lines().count()).sum()
}
