//! Claims of several parts, at several looks, at small levels, and by DeLong's test.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use duress::{RunOptions, Study};
use duress_core::word::Word;
use duress_findings::words::ClaimTest;
use duress_findings::{AbsenceReason, ClaimFinding, Findings, Verdict};
use duress_stats::{Side, tests};

use super::analysis::{ahead, record, recorded, study_of_recorded};
use super::{findings_in, parts, planned_at, run_in};

/// A claim about the accuracy of subject one with these parts, each against subject two and with
/// lines of its own.
fn of_parts(name: &str, more: &str, parts: &[(&str, &str)]) -> String {
    let mut text = format!(
        "[[claim]]\nname = \"{name}\"\ngauge = \"accuracy\"\nof = \"one\"\nagainst = \"two\"\n{more}\n"
    );
    for (name, lines) in parts {
        writeln!(text, "[[claim.part]]\nname = \"{name}\"\n{lines}").unwrap();
    }
    text
}

fn judged(text: &str) -> Vec<ClaimFinding> {
    recorded(
        &[1, 2, 3],
        ahead,
        &format!("scope = \"replicates\"\n{text}"),
    )
    .claims
}

#[test]
fn a_claim_of_parts_is_upheld_when_each_is_and_refuted_when_one_is() {
    // One is ahead of two by 0.4 ± 0.05/√3 over three seeds.
    let (held, open, failed) = (
        ("held", "margin = 0.2"),
        ("open", "margin = 0.4"),
        ("failed", "margin = 0.6"),
    );
    let check = |parts: &[(&str, &str)], expected: Verdict| {
        let found = judged(&of_parts("c", "", parts)).remove(0);
        assert_eq!(found.verdict, expected, "{parts:?}: {}", found.why);
        assert_eq!(found.parts.len(), parts.len());
        // Numbers are those of the parts.
        assert_eq!(found.judged_by, Err(AbsenceReason::InParts));
        assert_eq!(found.test, Err(AbsenceReason::InParts));
        found
    };
    let both = check(
        &[held, ("near", "side = \"equivalent\"\nmargin = 0.6")],
        Verdict::Upheld,
    );
    assert_eq!(both.why, "each of its 2 parts is upheld");
    assert_eq!(both.parts[1].id.as_str(), "claim:c:near");
    let nulls = |claim: &ClaimFinding| claim.nulls.unwrap();
    let largest = nulls(&both.parts[0])
        .not_beyond
        .max(nulls(&both.parts[1]).not_beyond);
    assert_eq!(nulls(&both).not_beyond, largest);
    let undecided = check(&[held, open], Verdict::Undecided);
    assert!(undecided.would_decide.unwrap().starts_with("open: "));
    let refuted = check(&[held, failed, open], Verdict::Refuted);
    assert_eq!(
        refuted.why,
        "a part is refuted, and all 3 have to hold: failed"
    );
    // One of three that is shown to fail counts three times.
    let alone = judged(&of_parts("c", "margin = 0.6", &[])).remove(0);
    let (alone, in_parts) = (nulls(&alone).not_short, nulls(&refuted).not_short);
    assert!(
        (in_parts - 3.0 * alone).abs() < 1e-12,
        "{alone}, {in_parts}"
    );
}

#[test]
fn what_is_said_of_parts_and_of_the_claim_agrees_in_every_family() {
    // Ahead by 0.4, 0.35 and 0.4.
    let steady = |subject: &str, seed: u64, _: &str| {
        Some(match (subject, seed) {
            ("one", 2) => 17,
            ("one", _) => 18,
            _ => 10,
        })
    };
    for correction in ["none", "holm", "holm-sidak", "hommel", "bh", "by"] {
        let mut text = format!("scope = \"replicates\"\ncorrection = \"{correction}\"\n");
        let margins = [0.05, 0.1, 0.2, 0.3, 0.36, 0.45, 0.6, 0.9];
        for (i, margin) in margins.iter().enumerate() {
            let parts = [
                ("far", format!("margin = {margin}")),
                ("farther", format!("margin = {}", margin + 0.02)),
                ("less", "side = \"less\"\nmargin = -0.95".to_string()),
            ];
            let parts = parts
                .each_ref()
                .map(|(name, lines)| (*name, lines.as_str()));
            text += &of_parts(&format!("c{i}"), "", &parts);
        }
        let found = recorded(&[1, 2, 3], steady, &text).claims;
        for verdict in [Verdict::Upheld, Verdict::Refuted, Verdict::Undecided] {
            let some = found.iter().any(|claim| claim.verdict == verdict);
            assert!(
                some || correction == "by",
                "{correction}: none is {verdict}"
            );
        }
        for claim in found {
            let some = |verdict| claim.parts.iter().any(|part| part.verdict == verdict);
            let all = claim
                .parts
                .iter()
                .all(|part| part.verdict == Verdict::Upheld);
            assert_eq!(claim.verdict == Verdict::Upheld, all, "{}", claim.why);
            let refuted = some(Verdict::Refuted);
            assert_eq!(claim.verdict == Verdict::Refuted, refuted, "{}", claim.why);
        }
    }
}

#[test]
fn a_claim_of_parts_counts_once_in_its_family() {
    let parts = [
        ("a", "margin = 0.1"),
        ("b", "margin = 0.2"),
        ("c", "margin = 0.3"),
    ];
    let text = of_parts("whole", "", &parts) + &of_parts("single", "margin = 0.3", &[]);
    let found = judged(&text);
    let why = &found[1].why;
    assert!(why.contains("Holm over 2 claims"), "{why}");
    // Significance against zero is a test of each part by itself.
    let test = found[0].parts[0].test.as_ref().unwrap();
    assert_eq!(test.correction.tests, 4);
}

#[test]
fn parts_take_from_their_claim_what_they_leave_out() {
    let text = "[[claim]]\nname = \"c\"\nalpha = 0.01\n\
         [[claim.part]]\nname = \"p\"\ngauge = \"accuracy\"\nof = \"one\"\nmargin = 0.7\n\
         [[claim.part]]\nname = \"q\"\ngauge = \"area\"\nof = \"two\"\nat = { ladder = \"storm\" }\nmargin = 0.1\n";
    let found = judged(text).remove(0);
    assert_eq!(found.gauge, "accuracy and area");
    assert_eq!(found.of, None);
    let alphas: Vec<f64> = found
        .parts
        .iter()
        .map(|part| part.nulls.unwrap().alpha)
        .collect();
    assert_eq!(alphas, [0.01, 0.01]);
}

#[test]
fn findings_with_parts_come_back_from_json() {
    let found = recorded(
        &[1, 2, 3],
        ahead,
        &of_parts("c", "", &[("p", "margin = 0.1"), ("q", "margin = 0.2")]),
    );
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(duress_findings::from_json(&json).unwrap(), found);
}

#[test]
fn a_small_level_has_the_resamples_it_needs_or_decides_nothing() {
    let claim = |alpha: f64| {
        let text = of_parts("c", &format!("test = \"bootstrap\"\nalpha = {alpha}"), &[]);
        let mut found = recorded(&[1], ahead, &format!("resamples = 100\n{text}"));
        found.claims.remove(0)
    };
    let usual = claim(0.1);
    assert!(
        usual
            .judged_how
            .unwrap()
            .to_string()
            .contains("100 resamples")
    );
    let small = claim(0.0002);
    let how = small.judged_how.as_ref().unwrap().to_string();
    assert!(how.contains("50000 resamples"), "{how}");
    // 18 against 10 right of 20 items: a resample without any of the eight that differ has a chance of
    // (12/20)²⁰ = 4e-5, which 100 resamples could not have told.
    assert_eq!(small.verdict, Verdict::Upheld);
    assert!(small.nulls.unwrap().not_beyond < 0.0002);
    let smallest = claim(0.00001);
    assert_eq!(smallest.verdict, Verdict::Undecided);
    assert_eq!(
        smallest.why,
        "there is nothing to judge by: 100 resamples cannot tell what this level asks for, 1000000 could (`resamples`)"
    );
    assert!(
        smallest
            .would_decide
            .unwrap()
            .starts_with("`resamples = 1000000`")
    );
}

#[test]
fn nothing_is_decided_where_no_result_could_stand() {
    let apart = |subject: &str, seed: u64, severity: &str| match (subject, severity) {
        ("one", "0") => Some(19 - (seed % 3) as usize),
        _ => Some(2 + (seed % 2) as usize),
    };
    let mut seen = (0, 0);
    for seeds in [1, 2, 3, 4, 5, 7] {
        let seeds: Vec<u64> = (1..=seeds).collect();
        let mut text = String::new();
        for test in ClaimTest::spellings() {
            if test == "delong" {
                continue;
            }
            for (i, lines) in ["margin = 0.1", "margin = 0.9", "margin = 0"]
                .iter()
                .enumerate()
            {
                let side = if test == "tost" {
                    "side = \"equivalent\"\nmargin = 0.9"
                } else {
                    lines
                };
                for alpha in ["0.05", "0.01"] {
                    let name = format!("{test} {i} {alpha}");
                    text += &of_parts(
                        &name,
                        &format!("family = \"{name}\"\ntest = \"{test}\"\nalpha = {alpha}\n{side}"),
                        &[],
                    );
                }
            }
        }
        for claim in recorded(&seeds, apart, &text).claims {
            let cannot = claim
                .power
                .iter()
                .any(|said| said.contains("no result can stand"));
            assert_eq!(
                cannot, claim.out_of_reach,
                "{}: {:?}",
                claim.name, claim.power
            );
            assert!(
                !claim.out_of_reach || claim.verdict == Verdict::Undecided,
                "{} with {} seeds: {}",
                claim.name,
                seeds.len(),
                claim.why
            );
            seen.0 += usize::from(claim.out_of_reach);
            seen.1 += usize::from(claim.verdict == Verdict::Upheld);
        }
    }
    assert!(seen.0 > 10 && seen.1 > 10, "{seen:?}");
}

/// The probability that a subject gives the second class, and the class.
fn scored(subject: &str, item: usize) -> (f64, bool) {
    let positive = item.is_multiple_of(3);
    let noise = ((item * 37 + subject.len() * 11) % 41) as f64 / 41.0;
    let weight = if subject == "good" { 0.7 } else { 0.2 };
    (
        weight * f64::from(u8::from(positive)) * 0.9 + (1.0 - weight) * noise,
        positive,
    )
}

fn delong_study(folder: &Path, seeds: &str, claim: &str) -> Result<Findings, String> {
    let mut labels = String::from("id,label\n");
    for item in 0..60 {
        let class = if scored("good", item).1 { "b" } else { "a" };
        writeln!(labels, "{item},{class}").unwrap();
    }
    fs::write(folder.join("labels.csv"), labels).unwrap();
    for subject in ["good", "poorer"] {
        let mut table = String::from("id,a,b\n");
        for item in 0..60 {
            let (p, _) = scored(subject, item);
            writeln!(table, "{item},{},{p}", 1.0 - p).unwrap();
        }
        fs::write(folder.join(format!("{subject}.csv")), table).unwrap();
    }
    let subject = |name: &str| {
        format!(
            "[subject.{name}]\nuse = \"recorded\"\nfiles = \"{name}.csv\"\nclasses = [\"a\", \"b\"]\nform = \"probabilities\"\n"
        )
    };
    let text = format!(
        "name = \"roc\"\nseeds = {seeds}\n[dataset.toy]\nuse = \"labelled\"\nfile = \"labels.csv\"\n{}{}\
         [analysis]\ngauges = [\"auroc-macro\", \"accuracy\"]\n[[claim]]\nname = \"c\"\nof = \"good\"\nagainst = \"poorer\"\ntest = \"delong\"\n{claim}",
        subject("good"),
        subject("poorer")
    );
    let plan =
        planned_at(&folder.join("study.toml"), &text).map_err(|rejected| rejected.to_string())?;
    let plan = plan.into();
    run_in(&plan, &folder.join("run"));
    Ok(findings_in(&plan, &folder.join("run")))
}

#[test]
fn delong_compares_two_areas_on_the_items_of_one_seed() {
    let folder = tempfile::tempdir().unwrap();
    let found = delong_study(folder.path(), "[1]", "gauge = \"auroc-macro\"\n")
        .unwrap()
        .claims
        .remove(0);
    let scores =
        |subject: &str| -> Vec<f64> { (0..60).map(|item| scored(subject, item).0).collect() };
    let positives: Vec<bool> = (0..60).map(|item| scored("good", item).1).collect();
    let expected = tests::delong_paired(
        &scores("good"),
        &scores("poorer"),
        &positives,
        Side::Greater,
        0.95,
    )
    .unwrap();
    let test = found.test.as_ref().unwrap();
    assert!(
        (test.p - expected.p).abs() < 1e-12 && (test.statistic - expected.statistic).abs() < 1e-9
    );
    assert_eq!((test.method.to_string().as_str(), test.n), ("DeLong", 60));
    let estimate = found.quantity.value.value().unwrap();
    assert!((estimate - expected.estimate.unwrap()).abs() < 1e-12);
    assert_eq!(found.nulls.unwrap().not_beyond, test.p);
    assert_eq!(found.verdict == Verdict::Upheld, test.p <= 0.05);
    assert_eq!(
        found.judged_how.unwrap().to_string(),
        "DeLong's error over 60 items, for this seed only"
    );
    let accuracy = delong_study(folder.path(), "[1]", "gauge = \"accuracy\"\n")
        .unwrap()
        .claims
        .remove(0);
    assert_eq!(accuracy.test, Err(AbsenceReason::NoRocOfTwoClasses));
    let seeds = delong_study(folder.path(), "[1, 2]", "gauge = \"auroc-macro\"\n").unwrap_err();
    assert!(
        seeds.contains("`delong` compares the items of one seed, and the study has 2"),
        "{seeds}"
    );
}

/// The findings of a study with these seeds, run in one folder as it grows.
fn look(folder: &Path, seeds: &[u64], more: &str) -> ClaimFinding {
    record(folder, seeds, ahead);
    let claim = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\nof = \"one\"\nagainst = \"two\"\nmargin = 0.3\n";
    let text = study_of_recorded(seeds, &format!("{more}\n{claim}"));
    let study = Study::parse(&folder.join("study.toml"), &text, &parts::registry()).unwrap();
    let mut options = RunOptions::in_folder(folder.join("run"));
    options.registry = parts::registry();
    duress::run(&study, &options, &|_| {})
        .unwrap()
        .claims
        .remove(0)
}

#[test]
fn a_look_that_nobody_declared_has_half_of_the_level_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let first = look(folder.path(), &[1, 2, 3], "");
    assert_eq!((first.look, first.nulls.unwrap().alpha), (None, 0.05));
    // Looking at the same again is no look.
    assert_eq!(look(folder.path(), &[3, 2, 1], "").look, None);
    let second = look(folder.path(), &[1, 2, 3, 4, 5], "").look.unwrap();
    assert_eq!(
        (second.alpha, second.of, second.declared),
        (0.025, 0.05, false)
    );
    assert_eq!((second.earlier.len(), second.earlier[0].seeds), (1, 3));
    let third = look(folder.path(), &[1, 2, 3, 4, 5, 6], "");
    assert_eq!(third.nulls.unwrap().alpha, 0.0125);
    let said = third.look.unwrap().to_string();
    assert!(
        said.starts_with(
            "look 3 (6 seeds, not declared), judged at 0.0125 of the claim's 0.05; before: "
        ),
        "{said}"
    );
    // The first look stays what it was.
    assert_eq!(
        look(folder.path(), &[1, 2, 3], "").nulls.unwrap().alpha,
        0.05
    );
    let again = duress::find_again(&folder.path().join("run"), &parts::registry()).unwrap();
    assert_eq!(again.findings.claims[0].look, None);
}

#[test]
fn declared_looks_share_the_level() {
    let folder = tempfile::tempdir().unwrap();
    let levels = duress_stats::looks::declared(0.05, &[3, 5]).unwrap();
    let first = look(folder.path(), &[1, 2, 3], "looks = [3, 5]")
        .look
        .unwrap();
    assert!(first.declared && (first.alpha - levels[0]).abs() < 1e-12);
    let second = look(folder.path(), &[1, 2, 3, 4, 5], "looks = [3, 5]")
        .look
        .unwrap();
    assert!(second.declared && (second.alpha - levels[1]).abs() < 1e-12);
    let beyond = look(folder.path(), &[1, 2, 3, 4, 5, 6], "looks = [3, 5]")
        .look
        .unwrap();
    assert!(!beyond.declared && (beyond.alpha - 0.025).abs() < 1e-12);
}

#[test]
fn a_truth_on_the_margin_is_not_sent_into_many_seeds_without_a_word() {
    // Differences of two equal subjects over five seeds, from one seeded stream of coin throws.
    let mut state = 7_u64;
    let mut coin = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % 5
    };
    let mut advised = 0;
    for _ in 0..12 {
        let right: Vec<usize> = (0..12).map(|_| 8 + coin()).collect();
        let equal = |subject: &str, seed: u64, _: &str| {
            Some(right[2 * seed as usize - 1 + usize::from(subject == "one")])
        };
        let text = of_parts("c", "", &[]);
        let found = recorded(
            &[1, 2, 3, 4, 5],
            equal,
            &format!("scope = \"replicates\"\n{text}"),
        );
        let claim = &found.claims[0];
        let Some(said) = &claim.would_decide else {
            continue;
        };
        let seeds = said
            .strip_prefix("about ")
            .and_then(|rest| rest.split(' ').next());
        let seeds: usize = seeds.map_or(usize::MAX, |seeds| seeds.parse().unwrap());
        advised += 1;
        assert!(said.contains("as a further look"), "{said}");
        if seeds >= 50 {
            assert!(said.contains("the truth may be on it"), "{said}");
        }
    }
    assert!(advised > 6, "{advised}");
}

/// A study of two learners of graphs, whose answers vary with the seed.
fn learners(margin: f64) -> Study {
    let text = format!(
        "name = \"learners\"\nseeds = [1, 2, 3]\n\
         dataset.sensors = {{ use = \"temporal-sem\", variables = 5, edges = 5, windows = 20 }}\n\
         subject.lagged = {{ use = \"lagged-regression\" }}\n\
         subject.pairs = {{ use = \"correlation\" }}\n\
         analysis.gauges = [\"directed-f1\"]\n\
         [[claim]]\nname = \"same\"\ngauge = \"directed-f1\"\nof = \"lagged\"\nagainst = \"pairs\"\nside = \"equivalent\"\nmargin = {margin}\n"
    );
    Study::parse(
        Path::new("learners.toml"),
        &text,
        &duress::Registry::standard(),
    )
    .unwrap()
}

#[test]
fn a_study_that_is_run_twice_says_what_changes_when_nothing_does() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let finished =
        duress::run_twice(&learners(0.001), &RunOptions::in_folder(&run), &|_| {}).unwrap();
    let floor = finished.findings.noise_floor.clone().unwrap();
    let fresh: Vec<u64> = [1, 2, 3].map(duress::fresh_seed).to_vec();
    assert_eq!(floor.seeds, fresh);
    assert_eq!(floor.places.len(), finished.findings.estimates.len());
    let place = &floor.places[0].noise;
    let (change, least) = (place.change.value().unwrap(), place.floor.value().unwrap());
    assert!(
        place.varies && least >= change.abs() && least > 0.0,
        "{place:?}"
    );
    // The second run is a run of its own, in the first one's folder, with the seeds it says.
    drop(finished);
    let second = duress::find_again(&run.join("twice"), &duress::Registry::standard()).unwrap();
    assert_eq!(second.findings.study.seeds, fresh);
    let read = |findings: &Findings| findings.estimates[0].quantity.value.value().unwrap();
    let again = duress::find_again(&run, &duress::Registry::standard()).unwrap();
    assert!((read(&second.findings) - read(&again.findings) - change).abs() < 1e-12);
    // The claim's margin is below what changes by itself, and findings made anew still say so.
    let kept = again.findings.noise_floor.unwrap();
    assert_eq!(kept, floor);
    let refused: Vec<&str> = kept.refused().map(|claim| claim.claim.as_str()).collect();
    assert_eq!(refused, ["same"]);
}

#[test]
fn a_second_run_whose_findings_are_damaged_or_gone_is_an_error_until_it_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let options = RunOptions::in_folder(&run);
    let (study, registry) = (learners(0.001), duress::Registry::standard());
    let twice = || duress::run_twice(&study, &options, &|_| {}).unwrap();
    twice().seal().unwrap();
    let findings = run.join("twice/5-findings.json");
    for damage in [Some("{"), None] {
        match damage {
            Some(text) => fs::write(&findings, text).unwrap(),
            None => fs::remove_file(&findings).unwrap(),
        }
        let again = duress::find_again(&run, &registry).err().unwrap();
        let once = duress::run(&study, &options, &|_| {}).err().unwrap();
        for error in [again, once] {
            let said = error.to_string();
            assert!(said.contains("twice/5-findings.json"), "{said}");
            assert!(
                said.contains("`duress run --twice` makes it anew"),
                "{said}"
            );
        }
        let made = twice();
        assert!(made.findings.noise_floor.is_some());
        made.seal().unwrap();
    }
}

#[test]
fn items_are_advised_where_items_are_what_varies() {
    // One is ahead on 8 of 20 items: 0.4 with a standard error of 0.112, 0.15 beyond the margin. The 20 are
    // among the later ones, so that the later estimate is normal around it with a variance of 0.112² − e².
    // At e = 0.034, with 20 (0.112/0.034)² = 218 items, Φ((0.15 − 1.96 e)/0.107) + Φ((−0.15 − 1.96 e)/0.107)
    // is 0.782 + 0.022.
    let right = |subject: &str, _: u64, _: &str| Some(if subject == "one" { 18 } else { 10 });
    let text = of_parts("c", "margin = 0.25", &[]);
    let claim = recorded(&[1], right, &format!("scope = \"items\"\n{text}"))
        .claims
        .remove(0);
    assert_eq!(claim.verdict, Verdict::Undecided, "{}", claim.why);
    let said = claim.would_decide.unwrap();
    let items = said
        .strip_prefix("about ")
        .and_then(|rest| rest.split_once(" items (20 now)"));
    let items: usize = items.map_or(0, |(items, _)| items.parse().unwrap());
    assert!((205..230).contains(&items), "{said}");
}

#[test]
fn an_exact_test_is_not_advised_by_an_error_it_does_not_know() {
    let test = |seeds: &[u64]| {
        let lines = "margin = 0\ntest = \"sign-flip\"";
        let text = of_parts("c", lines, &[]);
        recorded(seeds, ahead, &text).claims.remove(0)
    };
    let claim = test(&[1, 2, 3]);
    assert_eq!(claim.verdict, Verdict::Undecided);
    let said = claim.would_decide.unwrap();
    // Of n seeds the smallest p is 2⁻ⁿ, and a further look has half of 0.05.
    assert!(
        said.starts_with("more seeds: at the very least 6,"),
        "{said}"
    );
}

#[test]
fn what_does_not_vary_with_the_seed_has_no_noise_of_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let files = "classes = [\"a\", \"b\"]\nform = \"labels\"";
    fs::write(
        folder.path().join("labels.csv"),
        "id,label\n0,a\n1,b\n2,a\n",
    )
    .unwrap();
    for subject in ["one", "two"] {
        fs::write(
            folder.path().join(format!("{subject}.csv")),
            "id,prediction\n0,a\n1,b\n2,b\n",
        )
        .unwrap();
    }
    let text = format!(
        "name = \"still\"\nseeds = [1]\n[dataset.toy]\nuse = \"labelled\"\nfile = \"labels.csv\"\n\
         [subject.one]\nuse = \"recorded\"\nfiles = \"one.csv\"\n{files}\n[subject.two]\nuse = \"recorded\"\nfiles = \"two.csv\"\n{files}\n\
         [analysis]\ngauges = [\"accuracy\"]\n"
    );
    let registry = duress::Registry::standard();
    let study = Study::parse(&folder.path().join("study.toml"), &text, &registry).unwrap();
    let options = RunOptions::in_folder(folder.path().join("run"));
    let finished = duress::run_twice(&study, &options, &|_| {}).unwrap();
    let floor = finished.findings.noise_floor.as_ref().unwrap();
    assert!(floor.places.iter().all(|one| !one.noise.varies));
    assert_eq!(floor.refused().count(), 0);
}

/// The class of an item, or the other one.
fn class(item: u64, right: bool) -> &'static str {
    match item.is_multiple_of(2) == right {
        true => "a",
        false => "b",
    }
}

/// Answers of a run of one truth: items differ, and so do runs and seeds, by chance alone.
fn answers_by_chance(folder: &Path, run: u64) {
    let mut labels = String::from("id,label\n");
    for item in 0..60 {
        writeln!(labels, "{item},{}", class(item, true)).unwrap();
    }
    fs::write(folder.join("labels.csv"), labels).unwrap();
    let unit = |stream: u64, at: u64| {
        let mut stream = duress_stats::random::RandomStream::new(stream, at);
        stream.next_unit()
    };
    for seed in 1..=3_u64 {
        for (severity, hard) in [("0", 0.0), ("1", 0.1), ("2", 0.2)] {
            let mut table = String::from("id,prediction\n");
            let ladder = if severity == "0" { "clean" } else { "storm" };
            for item in 0..60 {
                let ease = 0.5 + 0.5 * unit(1, item);
                let level = ease - hard;
                let noise = unit(
                    1000 + 10 * run + seed,
                    item * 3 + severity.parse::<u64>().unwrap(),
                );
                writeln!(table, "{item},{}", class(item, noise < level)).unwrap();
            }
            fs::write(
                folder.join(format!("{seed}_{ladder}_{severity}.csv")),
                table,
            )
            .unwrap();
        }
    }
}

#[test]
fn two_runs_of_one_truth_are_rarely_called_worse() {
    let runs: Vec<_> = (0..26)
        .map(|run| {
            let folder = tempfile::tempdir().unwrap();
            answers_by_chance(folder.path(), run);
            let text = "name = \"chance\"\nseeds = [1, 2, 3]\n[dataset.toy]\nuse = \"labelled\"\nfile = \"labels.csv\"\n\
                 [subject.one]\nuse = \"recorded\"\nfiles = \"{seed}_{ladder}_{severity}.csv\"\nclasses = [\"a\", \"b\"]\nform = \"labels\"\n\
                 [ladder.storm]\nuse = \"elsewhere\"\nseverities = [1, 2]\n\
                 [analysis]\ngauges = [\"accuracy\", \"attack-success-rate\", \"area\"]\n";
            let plan = planned_at(&folder.path().join("study.toml"), text);
            let plan = plan.unwrap_or_else(|rejected| panic!("{:#?}", rejected.problems)).into();
            run_in(&plan, &folder.path().join("run"));
            (plan, folder)
        })
        .collect();
    let mut worse = 0;
    let mut compared = 0;
    for (i, (before, old)) in runs.iter().enumerate() {
        for (after, new) in &runs[i + 1..] {
            let ledger = |folder: &tempfile::TempDir| {
                duress::ledger::Ledger::open(&folder.path().join("run/4-ledger"))
            };
            let (old, new) = (ledger(old), ledger(new));
            let found = duress::compare::compare((before, &old), (after, &new)).unwrap();
            assert!(found.changes.len() >= 6);
            worse += usize::from(found.count(duress_findings::Moved::Worse) > 0);
            compared += 1;
        }
    }
    println!("{worse} of {compared} comparisons of one truth found something worse");
    // 6 of 25 before; 5 % of 325 is 16, and pairs that share a run fail together.
    assert_eq!(compared, 325);
    assert!(worse <= 26, "{worse} of {compared}");
}
