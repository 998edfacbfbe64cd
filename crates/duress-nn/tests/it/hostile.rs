//! ONNX files that mean harm, written by hand: they are refused in words, in little time and little
//! memory, and nothing in them is followed.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::time::{Duration, Instant};

use duress_nn::file::network::{NetworkHints, network};

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

/// Refused for this reason, without delay.
fn refused_onnx(what: &str, bytes: Vec<u8>, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.onnx");
    std::fs::write(&file, bytes).unwrap();
    let begun = Instant::now();
    let why = network(&file, &NetworkHints::default())
        .expect_err(what)
        .to_string();
    assert!(why.contains(expected), "{what}: {why}");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{what}: {:?}",
        begun.elapsed()
    );
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
