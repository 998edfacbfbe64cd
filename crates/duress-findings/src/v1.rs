//! Version 1 of findings: methods, reasons and doubts were sentences, and nothing had an id.
//!
//! The sentences of version 1 are history. They stand here as they were written, whatever today's
//! words for the same things are.

use std::str::FromStr;

use duress_core::name::Name;
use duress_core::place::{Place, Under};
use duress_core::subject::FailureKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::words::{AnswersRead, Correction, Units};
use crate::{
    About, AbsenceReason, Caveat, Corrected, Doubt, Id, IntervalMethod, JudgingMethod, Method,
    Missed, NoBreak, Resampled, TestMethod, TestRoute, VERSION,
};

/// A file of version 1 as one of today's version.
pub(crate) fn convert(mut old: Value) -> Value {
    mend(&mut old);
    let ladders: Vec<Value> = names(&old["ladders"]);
    for one in list(&mut old, "claims") {
        claim(one);
    }
    for one in list(&mut old, "caveats") {
        *one = caveat(one, &ladders);
    }
    for one in list(&mut old, "failures") {
        failure(one);
    }
    for subject in list(&mut old, "subjects") {
        for form in list(subject, "answers") {
            replace(form, answers_read);
        }
    }
    add_ids(&mut old);
    old["version"] = VERSION.into();
    old
}

fn names(cards: &Value) -> Vec<Value> {
    let cards = cards.as_array().into_iter().flatten();
    cards.map(|card| card["name"].clone()).collect()
}

fn list<'a>(object: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    let inside = object.get_mut(key).and_then(Value::as_array_mut);
    inside.into_iter().flatten()
}

/// Makes a sentence what it says.
fn replace<T: Serialize>(value: &mut Value, read: impl Fn(&str) -> T) {
    if let Some(sentence) = value.as_str() {
        *value = json!(read(sentence));
    }
}

/// Every quantity, reading, interval and break point, wherever it stands.
fn mend(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(mend),
        Value::Object(object) => {
            if object.contains_key("interval") && object.contains_key("replicates") {
                quantity(object);
            }
            for (key, inner) in object.iter_mut() {
                match key.as_str() {
                    "undefined" | "Err" => replace(inner, reason),
                    "break_point" => {
                        if let Some(why) = inner.get_mut("Err") {
                            replace(why, no_break);
                        }
                    }
                    _ => {}
                }
                if key != "study" {
                    mend(inner);
                }
            }
        }
        _ => {}
    }
}

fn quantity(object: &mut Map<String, Value>) {
    if let Some(unit) = object.get_mut("unit") {
        replace(unit, resampled);
    }
    if let Some(how) = object.get_mut("method") {
        replace(how, method);
    }
}

fn claim(claim: &mut Value) {
    let judged = claim["judged_how"].as_str().and_then(judging_method);
    claim["judged_how"] = json!(judged);
    if let Some(test) = claim["test"].get_mut("Ok") {
        replace(&mut test["method"], test_method);
        replace(&mut test["correction"], corrected);
    }
    let power = claim["power"].as_array().into_iter().flatten();
    let mut sentences = power.filter_map(Value::as_str);
    let out_of_reach = sentences.any(|line| line.contains("so no result can stand"));
    claim["out_of_reach"] = out_of_reach.into();
}

fn failure(failed: &mut Value) {
    let sentence = failed["why"].as_str().unwrap_or_default().to_string();
    let (kind, why) = failed_cell(&sentence).unwrap_or((FailureKind::Crashed, sentence));
    failed["kind"] = json!(kind);
    failed["why"] = why.into();
}

fn add_ids(findings: &mut Value) {
    for one in list(findings, "claims") {
        one["id"] = json!(Id::claim(text(&one["name"])));
    }
    for one in list(findings, "estimates") {
        let gauge = text(&one["gauge"]);
        let id = place(&one["place"]).map(|at| Id::estimate(gauge, &at));
        one["id"] = json!(id);
    }
    for one in list(findings, "contrasts") {
        let gauge = text(&one["gauge"]);
        let both = place(&one["of"]).zip(place(&one["against"]));
        let id = both.map(|(of, against)| Id::contrast(gauge, &of, &against));
        one["id"] = json!(id);
    }
    for one in list(findings, "slices") {
        let gauge = text(&one["gauge"]);
        let column = text(&one["column"]);
        let slice = text(&one["slice"]);
        let id = place(&one["place"]).map(|at| Id::slice(gauge, &at, column, slice));
        one["id"] = json!(id);
    }
    for one in list(findings, "curves") {
        let gauge = text(&one["gauge"]);
        let name = |key: &str| Name::new(text(&one[key])).ok();
        let all = name("subject").zip(name("dataset")).zip(name("ladder"));
        let id =
            all.map(|((subject, dataset), ladder)| Id::curve(gauge, &subject, &dataset, &ladder));
        one["id"] = json!(id);
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn place(value: &Value) -> Option<Place> {
    Place::deserialize(value).ok()
}

/// The parts of a sentence that stand for the braces of a pattern.
fn parts<'a>(pattern: &str, sentence: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = pattern.split("{}");
    let mut rest = sentence.strip_prefix(fixed.next()?)?;
    let mut found = Vec::new();
    let mut fixed = fixed.peekable();
    while let Some(next) = fixed.next() {
        let end = if fixed.peek().is_none() {
            rest.ends_with(next).then(|| rest.len() - next.len())?
        } else {
            rest.find(next)?
        };
        found.push(&rest[..end]);
        rest = &rest[end + next.len()..];
    }
    rest.is_empty().then_some(found)
}

/// The numbers or names that stand for the braces of a pattern.
fn values<T: FromStr, const N: usize>(pattern: &str, sentence: &str) -> Option<[T; N]> {
    let found: Vec<T> = parts(pattern, sentence)?
        .into_iter()
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    found.try_into().ok()
}

fn answers_read(word: &str) -> Value {
    match word {
        "labels with a confidence" => json!(AnswersRead::LabelsWithConfidence),
        word => word.into(),
    }
}

fn resampled(sentence: &str) -> Resampled {
    let one = |pattern| values(pattern, sentence);
    let two = |pattern| values(pattern, sentence);
    let crossed = || two("{} items crossed with {} seeds");
    let nested = || two("{} items nested in {} seeds");
    let within = || two("{} items within each of {} seeds");
    let kept = || two("{} items, {} seeds kept");
    if let Some([items, seeds]) = crossed() {
        Resampled::Crossed { items, seeds }
    } else if let Some([items, seeds]) = nested() {
        Resampled::Nested { items, seeds }
    } else if let Some([items, seeds]) = within() {
        Resampled::ItemsWithinSeeds { items, seeds }
    } else if let Some([items, seeds]) = kept() {
        Resampled::ItemsSeedsKept { items, seeds }
    } else if let Some([items]) = one("{} items") {
        Resampled::Items { items }
    } else if let Some([seeds]) = one("{} seeds") {
        Resampled::Seeds { seeds }
    } else if sentence == "nothing" {
        Resampled::Nothing
    } else {
        Resampled::Other {
            kind: "version-1".into(),
            text: sentence.into(),
        }
    }
}

fn method(sentence: &str) -> Method {
    let split = sentence.rsplit_once(", kept ");
    let kept = split.and_then(|(made, ends)| Some((made, ends_of(ends)?)));
    match kept {
        Some((made, ends)) => Method::from(interval_method(made)).kept(ends),
        None => interval_method(sentence).into(),
    }
}

fn ends_of(words: &str) -> Option<(Option<f64>, Option<f64>)> {
    let words = words.replace('−', "-");
    if let Some([low, high]) = values("within {} and {}", &words) {
        Some((Some(low), Some(high)))
    } else if let Some([low]) = values("not below {}", &words) {
        Some((Some(low), None))
    } else {
        let [high] = values("not above {}", &words)?;
        Some((None, Some(high)))
    }
}

fn interval_method(sentence: &str) -> IntervalMethod {
    let drawn = |pattern| values(pattern, sentence);
    match sentence {
        "none" => return IntervalMethod::None,
        "t over seeds" => return IntervalMethod::TOverSeeds,
        "Wilson" => return IntervalMethod::Wilson,
        _ => {}
    }
    if let Some([resamples]) = drawn("percentile bootstrap, {} resamples") {
        IntervalMethod::Percentile { resamples }
    } else if let Some([resamples]) = drawn("basic bootstrap, {} resamples") {
        IntervalMethod::Basic { resamples }
    } else {
        IntervalMethod::Other {
            kind: "version-1".into(),
            text: sentence.into(),
        }
    }
}

fn judging_method(sentence: &str) -> Option<JudgingMethod> {
    let counted = |pattern| {
        let found = parts(pattern, sentence)?;
        let unit = match found.get(1) {
            Some(&"items") => Units::Items,
            Some(&"seeds") => Units::Seeds,
            _ => return None,
        };
        Some((found.first()?.parse().ok()?, unit))
    };
    if sentence.is_empty() {
        None
    } else if let Some((n, unit)) = counted("paired t over {} {}") {
        Some(JudgingMethod::PairedT { n, unit })
    } else if let Some((n, unit)) = counted("t over {} {}") {
        Some(JudgingMethod::T { n, unit })
    } else {
        // The method of an interval may itself be "t over seeds".
        let split = sentence.rsplit_once(" over ");
        Some(match split {
            Some((how, unit)) => JudgingMethod::AsEstimated {
                method: method(how),
                unit: resampled(unit),
            },
            None => JudgingMethod::Other {
                kind: "version-1".into(),
                text: sentence.into(),
            },
        })
    }
}

fn test_route(words: &str) -> TestRoute {
    match words {
        "exact" => return TestRoute::Exact,
        "asymptotic" => return TestRoute::Asymptotic,
        "asymptotic, corrected" => return TestRoute::Corrected,
        "mid-p" => return TestRoute::MidP,
        _ => {}
    }
    let drawn = parts("{} random patterns, seed {}", words);
    let drawn = drawn.and_then(|found| Some((found[0].parse().ok()?, found[1].parse().ok()?)));
    match drawn {
        Some((resamples, seed)) => TestRoute::Drawn { resamples, seed },
        None => TestRoute::Other {
            kind: "version-1".into(),
            text: words.into(),
        },
    }
}

fn test_method(sentence: &str) -> TestMethod {
    match sentence {
        "paired t" => return TestMethod::PairedT,
        "one-sample t" => return TestMethod::OneSampleT,
        "paired TOST" => return TestMethod::PairedTost,
        "one-sample TOST" => return TestMethod::OneSampleTost,
        _ => {}
    }
    let routed = |name: &str| sentence.strip_prefix(name).map(test_route);
    if let Some(how) = sentence.strip_prefix("Wilcoxon signed rank, ") {
        let without = how.strip_suffix(", zeros left out");
        TestMethod::Wilcoxon {
            route: test_route(without.unwrap_or(how)),
            zeros: without.is_some(),
        }
    } else if let Some(route) = routed("sign test, ") {
        TestMethod::Sign { route }
    } else if let Some(route) = routed("sign-flip test, ") {
        TestMethod::SignFlip { route }
    } else if let Some(route) = routed("McNemar, ") {
        TestMethod::Mcnemar { route }
    } else {
        TestMethod::Other {
            kind: "version-1".into(),
            text: sentence.into(),
        }
    }
}

fn corrected(sentence: &str) -> Corrected {
    let found = parts("{} over {} tests of the family `{}`", sentence);
    let known = found.and_then(|found| {
        let by = CORRECTIONS.iter().find(|(name, _)| *name == found[0])?.1;
        Some(Corrected {
            by,
            tests: found[1].parse().ok()?,
            family: found[2].into(),
        })
    });
    known.unwrap_or(Corrected {
        by: Correction::None,
        tests: 0,
        family: String::new(),
    })
}

const CORRECTIONS: [(&str, Correction); 6] = [
    ("none", Correction::None),
    ("Holm", Correction::Holm),
    ("Holm–Šidák", Correction::HolmSidak),
    ("Hommel", Correction::Hommel),
    ("Benjamini–Hochberg", Correction::BenjaminiHochberg),
    ("Benjamini–Yekutieli", Correction::BenjaminiYekutieli),
];

fn no_break(sentence: &str) -> NoBreak {
    match sentence {
        "nowhere: no drop stands apart from zero" => return NoBreak::Nowhere,
        "nowhere: it is better at the hardest than when clean" => return NoBreak::Improves,
        "neither way is better" => return NoBreak::NeitherIsBetter,
        "every value is already against clean" => return NoBreak::AlreadyAgainstClean,
        _ => {}
    }
    let found = parts("unknown: at {}, {}", sentence);
    let known = found.and_then(|found| {
        Some(NoBreak::Unknown {
            at: duress_core::severity::Severity::parse(found[0]).ok()?,
            why: reason(found[1]),
        })
    });
    known.unwrap_or_else(|| NoBreak::Other {
        kind: "version-1".into(),
        text: sentence.into(),
    })
}

/// Reasons without a number in them.
fn plain_reasons() -> [(&'static str, AbsenceReason); 22] {
    [
        ("the cell was not run", AbsenceReason::CellNotRun),
        ("the truth was not kept", AbsenceReason::TruthNotKept),
        ("its items were not kept", AbsenceReason::ItemsNotKept),
        ("its items have no such column", AbsenceReason::NoSuchColumn),
        (
            "there is nothing to read at this place",
            AbsenceReason::NothingToRead,
        ),
        (
            "there is nothing to compare with at this place",
            AbsenceReason::NothingToCompareWith,
        ),
        (
            "the two runs have no seed in common",
            AbsenceReason::NoCommonSeed,
        ),
        (
            "the two runs have no item in common",
            AbsenceReason::NoCommonItem,
        ),
        (
            "one seed has no spread; only other seeds would show it",
            AbsenceReason::OneSeed,
        ),
        (
            "the two were not read on the same seeds",
            AbsenceReason::OtherSeeds,
        ),
        (
            "there is nothing to combine",
            AbsenceReason::NothingToCombine,
        ),
        (
            "it does not exist for these values",
            AbsenceReason::DoesNotExist,
        ),
        (
            "every resample gives the same value, so resampling cannot tell how sure it is",
            AbsenceReason::SameInEveryResample,
        ),
        ("not asked for", AbsenceReason::NotAskedFor),
        ("streamed, exact", AbsenceReason::Streamed),
        ("streamed, none", AbsenceReason::StreamedUndefined),
        ("a rung has no value", AbsenceReason::RungWithoutValue),
        ("neither way is better", AbsenceReason::NeitherIsBetter),
        (
            "every value is already against clean",
            AbsenceReason::AlreadyAgainstClean,
        ),
        (
            "the bootstrap gives an interval and no p-value",
            AbsenceReason::NoPValue,
        ),
        (
            "this gauge is no mean over items: use `unit = \"seeds\"` or `test = \"bootstrap\"`",
            AbsenceReason::NoMeanOverItems,
        ),
        (
            "McNemar needs right or wrong per item: one seed, and a gauge such as accuracy",
            AbsenceReason::NotRightOrWrong,
        ),
    ]
}

fn reason(sentence: &str) -> AbsenceReason {
    let plain = plain_reasons()
        .into_iter()
        .find(|(known, _)| *known == sentence);
    if let Some((_, reason)) = plain {
        reason
    } else if let Some(why) = sentence.strip_prefix("undefined: ") {
        statistic(why)
    } else if let Some(why) = sentence.strip_prefix("clean: ") {
        AbsenceReason::CleanTwin {
            why: Box::new(reason(why)),
        }
    } else if let Some((failure, why)) = failed_cell(sentence) {
        AbsenceReason::CellFailed { failure, why }
    } else if let Some([undefined, resamples]) = values("undefined in {} of {} resamples", sentence)
    {
        AbsenceReason::UndefinedInResamples {
            undefined,
            resamples,
        }
    } else if let Some([left, right]) =
        values("{} units against {}: they cannot be paired", sentence)
    {
        AbsenceReason::UnitsDiffer { left, right }
    } else if let Some([value]) = values("no item has `{}`", sentence) {
        AbsenceReason::NoItemHas { value }
    } else if let Some([value]) = values("it is {}, which is no number to report", sentence) {
        AbsenceReason::NotFinite { value }
    } else {
        AbsenceReason::gauge(sentence)
    }
}

fn failed_cell(sentence: &str) -> Option<(FailureKind, String)> {
    let kinds = [
        ("crashed: ", FailureKind::Crashed),
        ("timed out: ", FailureKind::TimedOut),
        ("answered nonsense: ", FailureKind::Nonsense),
        ("over budget: ", FailureKind::OverBudget),
        ("unable: ", FailureKind::Unable),
    ];
    kinds
        .into_iter()
        .find_map(|(before, kind)| Some((kind, sentence.strip_prefix(before)?.to_string())))
}

/// What the statistics say behind `undefined: `.
fn statistic(why: &str) -> AbsenceReason {
    let numbers = |part: &[&str], at: [usize; 2]| -> Option<[usize; 2]> {
        Some([
            part.get(at[0])?.parse().ok()?,
            part.get(at[1])?.parse().ok()?,
        ])
    };
    let said = |at: usize, part: &[&str]| part.get(at).map(ToString::to_string);
    let try_pattern = |pattern: &str, make: &dyn Fn(&[&str]) -> Option<AbsenceReason>| {
        parts(pattern, why).and_then(|found| make(&found))
    };
    let too_few = try_pattern("{} {}, at least {} needed", &|found| {
        let [got, need] = numbers(found, [0, 2])?;
        let what = said(1, found)?;
        Some(AbsenceReason::TooFew { what, need, got })
    });
    let unpaired = || {
        let [left, right] = values("{} values cannot be paired with {}", why)?;
        Some(AbsenceReason::Unpaired { left, right })
    };
    let not_finite = || {
        try_pattern("{}: value {} is not a finite number", &|found| {
            let what = said(0, found)?;
            let at = found[1].parse().ok()?;
            Some(AbsenceReason::InputNotFinite { what, at })
        })
    };
    let no_spread = || {
        let [what] = values("{} are all equal", why)?;
        Some(AbsenceReason::NoSpread { what })
    };
    let one_class = || {
        let [positives, negatives] =
            values("needs both classes, got {} positives and {} negatives", why)?;
        Some(AbsenceReason::OneClass {
            positives,
            negatives,
        })
    };
    let too_large = || {
        try_pattern("{} is {}, exact counting stops at {}", &|found| {
            let [got, limit] = numbers(found, [1, 2])?;
            let what = said(0, found)?;
            Some(AbsenceReason::TooLarge { what, limit, got })
        })
    };
    let mostly = || {
        try_pattern(
            "{} of {} resamples had no value (the first: {})",
            &|found| {
                let [undefined, resamples] = numbers(found, [0, 1])?;
                let first = Box::new(reason(found[2]));
                Some(AbsenceReason::MostlyUndefined {
                    undefined,
                    resamples,
                    first,
                })
            },
        )
    };
    let out_of_range = || {
        try_pattern("{} is {}, expected {}", &|found| {
            let what = said(0, found)?;
            let value = said(1, found)?;
            let expected = said(2, found)?;
            Some(AbsenceReason::OutOfRange {
                what,
                value,
                expected,
            })
        })
    };
    let unreachable = || {
        let [what] = values("no finite {} exists", why)?;
        Some(AbsenceReason::Unreachable { what })
    };
    too_few
        .or_else(unpaired)
        .or_else(not_finite)
        .or_else(no_spread)
        .or_else(one_class)
        .or_else(too_large)
        .or_else(mostly)
        .or_else(out_of_range)
        .or_else(unreachable)
        .unwrap_or_else(|| AbsenceReason::Statistic { why: why.into() })
}

/// What version 1 said of a caveat's place: five names, each of which may be missing.
#[derive(Deserialize)]
struct OldCaveat {
    text: String,
    subject: Option<Name>,
    dataset: Option<Name>,
    ladder: Option<Name>,
    gauge: Option<String>,
    claim: Option<String>,
}

fn caveat(old: &Value, ladders: &[Value]) -> Value {
    let Ok(old) = OldCaveat::deserialize(old) else {
        return old.clone();
    };
    let doubt = doubt(&old);
    json!(Caveat::new(about(old, ladders), doubt))
}

fn about(old: OldCaveat, ladders: &[Value]) -> About {
    let under = |name: Name| match ladders.iter().any(|ladder| text(ladder) == name.as_str()) {
        true => Under::Ladder(name),
        false => Under::Condition(name),
    };
    match (old.claim, old.gauge, old.subject, old.dataset, old.ladder) {
        (Some(claim), ..) => About::Claim(claim),
        (_, Some(gauge), ..) => About::Gauge(gauge),
        (_, _, Some(subject), Some(dataset), ladder) => About::Place(Place {
            subject,
            dataset,
            under: ladder.map_or(Under::Everything, under),
        }),
        (_, _, Some(subject), None, _) => About::Subject(subject),
        (_, _, None, Some(dataset), _) => About::Dataset(dataset),
        (_, _, None, None, Some(ladder)) => About::Stress(under(ladder)),
        (_, _, None, None, None) => About::Study,
    }
}

/// The doubt of a caveat. What a subject's cells say is told by others and may say anything, so
/// the sentence alone does not decide: who it is about has to fit.
fn doubt(old: &OldCaveat) -> Doubt {
    let of_study = old.subject.is_none()
        && old.dataset.is_none()
        && old.ladder.is_none()
        && old.gauge.is_none()
        && old.claim.is_none();
    let known = if of_study {
        study_doubt(&old.text)
    } else if let Some(gauge) = &old.gauge {
        gauge_doubt(gauge, &old.text)
    } else if let Some(claim) = &old.claim {
        let said = format!("{claim}: with this many units no outcome could have stood.");
        (said == old.text).then(|| Doubt::NoOutcomeCouldStand {
            claim: claim.clone(),
        })
    } else {
        named_doubt(old)
    };
    known.unwrap_or_else(|| Doubt::Told {
        what: old.text.clone(),
    })
}

fn study_doubt(sentence: &str) -> Option<Doubt> {
    let one = |pattern: &str| values(pattern, sentence);
    let seen = "claims may have been changed after answers were seen.";
    let changed = ["", "s"].iter().find_map(|s| {
        one(&format!(
            "This folder holds {{}} earlier version{s} of the study: {seen}"
        ))
    });
    let means = "means are over the seeds that have, and their number is shown.";
    let failed = [" has", "s have"]
        .iter()
        .find_map(|s| one(&format!("{{}} cell{s} no answers; {means}")));
    let few = one(
        "{} seeds: a bootstrap over so few is too narrow, and a t interval wide; read intervals over seeds with care.",
    );
    let rater = || {
        let rater = parts("{} may rate otherwise when asked again.", sentence)?;
        Some(Doubt::MayRateOtherwise {
            rater: Name::new(rater.first()?).ok()?,
        })
    };
    changed
        .map(|[earlier]| Doubt::ChangedStudy { earlier })
        .or(failed.map(|[failed]| Doubt::CellsWithoutAnswers { failed }))
        .or(few.map(|[seeds]| Doubt::FewSeeds { seeds }))
        .or_else(rater)
}

fn gauge_doubt(gauge: &str, sentence: &str) -> Option<Doubt> {
    let biased = format!("{gauge} is a plug-in: it is biased upward, the more so the fewer items.");
    if biased == sentence {
        return Some(Doubt::PlugIn {
            gauge: gauge.into(),
        });
    }
    let because = [
        (
            "the number is biased, and the interval takes the bias off",
            Missed::Bias,
        ),
        (
            "resampled items repeat, which this number does not bear",
            Missed::Repeats,
        ),
    ];
    because.into_iter().find_map(|(why, because)| {
        let pattern =
            format!("At {{}} of {{}} places the interval of {gauge} misses its number: {why}.");
        let [missed, places] = values(&pattern, sentence)?;
        Some(Doubt::IntervalMisses {
            gauge: gauge.into(),
            missed,
            places,
            because,
        })
    })
}

/// What is said of a subject, a dataset or a stress.
fn named_doubt(old: &OldCaveat) -> Option<Doubt> {
    let sentence = old.text.as_str();
    match (&old.subject, &old.dataset, &old.ladder) {
        (Some(_), Some(_), _) => {
            let [absent, of] = values(
                "{} of {} items have no answer; gauges are over the others.",
                sentence,
            )?;
            Some(Doubt::ItemsWithoutAnswer { absent, of })
        }
        (Some(subject), None, _) => {
            let subject = subject.clone();
            if sentence == format!("{subject} may answer otherwise when asked again.") {
                return Some(Doubt::MayAnswerOtherwise { subject });
            }
            let pattern = format!(
                "{{}} cells of {subject} are read as probabilities and {{}} as logits; `form` would decide for all."
            );
            let [probabilities, logits] = values(&pattern, sentence)?;
            Some(Doubt::MixedForms {
                subject,
                probabilities,
                logits,
            })
        }
        (None, Some(dataset), _) => {
            let said = format!("What was done to {dataset} looked at the truth.");
            (said == sentence).then(|| Doubt::MadeWithTruth {
                dataset: dataset.clone(),
            })
        }
        (None, None, Some(stress)) => {
            let said = format!("{stress} looks at the truth to choose what it does.");
            (said == sentence).then(|| Doubt::SeesTruth {
                stress: stress.clone(),
            })
        }
        (None, None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_that_version_1_wrote_is_known() {
        let said = [
            ("timed out: nothing within 60 s", "cell-failed"),
            ("answered nonsense: 3 classes", "cell-failed"),
            ("clean: unable: no file", "clean-twin"),
            ("no item has `a, b`", "no-item-has"),
            ("3 units against 4: they cannot be paired", "units-differ"),
            (
                "undefined in 300 of 2000 resamples",
                "undefined-in-resamples",
            ),
            ("it is inf, which is no number to report", "not-finite"),
            ("undefined: 1 values, at least 2 needed", "too-few"),
            ("undefined: 3 values cannot be paired with 4", "unpaired"),
            (
                "undefined: x: value 3 is not a finite number",
                "input-not-finite",
            ),
            (
                "undefined: the level is 2, expected between 0 and 1",
                "out-of-range",
            ),
            ("undefined: the differences are all equal", "no-spread"),
            (
                "undefined: needs both classes, got 3 positives and 0 negatives",
                "one-class",
            ),
            (
                "undefined: n is 90, exact counting stops at 50",
                "too-large",
            ),
            (
                "undefined: 7 of 10 resamples had no value (the first: undefined: the values are all equal)",
                "mostly-undefined",
            ),
            ("undefined: no finite n exists", "unreachable"),
            ("undefined: it rains", "statistic"),
            (
                "the answer has no edge, so no share of its edges is true",
                "gauge",
            ),
        ];
        let plain = plain_reasons();
        let plain = plain.iter().map(|(said, reason)| (*said, reason.kind()));
        for (said, kind) in said.into_iter().chain(plain) {
            let read = reason(said);
            assert_eq!((read.kind(), read.to_string().as_str()), (kind, said));
        }
    }

    #[test]
    fn every_method_that_version_1_wrote_is_known() {
        for said in [
            "none",
            "Wilson",
            "t over seeds, kept within −1 and 1",
            "t over seeds, kept not below 0",
            "percentile bootstrap, 2000 resamples",
            "basic bootstrap, 100 resamples, kept not above 1",
        ] {
            let read = method(said);
            assert_eq!(read.to_string(), said);
            assert!(!matches!(read.made, IntervalMethod::Other { .. }), "{said}");
        }
        for said in [
            "paired t",
            "one-sample TOST",
            "sign test, exact",
            "sign-flip test, 100000 random patterns, seed 0",
            "Wilcoxon signed rank, exact, zeros left out",
            "Wilcoxon signed rank, asymptotic",
            "McNemar, exact",
        ] {
            let read = test_method(said);
            assert_eq!(read.to_string(), said);
            assert!(!matches!(read, TestMethod::Other { .. }), "{said}");
        }
        for said in [
            "t over 3 seeds",
            "paired t over 20 items",
            "t over seeds, kept within 0 and 1 over 3 seeds",
            "percentile bootstrap, 2000 resamples over 20 items crossed with 3 seeds",
            "percentile bootstrap, 2000 resamples over 20 items, 3 seeds kept",
            "percentile bootstrap, 2000 resamples over 20 items within each of 3 seeds",
        ] {
            let read = judging_method(said).unwrap();
            assert_eq!(read.to_string(), said);
            assert_ne!(read.kind(), "version-1");
        }
        assert_eq!(judging_method(""), None);
        let said = "Benjamini–Hochberg over 4 tests of the family `all claims`";
        assert_eq!(corrected(said).to_string(), said);
        assert_eq!(corrected("none").to_string(), "none");
    }

    #[test]
    fn every_doubt_that_version_1_wrote_is_known() {
        let name = |text: &str| Name::new(text).unwrap();
        let nobody = || OldCaveat {
            text: String::new(),
            subject: None,
            dataset: None,
            ladder: None,
            gauge: None,
            claim: None,
        };
        let of_study = [
            "This folder holds 1 earlier version of the study: claims may have been changed after answers were seen.",
            "This folder holds 3 earlier versions of the study: claims may have been changed after answers were seen.",
            "5 seeds: a bootstrap over so few is too narrow, and a t interval wide; read intervals over seeds with care.",
            "1 cell has no answers; means are over the seeds that have, and their number is shown.",
            "6 cells have no answers; means are over the seeds that have, and their number is shown.",
            "critic may rate otherwise when asked again.",
        ];
        let mut all: Vec<OldCaveat> = of_study
            .map(|said| OldCaveat {
                text: said.into(),
                ..nobody()
            })
            .into();
        let mut add = |said: &str, about: OldCaveat| {
            all.push(OldCaveat {
                text: said.into(),
                ..about
            });
        };
        let subject = || OldCaveat {
            subject: Some(name("a")),
            ..nobody()
        };
        add("a may answer otherwise when asked again.", subject());
        add(
            "2 cells of a are read as probabilities and 3 as logits; `form` would decide for all.",
            subject(),
        );
        let dataset = Some(name("d"));
        let at = OldCaveat {
            dataset: dataset.clone(),
            ..subject()
        };
        add(
            "1 of 10 items have no answer; gauges are over the others.",
            at,
        );
        let made = OldCaveat {
            dataset,
            ..nobody()
        };
        add("What was done to d looked at the truth.", made);
        let ladder = OldCaveat {
            ladder: Some(name("pgd")),
            ..nobody()
        };
        add("pgd looks at the truth to choose what it does.", ladder);
        let gauge = || OldCaveat {
            gauge: Some("ece".into()),
            ..nobody()
        };
        add(
            "ece is a plug-in: it is biased upward, the more so the fewer items.",
            gauge(),
        );
        add(
            "At 3 of 9 places the interval of ece misses its number: the number is biased, and the interval takes the bias off.",
            gauge(),
        );
        let claim = OldCaveat {
            claim: Some("H1".into()),
            ..nobody()
        };
        add(
            "H1: with this many units no outcome could have stood.",
            claim,
        );
        let kinds: std::collections::BTreeSet<String> = all
            .iter()
            .map(|old| {
                let read = doubt(old);
                // One is said in other words since.
                let now = old.text.replace(
                    "is a plug-in: it is biased upward",
                    "counts chance as what it measures: it leans to the worse side",
                );
                assert_eq!(read.to_string(), now);
                read.kind().to_string()
            })
            .collect();
        assert!(!kinds.contains("told"), "{kinds:?}");
        assert_eq!(kinds.len(), 12);
    }
}
