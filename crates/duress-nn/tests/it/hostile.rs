//! Files that mean harm: they are refused in words, in little time and little memory, and nothing
//! in them is executed or followed.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use duress_nn::file::network::{NetworkHints, network};
use duress_nn::file::tensors_of;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Refused for this reason, without delay.
fn refused(what: &str, expected: &str, read: impl FnOnce() -> Result<(), String>) {
    let begun = Instant::now();
    let why = read().expect_err(what);
    assert!(why.contains(expected), "{what}: {why}");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{what}: {:?}",
        begun.elapsed()
    );
}

// Pickles.

/// A legacy file of torch's in which this program stands where the weights would be described.
fn legacy(program: &[u8]) -> Vec<u8> {
    let mut bytes = std::fs::read(fixture("checkpoint_legacy.pth")).unwrap();
    let start = bytes
        .windows(3)
        .position(|window| window == b"\x80\x02}")
        .unwrap();
    let system = bytes[start..]
        .iter()
        .position(|&byte| byte == b'.')
        .unwrap();
    bytes.truncate(start + system + 1);
    [&bytes, &b"\x80\x02"[..], program, b".\x80\x02]."].concat()
}

fn refused_pickle(what: &str, program: &[u8], expected: &str) {
    refused(what, expected, || {
        tensors_of(&legacy(program))
            .map(drop)
            .map_err(|why| why.to_string())
    });
}

#[test]
fn a_pickle_that_would_run_something_is_refused_by_name() {
    for (module, name) in [
        ("os", "system"),
        ("builtins", "eval"),
        ("subprocess", "Popen"),
        ("torch", "load"),
    ] {
        let program = format!("c{module}\n{name}\nX\x04\0\0\0true\u{85}R");
        let program: Vec<u8> = program.chars().map(|letter| letter as u8).collect();
        refused_pickle(
            name,
            &program,
            &format!("`{module}.{name}`; nothing was executed"),
        );
    }
    refused_pickle("an extension", b"\x82\x01", "nothing was executed");
    refused_pickle("an instance", b"(ios\nsystem\n", "nothing was executed");
    refused_pickle(
        "an object",
        b"(cos\nsystem\no",
        "`os.system`; nothing was executed",
    );
}

/// Ten lists of ten lists of ten lists …: thirty levels in a kilobyte, and more values than there
/// are atoms.
#[test]
fn a_pickle_that_unfolds_without_end_is_refused() {
    let mut program = b"]q\0".to_vec();
    for level in 1..30 {
        program.extend([b']', b'q', level, b'(']);
        program.extend([b'h', level - 1].repeat(10));
        program.push(b'e');
    }
    refused_pickle("lists of lists", &program, "too deep in each other");
    let list = [
        &b"ccollections\nOrderedDict\nq\0](q\x01"[..],
        &b"N".repeat(10_000),
        b"e0",
    ]
    .concat();
    let list = [list, b"h\0h\x01\x85R0".repeat(10_000), b"N".to_vec()].concat();
    refused_pickle("one list for many calls", &list, "again and again");
    let name = [
        &b"}X\xff\xff\0\0"[..],
        &b"x".repeat(0xffff),
        b"}X\x01\0\0\0aNss",
    ]
    .concat();
    refused_pickle("a long name", &name, "letters");
    refused_pickle("a long text", b"X\xff\xff\xff\xffabc", "ends in the middle");
    refused_pickle(
        "a long number",
        b"\x8b\xff\xff\xff\x7f",
        "ends in the middle",
    );
}

#[test]
fn entries_of_an_archive_that_share_their_bytes_are_refused() {
    let bytes = std::fs::read(fixture("overlap.pth")).unwrap();
    refused(
        "a small archive of large storages",
        "has no room in the file",
        || tensors_of(&bytes).map(drop).map_err(|why| why.to_string()),
    );
    let bytes = std::fs::read(fixture("deflated.pth")).unwrap();
    refused(
        "a compressed archive",
        "is compressed in the archive",
        || tensors_of(&bytes).map(drop).map_err(|why| why.to_string()),
    );
}

// Safetensors.

#[test]
fn a_header_that_promises_too_much_is_refused() {
    let file = |length: u64, header: &str| {
        [&length.to_le_bytes()[..], header.as_bytes(), &[0; 64]].concat()
    };
    let check = |what: &str, bytes: Vec<u8>, expected: &str| {
        refused(what, expected, || {
            tensors_of(&bytes).map(drop).map_err(|why| why.to_string())
        });
    };
    let whole = |header: &str| file(header.len() as u64, header);
    check(
        "a header without end",
        file(1 << 60, "{}"),
        "1152921504606846976 bytes",
    );
    check(
        "a header cut short",
        file(1000, "{}"),
        "middle of its header",
    );
    let of = |name: &str, shape: &str, to: u64| {
        format!("\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape},\"data_offsets\":[0,{to}]}}")
    };
    check(
        "a huge shape",
        whole(&format!("{{{}}}", of("w", "[4294967296,4294967296]", 64))),
        "too many numbers",
    );
    check(
        "bytes that are not there",
        whole(&format!("{{{}}}", of("w", "[1000]", 4000))),
        "bytes 0 to 4000 of 64",
    );
    let shared: Vec<String> = (0..100).map(|at| of(&at.to_string(), "[16]", 64)).collect();
    check(
        "tensors over each other",
        whole(&format!("{{{}}}", shared.join(","))),
        "where another tensor lies",
    );
    check("a deep header", whole(&"[".repeat(100_000)), "neither");
    check(
        "a deep entry",
        whole(&format!("{{\"a\":{}", "[".repeat(100_000))),
        "no JSON object",
    );
}

// ONNX, written by hand.

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn whole(field: u64, number: i64) -> Vec<u8> {
    [varint(field << 3), varint(number as u64)].concat()
}

fn run(field: u64, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    [
        varint(field << 3 | 2),
        varint(bytes.len() as u64),
        bytes.to_vec(),
    ]
    .concat()
}

/// What goes in or comes out, with its sizes.
fn port(name: &str, sizes: &[i64]) -> Vec<u8> {
    let sizes: Vec<u8> = sizes
        .iter()
        .flat_map(|&size| run(1, whole(1, size)))
        .collect();
    let tensor = [whole(1, 1), run(2, sizes)].concat();
    [run(1, name), run(2, run(1, tensor))].concat()
}

fn tensor(name: &str, kind: i64, sizes: &[i64], raw: &[u8]) -> Vec<u8> {
    let sizes: Vec<u8> = sizes.iter().flat_map(|&size| whole(1, size)).collect();
    [sizes, whole(2, kind), run(8, name), run(9, raw)].concat()
}

fn floats(name: &str, sizes: &[i64]) -> Vec<u8> {
    let count: i64 = sizes.iter().product();
    tensor(
        name,
        1,
        sizes,
        &0.5_f32.to_le_bytes().repeat(count as usize),
    )
}

fn wholes(name: &str, numbers: &[i64]) -> Vec<u8> {
    let raw: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    tensor(name, 7, &[numbers.len() as i64], &raw)
}

/// A step and its attributes of whole numbers.
fn step(operator: &str, inputs: &[&str], output: &str, lists: &[(&str, &[i64])]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| run(1, name)).collect();
    let attribute = |(name, numbers): &(&str, &[i64])| {
        let numbers: Vec<u8> = numbers
            .iter()
            .flat_map(|&number| whole(8, number))
            .collect();
        run(5, [run(1, name), numbers, whole(20, 7)].concat())
    };
    let attributes: Vec<u8> = lists.iter().flat_map(attribute).collect();
    [
        inputs,
        run(2, output),
        run(3, output),
        run(4, operator),
        attributes,
    ]
    .concat()
}

fn model(steps: &[Vec<u8>], held: &[Vec<u8>]) -> Vec<u8> {
    let mut graph: Vec<u8> = steps.iter().flat_map(|step| run(1, step)).collect();
    graph.extend(held.iter().flat_map(|held| run(5, held)));
    graph.extend(run(11, port("image", &[1, 3, 8, 8])));
    graph.extend(run(12, port("out", &[1, 2])));
    [whole(1, 8), run(7, graph), run(8, whole(2, 17))].concat()
}

fn refused_onnx(what: &str, bytes: Vec<u8>, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.onnx");
    std::fs::write(&file, bytes).unwrap();
    refused(what, expected, || {
        network(&file, &NetworkHints::default())
            .map(drop)
            .map_err(|why| why.to_string())
    });
}

#[test]
fn a_graph_that_goes_in_circles_or_nowhere_is_refused() {
    let circle = [
        step("Relu", &["b"], "a", &[]),
        step("Relu", &["a"], "b", &[]),
        step("Add", &["b", "image"], "out", &[]),
    ];
    refused_onnx(
        "a circle",
        model(&circle, &[]),
        "nothing before it gives its input `b`",
    );
    refused_onnx(
        "itself",
        model(&[step("Relu", &["out"], "out", &[])], &[]),
        "gives its input `out`",
    );
    refused_onnx("nowhere", model(&[], &[]), "does not depend on the image");
    let odd = [
        step("Melt", &["image"], "a", &[]),
        step("Boil", &["a"], "out", &[]),
    ];
    refused_onnx(
        "unknown operators",
        model(&odd, &[]),
        "node `out` (Boil), node `a` (Melt)",
    );
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let conv = |held: Vec<u8>, lists: &[(&str, &[i64])]| {
        model(&[step("Conv", &["image", "w"], "out", lists)], &[held])
    };
    refused_onnx(
        "a negative size",
        conv(tensor("w", 1, &[-4, 3, 1, 1], &[]), &[]),
        "not a whole ONNX file",
    );
    let huge = tensor("w", 1, &[1 << 40, 1 << 40, 1, 1], &[0; 16]);
    refused_onnx("a huge size", conv(huge, &[]), "too many numbers");
    let none = tensor("w", 1, &[0, 1 << 40, 1 << 40, 1], &[]);
    refused_onnx(
        "nothing of a huge size",
        conv(none, &[]),
        "too many numbers",
    );
    refused_onnx(
        "too few numbers",
        conv(tensor("w", 1, &[4, 3, 3, 3], &[0; 16]), &[]),
        "16 bytes for a tensor",
    );
    let sound = || floats("w", &[2, 3, 1, 1]);
    refused_onnx(
        "negative padding",
        conv(sound(), &[("pads", &[-1, 0, 0, 0])]),
        "`pads` is [-1, 0, 0, 0]",
    );
    refused_onnx(
        "huge padding",
        conv(sound(), &[("pads", &[1 << 40; 4])]),
        "`pads`",
    );
    refused_onnx(
        "much padding",
        conv(sound(), &[("pads", &[65_000; 4])]),
        "would give values of",
    );
    refused_onnx(
        "no stride",
        conv(sound(), &[("strides", &[0, 0])]),
        "no window fits",
    );
    let pool = |lists: &[(&str, &[i64])]| model(&[step("MaxPool", &["image"], "out", lists)], &[]);
    let many = [
        ("kernel_shape", &[255_i64, 255][..]),
        ("pads", &[254, 254, 254, 254]),
    ];
    refused_onnx("windows without number", pool(&many), "too many");
    let reshape = |sizes: &[i64]| {
        model(
            &[step("Reshape", &["image", "s"], "out", &[])],
            &[wholes("s", sizes)],
        )
    };
    refused_onnx(
        "a huge shape",
        reshape(&[1, i64::MAX, i64::MAX]),
        "it reshapes [3, 8, 8]",
    );
    refused_onnx(
        "a negative shape",
        reshape(&[1, -7, 3]),
        "it reshapes [3, 8, 8]",
    );
    let folded = [
        step("Reshape", &["c", "s"], "d", &[]),
        step("Add", &["image", "d"], "out", &[]),
    ];
    let held = [floats("c", &[4]), wholes("s", &[i64::MAX, i64::MAX, 4])];
    refused_onnx(
        "a huge shape for a constant",
        model(&folded, &held),
        "it computes a constant",
    );
}

#[test]
fn a_graph_that_grows_without_end_is_refused() {
    let name = |at: usize| format!("c{at}");
    let mut steps = Vec::new();
    for at in 0..60 {
        steps.push(step(
            "Concat",
            &[&name(at), &name(at)],
            &name(at + 1),
            &[("axis", &[0])],
        ));
    }
    steps.push(step("Reshape", &["image", "c60"], "out", &[]));
    refused_onnx(
        "a list doubled sixty times",
        model(&steps, &[wholes("c0", &[1; 64])]),
        "it computes a constant",
    );

    let blow = |at: usize| step("ConstantOfShape", &["s"], &name(at), &[]);
    let mut steps: Vec<Vec<u8>> = (0..1000).map(blow).collect();
    let names: Vec<String> = (0..1000).map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    steps.push(step("Concat", &names, "all", &[("axis", &[0])]));
    steps.push(step("Reshape", &["image", "all"], "out", &[]));
    refused_onnx(
        "constants out of nothing",
        model(&steps, &[wholes("s", &[1 << 23])]),
        "it computes a constant",
    );

    let mut steps = vec![step("Flatten", &["image"], "c0", &[])];
    steps.extend((0..2000).map(|at| step("MatMul", &[&name(at), "w"], &name(at + 1), &[])));
    steps.push(step("Relu", &["c2000"], "out", &[]));
    refused_onnx(
        "one weight for many layers",
        model(&steps, &[floats("w", &[192, 192])]),
        "many others hold",
    );
}

/// A recursive look at what comes before would overflow the stack.
#[test]
fn a_long_chain_is_followed_without_a_deep_stack() {
    let name = |at: usize| format!("c{at}");
    let pool = |from: &str, to: &str| step("MaxPool", &[from], to, &[("kernel_shape", &[1, 1])]);
    let mut steps = vec![step("Relu", &["image"], "c0", &[])];
    steps.extend((0..30_000).map(|at| pool(&name(at), &name(at + 1))));
    steps.push(step("Pad", &["c30000", "p"], "padded", &[]));
    steps.push(step(
        "MaxPool",
        &["padded"],
        "out",
        &[("kernel_shape", &[3, 3])],
    ));
    let pads = wholes("p", &[0, 0, 1, 1, 0, 0, 1, 1]);
    refused_onnx(
        "a long chain",
        model(&steps, &[pads]),
        "one number per class",
    );
}

#[test]
fn weights_are_looked_for_nowhere_but_beside_the_model() {
    let beside = |location: &str| {
        let entry = |key: &str, value: &str| run(13, [run(1, key), run(2, value)].concat());
        let place = [entry("location", location), whole(14, 1)].concat();
        let held = [
            [whole(1, 2), whole(1, 3), whole(1, 1), whole(1, 1)].concat(),
            whole(2, 1),
            run(8, "w"),
            place,
        ];
        model(
            &[step("Conv", &["image", "w"], "out", &[])],
            &[held.concat()],
        )
    };
    for outside in ["../../etc/passwd", "/etc/passwd", "a/../../b", ".."] {
        refused_onnx(
            outside,
            beside(outside),
            "expected a file in the folder of the model",
        );
    }
    refused_onnx("nothing there", beside("weights"), "cannot be read");
    refused_onnx("a folder", beside("."), "cannot be read");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_read_without_end() {
    let why = network(Path::new("/dev/zero"), &NetworkHints::default())
        .unwrap_err()
        .to_string();
    assert!(why.contains("no regular file"), "{why}");
}
