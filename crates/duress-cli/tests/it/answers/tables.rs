//! Tables through the command: hostile ones do not break it, and what is doubtful is remarked on.
//! What tables read is tested where they are read.

use duress_tables::testkit::{is_second, second, table};

use crate::harness::TestFolder;

#[test]
fn hostile_tables_are_refused_or_read_and_never_break_the_command() {
    let folder = TestFolder::new();
    let run = |text: &str, args: &[&str]| {
        folder.write("t.csv", text);
        folder.duress(&[&["gauge", "t.csv", "--no-intervals"], args].concat())
    };
    let refused = |text: &str, expected: &str| {
        let (code, _, wrong) = run(text, &[]);
        assert!(
            code == 2 && wrong.contains(expected),
            "{expected} in {wrong}"
        );
    };
    let read = |text: &str, expected: &str| {
        let (code, said, wrong) = run(text, &[]);
        assert_eq!(code, 0, "{wrong}");
        assert!(said.contains(expected), "{expected} in {said}");
    };
    refused("", "the file is empty");
    refused("a,b,label\n", "there is no row");
    refused("a,b,label\nNaN,1,a\n0.5,0.5,b\n", "t.csv:2");
    refused("a,b,label\n-0.1,1.1,a\n0.5,0.5,b\n", "t.csv:2");
    refused(
        "id,a,b,label\nx,0.5,0.5,a\nx,0.5,0.5,b\n",
        "\"x\" is there twice",
    );
    refused("a,b,label\n0.5,0.5,a\n0.5,0.5,7\n", "t.csv:3");
    refused(
        "a,b,label\n0.5,0.5,0\n0.5,0.5,99999999999999999999\n",
        "t.csv:3",
    );
    refused("a,b,label\n0.5,0.5,a\n0.5,0.5,1\n", "t.csv:3");
    read("a,b,label\n0.3,0.7,b\n", "1 item");
    read("a,b,label\n0.3,0.7,b\n0.4,0.6,b\n", "undefined");
    read(
        "\u{feff}a,b,label\r\n0.3,0.7,b\r\n0.9,0.1,a\r\n",
        "accuracy",
    );
    // As many classes as nobody has, two items.
    let names: Vec<String> = (0..100_000).map(|class| format!("c{class}")).collect();
    let row = |at: usize| {
        let mut row = vec!["0"; 100_000];
        row[at] = "1";
        format!("{},c{at}", row.join(","))
    };
    read(
        &format!("{},label\n{}\n{}\n", names.join(","), row(3), row(99_999)),
        "100000 in all",
    );
}

#[test]
fn accuracy_clearly_below_chance_is_remarked_on() {
    let folder = TestFolder::new();
    let rows = |swapped: bool| {
        table(
            "id,no,yes,label",
            (0..40).map(move |i| {
                let p = if swapped { 1.0 - second(i) } else { second(i) };
                format!(
                    "i{i},{},{p},{}",
                    1.0 - p,
                    if is_second(i) { "yes" } else { "no" }
                )
            }),
        )
    };
    for (swapped, file) in [(true, "swapped.csv"), (false, "right.csv")] {
        folder.write(file, rows(swapped));
        let (code, said, _) = folder.duress(&["gauge", file]);
        assert_eq!(code, 0);
        assert_eq!(said.contains("less often than chance"), swapped, "{said}");
        let study = format!("{file}.toml");
        folder.duress(&["init", file, "--out", &study]);
        let said = folder.done(&["run", &study, "--out", file.trim_end_matches(".csv")]);
        assert_eq!(said.contains("less often than chance"), swapped, "{said}");
    }
}
