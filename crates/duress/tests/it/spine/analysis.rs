//! Findings against values worked out by hand, on answers that were written down.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use duress_core::severity::Severity;
use duress_core::subject::FailureKind;
use duress_findings::{
    AbsenceReason, ClaimFinding, Doubt, Findings, NoBreak, Quantity, Reading, Shape, Verdict,
};
use duress_stats::correct::Correction;
use duress_stats::{Side, interval, tests};

use super::{estimate, findings_in, planned_at, run_in, under};

const ITEMS: usize = 20;

/// The findings about recorded answers. `right` says how many items, counted from the first, a
/// subject has right for a seed at a severity of the ladder `storm`; `None` leaves a file that
/// cannot be read.
pub(super) fn recorded(
    seeds: &[u64],
    right: impl Fn(&str, u64, &str) -> Option<usize>,
    more: &str,
) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), seeds, right);
    let text = study_of_recorded(seeds, more);
    let plan = planned_at(&folder.path().join("study.toml"), &text);
    let plan = plan
        .unwrap_or_else(|rejected| panic!("{:#?}", rejected.problems))
        .into();
    let run = folder.path().join("run");
    run_in(&plan, &run);
    findings_in(&plan, &run)
}

/// Writes those answers into a folder.
pub(super) fn record(
    folder: &Path,
    seeds: &[u64],
    right: impl Fn(&str, u64, &str) -> Option<usize>,
) {
    let class = |i: usize| if i.is_multiple_of(2) { "a" } else { "b" };
    let table = |said: &dyn Fn(usize) -> &'static str, head: &str| {
        (0..ITEMS).fold(format!("id,{head}\n"), |mut table, i| {
            writeln!(table, "{i},{}", said(i)).unwrap();
            table
        })
    };
    fs::write(folder.join("labels.csv"), table(&class, "label")).unwrap();
    for subject in ["one", "two"] {
        for &seed in seeds {
            for severity in ["0", "1", "2", "4"] {
                let ladder = if severity == "0" { "clean" } else { "storm" };
                let file = folder.join(format!("{subject}_{seed}_{ladder}_{severity}.csv"));
                let said = right(subject, seed, severity);
                let text =
                    said.map(|k| table(&|i| class(if i < k { i } else { i + 1 }), "prediction"));
                fs::write(file, text.unwrap_or_else(|| "id,prediction\n0\n".into())).unwrap();
            }
        }
    }
}

/// A study of those answers.
pub(super) fn study_of_recorded(seeds: &[u64], more: &str) -> String {
    let files = "files = \"{subject}_{seed}_{ladder}_{severity}.csv\"\nclasses = [\"a\", \"b\"]\nform = \"labels\"";
    format!(
        "name = \"toy\"\nseeds = {seeds:?}\n[dataset.toy]\nuse = \"labelled\"\nfile = \"labels.csv\"\n\
         [subject.one]\nuse = \"recorded\"\n{files}\n[subject.two]\nuse = \"recorded\"\n{files}\n\
         [ladder.storm]\nuse = \"elsewhere\"\nseverities = [1, 2, 4]\n\
         [analysis]\ngauges = [\"accuracy\", \"attack-success-rate\", \"area\"]\n{more}"
    )
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9,
        "{found}, expected {expected}"
    );
}

fn value(quantity: &Quantity) -> f64 {
    quantity
        .value
        .value()
        .unwrap_or_else(|| panic!("{quantity:?}"))
}

/// Subject one falls off a cliff between 1 and 2; subject two stands.
fn cliff(subject: &str, _seed: u64, severity: &str) -> Option<usize> {
    Some(match (subject, severity) {
        ("one", "0") => 18,
        ("one", "1") => 16,
        ("one", "2") => 6,
        ("one", _) => 4,
        _ => 17,
    })
}

#[test]
fn an_estimate_is_a_share_with_wilsons_interval_when_there_is_one_seed() {
    let findings = recorded(&[1], cliff, "");
    let clean = &estimate(&findings, "accuracy", "one", &under("storm", 0.0)).quantity;
    near(value(clean), 0.9);
    let range = clean.interval.as_ref().unwrap();
    // Wilson's interval of 18 of 20 by its formula, with z = 1.959963984540054.
    let (p, n, z) = (0.9_f64, 20.0, 1.959_963_984_540_054_f64);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    near(range.low, middle - half);
    near(range.high, middle + half);
    near(range.level, 0.95);
    assert_eq!((clean.items, clean.replicates), (20, 1));
    assert_eq!(
        (clean.unit.to_string(), clean.method.to_string()),
        ("20 items, for this seed only".into(), "Wilson".into())
    );
}

#[test]
fn an_estimate_over_seeds_is_their_mean_with_students_interval() {
    let right = |_: &str, seed: u64, _: &str| Some(10 + 2 * seed as usize);
    let findings = recorded(&[1, 2, 3], right, "units = \"seeds\"");
    let clean = estimate(&findings, "accuracy", "one", &under("storm", 0.0));
    let by_seed: Vec<f64> = clean
        .by_seed
        .iter()
        .filter_map(|(_, reading)| reading.value())
        .collect();
    assert_eq!(by_seed, [0.6, 0.7, 0.8]);
    near(value(&clean.quantity), 0.7);
    // t(2) at 0.975 is 4.302652729911275; the standard error is 0.1/√3.
    let half = 4.302_652_729_911_275 * 0.1 / 3.0_f64.sqrt();
    near(clean.quantity.interval.as_ref().unwrap().low, 0.7 - half);
    near(clean.quantity.interval.as_ref().unwrap().high, 0.7 + half);
    assert_eq!(
        (
            clean.quantity.unit.to_string(),
            clean.quantity.method.to_string()
        ),
        (
            "3 seeds, for these items only".into(),
            "t over seeds, kept within 0 and 1".into()
        )
    );
}

#[test]
fn an_interval_over_seeds_ends_where_its_gauge_does() {
    let right = |_: &str, seed: u64, _: &str| Some(13 + 2 * seed as usize);
    let findings = recorded(&[1, 2, 3], right, "units = \"seeds\"");
    let clean = &estimate(&findings, "accuracy", "one", &under("storm", 0.0)).quantity;
    near(value(clean), 0.85);
    // 0.85 ± 0.248 would go beyond 1, where no accuracy is.
    let range = clean.interval.as_ref().unwrap();
    near(
        range.low,
        0.85 - 4.302_652_729_911_275 * 0.1 / 3.0_f64.sqrt(),
    );
    assert_eq!(range.high, 1.0);
    let area = &findings.curves[0].area;
    assert_eq!(
        (
            area.interval.as_ref().unwrap().high,
            area.method.to_string().as_str()
        ),
        (1.0, clean.method.to_string().as_str())
    );
    // A difference is no accuracy.
    assert!(
        findings.contrasts.iter().all(|contrast| !contrast
            .quantity
            .method
            .to_string()
            .contains("kept"))
    );
}

#[test]
fn what_improves_breaks_nowhere() {
    let right = |subject: &str, seed: u64, severity: &str| {
        Some(match (subject, severity) {
            (_, "0") => 10,
            ("one", _) => 12 + seed as usize,
            // By as much for every seed: there is no interval, but no drop either.
            _ => 12,
        })
    };
    let findings = recorded(&[1, 2, 3], right, "units = \"seeds\"");
    let why = |subject: &str| {
        let curve = findings
            .curves
            .iter()
            .find(|one| one.subject.as_str() == subject && one.gauge == "accuracy");
        curve.unwrap().break_point.clone().unwrap_err()
    };
    assert_eq!(why("one"), NoBreak::Improves);
    // Three seeds that do not differ could not have shown a drop of a tenth either.
    assert!(
        matches!(why("two"), NoBreak::NotShown { least: Some(least), .. } if least > 0.1),
        "{:?}",
        why("two")
    );
}

#[test]
fn what_is_at_its_worst_when_clean_cannot_be_shown_to_fall() {
    let right = |subject: &str, _: u64, _: &str| Some(if subject == "one" { 0 } else { 20 });
    let findings = recorded(&[1, 2, 3], right, "");
    let curve = &findings.curves[0];
    assert_eq!(
        (curve.subject.as_str(), curve.gauge.as_str()),
        ("one", "accuracy")
    );
    let why = curve.break_point.clone().unwrap_err();
    assert!(
        matches!(why, NoBreak::NotShown { least: None, .. }),
        "{why:?}"
    );
}

#[test]
fn a_contrast_is_the_paired_difference() {
    let findings = recorded(&[1, 2], cliff, "");
    let contrast = |of: &str, at: f64, against: &str, clean: f64| {
        let found = findings.contrasts.iter().find(|one| {
            one.gauge == "accuracy"
                && (one.of.subject.as_str(), &one.of.under) == (of, &under("storm", at))
                && (one.against.subject.as_str(), &one.against.under)
                    == (against, &under("storm", clean))
        });
        value(&found.unwrap().quantity)
    };
    near(contrast("one", 2.0, "one", 0.0), -0.6);
    near(contrast("two", 4.0, "two", 0.0), 0.0);
    near(contrast("two", 4.0, "one", 4.0), 0.65);
}

#[test]
fn a_difference_is_drawn_on_the_same_items() {
    // Both have the same items wrong but two, so the difference is much surer than either.
    let right = |subject: &str, _: u64, _: &str| Some(if subject == "one" { 10 } else { 12 });
    let findings = recorded(&[1], right, "");
    let width = |quantity: &Quantity| {
        quantity
            .interval
            .as_ref()
            .map(|range| range.high - range.low)
            .unwrap()
    };
    let contrast = findings
        .contrasts
        .iter()
        .find(|one| {
            one.gauge == "accuracy"
                && one.of.subject.as_str() == "two"
                && one.against.subject.as_str() == "one"
        })
        .unwrap();
    near(value(&contrast.quantity), 0.1);
    // Two of 20 items differ: t(19) = 2.093 times √(0.1 · 0.9 / 19).
    let low = contrast.quantity.interval.as_ref().unwrap().low;
    near(low, 0.1 - 2.093_024_054_408_263 * (0.09_f64 / 19.0).sqrt());
    let alone = &estimate(&findings, "accuracy", "two", &under("storm", 0.0)).quantity;
    assert!(width(&contrast.quantity) < 0.8 * width(alone));
}

#[test]
fn a_curve_has_its_area_its_drops_its_break_point_and_its_cliff() {
    let findings = recorded(&[1], cliff, "");
    let curve = |subject: &str| {
        let mut found = findings
            .curves
            .iter()
            .filter(|curve| curve.gauge == "accuracy");
        found
            .find(|curve| curve.subject.as_str() == subject)
            .unwrap()
    };
    let one = curve("one");
    let points: Vec<f64> = one
        .points
        .iter()
        .map(|point| value(&point.quantity))
        .collect();
    assert_eq!(points, [0.9, 0.8, 0.3, 0.2]);
    near(value(&one.area), (0.85 + 0.55 + 2.0 * 0.25) / 4.0);
    let drops: Vec<f64> = one.drops.iter().map(|drop| value(&drop.step)).collect();
    let per_unit: Vec<f64> = one
        .drops
        .iter()
        .map(|drop| drop.per_unit.value().unwrap())
        .collect();
    drops
        .iter()
        .zip([0.1, 0.5, 0.1])
        .for_each(|(found, expected)| near(*found, expected));
    per_unit
        .iter()
        .zip([0.1, 0.5, 0.05])
        .for_each(|(found, expected)| near(*found, expected));
    assert_eq!(one.break_point, Ok(Severity::new(2.0).unwrap()));
    assert_eq!(one.monotonicity, Reading::Value(1.0));
    // 20 items do not show that the second step is four times as steep as the rest together.
    assert_eq!(one.shape, Shape::NotShown);
    let two = curve("two");
    near(value(&two.area), 0.85);
    assert!(two.break_point.is_err());
    assert!(
        matches!(two.shape, Shape::DropNotShown { least: Some(least), .. } if least > 0.1),
        "{:?}",
        two.shape
    );
    assert!(
        matches!(two.monotonicity, Reading::Undefined(_)),
        "{:?}",
        two.monotonicity
    );
}

#[test]
fn a_step_that_is_shown_to_be_far_steeper_than_the_rest_is_a_cliff() {
    let right = |_: &str, _: u64, severity: &str| {
        Some(match severity {
            "0" | "1" => 18,
            "2" => 3,
            _ => 2,
        })
    };
    // How much steeper is for the study to say.
    let steeper = recorded(&[1], right, "cliff-factor = 500\n");
    assert_eq!(steeper.study.cliff_factor, 500.0);
    assert_eq!(steeper.curves[0].shape, Shape::NotShown);
    let findings = recorded(&[1], right, "");
    assert_eq!(findings.study.cliff_factor, 4.0);
    let Shape::Cliff {
        from,
        to,
        share,
        interval,
    } = &findings.curves[0].shape
    else {
        panic!("{:?}", findings.curves[0].shape)
    };
    assert_eq!((from.value(), to.value()), (1.0, 2.0));
    near(*share, 15.0 / 16.0);
    let interval = interval.as_ref().unwrap();
    assert!(interval.low < *share && *share < interval.high);
}

#[test]
fn items_crossed_with_seeds_are_as_sure_as_both_together_allow() {
    // Seeds differ, and items do: neither alone says how sure the mean is.
    let right = |_: &str, seed: u64, _: &str| Some(10 + 2 * seed as usize);
    let of = |scope: &str| {
        let findings = recorded(&[1, 2, 3], right, scope);
        estimate(&findings, "accuracy", "one", &under("storm", 0.0))
            .quantity
            .clone()
    };
    let width = |quantity: &Quantity| {
        let range = quantity.interval.as_ref().unwrap();
        range.high - range.low
    };
    let both = of("");
    assert_eq!(both.unit.to_string(), "20 items crossed with 3 seeds");
    assert_eq!(both.method.to_string(), "crossed t of log-odds");
    let (items, seeds) = (of("scope = \"items\""), of("scope = \"replicates\""));
    assert_eq!(items.unit.to_string(), "20 items, for these 3 seeds only");
    assert_eq!(seeds.unit.to_string(), "3 seeds, for these items only");
    assert!(width(&both) > width(&items));
    assert_eq!(of("scope = \"both\""), both);
}

#[test]
fn what_never_varies_has_an_interval_all_the_same() {
    let findings = recorded(&[1, 2, 3], |_, _, _| Some(0), "");
    let none = &estimate(&findings, "accuracy", "one", &under("storm", 4.0)).quantity;
    let range = none.interval.as_ref().unwrap();
    // None of 20 is right, for any seed: Wilson's interval of these items.
    let z2 = 1.959_963_984_540_054_f64.powi(2);
    assert_eq!(range.low, 0.0);
    near(range.high, z2 / (20.0 + z2));
    let contrast = &findings.contrasts[0].quantity;
    let range = contrast.interval.as_ref().unwrap();
    near(range.high, 1.0 - 0.025_f64.powf(1.0 / 20.0));
    near(range.low, -range.high);
}

#[test]
fn a_curve_that_falls_step_by_step_is_graceful() {
    let right = |_: &str, _: u64, severity: &str| {
        Some(match severity {
            "0" => 20,
            "1" => 14,
            "2" => 8,
            _ => 2,
        })
    };
    let findings = recorded(&[1], right, "");
    let Shape::Graceful { largest_share } = findings.curves[0].shape else {
        panic!("{:?}", findings.curves[0].shape)
    };
    near(largest_share, 1.0 / 3.0);
    assert_eq!(
        findings.curves[0].break_point,
        Ok(Severity::new(1.0).unwrap())
    );
}

#[test]
fn pair_and_ladder_gauges_read_what_they_say() {
    let findings = recorded(&[1], cliff, "");
    let success = &estimate(
        &findings,
        "attack-success-rate",
        "one",
        &under("storm", 2.0),
    )
    .quantity;
    // Of the 18 right when clean, 12 are wrong now.
    near(value(success), 12.0 / 18.0);
    let storm = duress_findings::Under::Ladder(crate::spine::name("storm"));
    let area = &estimate(&findings, "area", "one", &storm).quantity;
    near(value(area), (0.85 + 0.55 + 2.0 * 0.25) / 4.0);
    assert!(
        findings
            .estimates
            .iter()
            .all(|one| one.quantity.value.value().is_none_or(f64::is_finite))
    );
}

/// Accuracy of one minus that of two is 0.40, 0.35 and 0.45 when clean, and 0 at severity 4.
pub(super) fn ahead(subject: &str, seed: u64, severity: &str) -> Option<usize> {
    Some(match (subject, seed, severity) {
        ("one", 1, "0") => 18,
        ("one", 2, "0") => 16,
        ("one", _, "0") => 17,
        ("two", 1, "0") => 10,
        ("two", 2, "0") => 9,
        ("two", _, "0") => 8,
        (_, seed, _) => 9 + seed as usize,
    })
}

const AHEAD: ([f64; 3], [f64; 3]) = ([0.9, 0.8, 0.85], [0.5, 0.45, 0.4]);

/// A claim about the accuracy of subject one.
fn claim(name: &str, lines: &str) -> String {
    format!(
        "[[claim]]\nname = \"{name}\"\nfamily = \"{name}\"\ngauge = \"accuracy\"\nof = \"one\"\n{lines}\n"
    )
}

fn claims(lines: &[&str]) -> Vec<ClaimFinding> {
    let all: String = lines
        .iter()
        .enumerate()
        .map(|(i, lines)| claim(&format!("claim {i}"), lines))
        .collect();
    recorded(&[1, 2, 3], ahead, &format!("units = \"seeds\"\n{all}")).claims
}

fn verdicts(lines: &[&str]) -> Vec<Verdict> {
    claims(lines).iter().map(|claim| claim.verdict).collect()
}

#[test]
fn a_claim_is_upheld_refuted_or_undecided_by_its_two_nulls() {
    // The 90 % interval of the difference is 0.4 ± 2.919986·0.05/√3 = [0.3157, 0.4843].
    let found = claims(&[
        "against = \"two\"\nmargin = 0.3",
        "against = \"two\"\nmargin = 0.5",
        "against = \"two\"\nmargin = 0.4",
    ]);
    let verdicts: Vec<Verdict> = found.iter().map(|claim| claim.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::Upheld, Verdict::Refuted, Verdict::Undecided]
    );
    for claim in &found {
        let range = claim.judged_by.as_ref().unwrap();
        let half = 2.919_985_580_353_726 * 0.05 / 3.0_f64.sqrt();
        near(range.low, 0.4 - half);
        near(range.high, 0.4 + half);
        near(range.level, 0.9);
        near(value(&claim.quantity), 0.4);
        assert_eq!(
            claim.would_decide.is_some(),
            claim.verdict == Verdict::Undecided
        );
    }
    // t(2) = 0.1/(0.05/√3) = 3.464 on either side.
    assert_eq!(
        found[0].why,
        "shown to lie above 0.3 (p = 0.037); the 90 % interval, not adjusted, is [+0.316, +0.484]"
    );
    assert_eq!(
        found[1].why,
        "shown to lie below 0.5 (p = 0.037); the 90 % interval, not adjusted, is [+0.316, +0.484]"
    );
    assert_eq!(
        found[2].why,
        "shown to lie neither above 0.4 (p = 0.500) nor below (p = 0.500); the 90 % interval, not adjusted, is [+0.316, +0.484]"
    );
    assert_eq!(
        found[0].sentence,
        "accuracy of one on toy when clean is greater than that of two by more than 0.3"
    );
}

#[test]
fn claims_go_both_ways() {
    let less = |margin: f64| format!("against = \"two\"\nside = \"less\"\nmargin = {margin}");
    let flipped = |margin: f64| less(margin).replace("against = \"two\"", "against = \"one\"");
    assert_eq!(verdicts(&[&less(0.0)]), [Verdict::Refuted]);
    let two = recorded(
        &[1, 2, 3],
        ahead,
        &format!(
            "units = \"seeds\"\n{}",
            claim("c", &flipped(0.3)).replace("of = \"one\"", "of = \"two\"")
        ),
    );
    assert_eq!(two.claims[0].verdict, Verdict::Upheld);
    assert_eq!(
        two.claims[0].why,
        "shown to lie below −0.3 (p = 0.037); the 90 % interval, not adjusted, is [−0.484, −0.316]"
    );
}

#[test]
fn a_claim_of_equivalence_is_about_being_within() {
    let at = "at = { ladder = \"storm\", severity = 1 }\nside = \"equivalent\"\nagainst = \"two\"\nmargin = ";
    let found = claims(&[
        "side = \"equivalent\"\nagainst = \"two\"\nmargin = 0.5",
        "side = \"equivalent\"\nagainst = \"two\"\nmargin = 0.2",
        &format!("{at}0.05"),
    ]);
    assert_eq!(found[0].verdict, Verdict::Upheld);
    assert_eq!(
        found[0].why,
        "shown to lie within ±0.5 (p = 0.037); the 90 % interval, not adjusted, is [+0.316, +0.484]"
    );
    assert_eq!(found[1].verdict, Verdict::Refuted);
    // The two one-sided tests are of the same method as everything else.
    let test = found[0].test.as_ref().unwrap();
    assert_eq!(test.method.to_string(), "t over seeds");
    let tost = tests::tost_paired(&AHEAD.0, &AHEAD.1, -0.5, 0.5, 0.05).unwrap();
    near(test.p, tost.p);
    // At severity 1 the two are equal for every seed: three seeds without spread bound nothing
    // within 0.05, and have no t.
    assert_eq!(found[2].verdict, Verdict::Undecided);
    assert!(found[2].judged_by.is_ok());
    let named = claims(&[&format!("{at}0.05\ntest = \"tost\"")]).remove(0);
    assert_eq!(named.verdict, Verdict::Undecided);
    assert!(
        named.why.starts_with("there is nothing to judge by"),
        "{}",
        named.why
    );
}

#[test]
fn a_claim_without_a_rival_is_about_the_value_itself() {
    // 0.85 ± 2.919986·0.05/√3 = [0.7657, 0.9343].
    let found = claims(&[
        "margin = 0.7",
        "margin = 0.95",
        "margin = 0.85",
        "margin = 0.95\nside = \"less\"",
    ]);
    let verdicts: Vec<Verdict> = found.iter().map(|claim| claim.verdict).collect();
    assert_eq!(
        verdicts,
        [
            Verdict::Upheld,
            Verdict::Refuted,
            Verdict::Undecided,
            Verdict::Upheld
        ]
    );
    assert_eq!(
        found[0].sentence,
        "accuracy of one on toy when clean is greater than 0.7"
    );
    let worse = claims(&[
        "against = \"two\"\nmargin = -0.1",
        "against = \"two\"\nmargin = -0.1\nside = \"less\"",
    ]);
    assert_eq!(
        worse[0].sentence,
        "accuracy of one on toy when clean is no more than 0.1 below that of two"
    );
    assert_eq!(
        worse[1].sentence,
        "accuracy of one on toy when clean is no more than 0.1 above that of two"
    );
    let t = tests::paired_t(&AHEAD.0, &[0.7; 3], Side::Greater, 0.95).unwrap();
    near(found[0].test.as_ref().unwrap().p, t.p);
}

#[test]
fn a_claim_against_clean_is_about_the_drop() {
    let drop = "at = { ladder = \"storm\", severity = 4 }\nagainst = \"clean\"\nside = \"less\"\nmargin = 0.1";
    let found = claims(&[drop]);
    // 0.5 − 0.9, 0.55 − 0.8, 0.6 − 0.85.
    near(value(&found[0].quantity), -0.3);
    let of = [0.5, 0.55, 0.6];
    let range = interval::paired_t(&of, &AHEAD.0, 0.9).unwrap();
    near(found[0].judged_by.as_ref().unwrap().low, range.low);
    near(found[0].judged_by.as_ref().unwrap().high, range.high);
}

#[test]
fn significance_is_a_separate_answer_from_the_verdict() {
    let found = claims(&["against = \"two\"\nmargin = 0.5"]);
    let test = found[0].test.as_ref().unwrap();
    assert_eq!(found[0].verdict, Verdict::Refuted);
    assert!(test.significant);
    // t = 0.4/(0.05/√3)
    near(test.statistic, 0.4 / (0.05 / 3.0_f64.sqrt()));
    near(
        test.p,
        tests::paired_t(&AHEAD.0, &AHEAD.1, Side::Greater, 0.95)
            .unwrap()
            .p,
    );
    assert_eq!(test.n, 3);
}

#[test]
fn every_test_a_claim_can_name_is_the_one_that_is_made() {
    let sided = |test: &str| claims(&[&format!("against = \"two\"\ntest = \"{test}\"")]).remove(0);
    // Three differences of one sign: the smallest one-sided p of the exact tests is 1/8.
    for test in ["wilcoxon", "sign", "sign-flip"] {
        let found = sided(test);
        near(found.test.as_ref().unwrap().p, 0.125);
        assert!(!found.test.unwrap().significant, "{test}");
        // What no result could show is not upheld by another test's interval.
        assert_eq!(found.verdict, Verdict::Undecided, "{test}");
    }
    for test in ["paired-t", "bootstrap", "design"] {
        let found = sided(test);
        assert_eq!(found.verdict, Verdict::Upheld, "{test}");
        assert!(found.test.is_ok(), "{test}");
    }
}

#[test]
fn mcnemar_counts_the_items_on_which_two_subjects_differ() {
    let right = |subject: &str, _: u64, _: &str| Some(if subject == "one" { 19 } else { 9 });
    let lines = claim("c", "against = \"two\"\ntest = \"mcnemar\"");
    let found = recorded(&[1], right, &lines).claims.remove(0);
    // Ten items only one has right, none only two: the exact one-sided p is 2⁻¹⁰.
    near(found.test.as_ref().unwrap().p, 0.5_f64.powi(10));
    assert_eq!(found.verdict, Verdict::Upheld);
    let seeds = recorded(&[1, 2], cliff, &lines).claims.remove(0);
    near(seeds.test.unwrap().p, 0.5);
    // Three to none is not enough, whatever an interval of another kind would say.
    let three = |subject: &str, _: u64, _: &str| Some(if subject == "one" { 12 } else { 9 });
    let found = recorded(&[1], three, &lines).claims.remove(0);
    near(found.test.as_ref().unwrap().p, 0.125);
    assert_eq!(found.verdict, Verdict::Undecided);
}

#[test]
fn claims_of_a_family_are_corrected_together() {
    let family = |lines: &str| claim("x", lines).replace("family = \"x\"", "family = \"all\"");
    let margins = ["0", "0.55", "0.6", "0.7"];
    let text: String = margins
        .iter()
        .enumerate()
        .map(|(i, margin)| {
            family(&format!("margin = {margin}")).replace("\"x\"", &format!("\"c{i}\""))
        })
        .collect();
    for (word, correction) in [
        ("none", Correction::None),
        ("holm", Correction::Holm),
        ("holm-sidak", Correction::HolmSidak),
        ("hommel", Correction::Hommel),
        ("bh", Correction::BenjaminiHochberg),
        ("by", Correction::BenjaminiYekutieli),
    ] {
        let more = format!("units = \"seeds\"\ncorrection = \"{word}\"\n{text}");
        let found = recorded(&[1, 2, 3], ahead, &more).claims;
        let cards: Vec<_> = found
            .iter()
            .map(|claim| claim.test.as_ref().unwrap())
            .collect();
        let raw: Vec<f64> = cards.iter().map(|card| card.p).collect();
        let adjusted = correction.adjust(&raw).unwrap();
        cards
            .iter()
            .zip(&adjusted)
            .for_each(|(card, p)| near(card.p_adjusted, *p));
        assert!(
            cards
                .iter()
                .all(|card| card.significant == (card.p_adjusted <= 0.05))
        );
    }
}

#[test]
fn a_family_of_claims_is_judged_by_adjusted_p_values_and_its_intervals_stay() {
    let alone = claims(&["against = \"two\"\nmargin = 0.3"]).remove(0);
    let family = |word: &str| {
        let text: String = (0..4)
            .map(|i| {
                claim(&format!("c{i}"), "against = \"two\"\nmargin = 0.3")
                    .replace(&format!("family = \"c{i}\""), "family = \"all\"")
            })
            .collect();
        let text = format!("units = \"seeds\"\ncorrection = \"{word}\"\n{text}");
        recorded(&[1, 2, 3], ahead, &text).claims.remove(0)
    };
    let holm = family("holm");
    assert_eq!(alone.verdict, Verdict::Upheld);
    // 4 × 0.037 is above 0.05; the interval is that of the claim by itself, and says so.
    assert_eq!(holm.verdict, Verdict::Undecided);
    assert_eq!(holm.judged_by, alone.judged_by);
    assert!(
        holm.why
            .contains("(p = 0.148) nor below (p = 1.000, Holm over 4 claims)"),
        "{}",
        holm.why
    );
    // Corrections that differ give verdicts that differ.
    assert_eq!(family("bh").verdict, Verdict::Upheld);
}

#[test]
fn what_three_seeds_can_show_is_said_before_the_run() {
    let claims: String = (0..5)
        .map(|i| {
            claim(&format!("c{i}"), "against = \"two\"\nalpha = 0.01")
                .replace(&format!("family = \"c{i}\""), "family = \"H\"")
        })
        .collect();
    let findings = recorded(&[1, 2, 3], ahead, &format!("units = \"seeds\"\n{claims}"));
    let said = &findings.claims[0].power;
    assert!(
        said.iter()
            .any(|sentence| sentence.contains("t(2) must exceed 15.76")),
        "{said:#?}"
    );
    assert!(
        findings
            .study
            .power
            .iter()
            .any(|sentence| sentence.starts_with("c0: ") && sentence.contains("15.76"))
    );
}

#[test]
fn what_is_undefined_has_a_reason() {
    let broken = |subject: &str, seed: u64, severity: &str| match (subject, seed, severity) {
        ("two", 2, "0") => None,
        _ => ahead(subject, seed, severity),
    };
    let findings = recorded(
        &[1, 2, 3],
        broken,
        &format!("units = \"seeds\"\n{}", claim("c", "against = \"two\"")),
    );
    let clean = estimate(&findings, "accuracy", "two", &under("storm", 0.0));
    assert_eq!(clean.quantity.replicates, 2);
    near(value(&clean.quantity), 0.45);
    let (seed, Reading::Undefined(why)) = &clean.by_seed[1] else {
        panic!("{:?}", clean.by_seed)
    };
    assert_eq!(*seed, 2);
    let AbsenceReason::CellFailed {
        failure: FailureKind::Unable,
        why,
    } = why
    else {
        panic!("{why}")
    };
    assert!(why.contains("two_2_clean_0.csv:2: "), "{why}");
    assert_eq!(findings.failures.len(), 1);
    // What is paired is paired on the seeds that both have.
    let contrast = findings.contrasts.iter().find(|one| {
        one.gauge == "accuracy"
            && one.of.subject.as_str() == "two"
            && one.against.subject.as_str() == "one"
    });
    assert_eq!(contrast.unwrap().quantity.replicates, 2);
    // Two seeds have an interval and decide nothing.
    assert!(findings.claims[0].judged_by.is_ok() && findings.claims[0].test.is_err());
    assert_eq!(findings.claims[0].verdict, Verdict::Undecided);
    // No clean answer, no success rate for that seed.
    let success = estimate(
        &findings,
        "attack-success-rate",
        "two",
        &under("storm", 1.0),
    );
    let Reading::Undefined(why @ AbsenceReason::CleanTwin { .. }) = &success.by_seed[1].1 else {
        panic!("{:?}", success.by_seed[1])
    };
    assert!(why.to_string().starts_with("clean: unable: "), "{why}");
}

#[test]
fn one_seed_says_that_it_is_one() {
    let findings = recorded(
        &[1],
        cliff,
        &format!("units = \"seeds\"\n{}", claim("c", "against = \"two\"")),
    );
    let clean = &estimate(&findings, "accuracy", "one", &under("storm", 0.0)).quantity;
    assert_eq!(clean.interval, Err(AbsenceReason::OneSeed));
    assert_eq!(findings.claims[0].verdict, Verdict::Undecided);
    assert_eq!(
        findings.claims[0].would_decide.as_deref(),
        Some("at least three seeds: one has no spread")
    );
}

#[test]
fn a_study_that_was_changed_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let plan = crate::spine::planned(&crate::spine::small(""));
    run_in(&plan, folder.path());
    let ledger = duress::ledger::Ledger::open(&folder.path().join("4-ledger"));
    let history = duress::analysis::History {
        studies: vec!["an earlier hash".into()],
        ..Default::default()
    };
    let findings = duress::analysis::analyse(&plan, &ledger, &history).unwrap();
    assert_eq!(findings.study.earlier, ["an earlier hash"]);
    assert_eq!(
        findings.caveats[0].doubt,
        Doubt::ChangedStudy { earlier: 1 }
    );
}

#[test]
fn findings_come_back_from_json_as_they_were() {
    let findings = recorded(
        &[1, 2, 3],
        ahead,
        &format!("units = \"seeds\"\n{}", claim("c", "against = \"two\"")),
    );
    let json = serde_json::to_string(&findings).unwrap();
    assert_eq!(duress_findings::from_json(&json).unwrap(), findings);
}
