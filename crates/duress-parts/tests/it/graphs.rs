//! Graphs from files that people have: lists of edges and tables of who acts on whom, in every
//! format, and what is wrong with them.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::fs;
use std::path::Path;

use duress_core::answer::{Answers, GraphAnswer};
use duress_core::data::{Inputs, Items, Windows};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Raw};
use duress_core::place::Under;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, SubjectPart};
use duress_parts::shared::subjects;

/// The graph over rain, wet and slip that a file holds, as the part `recorded` answers it.
fn read(file: &Path) -> Result<GraphAnswer, Problem> {
    let Build::Subject(build) = subjects::recorded::PART.build else {
        panic!("a subject")
    };
    let name = file.file_name().unwrap().to_string_lossy();
    let keys = [
        ("files", Raw::Text(name.into())),
        ("form", Raw::Text("graph".into())),
    ];
    let params = Params::of(&subjects::recorded::PART, &keys, file.parent().unwrap()).unwrap();
    let SubjectPart::Recorded(recording) = build(&params).unwrap() else {
        panic!("recorded")
    };
    assert_eq!(recording.answers(), [Question::Graph]);
    let names = ["rain", "wet", "slip"].map(String::from).to_vec();
    let windows = Windows::new(names, 1, vec![0], vec![0.0; 3]).unwrap();
    let items = Items::new(vec!["w".into()], Inputs::Windows(windows)).unwrap();
    let at = Circumstances {
        subject: Name::new("net").unwrap(),
        seed: 1,
        under: Under::Clean,
        variant: None,
    };
    match recording.look_up(&at, recording.answers()[0], &items)? {
        Answers::Graph(answer) => Ok(answer),
        other => panic!("{other:?}"),
    }
}

fn written(name: &str, content: &str) -> Result<GraphAnswer, Problem> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    read(&folder.path().join(name))
}

fn fixture(name: &str) -> Result<GraphAnswer, Problem> {
    read(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../duress-tables/tests/fixtures")
            .join(name),
    )
}

/// rain → wet with a weight of 0.5, wet → slip with −2.
fn check(found: Result<GraphAnswer, Problem>, weighted: bool) {
    let found = found.unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(found.graph.edges(), [(0, 1), (1, 2)]);
    let expected = if weighted { (0.5, 2.0) } else { (1.0, 1.0) };
    assert_eq!((found.scores[1], found.scores[5]), expected);
    assert_eq!(found.scores.iter().filter(|score| **score > 0.0).count(), 2);
}

#[test]
fn the_same_graph_comes_from_every_format() {
    for name in [
        "graph_list.parquet",
        "graph_table.parquet",
        "graph.npy",
        "graph.npz",
    ] {
        check(fixture(name), true);
    }
    check(
        written("g.csv", "from,to,weight\nrain,wet,0.5\nwet,slip,-2\n"),
        true,
    );
    check(written("g.csv", "Cause,Effect\nrain,1\n1,slip\n"), false);
    // What a variable remembers of itself is no edge.
    check(
        written("g.csv", "rain,wet,slip\n0.9,0.5,0\n0,0,-2\n0,0,0.3\n"),
        true,
    );
    check(
        written(
            "g.jsonl",
            "{\"from\":\"rain\",\"to\":\"wet\"}\n{\"from\":\"wet\",\"to\":\"slip\"}\n",
        ),
        false,
    );
}

#[test]
fn a_list_without_an_edge_is_a_graph_without_edges() {
    for found in [written("g.csv", "from,to\n"), fixture("graph_none.parquet")] {
        assert!(found.unwrap().graph.edges().is_empty());
    }
    let zeros = written("g.csv", "rain,wet,slip\n0,0,0\n0,0,0\n0,0,0\n");
    assert!(zeros.unwrap().graph.edges().is_empty());
}

#[test]
fn what_is_no_graph_of_these_variables_is_said_with_its_line() {
    let check = |content: &str, expected: &str| {
        let problem = written("g.csv", content).unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    check(
        "from,to\nrain,wet\nrain,slipp\n",
        "g.csv:3: `to` is \"slipp\", which is none of the variables (did you mean `slip`?)",
    );
    check("from,to\nwet,wet\n", "g.csv:2: `wet` acts on itself");
    check("from,to\nwet,3\n", "`to` is \"3\"");
    check(
        "a,b\nrain,wet\n",
        "there is no graph among the columns a, b",
    );
    check(
        "rain,wet,slip\n0,1,0\n",
        "1 rows of 3 columns; expected 3 of 3",
    );
    check("from,to,score\nrain,wet,inf\n", "inf");
    check("", "the file is empty");
}
