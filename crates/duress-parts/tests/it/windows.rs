//! Readers of windows that people have: their formats, their gaps, their graphs, and what is wrong
//! with them.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::fs;
use std::path::Path;

use duress_core::data::{Dataset, Windows};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::testkit;
use duress_parts::causal::datasets;
use duress_tables::testkit::{npy_of_numbers as npy, npz};

/// The readers of windows, each with what reads the files that the test below writes.
fn readers() -> [(&'static Part, Vec<(&'static str, Raw)>); 3] {
    [
        (&datasets::air_quality::PART, vec![("file", text("a.csv"))]),
        (
            &datasets::sachs::PART,
            vec![("file", text("cells.csv")), ("graph", text("graph.csv"))],
        ),
        (
            &datasets::windows::PART,
            vec![
                ("file", text("plant.csv")),
                ("truth", text("edges.csv")),
                ("regime", text("shift")),
                ("steps", Raw::Whole(10)),
                ("stride", Raw::Whole(5)),
            ],
        ),
    ]
}

pub(crate) fn checked() -> Vec<&'static Part> {
    readers().into_iter().map(|(part, _)| part).collect()
}

#[test]
fn every_reader_of_windows_keeps_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let cells: String = (0..200)
        .map(|i| format!("{},{},{}\n", i % 19, i * i % 23, i % 7))
        .collect();
    let files = [
        ("a.csv", air_quality(300)),
        ("cells.csv", format!("raf,mek,erk\n{cells}")),
        ("graph.csv", "Cause,Effect\nraf,mek\nmek,erk\n".into()),
        ("plant.csv", rows(200, "NA")),
        ("edges.csv", "from,to\na,b\n1,2\n".into()),
    ];
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    for (part, keys) in readers() {
        load(part, &keys, folder.path()).unwrap();
    }
}

fn load(part: &Part, keys: &[(&str, Raw)], folder: &Path) -> Result<Dataset, Problem> {
    let params = Params::of(part, keys, folder).unwrap_or_else(|problems| panic!("{problems:?}"));
    let Build::Dataset(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    let source = build(&params)?;
    let dataset = source.load(Seed::new(1))?;
    testkit::check_source(source.as_ref());
    Ok(dataset)
}

fn text(value: &str) -> Raw {
    Raw::Text(value.into())
}

fn fitted(dataset: &Dataset) -> &Windows {
    dataset.fit().unwrap().items().windows().unwrap()
}

/// The real file in small: its header, decimal commas, −200, blank lines at the end.
fn air_quality(rows: usize) -> String {
    let header = "Date;Time;CO(GT);PT08.S1(CO);NMHC(GT);C6H6(GT);PT08.S2(NMHC);NOx(GT);PT08.S3(NOx);NO2(GT);PT08.S4(NO2);PT08.S5(O3);T;RH;AH;;\r\n";
    let mut file = header.to_string();
    for row in 0..rows {
        file += &format!("10/03/2004;{row}.00.00");
        for column in 0..13 {
            let value = (row * 7 + column * 31) % 53;
            match column == 2 && row % 10 != 0 {
                true => file += ";-200",
                false => file += &format!(";{value},{}", column % 10),
            }
        }
        file += ";;\r\n";
    }
    file + &";;;;;;;;;;;;;;;;\r\n".repeat(114)
}

#[test]
fn air_quality_is_read_as_it_is_published() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), air_quality(300)).unwrap();
    let data = load(
        &datasets::air_quality::PART,
        &[("file", text("a.csv"))],
        folder.path(),
    )
    .unwrap();
    let windows = fitted(&data);
    assert_eq!(
        windows.variables().join(" "),
        "CO S1 NMHC C6H6 S2 NOx S3 NO2 S4 S5 T RH AH"
    );
    let remarks = data.remarks().join("\n");
    assert!(
        remarks.starts_with("277 windows of 24 steps: 222 fitted, 32 tested, 23 in the gap"),
        "{remarks}"
    );
    assert!(
        remarks.contains("an opinion") && remarks.contains("varsortability"),
        "{remarks}"
    );
    assert!(
        (windows.hidden_share() - 0.9 / 13.0).abs() < 0.005,
        "nine in ten of one of thirteen"
    );
    let truth = data.test().truth().for_the_ledger().graph().unwrap();
    assert_eq!(
        (truth.edges().len(), truth.has(10, 5), truth.has(11, 12)),
        (13, true, true)
    );
    let keys = [("file", text("a.csv")), ("regimes", Raw::Whole(2))];
    let halves = load(&datasets::air_quality::PART, &keys, folder.path()).unwrap();
    assert_eq!(
        halves
            .hold_out(1)
            .unwrap()
            .test()
            .items()
            .windows()
            .unwrap()
            .regimes()[0],
        1
    );
}

#[test]
fn a_file_that_is_not_air_quality_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let check = |content: &str, expected: &str| {
        fs::write(folder.path().join("a.csv"), content).unwrap();
        let problem = load(
            &datasets::air_quality::PART,
            &[("file", text("a.csv"))],
            folder.path(),
        )
        .unwrap_err();
        assert!(problem.to_string().contains(expected), "{problem}");
    };
    check("a,b\n1,2\n", "a.csv:1: there is no column `CO(GT)`");
    check(
        &air_quality(30).replacen(";-200", ";many", 1),
        "a.csv:3: `NMHC(GT)` is \"many\"",
    );
    check(&air_quality(20), "0 windows of 24 steps: too few");
    fs::remove_file(folder.path().join("a.csv")).unwrap();
    let gone = load(
        &datasets::air_quality::PART,
        &[("file", text("a.csv"))],
        folder.path(),
    )
    .unwrap_err();
    assert!(gone.to_string().contains("cannot be read"), "{gone}");
}

#[test]
fn proteins_come_with_their_graph_and_the_number_of_its_edges() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("{},{},{}\n", i % 19, i * i % 23, i % 7);
    let cells: String = (0..200).map(row).collect();
    fs::write(
        folder.path().join("cells.csv"),
        format!("raf,mek,erk\n{cells}"),
    )
    .unwrap();
    fs::write(
        folder.path().join("graph.csv"),
        "Cause,Effect\nraf,mek\nmek,erk\n",
    )
    .unwrap();
    let keys = [("file", text("cells.csv")), ("graph", text("graph.csv"))];
    let data = load(&datasets::sachs::PART, &keys, folder.path()).unwrap();
    let remarks = data.remarks().join("\n");
    assert!(
        remarks.contains("the graph has 2 edges; papers use 17, 18 or 20 edges"),
        "{remarks}"
    );
    assert_eq!((fitted(&data).steps(), fitted(&data).len()), (1, 160));
    fs::write(
        folder.path().join("graph.csv"),
        "Cause,Effect\nraf,mek\nmek,erk\nerk,raf\n",
    )
    .unwrap();
    let cyclic = load(&datasets::sachs::PART, &keys, folder.path())
        .unwrap()
        .remarks()
        .join("\n");
    assert!(
        cyclic.contains("3 edges") && cyclic.contains("closes a cycle (raf → mek → erk → raf)"),
        "{cyclic}"
    );
}

/// Rows of three variables; `b` has a gap in every fifth row.
fn rows(n: usize, gap: &str) -> String {
    let mut file = "a,b,c,shift\n".to_string();
    for i in 0..n {
        let b = if i % 5 == 0 {
            gap.to_string()
        } else {
            format!("{}", (i * 13) % 37)
        };
        file += &format!(
            "{},{b},{},{}\n",
            (i * 7) % 41,
            (i * 3) % 29,
            if i < n / 2 { "day" } else { "night" }
        );
    }
    file
}

#[test]
fn rows_become_windows_with_gaps_regimes_and_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("edges.csv"), "from,to\na,b\n1,2\n").unwrap();
    for gap in ["", "NA", "NaN", "-99"] {
        fs::write(folder.path().join("plant.csv"), rows(200, gap)).unwrap();
        let keys = [
            ("file", text("plant.csv")),
            ("truth", text("edges.csv")),
            ("regime", text("shift")),
            ("missing", Raw::Number(-99.0)),
            ("steps", Raw::Whole(10)),
            ("stride", Raw::Whole(5)),
        ];
        let data = load(&datasets::windows::PART, &keys, folder.path()).unwrap();
        assert_eq!(fitted(&data).variables().join(" "), "a b c");
        assert!(
            (fitted(&data).hidden_share() - 0.2 / 3.0).abs() < 1e-9,
            "{gap:?}"
        );
        assert_eq!(data.test().columns()["regime"].first().unwrap(), "0");
        assert_eq!(data.test().columns()["regime"].last().unwrap(), "1");
        assert_eq!(
            data.test()
                .truth()
                .for_the_ledger()
                .graph()
                .unwrap()
                .edges(),
            [(0, 1), (1, 2)]
        );
    }
}

#[test]
fn a_graph_with_an_unknown_name_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plant.csv"), rows(200, "1")).unwrap();
    let check = |edges: &str, expected: &str| {
        fs::write(folder.path().join("edges.csv"), edges).unwrap();
        let keys = [
            ("file", text("plant.csv")),
            ("truth", text("edges.csv")),
            ("regime", text("shift")),
        ];
        let problem = load(&datasets::windows::PART, &keys, folder.path()).unwrap_err();
        assert!(problem.to_string().contains(expected), "{problem}");
    };
    check(
        "from,to\na,b\nb,cc\n",
        "edges.csv:3: `to` is \"cc\", which is none of the variables (did you mean `c`?)",
    );
    check(
        "cause,result\na,b\n",
        "there is no column for one end of an edge",
    );
}

#[test]
fn feedback_is_taken_and_named_and_a_network_is_read_as_a_truth() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plant.csv"), rows(200, "1")).unwrap();
    let remarks = |name: &str, truth: &str| {
        fs::write(folder.path().join(name), truth).unwrap();
        let keys = [
            ("file", text("plant.csv")),
            ("truth", text(name)),
            ("regime", text("shift")),
            ("steps", Raw::Whole(10)),
        ];
        let data = load(&datasets::windows::PART, &keys, folder.path()).unwrap();
        data.remarks().join("\n")
    };
    let feedback = remarks("edges.csv", "from,to\na,b\nb,c\nc,a\na,a\n");
    assert!(
        feedback.contains("closes a cycle (a → b → c → a)"),
        "{feedback}"
    );
    assert!(
        feedback.contains("1 edges of the graph go from a variable to itself"),
        "{feedback}"
    );
    let network = "probability ( a ) {\n}\nprobability ( b | a, c ) {\n}\n";
    assert!(!remarks("plant.bif", network).contains("cycle"));
}

#[test]
fn a_list_without_an_edge_is_a_truth_without_edges() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plant.csv"), rows(200, "1")).unwrap();
    fs::write(folder.path().join("edges.csv"), "from,to\n").unwrap();
    let keys = [
        ("file", text("plant.csv")),
        ("truth", text("edges.csv")),
        ("regime", text("shift")),
        ("steps", Raw::Whole(10)),
    ];
    let data = load(&datasets::windows::PART, &keys, folder.path()).unwrap();
    assert!(
        data.test()
            .truth()
            .for_the_ledger()
            .graph()
            .unwrap()
            .edges()
            .is_empty()
    );
}

#[test]
fn what_is_no_number_and_what_is_too_short_are_said_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let check = |content: &str, more: &[(&str, Raw)], expected: &str| {
        fs::write(folder.path().join("plant.csv"), content).unwrap();
        let keys = [&[("file", text("plant.csv"))], more].concat();
        let problem = load(&datasets::windows::PART, &keys, folder.path()).unwrap_err();
        assert!(problem.to_string().contains(expected), "{problem}");
    };
    check(
        &rows(50, "1"),
        &[],
        "plant.csv:2: `shift` is \"day\"; expected a number",
    );
    check(
        &rows(30, "1"),
        &[("regime", text("shift"))],
        "30 rows make 0 windows of 24 steps within 2 stretches of one regime, the longest of 15 rows",
    );
    check(
        &rows(50, "1"),
        &[("regime", text("shfit"))],
        "there is no column `shfit` (did you mean `shift`?)",
    );
    check(
        &rows(50, "inf"),
        &[("regime", text("shift"))],
        "plant.csv:2: `b` is \"inf\"",
    );
}

#[test]
fn windows_that_came_ready_made_keep_their_shape_and_leave_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let values: Vec<f64> = (0..60 * 4 * 2)
        .map(|i| {
            if i % 11 == 0 {
                f64::NAN
            } else {
                (i * 17 % 101) as f64
            }
        })
        .collect();
    fs::write(folder.path().join("x.npy"), npy(&[60, 4, 2], &values)).unwrap();
    let data = load(
        &datasets::windows::PART,
        &[("file", text("x.npy"))],
        folder.path(),
    )
    .unwrap();
    assert_eq!(
        (
            fitted(&data).len(),
            fitted(&data).steps(),
            fitted(&data).variables().len()
        ),
        (48, 4, 2)
    );
    assert_eq!(
        data.test().items().len(),
        12 - 3,
        "a gap of one less than the steps"
    );
    assert!((fitted(&data).hidden_share() - 1.0 / 11.0).abs() < 0.01);
    assert!(
        data.remarks()[0].contains("3 in the gap between dropped"),
        "{:?}",
        data.remarks()
    );
    let keys = [
        ("file", text("x.npy")),
        ("gap", Raw::Whole(0)),
        ("variables", Raw::List(vec![text("p"), text("q")])),
    ];
    let data = load(&datasets::windows::PART, &keys, folder.path()).unwrap();
    assert_eq!(
        (
            data.test().items().len(),
            fitted(&data).variables().join(" ")
        ),
        (12, "p q".into())
    );
    let refused = |key: &str, value: Raw, expected: &str| {
        let keys = [("file", text("x.npy")), (key, value)];
        let problem = load(&datasets::windows::PART, &keys, folder.path()).unwrap_err();
        assert!(problem.to_string().contains(expected), "{problem}");
    };
    refused(
        "gap",
        Raw::Whole(12),
        "of 60 windows the last 12 are to be tested, and a gap of 12 leaves 0 of them",
    );
    refused(
        "variables",
        Raw::List(vec![text("p"), text("p")]),
        "the variable `p` is there twice",
    );
    fs::write(folder.path().join("x.npy"), npy(&[60, 8], &values)).unwrap();
    let flat = load(
        &datasets::windows::PART,
        &[("file", text("x.npy"))],
        folder.path(),
    )
    .unwrap_err();
    assert!(
        flat.to_string()
            .contains("the shape of the windows is [60, 8]; expected windows × steps × variables"),
        "{flat}"
    );
}

#[test]
fn arrays_called_m_and_e_are_mask_and_regimes_and_those_not_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let values: Vec<f64> = (0..60 * 4 * 2).map(|i| (i * 17 % 101) as f64).collect();
    let mask: Vec<f64> = (0..60 * 4 * 2)
        .map(|i| f64::from(u8::from(i % 5 != 0)))
        .collect();
    let regimes: Vec<f64> = (0..60).map(|i| f64::from(u8::from(i % 2 == 0))).collect();
    let x = || ("X", npy(&[60, 4, 2], &values));
    let write = |arrays: &[(&str, Vec<u8>)]| {
        fs::write(folder.path().join("x.npz"), npz(arrays)).unwrap();
        load(
            &datasets::windows::PART,
            &[("file", text("x.npz"))],
            folder.path(),
        )
    };
    for (m, e) in [("M", "e"), ("mask", "regimes")] {
        let data = write(&[
            x(),
            (m, npy(&[60, 4, 2], &mask)),
            (e, npy(&[60], &regimes)),
            ("A", npy(&[2, 2], &[0.0, 1.0, 0.0, 0.0])),
        ])
        .unwrap();
        assert!(
            (fitted(&data).hidden_share() - 0.2).abs() < 0.01,
            "{m}: {}",
            fitted(&data).hidden_share()
        );
        let in_regime = &data.test().columns()["regime"];
        assert!(
            in_regime.iter().any(|r| r == "0") && in_regime.iter().any(|r| r == "1"),
            "{e}: {in_regime:?}"
        );
        let said = data.remarks().join("; ");
        assert!(said.contains("the array `A` is not read"), "{said}");
        assert!(!said.contains(&format!("`{m}`")), "{said}");
    }
    let both = [
        x(),
        ("M", npy(&[60, 4, 2], &mask)),
        ("mask", npy(&[60, 4, 2], &mask)),
    ];
    let why = write(&both).unwrap_err().to_string();
    assert!(why.contains("mean the same"), "{why}");
    let odd: Vec<f64> = mask.iter().map(|x| x * 3.0).collect();
    let why = write(&[x(), ("M", npy(&[60, 4, 2], &odd))])
        .unwrap_err()
        .to_string();
    assert!(why.contains("the mask has 3"), "{why}");
}

#[test]
fn one_bad_time_does_not_make_another_kind_of_column() {
    let folder = tempfile::tempdir().unwrap();
    let written = |time: &dyn Fn(usize) -> String| {
        let rows: String = (0..60)
            .map(|i| format!("{},{},{}\n", time(i), i * 17 % 101, i * i % 53))
            .collect();
        fs::write(
            folder.path().join("t.csv"),
            format!("timestamp,a,b\n{rows}"),
        )
        .unwrap();
        let variables = Raw::List(vec![text("a"), text("b")]);
        let keys = [
            ("file", text("t.csv")),
            ("steps", Raw::Whole(4)),
            ("variables", variables),
        ];
        load(&datasets::windows::PART, &keys, folder.path())
    };
    let hour = |i: usize| format!("2024-01-{:02} {:02}:00:00", 1 + i / 24, i % 24);
    assert!(written(&hour).is_ok());
    let refused = written(&|i| if i == 7 { String::new() } else { hour(i) });
    let said = refused.err().unwrap().to_string();
    assert!(said.contains("which is no time"), "{said}");
    // What holds no times at all is only called as times are.
    assert!(written(&|i| format!("round {i}")).is_ok());
}

#[test]
fn a_gap_in_time_ends_a_window_and_a_dead_column_is_said() {
    let folder = tempfile::tempdir().unwrap();
    // Every hour, and after row 50 thirty hours pass.
    let stamp = |hour: usize| {
        format!(
            "2024-{:02}-{:02} {:02}:00:00",
            1 + hour / 672,
            1 + hour / 24 % 28,
            hour % 24
        )
    };
    let row = |i: usize| {
        let hour = if i < 50 { i } else { i + 29 };
        format!("{},{},{},7,\n", stamp(hour), i * 17 % 101, i * i % 53)
    };
    let table: String = (0..100).map(row).collect();
    fs::write(
        folder.path().join("t.csv"),
        format!("timestamp,a,b,still,never\n{table}"),
    )
    .unwrap();
    let keys = [("file", text("t.csv")), ("steps", Raw::Whole(4))];
    let data = load(&datasets::windows::PART, &keys, folder.path()).unwrap();
    assert_eq!(
        fitted(&data).variables().join(" "),
        "a b still never",
        "time is no variable"
    );
    let starts: Vec<usize> = data
        .fit()
        .unwrap()
        .items()
        .ids()
        .iter()
        .chain(data.test().items().ids().iter())
        .map(|id| id.trim_start_matches("row-").parse().unwrap())
        .collect();
    assert!(
        starts.iter().all(|start| !(47..50).contains(start)),
        "a window crosses the gap: {starts:?}"
    );
    let said = data.remarks().join("; ");
    for words in [
        "by `timestamp`, more than a usual step of 3600 passes once, before row 50",
        "`still` is constant",
        "`never` is never seen",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Who says that it is a variable has it as one.
    fs::write(
        folder.path().join("n.csv"),
        format!(
            "time,a\n{}",
            (0..60)
                .map(|i| format!("{i},{}\n", i * 7 % 13))
                .collect::<String>()
        ),
    )
    .unwrap();
    let named = [
        ("file", text("n.csv")),
        ("steps", Raw::Whole(4)),
        ("variables", Raw::List(vec![text("time"), text("a")])),
    ];
    let data = load(&datasets::windows::PART, &named, folder.path()).unwrap();
    assert_eq!(fitted(&data).variables().join(" "), "time a");
    let some = [
        ("file", text("t.csv")),
        ("steps", Raw::Whole(4)),
        ("variables", Raw::List(vec![text("a"), text("b")])),
    ];
    let data = load(&datasets::windows::PART, &some, folder.path()).unwrap();
    let said = data.remarks().join("; ");
    assert!(
        said.contains("the columns `still`, `never` are not read"),
        "{said}"
    );
    fs::write(
        folder.path().join("soon.csv"),
        "time,a,b\nsoon,1,2\nlater,2,3\n",
    )
    .unwrap();
    let why = load(
        &datasets::windows::PART,
        &[("file", text("soon.csv"))],
        folder.path(),
    )
    .unwrap_err()
    .to_string();
    assert!(
        why.contains("soon.csv:2") && why.contains("which is no time"),
        "{why}"
    );
}
