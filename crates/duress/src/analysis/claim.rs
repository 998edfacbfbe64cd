//! Claims: each is judged by an interval against its margin, and tested against zero; two separate
//! answers.

use duress_stats::tests::{self, McNemar};
use duress_stats::verdict::{self, Orientation};
use duress_stats::{Interval, Route, Side, TestResult, Zeros, effect, interval};

use super::contrast::{Common, difference_bounds, on_shared_items, under};
use super::power;
use super::sample::Sample;
use super::series::{GaugeAtPlace, SampledGauges, Series};
use crate::plan::Plan;
use crate::study::{Against, At, ClaimDecl, ClaimSide, ClaimTest, Study, Units};
use duress_core::gauge::{Ends, Gauge};
use duress_core::number::{self, NumberFormat};
use duress_findings::{
    ClaimFinding, IntervalMethod, Place, Quantity, Range, Reading, TestCard, Under, Verdict,
};

pub(super) fn claims(plan: &Plan, seen: &SampledGauges) -> Vec<ClaimFinding> {
    let examined: Vec<Examined<'_>> = plan
        .study
        .claims
        .iter()
        .map(|claim| Examined::new(plan, seen, claim))
        .collect();
    let mut found: Vec<ClaimFinding> = examined.iter().map(Examined::finding).collect();
    for family in families(&plan.study) {
        adjust(&plan.study, &family, &mut found);
    }
    found
}

fn families(study: &Study) -> Vec<String> {
    let mut names: Vec<String> = study
        .claims
        .iter()
        .map(|claim| claim.family.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Corrects the p-values of one family together.
fn adjust(study: &Study, family: &str, found: &mut [ClaimFinding]) {
    let correction = power::correction(study);
    let mut cards: Vec<&mut TestCard> = found
        .iter_mut()
        .filter(|claim| claim.family == family)
        .filter_map(|claim| claim.test.as_mut().ok())
        .collect();
    let p_values: Vec<f64> = cards.iter().map(|card| card.p).collect();
    let Ok(adjusted) = correction.adjust(&p_values) else {
        return;
    };
    for (card, p) in cards.iter_mut().zip(adjusted) {
        card.p_adjusted = p;
        card.significant = p <= card.alpha;
        card.correction = format!(
            "{correction} over {} tests of the family `{family}`",
            p_values.len()
        );
    }
}

/// A claim with what it is about.
struct Examined<'a> {
    plan: &'a Plan,
    claim: &'a ClaimDecl,
    of: Option<&'a GaugeAtPlace>,
    against: Option<&'a GaugeAtPlace>,
    /// Both sides on the items that both answered.
    sides: Option<(Common<'a>, Option<Common<'a>>)>,
    difference: Option<Sample>,
}

/// Paired values: of the subject, and of what it is compared with.
struct Pairs {
    of: Vec<f64>,
    against: Vec<f64>,
}

impl<'a> Examined<'a> {
    fn new(plan: &'a Plan, seen: &'a SampledGauges, claim: &'a ClaimDecl) -> Examined<'a> {
        let gauge = plan
            .study
            .gauges
            .position(|gauge| gauge.name == claim.gauge);
        let place = |subject: &duress_core::name::Name, at: &At| Place {
            subject: subject.clone(),
            dataset: claim.on.clone(),
            under: match gauge.map(|gauge| &*plan.gauges[gauge].gauge) {
                Some(Gauge::Subject(_)) => Under::Everything,
                _ => under(at),
            },
        };
        let get = |place: Place| seen.get(&place, gauge?);
        let of = get(place(&claim.of, &claim.at));
        let against = match &claim.against {
            Against::Nothing => None,
            Against::Clean => get(place(&claim.of, &At::Clean)),
            Against::Subject(other) => get(place(other, &claim.at)),
        };
        let sides = match (&claim.against, of, against) {
            (Against::Nothing, Some(of), _) => {
                let [of] = on_shared_items(plan, [of]);
                Some((of, None))
            }
            (_, Some(of), Some(against)) => {
                let [of, against] = on_shared_items(plan, [of, against]);
                Some((of, Some(against)))
            }
            _ => None,
        };
        let difference = sides.as_ref().map(|(of, against)| match against {
            Some(against) => of.sample.minus(&against.sample),
            None => of.sample.clone().into_owned(),
        });
        Examined {
            plan,
            claim,
            of,
            against,
            sides,
            difference,
        }
    }

    fn finding(&self) -> ClaimFinding {
        let (study, claim) = (&self.plan.study, self.claim);
        let pairs = self.pairs();
        let n = pairs.as_ref().map_or(0, |pairs| pairs.of.len());
        let judged_by = self.judging_interval(&pairs);
        let verdict = judged_by
            .as_ref()
            .map_or(Verdict::Undecided, |interval| self.judge(interval));
        let units = if claim.by_items { "items" } else { "seeds" };
        let how = match (&judged_by, claim.test) {
            (Err(_), _) => String::new(),
            (Ok(_), ClaimTest::Bootstrap | ClaimTest::Mcnemar) => {
                let estimate = self.quantity(study.analysis.level);
                format!("{} over {}", estimate.method, estimate.unit)
            }
            (Ok(_), _) if claim.against == Against::Nothing => format!("t over {n} {units}"),
            (Ok(_), _) => format!("paired t over {n} {units}"),
        };
        ClaimFinding {
            name: claim.name.clone(),
            family: claim.family.clone(),
            sentence: self.sentence(),
            gauge: claim.gauge.clone(),
            of: self.of.map(|at| at.place.clone()),
            against: self.against.map(|at| at.place.clone()),
            verdict,
            why: self.why(verdict, &judged_by) + &self.left_out(n),
            would_decide: (verdict == Verdict::Undecided).then(|| self.would_decide(&judged_by, n)),
            quantity: self.quantity(study.analysis.level),
            judged_by: judged_by.map(|it| {
                Range {
                    low: it.low,
                    high: it.high,
                    level: it.level,
                }
                .within(self.ends())
            }),
            judged_how: how,
            margin: claim.margin,
            side: claim.side,
            test: self.test(&pairs).map(|test| card(claim, &test)),
            effects: self.effects(&pairs),
            power: power::of_claim(study, claim, Some(n).filter(|n| *n > 0)),
        }
    }

    fn quantity(&self, level: f64) -> Quantity {
        let missing = || Quantity {
            value: Reading::Undefined("there is nothing to read at this place".into()),
            interval: Err("there is nothing to read at this place".into()),
            items: 0,
            replicates: 0,
            unit: "nothing".into(),
            method: IntervalMethod::None.into(),
        };
        self.difference
            .as_ref()
            .map_or_else(missing, |sample| sample.quantity(level).within(self.ends()))
    }

    /// The ends of a gauge that is judged by itself, or of a difference.
    fn ends(&self) -> Ends {
        match (&self.claim.against, self.of) {
            (Against::Nothing, Some(of)) => self.plan.gauges[of.gauge].scale.ends,
            (_, Some(of)) => difference_bounds(self.plan, of),
            _ => (None, None),
        }
    }

    /// The values the test pairs, by seed or by item.
    fn pairs(&self) -> Result<Pairs, String> {
        self.of.ok_or("there is nothing to read at this place")?;
        let (of, against) = self
            .sides
            .as_ref()
            .ok_or("there is nothing to compare with at this place")?;
        let values = |side: &Common<'_>| match self.claim.by_items {
            true => by_item(&side.series),
            false => Ok(by_seed(&side.sample)),
        };
        let (left, right) = (values(of)?, against.as_ref().map(values).transpose()?);
        let right = right.unwrap_or_else(|| vec![Some(0.0); left.len()]);
        if left.len() != right.len() {
            return Err(format!(
                "{} units against {}: they cannot be paired",
                left.len(),
                right.len()
            ));
        }
        let both = left
            .into_iter()
            .zip(right)
            .filter_map(|(a, b)| Some((a?, b?)));
        let (of, against) = both.unzip();
        Ok(Pairs { of, against })
    }

    /// What an absolute claim is tested against; a difference is tested against zero.
    fn null(&self) -> f64 {
        if self.claim.against == Against::Nothing && self.claim.side != ClaimSide::Equivalent {
            self.claim.margin
        } else {
            0.0
        }
    }

    fn test(&self, pairs: &Result<Pairs, String>) -> Result<TestResult, String> {
        let pairs = pairs.as_ref().map_err(String::clone)?;
        let null = self.null();
        let against: Vec<f64> = pairs.against.iter().map(|value| value + null).collect();
        let (x, y, claim) = (&pairs.of, &against, self.claim);
        let setting = power::setting(&self.plan.study, claim);
        let (side, level) = (setting.side, self.plan.study.analysis.level);
        let done = match claim.test {
            ClaimTest::PairedT => tests::paired_t(x, y, side, level),
            ClaimTest::Wilcoxon => tests::wilcoxon(x, y, side, Zeros::Wilcox, Route::Auto),
            ClaimTest::Sign => tests::sign(x, y, side),
            ClaimTest::SignFlip => tests::sign_flip(x, y, side, Route::Auto),
            ClaimTest::Tost => tests::tost_paired(x, y, -claim.margin, claim.margin, claim.alpha),
            ClaimTest::Mcnemar => return mcnemar(pairs, side),
            ClaimTest::Bootstrap => {
                return Err("the bootstrap gives an interval and no p-value".into());
            }
        };
        done.map_err(|why| why.to_string())
    }

    /// The interval the verdict rests on: one-sided at the strictest level of the correction, hence
    /// `1 − 2α/m` in all.
    fn judging_interval(&self, pairs: &Result<Pairs, String>) -> Result<Interval, String> {
        let setting = power::setting(&self.plan.study, self.claim);
        let level = 1.0 - 2.0 * setting.threshold().map_err(|why| why.to_string())?;
        match self.claim.test {
            ClaimTest::Bootstrap | ClaimTest::Mcnemar => {
                if self.claim.test == ClaimTest::Mcnemar {
                    // Where the test cannot be made, another must not be put in its place.
                    self.test(pairs)?;
                }
                let sample = self
                    .difference
                    .as_ref()
                    .ok_or("there is nothing to read at this place")?;
                let (range, method) = sample.interval(level);
                range.and_then(|it| {
                    Interval::new(it.low, it.high, level, method.to_string())
                        .map_err(|why| why.to_string())
                })
            }
            _ => {
                let pairs = pairs.as_ref().map_err(String::clone)?;
                interval::paired_t(&pairs.of, &pairs.against, level).map_err(|why| why.to_string())
            }
        }
    }

    fn judge(&self, interval: &Interval) -> Verdict {
        let claim = self.claim;
        let absolute = claim.against == Against::Nothing && claim.side != ClaimSide::Equivalent;
        let shifted = if absolute {
            shift(interval, -claim.margin)
        } else {
            interval.clone()
        };
        let margin = if absolute { 0.0 } else { claim.margin };
        let judged = match claim.side {
            ClaimSide::Equivalent => verdict::judge_equivalent(interval, claim.margin),
            ClaimSide::Greater => beyond(&shifted, margin, Orientation::Higher),
            ClaimSide::Less => beyond(&shifted, margin, Orientation::Lower),
        };
        match judged {
            Ok(verdict::MarginVerdict::Upheld) => Verdict::Upheld,
            Ok(verdict::MarginVerdict::Refuted) => Verdict::Refuted,
            _ => Verdict::Undecided,
        }
    }

    fn why(&self, verdict: Verdict, judged_by: &Result<Interval, String>) -> String {
        let interval = match judged_by {
            Err(why) => return format!("there is no interval to judge by: {why}"),
            Ok(it) => {
                let it = Range {
                    low: it.low,
                    high: it.high,
                    level: it.level,
                }
                .within(self.ends());
                let (low, high) = self.written(&it);
                format!("the {} % interval [{low}, {high}]", percent(it.level))
            }
        };
        let line = match self.claim.side {
            ClaimSide::Equivalent => format!("±{}", number::tidy(self.claim.margin)),
            _ => number::tidy(self.line()),
        };
        match (verdict, self.claim.side) {
            (Verdict::Upheld, ClaimSide::Equivalent) => format!("{interval} lies within {line}"),
            (Verdict::Refuted, ClaimSide::Equivalent) => {
                format!("{interval} lies wholly outside {line}")
            }
            (Verdict::Upheld, ClaimSide::Greater) => format!("{interval} lies above {line}"),
            (Verdict::Upheld, ClaimSide::Less) => format!("{interval} lies below {line}"),
            (Verdict::Refuted, ClaimSide::Greater) => {
                format!("{interval} lies wholly below {line}")
            }
            (Verdict::Refuted, ClaimSide::Less) => format!("{interval} lies wholly above {line}"),
            (Verdict::Undecided, _) => format!("{interval} holds {line}"),
        }
    }

    /// Where the interval has to lie beyond; for an equivalence, the upper of two such lines.
    fn line(&self) -> f64 {
        match (self.claim.side, &self.claim.against) {
            (ClaimSide::Less, Against::Subject(_) | Against::Clean) => -self.claim.margin,
            _ => self.claim.margin,
        }
    }

    /// The ends of an interval in as many digits as tell them from the line they are judged by; a
    /// difference has signs.
    fn written(&self, range: &Range) -> (String, String) {
        let lines = [self.line(), -self.line()];
        let tells = |digits: &NumberFormat| {
            let line = lines.map(|line| digits.write(line));
            [range.low, range.high]
                .iter()
                .all(|end| lines.contains(end) || !line.contains(&digits.write(*end)))
        };
        let few = NumberFormat::alike(&[range.low, range.high]);
        let more = match few {
            NumberFormat::Fixed(few) => (few..few + 4).map(NumberFormat::Fixed).find(tells),
            NumberFormat::Scientific => None,
        };
        let digits = more.unwrap_or(few);
        let write = |end: f64| match self.claim.against {
            Against::Nothing => digits.write(end),
            _ => digits.signed(end),
        };
        (write(range.low), write(range.high))
    }

    /// Says when some seeds have no value and the claim rests on the others.
    fn left_out(&self, n: usize) -> String {
        let seeds = self.plan.study.seeds.len();
        if self.claim.by_items || n == 0 || n == seeds {
            return String::new();
        }
        let samples = self
            .sides
            .iter()
            .flat_map(|(of, against)| std::iter::once(of).chain(against));
        let why =
            samples
                .flat_map(|side| side.sample.by_seed())
                .find_map(|reading| match reading {
                    Reading::Undefined(why) => Some(why),
                    Reading::Value(_) => None,
                });
        format!(
            ", over {n} of {seeds} seeds: the others have no value ({})",
            why.unwrap_or_default()
        )
    }

    fn would_decide(&self, judged_by: &Result<Interval, String>, n: usize) -> String {
        let units = if self.claim.by_items {
            "items"
        } else {
            "seeds"
        };
        let value = self
            .difference
            .as_ref()
            .and_then(|sample| sample.value().ok());
        let (Ok(interval), Some(value)) = (judged_by, value) else {
            return match n {
                0 => match self.pairs() {
                    Err(why) => format!("nothing as it stands: {why}"),
                    Ok(_) => "answers: the cells this claim is about have none".into(),
                },
                1 => format!("at least two {units}: one has no spread"),
                _ => format!("more {units}, or answers where there are none"),
            };
        };
        let boundary = match self.claim.side {
            ClaimSide::Equivalent => self.claim.margin.copysign(value),
            _ => self.line(),
        };
        // Which of the two an interval over both is wide from, it does not say.
        let both = self.claim.test == ClaimTest::Bootstrap
            && self.plan.study.analysis.units == Units::ItemsAndSeeds;
        let needed = match self.claim.test {
            ClaimTest::Bootstrap | ClaimTest::Mcnemar => {
                verdict::units_to_decide(value, interval, boundary, n)
            }
            _ => verdict::units_to_decide_t(value, interval, boundary, n),
        };
        match needed {
            Ok(needed) => {
                let stays = match self.claim.against {
                    Against::Nothing => number::short(value),
                    _ => number::signed(value),
                };
                let needed = match both {
                    true => {
                        format!(
                            "about {} times the items and seeds",
                            number::short(needed.units as f64 / n as f64)
                        )
                    }
                    false => format!("about {} {units} ({n} now)", needed.units),
                };
                format!("{needed}, if the estimate stays at {stays}")
            }
            Err(_) => format!("no number of {units}, if the estimate stays on the margin"),
        }
    }

    fn effects(&self, pairs: &Result<Pairs, String>) -> Vec<(String, Reading)> {
        let Ok(pairs) = pairs else { return Vec::new() };
        let reading =
            |effect: Result<duress_stats::Effect, duress_stats::UndefinedReason>| match effect {
                Ok(effect) => Reading::Value(effect.value),
                Err(why) => Reading::Undefined(why.to_string()),
            };
        let paired = (
            "d_z".to_string(),
            reading(effect::d_z(&pairs.of, &pairs.against)),
        );
        if self.claim.against == Against::Nothing {
            return Vec::new();
        }
        vec![
            paired,
            (
                "d_av".into(),
                reading(effect::d_av(&pairs.of, &pairs.against)),
            ),
        ]
    }

    fn sentence(&self) -> String {
        let claim = self.claim;
        let place = match &claim.at {
            At::Clean => "when clean".to_string(),
            At::Rung(ladder, severity) => format!("at {ladder} {severity}"),
            At::Ladder(ladder) => format!("over {ladder}"),
            At::Condition(name) => format!("under {name}"),
        };
        let subject_scope = self
            .of
            .is_some_and(|of| of.place.under == Under::Everything);
        let place = if subject_scope {
            "over all it did".into()
        } else {
            place
        };
        let what = format!("{} of {} on {} {place}", claim.gauge, claim.of, claim.on);
        let margin = number::tidy(claim.margin);
        match (&claim.against, claim.side) {
            (Against::Nothing, ClaimSide::Equivalent) => {
                format!("{what} is within ±{margin} of zero")
            }
            (Against::Nothing, side) => format!("{what} is {} than {margin}", side),
            (against, side) => {
                let other = match against {
                    Against::Subject(other) => format!("that of {other}"),
                    _ => "its clean twin".into(),
                };
                match side {
                    ClaimSide::Equivalent => format!("{what} is within ±{margin} of {other}"),
                    side if claim.margin == 0.0 => {
                        format!("{what} is {} than {other}", side)
                    }
                    // A margin below zero is one of non-inferiority.
                    side if claim.margin < 0.0 => {
                        let worse = if side == ClaimSide::Greater {
                            "below"
                        } else {
                            "above"
                        };
                        format!(
                            "{what} is no more than {} {worse} {other}",
                            number::tidy(-claim.margin)
                        )
                    }
                    side => format!("{what} is {} than {other} by more than {margin}", side),
                }
            }
        }
    }
}

fn by_seed(sample: &Sample) -> Vec<Option<f64>> {
    sample.by_seed().iter().map(Reading::value).collect()
}

/// One value per item: the mean over the seeds that have it where all saw the same items, else one
/// after the other.
fn by_item(series: &Series) -> Result<Vec<Option<f64>>, String> {
    let no_items = || {
        "this gauge is no mean over items: use `unit = \"seeds\"` or `test = \"bootstrap\"`"
            .to_string()
    };
    let mut seeds: Vec<&[Option<f64>]> = Vec::new();
    for meter in series.meters.iter() {
        let meter = meter.as_ref().map_err(|undefined| undefined.why.clone())?;
        seeds.push(meter.per_item().ok_or_else(no_items)?);
    }
    if !series.crossed {
        return Ok(seeds.concat());
    }
    let mean = |i: usize| {
        let values: Vec<f64> = seeds.iter().filter_map(|seed| seed[i]).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Ok((0..seeds.first().map_or(0, |seed| seed.len()))
        .map(mean)
        .collect())
}

fn mcnemar(pairs: &Pairs, side: Side) -> Result<TestResult, String> {
    let binary = pairs
        .of
        .iter()
        .chain(&pairs.against)
        .all(|value| *value == 0.0 || *value == 1.0);
    if !binary {
        return Err(
            "McNemar needs right or wrong per item: one seed, and a gauge such as accuracy".into(),
        );
    }
    let count = |of: f64, against: f64| {
        pairs
            .of
            .iter()
            .zip(&pairs.against)
            .filter(|(a, b)| (**a, **b) == (of, against))
            .count() as u64
    };
    tests::mcnemar(count(1.0, 0.0), count(0.0, 1.0), side, McNemar::Exact)
        .map_err(|why| why.to_string())
}

fn card(claim: &ClaimDecl, test: &TestResult) -> TestCard {
    let method = match claim.against {
        Against::Nothing => test.method.replacen("paired", "one-sample", 1),
        _ => test.method.clone(),
    };
    TestCard {
        method,
        statistic: test.statistic,
        p: test.p,
        p_adjusted: test.p,
        correction: "none".into(),
        alpha: claim.alpha,
        significant: test.p <= claim.alpha,
        n: test.n,
    }
}

/// A margin below zero is a non-inferiority claim.
fn beyond(
    interval: &Interval,
    margin: f64,
    direction: Orientation,
) -> Result<verdict::MarginVerdict, duress_stats::UndefinedReason> {
    if margin >= 0.0 {
        verdict::judge(interval, margin, direction)
    } else {
        verdict::judge_noninferior(interval, -margin, direction)
    }
}

fn shift(interval: &Interval, by: f64) -> Interval {
    Interval {
        low: interval.low + by,
        high: interval.high + by,
        ..interval.clone()
    }
}

fn percent(level: f64) -> String {
    let text = format!("{:.2}", level * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
