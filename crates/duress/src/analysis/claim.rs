//! Claims: each has two nulls, not beyond and not short of its margin, tested by its own test and
//! adjusted over its family; significance against zero is a separate answer.

use duress_stats::evidence::Evidence;
use duress_stats::tests::{self, McNemar};
use duress_stats::verdict::{self, Claimed, Judged, Outlook, TwoNulls};
use duress_stats::{Interval, Route, RouteTaken, Side, TestResult, UndefinedReason, Zeros, effect};

use super::contrast::{Common, difference_bounds, on_shared_items};
use super::power;
use super::reason;
use super::sample::{Known, Sample, scope_of};
use super::series::{GaugeAtPlace, SampledGauges, Series};
use crate::plan::Plan;
use crate::study::{Against, ClaimDecl, ClaimSide, ClaimTest, Study, Units};
use duress_core::gauge::{Ends, Gauge};
use duress_core::name::Name;
use duress_core::number::{self, NumberFormat};
use duress_findings::{
    AbsenceReason, ClaimFinding, JudgingMethod, Place, Quantity, Range, Reading, TestCard,
    TestMethod, TestRoute, Under, Verdict,
};

/// The chance with which advice should decide a claim.
const CHANCE: f64 = 0.8;

pub(super) fn claims(plan: &Plan, seen: &SampledGauges) -> Vec<ClaimFinding> {
    let examined: Vec<Examined<'_>> = plan
        .study
        .claims
        .iter()
        .map(|claim| Examined::new(plan, seen, claim))
        .collect();
    let nulls: Vec<Result<TwoNulls, AbsenceReason>> =
        examined.iter().map(Examined::two_nulls).collect();
    let mut found: Vec<ClaimFinding> = Vec::new();
    for (one, own) in examined.iter().zip(&nulls) {
        let judged = own.as_ref().map_err(AbsenceReason::clone).map(|own| {
            let family = examined.iter().zip(&nulls);
            let family = family.filter(|(other, _)| other.claim.family == one.claim.family);
            judge_in_family(
                &plan.study,
                one.claim,
                *own,
                family.map(|(other, p)| (other.claim, p)),
            )
        });
        found.push(one.finding(judged));
    }
    for family in families(&plan.study) {
        adjust(&plan.study, &family, &mut found);
    }
    found
}

/// A claim that cannot be tested still counts as one of its family.
fn judge_in_family<'a>(
    study: &Study,
    claim: &ClaimDecl,
    own: TwoNulls,
    family: impl Iterator<Item = (&'a ClaimDecl, &'a Result<TwoNulls, AbsenceReason>)>,
) -> Judged {
    let nothing = TwoNulls {
        not_beyond: 1.0,
        not_short: 1.0,
    };
    let (members, all): (Vec<&ClaimDecl>, Vec<TwoNulls>) = family
        .map(|(member, p)| (member, *p.as_ref().unwrap_or(&nothing)))
        .unzip();
    let alphas = vec![claim.alpha; all.len()];
    let judged = verdict::judge_family(&all, &alphas, power::correction(study));
    let at = members.iter().position(|member| member.name == claim.name);
    let found = judged.ok().zip(at).map(|(judged, at)| judged[at]);
    found.unwrap_or(Judged {
        adjusted: own,
        verdict: verdict::MarginVerdict::Undecided,
    })
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

/// Corrects the p-values against zero of one family together.
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
        card.correct(p, study.analysis.correction, p_values.len());
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

impl Pairs {
    /// Student's t on the differences.
    fn evidence(&self) -> Result<Evidence, UndefinedReason> {
        let both = self.of.iter().zip(&self.against);
        let differences: Vec<f64> = both.map(|(of, against)| of - against).collect();
        Evidence::of_replicates(&differences, (None, None))
    }
}

impl<'a> Examined<'a> {
    fn new(plan: &'a Plan, seen: &'a SampledGauges, claim: &'a ClaimDecl) -> Examined<'a> {
        let gauge = plan
            .study
            .gauges
            .position(|gauge| gauge.name == claim.gauge);
        let read_of_everything =
            gauge.is_some_and(|gauge| matches!(*plan.gauges[gauge].gauge, Gauge::Subject(_)));
        let get = |subject: &Name, under: &Under| {
            let place = Place {
                subject: subject.clone(),
                dataset: claim.place.dataset.clone(),
                under: match read_of_everything {
                    true => Under::Everything,
                    false => under.clone(),
                },
            };
            seen.get(&place, gauge?)
        };
        let Place { subject, under, .. } = &claim.place;
        let of = get(subject, under);
        let against = match &claim.against {
            Against::Nothing => None,
            Against::Clean => get(subject, &Under::Clean),
            Against::Subject(other) => get(other, under),
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
        let difference = difference.map(|sample| match (claim.test, claim.scope) {
            (ClaimTest::Design, Some(scope)) => sample.for_scope(scope_of(scope)),
            (ClaimTest::Bootstrap, _) => sample.resampled(),
            _ => sample,
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

    fn finding(&self, judged: Result<Judged, AbsenceReason>) -> ClaimFinding {
        let (study, claim) = (&self.plan.study, self.claim);
        let pairs = self.pairs();
        let n = pairs.as_ref().map_or(0, |pairs| pairs.of.len());
        let judged_by = self.judging_interval(&pairs);
        let verdict = match judged.as_ref().map(|judged| judged.verdict) {
            Ok(verdict::MarginVerdict::Upheld) => Verdict::Upheld,
            Ok(verdict::MarginVerdict::Refuted) => Verdict::Refuted,
            _ => Verdict::Undecided,
        };
        let mut found = ClaimFinding::new(&claim.name, &claim.family, claim.side, claim.margin);
        found.sentence = self.sentence();
        found.gauge = claim.gauge.clone();
        found.of = self.of.map(|at| at.place.clone());
        found.against = self.against.map(|at| at.place.clone());
        found.verdict = verdict;
        found.why = self.why(&judged, &judged_by) + &self.left_out(n);
        found.would_decide = (verdict == Verdict::Undecided).then(|| self.would_decide(&judged, n));
        found.quantity = self.quantity(study.analysis.level);
        found.judged_how = judged_by.is_ok().then(|| self.judged_how(n));
        found.judged_by = judged_by.map(|it| self.range(&it));
        found.test = self.test(&pairs);
        found.effects = self.effects(&pairs);
        let counted = Some(n).filter(|n| *n > 0);
        found.power = power::of_claim(study, claim, counted);
        found.out_of_reach = power::out_of_reach(study, claim, counted);
        found
    }

    /// An interval between the ends that what is judged can have.
    fn range(&self, interval: &Interval) -> Range {
        let range = Range {
            low: interval.low,
            high: interval.high,
            level: interval.level,
        };
        range.within(self.ends())
    }

    /// How the interval beside the verdict was made, and for what it holds.
    fn judged_how(&self, n: usize) -> JudgingMethod {
        match (self.claim.test, self.claim.by_items) {
            (ClaimTest::Design | ClaimTest::Bootstrap, _) => {
                let estimate = self.quantity(self.plan.study.analysis.level);
                JudgingMethod::AsEstimated {
                    method: estimate.method,
                    unit: estimate.unit,
                }
            }
            (_, true) => JudgingMethod::TOverItems { items: n },
            _ if self.is_nested() => JudgingMethod::T {
                n,
                unit: Units::Seeds,
            },
            (_, false) => JudgingMethod::TOverSeeds { seeds: n },
        }
    }

    fn is_nested(&self) -> bool {
        self.of
            .is_some_and(|of| !of.series.crossed || of.sample.items() == 0)
    }

    /// The p-values of the claim's two nulls, by its own test.
    fn two_nulls(&self) -> Result<TwoNulls, AbsenceReason> {
        let pairs = self.pairs();
        self.claimed()
            .two_nulls(|null, side| self.own_p(&pairs, null, side))
    }

    /// Where the claim says the truth lies.
    fn claimed(&self) -> Claimed {
        match self.claim.side {
            ClaimSide::Greater => Claimed::Above(self.line()),
            ClaimSide::Less => Claimed::Below(self.line()),
            ClaimSide::Equivalent => Claimed::Between(-self.claim.margin, self.claim.margin),
        }
    }

    /// The p-value of the claim's own test, of the null that the truth is at most (`Greater`) or at
    /// least (`Less`) `null`.
    fn own_p(
        &self,
        pairs: &Result<Pairs, AbsenceReason>,
        null: f64,
        side: Side,
    ) -> Result<f64, AbsenceReason> {
        let test = self.claim.test;
        if matches!(test, ClaimTest::Design | ClaimTest::Bootstrap) {
            let sample = self.difference.as_ref();
            return sample.ok_or(AbsenceReason::NothingToRead)?.p(null, side);
        }
        let pairs = pairs.as_ref().map_err(AbsenceReason::clone)?;
        if pairs.of.len() == 2 && !self.claim.by_items {
            return Err(AbsenceReason::TwoSeeds);
        }
        let against: Vec<f64> = pairs.against.iter().map(|value| value + null).collect();
        let (x, y) = (&pairs.of, &against);
        let done = match test {
            ClaimTest::PairedT | ClaimTest::Tost => {
                return pairs
                    .evidence()
                    .and_then(|found| found.p(null, side))
                    .map_err(reason::statistic);
            }
            ClaimTest::Wilcoxon => tests::wilcoxon(x, y, side, Zeros::Wilcox, Route::Auto),
            ClaimTest::Sign => tests::sign(x, y, side),
            ClaimTest::SignFlip => tests::sign_flip(x, y, side, Route::Auto),
            ClaimTest::Mcnemar => return mcnemar(pairs, null, side).map(|test| test.p),
            ClaimTest::Design | ClaimTest::Bootstrap => unreachable!("answered above"),
        };
        done.map(|test| test.p).map_err(reason::statistic)
    }

    fn quantity(&self, level: f64) -> Quantity {
        let missing = || Quantity::absent(AbsenceReason::NothingToRead);
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
    fn pairs(&self) -> Result<Pairs, AbsenceReason> {
        self.of.ok_or(AbsenceReason::NothingToRead)?;
        let (of, against) = self
            .sides
            .as_ref()
            .ok_or(AbsenceReason::NothingToCompareWith)?;
        let values = |side: &Common<'_>| match self.claim.by_items {
            true => by_item(&side.series),
            false => Ok(by_seed(&side.sample)),
        };
        let (left, right) = (values(of)?, against.as_ref().map(values).transpose()?);
        let right = right.unwrap_or_else(|| vec![Some(0.0); left.len()]);
        if left.len() != right.len() {
            return Err(AbsenceReason::UnitsDiffer {
                left: left.len(),
                right: right.len(),
            });
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

    /// The test against zero, or of a value by itself against its margin.
    fn test(&self, pairs: &Result<Pairs, AbsenceReason>) -> Result<TestCard, AbsenceReason> {
        let (null, claim) = (self.null(), self.claim);
        let setting = power::setting(&self.plan.study, claim);
        let (side, level) = (setting.side, self.plan.study.analysis.level);
        if matches!(claim.test, ClaimTest::Design | ClaimTest::Bootstrap) {
            return self.test_of_design(null, side);
        }
        let pairs = pairs.as_ref().map_err(AbsenceReason::clone)?;
        let against: Vec<f64> = pairs.against.iter().map(|value| value + null).collect();
        let (x, y) = (&pairs.of, &against);
        let done = match claim.test {
            ClaimTest::PairedT => tests::paired_t(x, y, side, level),
            ClaimTest::Wilcoxon => tests::wilcoxon(x, y, side, Zeros::Wilcox, Route::Auto),
            ClaimTest::Sign => tests::sign(x, y, side),
            ClaimTest::SignFlip => tests::sign_flip(x, y, side, Route::Auto),
            ClaimTest::Tost => tests::tost_paired(x, y, -claim.margin, claim.margin, claim.alpha),
            ClaimTest::Mcnemar => {
                return mcnemar(pairs, null, side).map(|test| card(claim, &test, pairs.of.len()));
            }
            ClaimTest::Design | ClaimTest::Bootstrap => unreachable!("answered above"),
        };
        let test = done.map_err(reason::statistic)?;
        Ok(card(claim, &test, pairs.of.len()))
    }

    fn test_of_design(&self, null: f64, side: Side) -> Result<TestCard, AbsenceReason> {
        let (claim, sample) = (self.claim, self.difference.as_ref());
        let sample = sample.ok_or(AbsenceReason::NothingToRead)?;
        let known = sample.known()?;
        let p = match claim.side {
            ClaimSide::Equivalent => self.two_nulls()?.not_beyond,
            _ => sample.p(null, side)?,
        };
        let distance = known.evidence.estimate() - null;
        let error = known.evidence.error();
        let statistic = error.map_or(distance, |(error, _)| distance / error);
        let method = TestMethod::Design {
            method: sample.method(&known),
        };
        let n = sample.units(&known);
        Ok(TestCard::new(
            method,
            (statistic, p),
            n,
            claim.alpha,
            &claim.family,
        ))
    }

    /// The interval beside the verdict, by the same method: at `1 − 2α`, which is not adjusted over
    /// the family.
    fn judging_interval(
        &self,
        pairs: &Result<Pairs, AbsenceReason>,
    ) -> Result<Interval, AbsenceReason> {
        let level = 1.0 - 2.0 * self.claim.alpha;
        if matches!(self.claim.test, ClaimTest::Design | ClaimTest::Bootstrap) {
            return self.known()?.interval(level);
        }
        let pairs = pairs.as_ref().map_err(AbsenceReason::clone)?;
        let evidence = pairs.evidence().map_err(reason::statistic)?;
        evidence.interval(level).map_err(reason::statistic)
    }

    fn known(&self) -> Result<Known, AbsenceReason> {
        let sample = self.difference.as_ref();
        sample.ok_or(AbsenceReason::NothingToRead)?.known()
    }

    fn why(
        &self,
        judged: &Result<Judged, AbsenceReason>,
        judged_by: &Result<Interval, AbsenceReason>,
    ) -> String {
        let judged = match judged {
            Err(why) => return format!("there is nothing to judge by: {why}"),
            Ok(judged) => judged,
        };
        let line = match self.claim.side {
            ClaimSide::Equivalent => format!("±{}", number::tidy(self.claim.margin)),
            _ => number::tidy(self.line()),
        };
        let (beyond, short) = match self.claim.side {
            ClaimSide::Greater => ("above", "below"),
            ClaimSide::Less => ("below", "above"),
            ClaimSide::Equivalent => ("within", "outside"),
        };
        let p = |p: f64| format!("p {}", in_relation(p));
        let (up, down) = (p(judged.adjusted.not_beyond), p(judged.adjusted.not_short));
        let over = self.family_in_words();
        let interval = match judged_by {
            Err(_) => String::new(),
            Ok(it) => {
                let it = self.range(it);
                let (low, high) = self.written(&it);
                format!(
                    "; the {} % interval, not adjusted, is [{low}, {high}]",
                    percent(it.level)
                )
            }
        };
        match judged.verdict {
            verdict::MarginVerdict::Upheld => {
                format!("shown to lie {beyond} {line} ({up}{over}){interval}")
            }
            verdict::MarginVerdict::Refuted => {
                format!("shown to lie {short} {line} ({down}{over}){interval}")
            }
            verdict::MarginVerdict::Undecided => format!(
                "shown to lie neither {beyond} {line} ({up}) nor {short} ({down}{over}){interval}"
            ),
        }
    }

    fn family_in_words(&self) -> String {
        let study = &self.plan.study;
        let family = study
            .claims
            .iter()
            .filter(|one| one.family == self.claim.family);
        match (family.count(), power::correction(study)) {
            (1, _) | (_, duress_stats::correct::Correction::None) => String::new(),
            (claims, correction) => format!(", {correction} over {claims} claims"),
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
            why.map_or_else(String::new, |why| why.to_string())
        )
    }

    /// What would decide it, with the chance it has: the truth is not taken to be the estimate.
    fn would_decide(&self, judged: &Result<Judged, AbsenceReason>, n: usize) -> String {
        let units = match self.claim.by_items {
            true => "items",
            false => "seeds",
        };
        match (judged.clone(), self.known()) {
            (Ok(_), Ok(known)) => self.outlook(&known, units, n),
            (Err(why), _) | (Ok(_), Err(why)) => match n {
                0 => match self.pairs() {
                    Err(why) => format!("nothing as it stands: {why}"),
                    Ok(_) => "answers: the cells this claim is about have none".into(),
                },
                1 => format!("at least three {units}: one has no spread"),
                2 => format!("at least three {units}: two decide nothing about others"),
                _ => format!("more {units}, or answers where there are none ({why})"),
            },
        }
    }

    fn outlook(&self, known: &Known, units: &str, n: usize) -> String {
        let Some((error, freedom)) = known.evidence.error() else {
            return format!("more {units}; how many cannot be said of this interval");
        };
        let estimate = known.evidence.estimate();
        let border = match self.claim.side {
            ClaimSide::Equivalent => self.claim.margin.copysign(estimate),
            _ => self.line(),
        };
        let setting = power::setting(&self.plan.study, self.claim);
        let outlook = Outlook {
            distance: estimate - border,
            error,
            alpha: setting.threshold().unwrap_or(self.claim.alpha),
        };
        let by_seeds = |seeds: usize| match &known.components {
            Some(found) => found.error_with(found.units, seeds),
            None => {
                let shrunk = (n as f64 / seeds as f64).sqrt();
                (error * shrunk, (seeds as f64 - 1.0).max(freedom))
            }
        };
        let percent = number::tidy(100.0 * CHANCE);
        let seeds = outlook.needed(n.max(2), 50 * n.max(2), CHANCE, by_seeds);
        let mut said = match &seeds {
            Ok(seeds) => format!("about {seeds} {units} ({n} now), with a chance of {percent} %"),
            Err(_) => format!(
                "no number of {units} up to {}, with a chance of {percent} %",
                50 * n.max(2)
            ),
        };
        if let Some(found) = known.components.filter(|_| !self.claim.by_items) {
            let by_items = |items: usize| found.error_with(items, found.replicates);
            match outlook.needed(found.units, 50 * found.units, CHANCE, by_items) {
                Ok(items) => said += &format!("; or about {items} items ({} now)", found.units),
                Err(_) => said += &format!("; or no number of items up to {}", 50 * found.units),
            }
        }
        if outlook.distance.abs() < error {
            said += "; the estimate lies so close to the margin that the truth may be on it";
        }
        said
    }

    fn effects(&self, pairs: &Result<Pairs, AbsenceReason>) -> Vec<(String, Reading)> {
        let Ok(pairs) = pairs else { return Vec::new() };
        let reading =
            |effect: Result<duress_stats::Effect, duress_stats::UndefinedReason>| match effect {
                Ok(effect) => Reading::Value(effect.value),
                Err(why) => Reading::Undefined(reason::statistic(why)),
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
        let read_at = self.of.map_or(&claim.place, |of| &of.place);
        let under = match &read_at.under {
            Under::Clean => "when clean".to_string(),
            Under::Rung { ladder, severity } => format!("at {ladder} {severity}"),
            Under::Ladder(ladder) => format!("over {ladder}"),
            Under::Condition(name) => format!("under {name}"),
            Under::Everything => "over all it did".into(),
        };
        let what = format!(
            "{} of {} on {} {under}",
            claim.gauge, read_at.subject, read_at.dataset
        );
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
fn by_item(series: &Series) -> Result<Vec<Option<f64>>, AbsenceReason> {
    let mut seeds: Vec<&[Option<f64>]> = Vec::new();
    for meter in series.meters.iter() {
        let meter = meter.as_ref().map_err(AbsenceReason::clone)?;
        seeds.push(meter.per_item().ok_or(AbsenceReason::NoMeanOverItems)?);
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

/// McNemar's exact test against no difference; against another, the score test of paired shares.
fn mcnemar(pairs: &Pairs, null: f64, side: Side) -> Result<TestResult, AbsenceReason> {
    let binary = pairs
        .of
        .iter()
        .chain(&pairs.against)
        .all(|value| *value == 0.0 || *value == 1.0);
    if !binary {
        return Err(AbsenceReason::NotRightOrWrong);
    }
    let count = |of: f64, against: f64| {
        pairs
            .of
            .iter()
            .zip(&pairs.against)
            .filter(|(a, b)| (**a, **b) == (of, against))
            .count() as u64
    };
    let (first, second) = (count(1.0, 0.0), count(0.0, 1.0));
    let done = match null == 0.0 {
        true => tests::mcnemar(first, second, side, McNemar::Exact),
        false => tests::paired_shares(first, second, pairs.of.len() as u64, null, side),
    };
    done.map_err(reason::statistic)
}

/// `= 0.003`, or `< 0.001`.
fn in_relation(p: f64) -> String {
    let written = number::p_value(p);
    match written.starts_with('<') {
        true => written,
        false => format!("= {written}"),
    }
}

/// The card of a test on so many pairs.
fn card(claim: &ClaimDecl, test: &TestResult, pairs: usize) -> TestCard {
    let alone = claim.against == Against::Nothing;
    let route = test.route.map_or(TestRoute::Exact, route);
    let method = match claim.test {
        ClaimTest::PairedT if alone => TestMethod::OneSampleT,
        ClaimTest::PairedT => TestMethod::PairedT,
        ClaimTest::Tost if alone => TestMethod::OneSampleTost,
        ClaimTest::Tost => TestMethod::PairedTost,
        ClaimTest::Sign => TestMethod::Sign { route },
        ClaimTest::SignFlip => TestMethod::SignFlip { route },
        ClaimTest::Mcnemar => TestMethod::Mcnemar { route },
        // Differences of zero have no rank: what the test did not see were those.
        ClaimTest::Wilcoxon => TestMethod::Wilcoxon {
            route,
            zeros: test.n < pairs,
        },
        ClaimTest::Design | ClaimTest::Bootstrap => {
            unreachable!("the design has a card of its own")
        }
    };
    let found = (test.statistic, test.p);
    TestCard::new(method, found, test.n, claim.alpha, &claim.family)
}

fn route(taken: RouteTaken) -> TestRoute {
    match taken {
        RouteTaken::Exact => TestRoute::Exact,
        RouteTaken::MidP => TestRoute::MidP,
        RouteTaken::Asymptotic { continuity: false } => TestRoute::Asymptotic,
        RouteTaken::Asymptotic { continuity: true } => TestRoute::Corrected,
        RouteTaken::Drawn { resamples, seed } => TestRoute::Drawn { resamples, seed },
        other => TestRoute::Other {
            kind: "statistic".into(),
            text: other.to_string(),
        },
    }
}

fn percent(level: f64) -> String {
    let text = format!("{:.2}", level * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
