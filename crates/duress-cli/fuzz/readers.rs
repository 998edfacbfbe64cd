//! The readers of bytes that come from elsewhere, and the seeds their mutants grow from.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use duress::Registry;
use duress::ledger::Ledger;
use duress::plan::Id;
use duress::run::RunPaths;
use duress::study::Study;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_nn::file::network::{Architecture, NetworkHints, network};
use duress_nn::network::Normalise;
use duress_parts::process::message::Listener;
use duress_parts::process::reading::{Asked, losses};
use duress_parts::{causal, classify, images};
use duress_tables::formats;
use duress_tables::logs;
use duress_tables::table::{Head, Want};
use duress_tables::testkit::{npy, npz};

/// Files that are longer are no seeds: mutants of them are slow and differ little.
const LONGEST_SEED: u64 = 32_000;

/// How a reader is asked: a place for its files, the bytes, and the number of the input.
type Read = fn(&Place, &[u8], u64) -> Result<(), String>;

/// A reader.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    /// Endings of the files of this repository that are seeds.
    seeds: &'static [&'static str],
    pub(crate) read: Read,
}

/// A folder of its own for each reader, and what is made once.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    /// The identity under which a cell is looked for.
    cell: Option<Id>,
}

const fn reader(name: &'static str, seeds: &'static [&'static str], read: Read) -> Reader {
    Reader { name, seeds, read }
}

pub(crate) const READERS: &[Reader] = &[
    reader("study", &[".toml"], study),
    reader("csv", &[".csv"], |place, bytes, number| {
        table(place, "t.csv", bytes, number)
    }),
    reader("jsonl", &[".jsonl"], |place, bytes, number| {
        table(place, "t.jsonl", bytes, number)
    }),
    reader("parquet", &[".parquet"], |place, bytes, number| {
        table(place, "t.parquet", bytes, number)
    }),
    reader("npz", &[".npz"], |place, bytes, number| {
        table(place, "t.npz", bytes, number)
    }),
    reader("npy", &[".npy"], |place, bytes, number| {
        table(place, "t.npy", bytes, number)
    }),
    reader("xlsx", &[".xlsx"], |place, bytes, number| {
        table(place, "t.xlsx", bytes, number)
    }),
    reader("pth", &[".pth", ".pt"], |place, bytes, number| {
        table(place, "t.pth", bytes, number)
    }),
    reader("safetensors", &[".safetensors"], |place, bytes, number| {
        table(place, "t.safetensors", bytes, number)
    }),
    reader("network-pth", &[".pth"], |place, bytes, number| {
        weights(place, "n.pth", bytes, number)
    }),
    reader(
        "network-safetensors",
        &[".safetensors"],
        |place, bytes, number| weights(place, "n.safetensors", bytes, number),
    ),
    reader("onnx", &[".onnx"], |place, bytes, number| {
        weights(place, "n.onnx", bytes, number)
    }),
    reader("images", &[".png", ".jpg"], |_, bytes, _| {
        words(images::decode::decode(bytes))
    }),
    reader("idx", &[], idx),
    reader("cifar", &[], cifar),
    reader("npz-images", &[], npz_images),
    reader("windows", &[".npz", ".csv"], windows),
    reader(
        "edges",
        &["graph.npy", "graph.npz", "graph_table.parquet", "edges.csv"],
        edges,
    ),
    reader(
        "log-lines",
        &[
            "_samples.jsonl",
            "lm_eval_chat.jsonl",
            "lm_eval_gen.jsonl",
            "lm_eval_mc.jsonl",
            "promptfoo.jsonl",
            "_output.jsonl",
            "_errors.jsonl",
        ],
        |place, bytes, _| log(place, "log.jsonl", bytes),
    ),
    reader("log-object", &["scenario_state.json"], |place, bytes, _| {
        log(place, "log.json", bytes)
    }),
    reader("log-archive", &[".eval"], |place, bytes, _| {
        log(place, "log.eval", bytes)
    }),
    reader("ledger", &["4-ledger-cell"], cell),
    reader("plan", &[], plan),
    reader("messages", &[], messages),
];

impl Reader {
    /// The seeds: files of this repository, the kept corpus, and what is made here.
    pub(crate) fn seeds(&self) -> Vec<Vec<u8>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = Vec::new();
        for folder in ["crates", "studies", "examples"] {
            files_below(&root.join(folder), &mut files);
        }
        files.sort_unstable();
        let wanted = |path: &PathBuf| {
            let name = path.to_string_lossy().replace('\\', "/");
            let of_ledger = name.contains("4-ledger/");
            let corpus = name.contains(&format!("/fuzz/corpus/{}/", self.name));
            let own = match self.seeds {
                ["4-ledger-cell"] => name.contains("4-ledger/cells/") && name.ends_with(".parquet"),
                endings => !of_ledger && endings.iter().any(|ending| name.ends_with(ending)),
            };
            let other = name.contains("/fuzz/corpus/") && !corpus;
            corpus || (own && !other)
        };
        let small =
            |path: &PathBuf| fs::metadata(path).is_ok_and(|about| about.len() <= LONGEST_SEED);
        let files = files.into_iter().filter(wanted).filter(small);
        let mut seeds: Vec<Vec<u8>> = files.filter_map(|path| fs::read(path).ok()).collect();
        seeds.extend(made(self.name));
        assert!(!seeds.is_empty(), "{} has no seeds", self.name);
        seeds
    }
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_below(&entry.path(), out),
            _ => out.push(entry.path()),
        }
    }
}

impl Place {
    /// A place for a reader below a folder.
    pub(crate) fn new(below: &Path, reader: &Reader) -> Place {
        let folder = below.join(reader.name);
        fs::create_dir_all(&folder).expect("a folder of our own");
        let cell = (reader.name == "ledger").then(|| Id::joined("a cell", &[]));
        let place = Place { folder, cell };
        if reader.name == "plan" {
            fs::write(place.folder.join("1-study.toml"), STUDY).expect("a file of our own");
        }
        if reader.name == "idx" {
            let labels = [&[0, 0, 8, 1, 0, 0, 0, 4][..], &[0, 1, 1, 0]].concat();
            fs::write(place.folder.join("t10k-labels-idx1-ubyte"), labels).expect("ours");
        }
        place
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.folder.join(name);
        fs::write(&file, bytes).expect("a file of our own");
        file
    }
}

fn words<T>(read: Result<T, Problem>) -> Result<(), String> {
    read.map(|_| ()).map_err(|problem| problem.to_string())
}

fn study(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    let file = place.write("study.toml", bytes);
    let read = Study::read(&file, &Registry::standard());
    read.map(|_| ()).map_err(|rejected| rejected.to_string())
}

/// As numbers, as texts, in a row, or not at all, by turns: each goes its own way through a reader,
/// and what is not read can be as it likes.
fn wants(heads: &[Head], number: u64) -> Vec<Want> {
    let mut row = 0..;
    let each = |at: usize| match (number / 3) >> (2 * (at % 30)) & 3 {
        0 if number.is_multiple_of(3) => row.next().map_or(Want::Nothing, Want::InRow),
        0 => Want::Numbers,
        1 => Want::Texts,
        2 => Want::TextsOrGaps,
        _ => Want::Nothing,
    };
    (0..heads.len()).map(each).collect()
}

fn table(place: &Place, name: &str, bytes: &[u8], number: u64) -> Result<(), String> {
    let file = place.write(name, bytes);
    // Numbers in sequence would want nearly the same: they are spread first.
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    words(formats::read(&file, &mut |heads| Ok(wants(heads, spread))))
}

/// A log of another harness.
fn log(place: &Place, name: &str, bytes: &[u8]) -> Result<(), String> {
    words(logs::read(&place.write(name, bytes)))
}

fn weights(place: &Place, name: &str, bytes: &[u8], number: u64) -> Result<(), String> {
    let file = place.write(name, bytes);
    let input = match number % 3 {
        0 => None,
        1 => Some([1, 8, 8]),
        _ => Some([3, 16, 16]),
    };
    let hints = NetworkHints {
        architecture: match number % 5 {
            0 => Architecture::Mlp,
            _ => Architecture::Auto,
        },
        normalise: input.map(|[channels, ..]| Normalise::identity(channels)),
        input,
        ..NetworkHints::default()
    };
    words(network(&file, &hints))
}

fn dataset(part: &'static Part, folder: &Path, keys: &[(&str, Raw)]) -> Result<(), String> {
    let Build::Dataset(build) = part.build else {
        unreachable!("these parts are datasets")
    };
    let params = Params::of(part, keys, folder).map_err(|all| format!("{all:?}"))?;
    words(build(&params).and_then(|source| source.load(Seed::new(1))))
}

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn idx(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    place.write("t10k-images-idx3-ubyte", bytes);
    let keys = [("path", text(".")), ("fit", Raw::Flag(false))];
    dataset(&classify::datasets::idx::PART, &place.folder, &keys)
}

fn cifar(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    place.write("test_batch.bin", bytes);
    let keys = [("path", text(".")), ("fit", Raw::Flag(false))];
    dataset(&classify::datasets::cifar::PART, &place.folder, &keys)
}

fn npz_images(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    place.write("i.npz", bytes);
    let keys = [("path", text("i.npz")), ("x", text("x")), ("y", text("y"))];
    dataset(&classify::datasets::npz_images::PART, &place.folder, &keys)
}

fn windows(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    let name = match bytes {
        [b'P', b'K', ..] => "w.npz",
        _ => "w.csv",
    };
    place.write(name, bytes);
    let keys = [("file", text(name)), ("steps", Raw::Whole(4))];
    dataset(&causal::datasets::windows::PART, &place.folder, &keys)
}

fn edges(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    let name = match bytes {
        [0x93, ..] => "e.npy",
        [b'P', b'K', ..] => "e.npz",
        [b'P', b'A', b'R', ..] => "e.parquet",
        _ => "e.csv",
    };
    let file = place.write(name, bytes);
    let variables = ["a", "b", "c"].map(String::from);
    words(duress_tables::graph::read(&file, &variables))
}

fn cell(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    let id = place.cell.expect("made for the ledger");
    let name = id.to_string();
    let shelf = place.folder.join("cells").join(&name[..2]);
    fs::create_dir_all(&shelf).expect("a folder of our own");
    fs::write(shelf.join(format!("{name}.parquet")), bytes).expect("a file of our own");
    let read = Ledger::open(&place.folder).entry(id);
    read.map(|_| ())
        .map_err(|unreadable| unreadable.to_string())
}

/// The study whose plan is read back.
const STUDY: &str = "name = \"p\"\nseeds = [1, 2]\n[dataset.s]\nuse = \"temporal-sem\"\nvariables = 3\nedges = 2\nwindows = 20\n\
                     [subject.lagged]\nuse = \"lagged-regression\"\n[ladder.m]\nuse = \"missing-mcar\"\nseverities = [0.2]\n\
                     [analysis]\ngauges = [\"directed-f1\"]\n";

fn plan(place: &Place, bytes: &[u8], _: u64) -> Result<(), String> {
    place.write("2-plan.json", bytes);
    let plan = duress::reopen(&place.folder, &Registry::standard());
    let plan = plan.map_err(|error| error.to_string())?;
    // Identities are worked out from whatever the file says.
    let ids: HashMap<Id, usize> = plan.cells().map(|cell| (plan.id(cell), 1)).collect();
    let ledger = Ledger::open(&RunPaths::new(&place.folder).ledger());
    let found = duress::analysis::analyse(&plan, &ledger, &duress::analysis::History::default());
    found
        .map(|_| drop(ids))
        .map_err(|unreadable| unreadable.to_string())
}

fn messages(_: &Place, bytes: &[u8], number: u64) -> Result<(), String> {
    let mut listener = Listener::default();
    // As a pipe may cut it.
    let cut = (number as usize * 7919) % (bytes.len() + 1);
    let mut reply = None;
    for piece in [&bytes[..cut], &bytes[cut..]] {
        if reply.is_none() {
            reply = listener.take(piece, 1 << 20)?.1;
        }
    }
    let Some(reply) = reply else {
        return Err("it is not whole".into());
    };
    let names = ["a", "b"].map(String::from);
    let question = match number % 5 {
        0 => return losses(reply, &[2, 1, 2, 2], true).map(|_| ()),
        1 => Question::Classes,
        2 => Question::Text,
        3 => Question::Ratings,
        _ => Question::Graph,
    };
    let asked = Asked {
        question,
        classes: &names,
        dimensions: &names,
        variables: &names,
    };
    asked.read(reply, 2).map(|_| ())
}

/// Seeds that are no file of this repository.
fn made(name: &str) -> Vec<Vec<u8>> {
    match name {
        "idx" => {
            let head = [0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 3];
            let pixels: Vec<u8> = (0..36).map(|at| at * 7).collect();
            let plain = [&head[..], &pixels].concat();
            let mut zipped = flate2_of(&plain);
            zipped.extend(flate2_of(&[]));
            vec![plain, zipped]
        }
        "cifar" => {
            let record = |label: u8| {
                let pixels = (0..3072u32).map(|at| (at % 251) as u8 ^ label);
                std::iter::once(label).chain(pixels).collect::<Vec<u8>>()
            };
            vec![[record(3), record(7)].concat()]
        }
        "npz-images" => {
            let pixels: Vec<u8> = (0..48).map(|at| at * 5).collect();
            let x = npy("|u1", &[4, 3, 4], &pixels);
            let y = npy("|u1", &[4], &[0, 1, 1, 0]);
            vec![npz(&[("x", x), ("y", y)])]
        }
        "messages" => message_seeds(),
        "plan" => vec![plan_seed()],
        _ => Vec::new(),
    }
}

/// What gzip makes of bytes that are stored as they are.
fn flate2_of(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    });
    out.extend((!crc).to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

fn message_seeds() -> Vec<Vec<u8>> {
    let lines = [
        r#"{"hello": 1, "classes": ["a", "b"], "dimensions": ["T"]}"#,
        r#"{"id": 1, "probabilities": [[0.25, 0.75], [1.0, 0.0]]}"#,
        r#"{"id": 1, "logits": [[0.25, -3e5], [1.0, 0.0]], "absent": {"1": "too dark"}}"#,
        r#"{"id": 1, "labels": ["a", 1], "confidences": [0.5, null]}"#,
        r#"{"id": 1, "texts": ["one", null]}"#,
        r#"{"id": 1, "ratings": [[90, 100.5], null]}"#,
        r#"{"id": 1, "graph": {"edges": [[0, 1]], "scores": [[0, 1], [2, 3]], "rule": "z"}}"#,
        r#"{"id": 1, "losses": [0.5, 1], "right": [true, false], "gradient": [[0, 1, 2, 3], [4, 5, 6, 7]]}"#,
        r#"{"id": 1, "error": "the moon is full"}"#,
    ];
    let mut seeds: Vec<Vec<u8>> = lines
        .iter()
        .map(|line| format!("{line}\n").into())
        .collect();
    let frame = |word: &str, kind: u8, axes: [u64; 4]| {
        let values = axes.iter().filter(|axis| **axis > 0).product::<u64>();
        let head = r#"{"id": 1, "losses": [0.5, 1], "right": [true, false], "frame": ""#;
        let mut bytes = format!("{head}{word}\"}}\n").into_bytes();
        bytes.extend(b"DRSF\x01\x00");
        bytes.extend([kind, 1]);
        bytes.extend((4 * values).to_le_bytes());
        bytes.extend(axes.iter().flat_map(|axis| axis.to_le_bytes()));
        bytes.extend((0..values).flat_map(|at| (at as f32 / 8.0).to_le_bytes()));
        bytes
    };
    seeds.push(frame("logits", 4, [2, 2, 0, 0]));
    seeds.push(frame("probabilities", 3, [2, 2, 0, 0]));
    seeds.push(frame("gradient", 5, [2, 1, 2, 2]));
    seeds
}

/// A plan as version 1 had it, without a checksum: its mutants are not refused for that alone.
fn plan_seed() -> Vec<u8> {
    let registry = Registry::standard();
    let study = Study::parse(Path::new("1-study.toml"), STUDY, &registry).expect("a sound study");
    let plan = duress::plan::make(study, &registry).expect("a sound study");
    let mut axes = serde_json::to_value(plan.axes()).expect("axes are JSON");
    axes["version"] = 1.into();
    serde_json::to_vec_pretty(&axes).expect("axes are JSON")
}
