//! Files that mean harm: they are refused in words, in little time and little memory, and nothing
//! in them is executed or followed.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::time::{Duration, Instant};

use duress_tensors::tensors_of;

use crate::file::fixture;

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

/// One dictionary inside itself, and a thousand tuples in each other.
#[test]
fn a_pickle_without_a_bottom_is_refused() {
    refused_pickle(
        "a dictionary in itself",
        b"}q\x00X\x01\x00\x00\x00ah\x00s",
        "too deep",
    );
    let deep = [&b")"[..], &[0x85; 100_000]].concat();
    refused_pickle("tuples in tuples", &deep, "too deep");
}

/// Nine names for one number that is shown 2²⁴ times: each view is within reason, and all of them
/// are more than a file of this size may expand to.
#[test]
fn views_of_the_same_bytes_stay_within_the_bound_of_all_files() {
    let shown = |views: u8| {
        let view = |name: u8| {
            let storage =
                b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQ";
            let again = [&b"(J"[..], &(1_i32 << 24).to_le_bytes(), b"t(K\x00t"].concat();
            let name = [&b"X\x01\0\0\0"[..], &[name]].concat();
            let call = b"ctorch._utils\n_rebuild_tensor_v2\n(";
            [&name, &call[..], storage, b"K\x00", &again, b"\x89}tR"].concat()
        };
        let named: Vec<u8> = (0..views).flat_map(|at| view(b'a' + at)).collect();
        let mut bytes = legacy(&[&b"}("[..], &named, b"u"].concat());
        // One storage behind the pickles instead of none.
        bytes.truncate(bytes.len() - 2);
        [
            &bytes,
            &b"]X\x01\0\0\x000a."[..],
            &1_u64.to_le_bytes(),
            &[0; 4],
        ]
        .concat()
    };
    assert_eq!(tensors_of(&shown(8)).unwrap().len(), 8);
    refused("nine views", "expands to more than 1024 MiB", || {
        tensors_of(&shown(9))
            .map(drop)
            .map_err(|why| why.to_string())
    });
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
