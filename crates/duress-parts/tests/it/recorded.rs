//! Labels and recorded answers from files: what other software wrote reads back the same, and what
//! is wrong is said with its place.

#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Dataset, Inputs, Items, Source};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, PartKind, Raw};
use duress_core::place::Under;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::Stressor;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::testkit;
use duress_core::truth::Truth;
use duress_parts::classify::datasets;
use duress_parts::registry::Registry;
use duress_parts::shared::{stressors, subjects};
use duress_tables::testkit::{npy, npy_of_numbers, npz};

use crate::built::clean;

// ----------------------------------------------------------------------------------------------------------------
// helpers

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn list(words: &[&str]) -> Raw {
    Raw::List(words.iter().map(|word| text(word)).collect())
}

fn params(part: &'static Part, pairs: &[(&str, Raw)], folder: &Path) -> Params {
    Params::of(part, pairs, folder).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// What `labelled` builds, and is held to the rules of a source.
const DATASET: &Part = &datasets::labelled::PART;

/// What `recording` builds, and is held to the rules of a recording.
const SUBJECT: &Part = &subjects::recorded::PART;

fn recording(pairs: &[(&str, Raw)], folder: &Path) -> Result<Box<dyn Recording>, Problem> {
    let Build::Subject(build) = SUBJECT.build else {
        panic!("recorded is a subject")
    };
    match build(&params(SUBJECT, pairs, folder))? {
        SubjectPart::Recorded(recording) => Ok(recording),
        SubjectPart::Live(_) => panic!("recorded answers are not live"),
    }
}

fn labelled(pairs: &[(&str, Raw)], folder: &Path) -> Result<Box<dyn Source>, Problem> {
    let Build::Dataset(build) = DATASET.build else {
        panic!("labelled is a dataset")
    };
    build(&params(DATASET, pairs, folder))
}

fn load(pairs: &[(&str, Raw)], folder: &Path) -> Result<Dataset, Problem> {
    labelled(pairs, folder)?.load(Seed::new(1))
}

fn stressed(severity: &str) -> Circumstances {
    let (ladder, severity) = (
        Name::new("pgd").unwrap(),
        Severity::parse(severity).unwrap(),
    );
    Circumstances {
        under: Under::Rung { ladder, severity },
        ..clean()
    }
}

fn items(ids: &[&str]) -> Items {
    Items::new(
        ids.iter().map(|id| (*id).into()).collect(),
        Inputs::Unseen(ids.len()),
    )
    .unwrap()
}

/// The answers about `ids` in a file of this name and content, read with these keys.
fn answers(
    name: &str,
    content: &[u8],
    keys: &[(&str, Raw)],
    ids: &[&str],
) -> Result<ClassAnswers, Problem> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    let mut pairs = vec![("files", text(name))];
    pairs.extend_from_slice(keys);
    let answers =
        recording(&pairs, folder.path())?.look_up(&clean(), Question::Classes, &items(ids))?;
    assert_eq!(
        answers.validate(ids.len()),
        Ok(()),
        "what is handed on must make sense"
    );
    match answers {
        Answers::Classes(answers) => Ok(answers),
        other => panic!("{:?} were not asked for", other.question()),
    }
}

fn labels_in(content: &str, keys: &[(&str, Raw)]) -> Result<Dataset, Problem> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("labels.csv"), content).unwrap();
    let mut pairs = vec![("file", text("labels.csv"))];
    pairs.extend_from_slice(keys);
    load(&pairs, folder.path())
}

fn truth(dataset: &Dataset) -> (Vec<String>, Vec<u32>) {
    match dataset.test().truth().for_the_ledger() {
        Truth::Labels(labels) => (labels.classes().to_vec(), labels.of().to_vec()),
        other => panic!("{} were not asked for", other.kind()),
    }
}

/// The problem without the folder, which is another one in every run.
fn said(problem: &Problem) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_owned();
    Problem {
        file: problem.file.as_ref().map(|path| name(path).into()),
        ..problem.clone()
    }
    .to_string()
}

fn refused<T>(result: Result<T, Problem>, expected: &str) {
    let problem = result
        .err()
        .unwrap_or_else(|| panic!("this must be refused: {expected}"));
    assert!(
        said(&problem).contains(expected),
        "found    {}\nexpected {expected}",
        said(&problem)
    );
}

// -------------------------------------------------------------------------------------------------
// what others have written

const CLASSES: [&str; 3] = ["cat", "dog", "猫"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../duress-tables/tests/fixtures")
        .join(name)
}

/// The same quotients as in peers/files/run.py.
fn probabilities() -> Vec<f64> {
    let row = |i: u32| {
        let weights = [1 + (7 * i) % 11, 1 + (5 * i) % 13, 1 + (3 * i) % 7].map(f64::from);
        weights.map(|weight| weight / weights.iter().sum::<f64>())
    };
    (0..40).flat_map(row).collect()
}

fn forty() -> Items {
    let ids: Vec<String> = (0..40).map(|i| format!("item-{i}")).collect();
    Items::new(ids, Inputs::Unseen(40)).unwrap()
}

fn fixture_answers(name: &str, keys: &[(&str, Raw)]) -> Result<ClassAnswers, Problem> {
    let path = fixture(name);
    let mut pairs = vec![("files", text(path.to_str().unwrap()))];
    pairs.extend_from_slice(keys);
    match recording(&pairs, Path::new(""))?.look_up(&clean(), Question::Classes, &forty())? {
        Answers::Classes(answers) => Ok(answers),
        other => panic!("{:?} were not asked for", other.question()),
    }
}

/// Two rows of probabilities beside the names of their columns.
fn npz_with_classes(names: [&str; 2]) -> Vec<u8> {
    let letters: Vec<u8> = names
        .iter()
        .flat_map(|name| (name.chars().next().unwrap() as u32).to_le_bytes())
        .collect();
    npz(&[
        ("probs", npy_of_numbers(&[2, 2], &[0.9, 0.1, 0.2, 0.8])),
        ("classes", npy("<U1", &[2], &letters)),
    ])
}

#[test]
fn names_beside_an_array_are_those_of_its_columns() {
    let file = npz_with_classes(["b", "a"]);
    let found = answers("p.npz", &file, &[], &["0", "1"]).unwrap();
    assert_eq!(found.classes(), ["b", "a"]);
    let stated =
        |classes: &[&str]| answers("p.npz", &file, &[("classes", list(classes))], &["0", "1"]);
    assert_eq!(stated(&["b", "a"]).unwrap().classes(), ["b", "a"]);
    let wrong = stated(&["a", "b"]).unwrap_err().to_string();
    assert!(
        wrong.contains("the file says that its classes are b, a") && wrong.contains("a, b"),
        "{wrong}"
    );
}

#[test]
fn what_numpy_pandas_and_pyarrow_wrote_reads_back_bit_for_bit() {
    let named = ("classes", list(&CLASSES));
    let check = |name: &str, keys: &[(&str, Raw)]| {
        let answers =
            fixture_answers(name, keys).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(
            answers.said(),
            &Said::Probabilities(probabilities()),
            "{name}"
        );
        assert_eq!(answers.classes(), CLASSES, "{name}");
    };
    for name in [
        "stored.npz",
        "deflated.npz",
        "fortran.npz",
        "big_endian.npz",
        "list.parquet",
    ] {
        check(name, std::slice::from_ref(&named));
    }
    for name in ["lone.npy", "version_2.npy", "version_3.npy"] {
        check(name, std::slice::from_ref(&named));
    }
    for name in [
        "pandas.csv",
        "pandas_index.csv",
        "snappy.parquet",
        "zstd.parquet",
        "gzip.parquet",
        "lz4.parquet",
    ] {
        check(name, &[]);
    }
    for name in ["none.parquet", "plain_v2.parquet"] {
        check(name, &[]);
    }
}

#[test]
fn shorter_floats_are_widened_and_nothing_else() {
    let check = |name: &str, narrow: fn(f64) -> f64, apart: f64| {
        let Said::Probabilities(found) = fixture_answers(name, &[]).unwrap().said().clone() else {
            panic!("{name} holds probabilities")
        };
        for (found, exact) in found.iter().zip(probabilities()) {
            assert!(
                (found - narrow(exact)).abs() <= apart,
                "{name}: {found} for {exact}"
            );
        }
    };
    check("single.npz", |x| f64::from(x as f32), 0.0);
    check("half.npz", |x| x, 2.0_f64.powi(-12));
}

#[test]
fn logits_are_told_from_probabilities() {
    let answers = fixture_answers("logits.npz", &[]).unwrap();
    assert!(matches!(answers.said(), Said::Logits(_)));
    assert_eq!(answers.classes(), ["0", "1", "2"]);
    let csv = |form: &str| {
        let content = b"id,a,b\nx,2.5,-1\ny,0.1,3\n";
        answers_form(answers_of(content, form))
    };
    assert_eq!([csv("auto"), csv("logits")], ["logits", "logits"]);
    assert_eq!(
        answers_form(answers_of(b"id,a,b\nx,0.5,0.5\ny,0,1\n", "auto")),
        "probabilities"
    );
    assert_eq!(
        answers_form(answers_of(b"id,a,b\nx,0.5,0.5\ny,0,1\n", "logits")),
        "logits"
    );
}

#[test]
fn one_column_is_logits_when_many_are_beyond_0_and_1_and_refused_when_hardly_any_is() {
    let ids: Vec<String> = (0..200).map(|i| format!("i{i}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let read = |beyond: usize, form: &str| {
        let score = |i: usize| {
            if i == 101 && beyond > 20 {
                // Logits have both signs; what has not may be percentages.
                -1.5
            } else if (100..100 + beyond).contains(&i) {
                1.5
            } else {
                i as f64 / 200.0
            }
        };
        let rows: String = ids
            .iter()
            .enumerate()
            .map(|(i, id)| format!("{id},{}\n", score(i)))
            .collect();
        let content = format!("id,score\n{rows}");
        answers("p.csv", content.as_bytes(), &[("form", text(form))], &ids)
    };
    let form_of = |beyond, form: &str| answers_form(read(beyond, form).unwrap());
    assert_eq!(
        [form_of(0, "auto"), form_of(21, "auto")],
        ["probabilities", "logits"]
    );
    for beyond in [1, 20] {
        let inside = 200 - beyond;
        refused(
            read(beyond, "auto"),
            &format!(
                "p.csv:102: `score` is 1.5, and {inside} of 200 are from 0 to 1; expected a probability from 0 to 1 \
                 (if it is a logit, say `form = \"logits\"`)"
            ),
        );
        assert_eq!(form_of(beyond, "logits"), "logits");
    }
    refused(
        read(100, "probabilities"),
        "p.csv:102: `score` is 1.5; expected a probability from 0 to 1",
    );
}

#[test]
fn columns_are_classes_in_the_order_named_whatever_their_order_in_the_file() {
    let named = ["猫", "cat", "dog"];
    for name in [
        "pandas.csv",
        "pandas.xlsx",
        "snappy.parquet",
        "none.parquet",
        "plain_v2.parquet",
    ] {
        let answers = fixture_answers(name, &[("classes", list(&named))]).unwrap();
        assert_eq!(answers.classes(), named, "{name}");
        let expected: Vec<f64> = probabilities()
            .chunks(3)
            .flat_map(|p| [p[2], p[0], p[1]])
            .collect();
        let Said::Probabilities(found) = answers.said() else {
            panic!("{name} has probabilities")
        };
        let close = found
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close && found.len() == expected.len(), "{name}");
    }
}

#[test]
fn a_column_that_would_be_two_things_is_refused() {
    let check = |content: &[u8], keys: &[(&str, Raw)], expected: &str| {
        refused(answers("p.csv", content, keys, &["1", "2"]), expected);
    };
    let classes = ("classes", list(&["id", "b"]));
    check(
        b"id,b\n1,0\n2,1\n",
        &[classes],
        "p.csv: `id` would be read in two ways",
    );
    let scores = ("scores", list(&["b"]));
    let classes = ("classes", list(&["a", "b"]));
    check(
        b"id,a,b\n1,0,1\n2,1,0\n",
        &[classes, scores],
        "p.csv: `b` would be read in two ways",
    );
}

#[test]
fn a_list_that_is_no_answer_does_not_hide_the_columns_that_are() {
    let path = fixture("with_embedding.parquet");
    let keys = [("files", text(path.to_str().unwrap()))];
    let found = recording(&keys, Path::new(""))
        .unwrap()
        .look_up(&clean(), Question::Classes, &forty())
        .unwrap();
    let Answers::Classes(found) = found else {
        panic!("classes were asked for")
    };
    assert_eq!(found.classes(), CLASSES);
}

fn answers_of(content: &[u8], form: &str) -> ClassAnswers {
    answers("p.csv", content, &[("form", text(form))], &["x", "y"]).unwrap()
}

fn answers_form(answers: ClassAnswers) -> &'static str {
    match answers.said() {
        Said::Probabilities(_) => "probabilities",
        Said::Logits(_) => "logits",
        Said::Labels { .. } => "labels",
    }
}

pub(crate) fn checked() -> Vec<&'static Part> {
    vec![DATASET, SUBJECT]
}

#[test]
fn recorded_answers_keep_the_rules_of_a_recording() {
    for name in ["deflated.npz", "pandas.csv", "snappy.parquet"] {
        let file = fixture(name);
        let keys = [
            ("files", text(file.to_str().unwrap())),
            ("classes", list(&CLASSES)),
        ];
        let recording = recording(&keys, Path::new("")).unwrap();
        testkit::check_recording(recording.as_ref(), &clean(), &forty());
    }
}

#[test]
fn true_labels_are_read_from_every_kind_of_file() {
    for name in [
        "deflated.npz",
        "pandas.csv",
        "snappy.parquet",
        "plain_v2.parquet",
    ] {
        let file = fixture(name);
        let keys = [
            ("file", text(file.to_str().unwrap())),
            ("classes", list(&CLASSES)),
        ];
        let source = labelled(&keys, Path::new("")).unwrap();
        testkit::check_source(source.as_ref());
        let dataset = source.load(Seed::new(1)).unwrap();
        assert_eq!(dataset.test().items(), &forty(), "{name}");
        let likeliest: Vec<u32> = probabilities()
            .chunks(3)
            .map(|row| {
                (0..3).fold(
                    0,
                    |best, class| if row[class] > row[best] { class } else { best },
                ) as u32
            })
            .collect();
        assert_eq!(truth(&dataset).1, likeliest, "{name}");
    }
}

// -----------------------------------------------------------------------------------------------------
// how rows meet items

#[test]
fn rows_are_matched_by_id_in_any_order_and_missing_ones_are_absent_with_a_reason() {
    let answers = answers(
        "p.csv",
        b"a,id,b\n0.9,y,0.1\n0.2,x,0.8\n",
        &[],
        &["x", "y", "z"],
    )
    .unwrap();
    assert_eq!(answers.classes(), ["a", "b"]);
    assert_eq!(
        [answers.probability(0, 0), answers.probability(1, 0)],
        [Some(0.2), Some(0.9)]
    );
    assert_eq!(
        answers.absent()[&2].why,
        "there is no row with its id in p.csv"
    );
    assert_eq!(answers.label(2), None);
}

#[test]
fn without_ids_rows_are_matched_by_position() {
    let content = b"a,b\n0.9,0.1\n0.2,0.8\n";
    let by_position = answers("p.csv", content, &[], &["x", "y"]).unwrap();
    assert_eq!(by_position.label(1), Some(1));
    refused(
        answers("p.csv", content, &[], &["x"]),
        "p.csv: there are 2 rows for 1 items",
    );
}

#[test]
fn classes_come_from_the_study_or_from_the_columns() {
    let content = b",id,p_b,p_a,label,extra\n0,x,0.9,0.1,a,7\n";
    let with = |keys: &[(&str, Raw)]| answers("p.csv", content, keys, &["x"]);
    let prefix = ("prefix", text("p_"));
    assert_eq!(
        with(std::slice::from_ref(&prefix)).unwrap().classes(),
        ["b", "a"]
    );
    let turned = with(&[prefix, ("classes", list(&["a", "b"]))]).unwrap();
    assert_eq!(
        (turned.classes(), turned.label(0)),
        (["a".into(), "b".into()].as_slice(), Some(1))
    );
    let ignored = with(&[("ignore", list(&["label", "extra"]))]).unwrap();
    assert_eq!(ignored.classes(), ["p_b", "p_a"]);
    refused(
        with(&[("classes", list(&["p_a", "p_c"]))]),
        "there is no column `p_c` (did you mean",
    );
}

#[test]
fn labels_with_confidence_are_a_form_of_their_own() {
    let content = b"id,label,prediction,confidence\ny,a,b,0.75\nx,a,a,1\n";
    let classes = ("classes", list(&["a", "b"]));
    let found = answers(
        "p.csv",
        content,
        std::slice::from_ref(&classes),
        &["x", "y"],
    )
    .unwrap();
    assert_eq!(
        found.said(),
        &Said::Labels {
            label: vec![0, 1],
            confidence: Some(vec![1.0, 0.75])
        }
    );
    let numbered = b"id,said\nx,1\ny,0\n";
    let found = answers(
        "p.csv",
        numbered,
        &[classes, ("prediction", text("said"))],
        &["x", "y"],
    )
    .unwrap();
    assert_eq!(
        found.said(),
        &Said::Labels {
            label: vec![1, 0],
            confidence: None
        }
    );
    refused(
        answers("p.csv", content, &[], &["x", "y"]),
        "nothing says which classes there are",
    );
}

#[test]
fn the_path_is_made_from_the_circumstances() {
    let folder = tempfile::tempdir().unwrap();
    let keys = [(
        "files",
        text("p/{subject}_seed{seed}_{ladder}_{severity}.csv"),
    )];
    let check = |keys: &[(&str, Raw)], at: &Circumstances, name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "id,a,b\nx,1,0\n").unwrap();
        let recording = recording(keys, folder.path()).unwrap();
        assert_eq!(recording.sources(at).unwrap(), [path]);
        recording
            .look_up(at, recording.answers()[0], &items(&["x"]))
            .unwrap();
    };
    check(&keys, &clean(), "p/net_seed42_clean_0.csv");
    check(&keys, &stressed("8/255"), "p/net_seed42_pgd_8-255.csv");
    let apart = [keys[0].clone(), ("clean", text("p/{subject}.csv"))];
    check(&apart, &clean(), "p/net.csv");
    check(&apart, &stressed("0.50"), "p/net_seed42_pgd_0.50.csv");
}

#[test]
fn a_missing_file_is_named_with_what_made_its_name_and_what_is_there_instead() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "net_41_pgd_8-255.csv",
        "net_42_fgsm_8-255.csv",
        "readme.txt",
    ] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let look = |files: &str, at: Circumstances| {
        recording(&[("files", text(files))], folder.path())?.sources(&at)
    };
    refused(
        look(
            "{subject}_{seed}_{ladder}_{severity}.csv",
            stressed("8/255"),
        ),
        "net_42_pgd_8-255.csv: there is no such file; expected a file where \
         `files = \"{subject}_{seed}_{ladder}_{severity}.csv\"` with subject = net, seed = 42, ladder = pgd, \
         severity = 8/255 leads (there is: net_41_pgd_8-255.csv, net_42_fgsm_8-255.csv, readme.txt)",
    );
    refused(look("gone/{seed}.csv", clean()), "there is no folder");
    refused(look("{sead}.csv", clean()), "did you mean `seed`?");
    refused(
        look("{subject}.csv", stressed("1")),
        "leads to the same file with and without stress",
    );
}

// ----------------------------------------------------------------------------------------------------------
// what is refused

#[test]
fn bad_answers_are_refused_with_file_and_line() {
    let check = |content: &[u8], expected: &str| {
        refused(answers("p.csv", content, &[], &["x", "y"]), expected)
    };
    check(b"", "p.csv: the file is empty; expected a header");
    check(b"id,a,b\n", "p.csv: there is no row");
    check(
        b"id,a,b\nx,1,0\ny,1\n",
        "p.csv:3: the row has 2 fields; expected 3 fields, as in the header",
    );
    check(
        b"id,a,b\nx,0.5,0.5\n\ny,0.5,0.2\n",
        "p.csv:4: the probabilities 0.5, 0.2 sum to 0.7",
    );
    check(
        b"id,a,b\nx,0.5,0.5\ny,1.5,-0.5\n",
        "p.csv:3: the probabilities 1.5, -0.5 sum to 1;",
    );
    check(
        b"id,a,b\nx,0.5,0.5\ny,nan,0.5\n",
        "p.csv:3: `a` is NaN; expected a finite number",
    );
    check(
        b"id,a,b\nx,0.5,0.5\ny,inf,0.5\n",
        "p.csv:3: `a` is inf; expected a finite number",
    );
    check(
        b"id,a,b\nx,0.5,0.5\ny,,0.5\n",
        "p.csv:3: `a` is empty; expected a number",
    );
    check(
        b"id,a,b\nx,0.5,0.5\ny,n/a,0.5\n",
        "p.csv:3: `a` is \"n/a\"; expected a number",
    );
    check(
        b"id,a,b\nx,1,0\nx,1,0\n",
        "p.csv:3: the id \"x\" is there twice, first in line 2",
    );
    check(
        b"id,a,b\nx,1,0\nz,1,0\n",
        "p.csv:3: the id \"z\" is not in the dataset",
    );
    check(
        b"id,a,b\nx,1,0\n\xff\xfe,1,0\n",
        "p.csv:3: the line is not UTF-8",
    );
    check(
        b"id,a\nx,1\ny,1\n",
        "p.csv: there are no answers among the columns id, a",
    );
}

#[test]
fn bad_predictions_are_refused_with_file_and_line() {
    let check = |content: &[u8], expected: &str| {
        let keys = [("classes", list(&["cat", "dog"])), ("form", text("labels"))];
        refused(answers("p.csv", content, &keys, &["x", "y"]), expected);
    };
    check(
        b"id,prediction\nx,cat\ny,dgo\n",
        "p.csv:3: `prediction` is \"dgo\", which is none of the classes",
    );
    check(
        b"id,prediction\nx,0\ny,2\n",
        "p.csv:3: `prediction` is \"2\", which is none of the classes",
    );
    check(
        b"id,prediction\nx,0\ny,2\n",
        "(labels are names of classes, or all of them positions from 0 to 1)",
    );
    check(
        b"id,prediction\nx,1.0\ny,0\n",
        "is \"1.0\", which is none of the classes; expected one of cat, dog",
    );
    check(
        b"id,prediction\nx,1.0\ny,0\n",
        "(a whole number is written without a point: 1)",
    );
    check(
        b"id,prediction,confidence\nx,cat,1\ny,cat,1.2\n",
        "p.csv:3: `confidence` is 1.2; expected a confidence",
    );
    check(
        b"id,predicton\nx,cat\n",
        "p.csv: there is no column `prediction` (did you mean `predicton`?)",
    );
}

#[test]
fn bad_labels_are_refused_with_file_and_line() {
    let check = |content: &str, keys: &[(&str, Raw)], expected: &str| {
        refused(labels_in(content, keys), expected)
    };
    let classes = ("classes", list(&["cat", "dog"]));
    check("", &[], "labels.csv: the file is empty");
    check("id,label\n", &[], "labels.csv: there is no row");
    check(
        "id,lable\nx,cat\n",
        &[],
        "labels.csv: there is no column `label`",
    );
    check(
        "id,y\nx,cat\n",
        &[("label", text("z"))],
        "labels.csv: there is no column `z`",
    );
    check(
        "id,label\nx,cat\ny,bird\n",
        &[classes],
        "labels.csv:3: `label` is \"bird\", which is none of the classes",
    );
    check(
        "id,label\nx,cat\nx,cat\n",
        &[],
        "labels.csv:3: the id \"x\" is there twice, first in line 2",
    );
    check(
        "id,label\nx,cat\n",
        &[("columns", list(&["site"]))],
        "labels.csv: there is no column `site`",
    );
    check(
        "id,label\nx,cat\n",
        &[("prefix", text("p_"))],
        "labels.csv: no column begins with `p_`",
    );
    check(
        "id,label\nx,cat\n",
        &[("classes", list(&["a", "a"]))],
        "`classes` has \"a\" twice",
    );
}

#[test]
fn what_is_no_file_of_its_kind_is_refused() {
    let check = |name: &str, content: &[u8], expected: &str| {
        refused(answers(name, content, &[], &["x"]), expected);
    };
    check("p.npz", b"", "p.npz: the file is empty");
    check(
        "p.npz",
        b"id,a,b\nx,1,0\n",
        "p.npz: this is neither an npz nor an npy file",
    );
    check(
        "p.npz",
        b"PK\x03\x04 and no more",
        "p.npz: this is not a whole npz file",
    );
    check(
        "p.parquet",
        b"id,a,b\nx,1,0\n",
        "p.parquet: this is not a whole Parquet file",
    );
    check(
        "p.parquet",
        b"",
        "p.parquet: this is not a whole Parquet file",
    );
    check(
        "p.csv",
        b"PAR1\x15\x04\x15\xff\xff",
        "p.csv:1: the line is not UTF-8",
    );
    check(
        "p.xyz",
        b"",
        "p.xyz: the ending of the name does not say what kind of table it is",
    );
    for name in ["snappy.parquet", "deflated.npz", "lone.npy"] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let cut = &whole[..whole.len() * 2 / 3];
        check(
            name,
            cut,
            if name == "lone.npy" {
                "lone.npy: the file is damaged"
            } else {
                ": this is not a whole"
            },
        );
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("p.csv")).unwrap();
    let keys = [("files", text("p.csv"))];
    let look = recording(&keys, folder.path()).unwrap().look_up(
        &clean(),
        Question::Classes,
        &items(&["x"]),
    );
    refused(look, "p.csv: this is a folder, not a file");
}

#[test]
fn arrays_and_lists_that_do_not_fit_are_refused() {
    let check = |name: &str, keys: &[(&str, Raw)], expected: &str| {
        refused(fixture_answers(name, keys), expected)
    };
    check(
        "objects.npz",
        &[],
        "objects.npz: array `ids`: its values are of type `|O`",
    );
    check(
        "null.parquet",
        &[],
        "null.parquet: row 7 (counted from 0): `cat` is null",
    );
    check(
        "ragged_list.parquet",
        &[],
        "row 5 (counted from 0): `probs` holds 2 values; expected 3, as in the first row",
    );
    check(
        "stored.npz",
        &[("classes", list(&["a", "b"]))],
        "`probs` has 3 numbers in a row; expected 2, one for each",
    );
    check(
        "list.parquet",
        &[("values", text("single"))],
        "`single` has one number in a row; expected one per class",
    );
    check(
        "stored.npz",
        &[("values", text("prob"))],
        "there is no column `prob` (did you mean `probs`?)",
    );
}

// -------------------------------------------------------------------------------------------------------------------
// labels

#[test]
fn classes_are_named_found_or_taken_from_the_header() {
    let check = |content: &str, keys: &[(&str, Raw)], classes: &[&str], of: &[u32]| {
        let (found, labels) = truth(&labels_in(content, keys).unwrap());
        assert_eq!(
            (found.as_slice(), labels.as_slice()),
            (classes.map_strings().as_slice(), of),
            "{content}"
        );
    };
    check("label\ndog\ncat\n", &[], &["cat", "dog"], &[1, 0]);
    check("label\n10\n9\n", &[], &["9", "10"], &[1, 0]);
    check(
        "label\ndog\ncat\n",
        &[("classes", list(&["dog", "cat"]))],
        &["dog", "cat"],
        &[0, 1],
    );
    check(
        "label\n1\n0\n",
        &[("classes", list(&["dog", "cat"]))],
        &["dog", "cat"],
        &[1, 0],
    );
    check(
        "label,p_b,p_a\na,0,1\n",
        &[("prefix", text("p_"))],
        &["b", "a"],
        &[1],
    );
}

trait MapStrings {
    fn map_strings(&self) -> Vec<String>;
}

impl MapStrings for [&str] {
    fn map_strings(&self) -> Vec<String> {
        self.iter().map(|text| (*text).into()).collect()
    }
}

#[test]
fn items_have_ids_or_row_numbers_and_columns_to_slice_by() {
    let content = "name,label,site\nx,a,1\ny,b,\n";
    let dataset = labels_in(
        content,
        &[("id", text("name")), ("columns", list(&["site"]))],
    )
    .unwrap();
    assert_eq!(dataset.test().items().ids(), ["x", "y"]);
    assert_eq!(dataset.test().columns()["site"], ["1", ""]);
    assert!(dataset.remarks().is_empty());
    assert_eq!(
        labels_in(content, &[]).unwrap().test().items().ids(),
        ["0", "1"]
    );
    let numbered = labels_in("label\n0\n", &[("classes", list(&["a", "b"]))]).unwrap();
    assert_eq!(
        numbered.remarks(),
        ["labels are whole numbers, read as positions in `classes`"]
    );
}

#[test]
fn the_parts_are_listed_and_stress_applied_elsewhere_keeps_its_unit() {
    let registry = Registry::standard();
    for (kind, name) in [
        (PartKind::Dataset, "labelled"),
        (PartKind::Subject, "recorded"),
        (PartKind::Stressor, "elsewhere"),
    ] {
        let part = registry.find(kind, name).unwrap();
        assert!(
            part.explanation()
                .split("\n\n")
                .next()
                .is_some_and(|first| first.ends_with('.')),
            "{name}"
        );
    }
    let Build::Stressor(build) = stressors::elsewhere::PART.build else {
        panic!("elsewhere is a stressor")
    };
    let keys = params(
        &stressors::elsewhere::PART,
        &[("unit", text("pixels"))],
        Path::new(""),
    );
    assert!(matches!(build(&keys), Ok(Stressor::Elsewhere { unit, .. }) if unit == "pixels"));
}
