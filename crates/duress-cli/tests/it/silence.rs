//! What used to come out wrong without a word: repeats of scrambles, texts that nobody can read,
//! items that leave, claims no answer can decide.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::harness::TestFolder;
use crate::study_text::{LOOKUP, scrambled, yes_or_no};

/// Every order of four letters with its inversions, the original first.
fn orders() -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for code in 0..256 {
        let order: Vec<usize> = (0..4).map(|place| code / 4_usize.pow(place) % 4).collect();
        if order.iter().collect::<BTreeSet<_>>().len() < 4 {
            continue;
        }
        let inversions = (0..4)
            .flat_map(|a| (a + 1..4).map(move |b| (a, b)))
            .filter(|&(a, b)| order[a] > order[b])
            .count();
        let name = order.iter().map(|unit| char::from(b'A' + *unit as u8));
        all.push((name.collect(), inversions));
    }
    all.sort_by_key(|(name, inversions)| (*inversions, name.clone()));
    all
}

fn arranged(text: &str, order: &str) -> String {
    let units: Vec<char> = text.chars().collect();
    order
        .bytes()
        .map(|letter| units[usize::from(letter - b'A')])
        .collect()
}

/// The orders of a text that count: of those that look alike the one with the fewest inversions, and
/// none that looks like the original. Straight from the definition.
fn counting(text: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::from([text.to_string()]);
    let mut counting = BTreeSet::new();
    for (order, inversions) in orders() {
        if inversions > 0 && seen.insert(arranged(text, &order)) {
            counting.insert(order);
        }
    }
    counting
}

const IDIOMS: [&str; 5] = ["一心一意", "水滴石穿", "自言自语", "画蛇添足", "人山人海"];

fn score(item: usize, order: &str) -> f64 {
    let place: usize = orders().iter().position(|(name, _)| name == order).unwrap();
    match place {
        0 => 0.8 + 0.02 * item as f64,
        place => 0.7 - 0.02 * ((place * 7 + item * 5) % 23) as f64,
    }
}

fn gauged(folder: &TestFolder, table: &str) -> (BTreeMap<String, (Option<f64>, u64)>, String) {
    folder.write("t.csv", table);
    let said = folder.done(&["gauge", "t.csv", "--json", "--no-intervals"]);
    let read: Value = serde_json::from_str(&said).unwrap();
    let value = |one: &Value| {
        (
            one["gauge"].as_str().unwrap().to_string(),
            (
                one["value"]["value"].as_f64(),
                one["items"].as_u64().unwrap_or(0),
            ),
        )
    };
    let values = read["gauges"]
        .as_array()
        .unwrap()
        .iter()
        .map(value)
        .collect();
    (values, read["found"].to_string())
}

#[test]
fn gauge_leaves_out_repeated_scrambles_as_a_run_does() {
    let folder = TestFolder::new();
    let table = |whole: bool| {
        let mut text = String::from("item,structure,arrangement,s_acc\n");
        for (item, idiom) in IDIOMS.iter().enumerate() {
            for (order, inversions) in orders() {
                if whole || inversions == 0 || counting(idiom).contains(&order) {
                    let group = if item % 2 == 0 { "x" } else { "y" };
                    text += &format!("{idiom},{group},{order},{}\n", score(item, &order));
                }
            }
        }
        text
    };
    let (all, said) = gauged(&folder, &table(true));
    let (distinct, _) = gauged(&folder, &table(false));
    assert!(all.len() >= 6 && all["mdr"].0.is_some(), "{all:?}");
    assert_eq!(all, distinct);
    // Three of the five repeat a character: eleven of 23 orders count, of each.
    assert_eq!(counting("一心一意").len(), 11);
    assert!(said.contains("36 scores left out"), "{said}");
    // Numbers of somebody's are no texts: nothing is left out, and that is said.
    let numbered = table(true);
    let numbered = IDIOMS
        .iter()
        .enumerate()
        .fold(numbered, |text, (item, idiom)| {
            text.replace(idiom, &format!("100{item}"))
        });
    let (_, said) = gauged(&folder, &numbered);
    assert!(
        said.contains("which arrangements look alike is not known"),
        "{said}"
    );
}

#[test]
fn a_missing_arrangement_and_scores_beyond_0_and_1_are_remarked_on() {
    let folder = TestFolder::new();
    let table = |scale: f64, last: bool| {
        let mut text = String::from("idiom,arrangement,s_acc\n");
        for (item, idiom) in ["水滴石穿", "画蛇添足"].iter().enumerate() {
            for (order, _) in orders().iter().filter(|(order, _)| last || order != "DCBA") {
                text += &format!("{idiom},{order},{}\n", scale * score(item, order));
            }
        }
        text
    };
    let (_, said) = gauged(&folder, &table(1.0, true));
    assert!(
        !said.contains("of 23") && !said.contains("outside [0, 1]"),
        "{said}"
    );
    let (_, said) = gauged(&folder, &table(1.0, false));
    assert!(said.contains("22 of 23 arrangements have scores"), "{said}");
    let (_, said) = gauged(&folder, &table(100.0, true));
    assert!(
        said.contains("outside [0, 1]") && said.contains("percent?"),
        "{said}"
    );
}

#[test]
fn what_was_recorded_for_repeated_scrambles_changes_nothing() {
    let run = |repeats: &str| {
        let folder = TestFolder::new();
        let mut own = String::from("idiom,explanation\n");
        for idiom in IDIOMS {
            own += &format!("{idiom},what {idiom} means\n");
        }
        folder.write("own.csv", own);
        for (order, inversions) in orders() {
            let mut texts = String::from("id,text\n");
            for (item, idiom) in IDIOMS.iter().enumerate() {
                let said = match inversions == 0 || counting(idiom).contains(&order) {
                    true if item == 0 => format!("what {idiom} means"),
                    true => format!("what {} means", arranged(idiom, &order)),
                    false => repeats.to_string(),
                };
                texts += &format!("{idiom},{said}\n");
            }
            let name = if inversions == 0 { "clean" } else { &order };
            folder.write(&format!("{name}.csv"), texts);
        }
        let study = r#"name = "recorded"
[dataset.own]
use = "idioms"
file = "own.csv"
[subject.reader]
use = "recorded"
form = "texts"
files = "{variant}.csv"
clean = "clean.csv"
[ladder.scrambled]
use = "elsewhere"
arrangements = 4
severities = [1, 2, 3, 4, 5, 6]
[rater.lexical]
use = "lexical"
[analysis]
gauges = ["s-acc", "mdr", "mda", "worst-per-item", "s-seq"]
units = "items"
"#;
        let (_, findings) = folder.run(study);
        findings["estimates"].to_string()
    };
    let (one, other) = (run("nonsense"), run("what 一心一意 means"));
    assert!(one.contains("\"mdr\""), "{one}");
    assert_eq!(one, other);
}

#[test]
fn texts_that_nobody_can_read_or_scramble_are_no_sound_study() {
    let folder = TestFolder::new();
    let sayings = "idiom,explanation,structure\n\
        A stitch in time saves nine,act early,verb\n\
        Break the ice,begin to talk,verb\n\
        Once in a blue moon,rarely,adverb\n";
    folder.write("s.csv", sayings);
    let (code, said, wrong) = folder.check(&scrambled("s.csv", LOOKUP, &[1, 2]));
    assert!(code == 2 && !said.contains("sound."), "{said} {wrong}");
    for words in ["Chinese idioms", "no item of", "takes part in", "`units`"] {
        assert!(wrong.contains(words), "{words}: {wrong}");
    }
    // A draft scrambles words, which these texts have, and reads them by a dictionary of its own.
    folder.done(&["init", "order", "s.csv", "--out", "s.toml"]);
    assert!(folder.read("s.toml").contains("units = \"words\""));
    let said = folder.done(&["check", "s.toml", "--timing", "0"]);
    assert!(said.contains("sound."), "{said}");
}

#[test]
fn items_that_cannot_take_a_dose_are_listed() {
    let folder = TestFolder::new();
    let responses = "id,response\n\
        long,The river measures forty kilometres from the mountain to the harbour and carries barges every summer\n\
        code,x = 1\n\
        numbers,12 34 56\n";
    folder.write("r.csv", responses);
    folder.duress(&["init", "judge", "r.csv", "--out", "r.toml"]);
    let said = folder.done(&["check", "r.toml", "--timing", "0"]);
    let ran = folder.done(&["run", "r.toml", "--out", "run"]);
    let findings = folder.read("run/5-findings.json");
    assert!(findings.contains("\"items-leave\""), "{ran}");
    assert!(
        said.contains("do not take part at every severity")
            && said.contains("code")
            && said.contains("numbers"),
        "{said}"
    );
}

#[test]
fn check_says_which_items_are_missing_from_which_file_and_which_claim_no_answer_can_decide() {
    let folder = TestFolder::new();
    let row = |i: usize| format!("i{i},{},{}\n", 0.01 * i as f64, 1.0 - 0.01 * i as f64);
    let labels: String = (0..89)
        .map(|i| format!("i{i},{}\n", ["no", "yes"][i % 2]))
        .collect();
    folder.write("labels.csv", format!("id,label\n{labels}"));
    let some: String = (0..89).filter(|i| i % 3 != 0).map(row).collect();
    folder.write("net.csv", format!("id,no,yes\n{some}"));
    let analysis = |test: &str| {
        format!(
            r#"[analysis]
gauges = ["accuracy", "ece"]
units = "items"
[[claim]]
name = "calibrated"
gauge = "ece"
of = "net"
side = "less"
margin = 0.9
{test}
[[claim]]
name = "right"
gauge = "accuracy"
of = "net"
"#
        )
    };
    let check = |test: &str| {
        let (code, said, wrong) =
            folder.check(&yes_or_no("labels.csv", "net.csv", &analysis(test)));
        assert_eq!(code, 0, "{wrong}");
        said
    };
    let said = check("test = \"paired-t\"");
    assert!(
        said.contains("net.csv: 30 of 89 items have no row: i0, i3, i6, i9, i12 and 25 more"),
        "{said}"
    );
    assert!(
        said.contains("calibrated: it will stay undecided"),
        "{said}"
    );
    assert!(!said.contains("right: it will stay undecided"), "{said}");
    assert!(!check("test = \"bootstrap\"").contains("stay undecided"));
    assert!(!check("").contains("stay undecided"));
}

#[test]
fn check_tells_what_is_wrong_in_the_study_and_in_files_in_one_go() {
    let folder = TestFolder::new();
    folder.write("weights.pth", b"no weights");
    let study = r#"name = "wrong"
seeds = [1]
[dataset.digits]
use = "digits"
[subject.net]
use = "network"
on = "digits"
file = "weights.pth"
[subject.other]
use = "trained"
on = "digits"
[ladder.pgd]
use = "pgd"
severities = [2, 4]
[analysis]
gauges = ["accuracy"]
"#;
    let (code, _, wrong) = folder.check(study);
    assert_eq!(code, 2);
    assert!(
        wrong.contains("pgd") && wrong.contains("weights.pth"),
        "{wrong}"
    );
}

/// Each layer hides the next: a gauge that nobody knows, a dataset and a subject without their files,
/// a second one, and a file of answers that is damaged. All are told at once, and nothing else is.
#[test]
fn check_looks_behind_whatever_is_wrong_and_tells_nothing_that_follows_from_it() {
    let folder = TestFolder::new();
    let rows: String = (0..20)
        .map(|i| format!("{i},{}\n", ["cat", "dog"][i % 2]))
        .collect();
    folder.write("labels.csv", format!("id,label\n{rows}").as_bytes());
    folder.write("answers.csv", b"id,prediction\n0,cat\n0,dog\n");
    let study = r#"name = "layers"
seeds = [1]
[dataset.here]
use = "labelled"
file = "labels.csv"
[dataset.gone]
use = "labelled"
file = "nowhere.csv"
[dataset.also-gone]
use = "labelled"
file = "neither.csv"
[subject.mine]
use = "recorded"
on = "here"
files = "answers.csv"
[subject.theirs]
use = "recorded"
on = "here"
files = "theirs.csv"
[subject.follows]
use = "recorded"
on = "gone"
files = "follows.csv"
[rater.words]
use = "lexicall"
[gauge.rated]
use = "s-acc"
rater = "words"
[gauge.mine]
use = "f2"
[analysis]
gauges = ["acuracy", "mine"]
slices = ["ward"]
[[claim]]
name = "C"
gauge = "mine"
of = "mine"
margin = 0.5
"#;
    let (code, _, wrong) = folder.check(study);
    assert_eq!(code, 2);
    let told = [
        "`acuracy`",
        "`f2`",
        "`lexicall`",
        "nowhere.csv",
        "neither.csv",
        "answers.csv",
        "theirs.csv",
    ];
    for what in told {
        assert!(wrong.contains(what), "{what}: {wrong}");
    }
    let follow = [
        "follows.csv",
        "no gauge reads",
        "ward",
        "no subject",
        "no rater",
        "not read the gauge",
    ];
    for follows in follow {
        assert!(!wrong.contains(follows), "{follows}: {wrong}");
    }
    assert!(wrong.contains("7 problems"), "{wrong}");
}

/// A process that rates everything the same, from 0 to 100 where the gauge is meant for 0 to 1.
#[test]
fn ratings_of_a_process_beyond_0_and_1_are_remarked_on_in_a_study() {
    let folder = TestFolder::new();
    let rater = r#"read -r hello
echo '{"hello": 1, "dimensions": ["s-acc"]}'
while read -r question; do
  id=${question#*\"id\":}
  id=${id%%[!0-9]*}
  echo "{\"id\": $id, \"ratings\": [[$1]]}"
done
"#;
    folder.write("rater.sh", rater);
    folder.write(
        "i.csv",
        "idiom,explanation\n一心一意,of one mind\n画蛇添足,to overdo it\n",
    );
    let lexical = "use = \"lexical\"";
    let run = |rating: &str| {
        let process = format!(
            "use = \"command\"\ncommand = [\"sh\", \"rater.sh\", \"{rating}\"]\n\
             accepts = \"texts\"\nanswers = \"ratings\"\nbatch = 1"
        );
        let study = scrambled("i.csv", LOOKUP, &[1]).replace(lexical, &process);
        let (said, findings) = folder.run(&study);
        let doubts = findings["caveats"].as_array().unwrap().clone();
        let beyond = |caveat: &Value| caveat["doubt"]["kind"] == "beyond-scale";
        (said, doubts.into_iter().filter(beyond).count())
    };
    let words = "values of s-acc are outside [0, 1]";
    let (said, caveats) = run("70");
    assert!(said.contains(words) && said.contains("percent?"), "{said}");
    assert_eq!(caveats, 1);
    let (said, caveats) = run("0.7");
    assert!(!said.contains(words) && caveats == 0, "{said}");
}

#[test]
fn a_gauge_that_is_undefined_everywhere_is_on_the_screen_with_its_reason() {
    let folder = TestFolder::new();
    let rows: String = (0..20)
        .map(|i| {
            format!(
                "i{i},{},{},{}\n",
                0.04 * i as f64,
                1.0 - 0.04 * i as f64,
                ["no", "yes"][i % 2]
            )
        })
        .collect();
    folder.write("net.csv", format!("id,no,yes,label\n{rows}"));
    let gauges = r#"[gauge.by-energy]
use = "aurc"
confidence = "energy"
[analysis]
gauges = ["accuracy"]
units = "items"
"#;
    let (said, _) = folder.run(&yes_or_no("net.csv", "net.csv", gauges));
    assert!(
        said.contains("by-energy has no value anywhere")
            && said.contains("which do not say what the logits were"),
        "{said}"
    );
    assert!(!said.contains("accuracy has no value"), "{said}");
}

#[test]
fn n_is_the_number_of_items_that_entered_the_number() {
    let folder = TestFolder::new();
    let mut text = String::from("idiom,structure,arrangement,s_acc\n");
    for (item, idiom) in ["水滴石穿", "画蛇添足", "守株待兔", "井底之蛙"]
        .iter()
        .enumerate()
    {
        for (order, inversions) in orders() {
            // Nothing can be lost of nothing: the first is left out of every ratio.
            let own = if inversions == 0 && item == 0 {
                0.0
            } else {
                score(item, &order)
            };
            text += &format!("{idiom},{},{order},{own}\n", ["x", "y"][item % 2]);
        }
    }
    let (read, _) = gauged(&folder, &text);
    for name in ["mdr", "mda", "s-seq", "worst-per-item"] {
        assert_eq!(read[name].1, 3, "{name}: {read:?}");
    }
    assert_eq!(read["s-struct"].1, 4, "{read:?}");
}
