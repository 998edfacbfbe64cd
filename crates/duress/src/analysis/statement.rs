//! Statements: what one claim, or one part of it, says about one number, and what its own test says
//! of its two nulls.

use duress_stats::evidence::Evidence;
use duress_stats::tests::{self, McNemar};
use duress_stats::verdict::{self, Claimed, Judged, TwoNulls};
use duress_stats::{Interval, Route, RouteTaken, Side, TestResult, UndefinedReason, Zeros, effect};

use super::delong::Roc;
use super::look::LookLevel;
use super::outlook;
use super::power;
use super::reason;
use super::sample::{Known, Sample, Sampling, scope_of};
use super::series::{GaugeAtPlace, SampledGauges};
use super::side::{SidePlaces, StatementSide, sides_on_shared_items};
use crate::plan::Plan;
use crate::study::{Against, ClaimDecl, ClaimSide, ClaimTest, StatementDecl, Units};
use duress_core::gauge::{Ends, Gauge, ends_of_difference};
use duress_core::name::Name;
use duress_core::number::{self, NumberFormat};
use duress_findings::{
    AbsenceReason, ClaimFinding, Id, JudgingMethod, NullCard, Place, Quantity, Range, Reading,
    TestCard, TestMethod, TestRoute, Under, Verdict,
};

/// How many resamples a verdict has to have beyond its line: a p-value of fewer would hang on the
/// last draw or two.
const BEYOND: f64 = 10.0;

/// The most resamples that are drawn without being asked for.
const MOST_RESAMPLES: usize = 100_000;

/// A statement with what it is about.
pub(super) struct Statement<'a> {
    pub(super) plan: &'a Plan,
    pub(super) claim: &'a ClaimDecl,
    pub(super) decl: &'a StatementDecl,
    /// The level of this look at the claim.
    alpha: f64,
    /// The level of a look after it.
    pub(super) next_alpha: f64,
    of: Option<&'a GaugeAtPlace>,
    against: Option<&'a GaugeAtPlace>,
    /// Both sides on the items that both answered.
    sides: Option<(StatementSide<'a>, Option<StatementSide<'a>>)>,
    difference: Option<Sample>,
}

/// Paired values: of the subject, and of what it is compared with.
pub(super) struct Pairs {
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

impl<'a> Statement<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        seen: &'a SampledGauges,
        (claim, decl): (&'a ClaimDecl, &'a StatementDecl),
        look: &LookLevel,
    ) -> Statement<'a> {
        let gauge = plan.study.gauges.position(|gauge| gauge.name == decl.gauge);
        let read_of_everything =
            gauge.is_some_and(|gauge| matches!(*plan.gauges[gauge].gauge, Gauge::Subject(_)));
        let get = |subject: &Name, dataset: &Name, under: &Under| {
            let place = Place {
                subject: subject.clone(),
                dataset: dataset.clone(),
                under: match read_of_everything {
                    true => Under::Everything,
                    false => under.clone(),
                },
            };
            seen.get(&place, gauge?)
        };
        let Place {
            subject,
            dataset,
            under,
        } = &decl.place;
        let side = |subject: &Name, under: &Under| {
            let minus = match &decl.minus_on {
                Some(other) => Some(get(subject, other, under)?),
                None => None,
            };
            let at = get(subject, dataset, under)?;
            Some(SidePlaces { at, minus })
        };
        let of = side(subject, under);
        let against = match &decl.against {
            Against::Nothing => None,
            Against::Clean => side(subject, &Under::Clean),
            Against::MilderRung => {
                let milder = plan.study.milder_rung(under);
                milder.and_then(|milder| side(subject, &milder))
            }
            Against::Subject(other) => side(other, under),
        };
        let sides = match (&decl.against, of, against) {
            (Against::Nothing, Some(of), _) | (_, Some(of), Some(_)) => {
                Some(sides_on_shared_items(plan, of, against))
            }
            _ => None,
        };
        let mut statement = Statement {
            plan,
            claim,
            decl,
            alpha: look.alpha,
            next_alpha: look.next,
            of: of.map(|side| side.at),
            against: against.map(|side| side.at),
            sides,
            difference: None,
        };
        statement.difference = statement.sampled();
        statement
    }

    /// What is judged, with as many resamples as the level needs where it is judged by them.
    fn sampled(&self) -> Option<Sample> {
        let (of, against) = self.sides.as_ref()?;
        let mut all = std::iter::once(of).chain(against);
        let by_resamples = self.decl.test == ClaimTest::Bootstrap
            || all.any(|side| side.sample(None).is_judged_by_resamples());
        let drawn = self.plan.study.analysis.resamples;
        let needed = self.needed_resamples();
        let raised = (by_resamples && drawn < needed && needed <= MOST_RESAMPLES)
            .then(|| Sampling::of(&self.plan.study).with_resamples(needed));
        let sample = |side: &StatementSide<'_>| side.sample(raised.as_ref());
        let sample = match against {
            Some(against) => sample(of).minus(&sample(against)),
            None => sample(of),
        };
        Some(match (self.decl.test, self.decl.scope) {
            (ClaimTest::Design, Some(scope)) => sample.for_scope(scope_of(scope)),
            (ClaimTest::Bootstrap, _) => sample.resampled(),
            _ => sample,
        })
    }

    /// The resamples that a verdict needs: the first of a family has the smallest level, a border
    /// on either side halves it, and a part that refutes its claim counts as often as there are
    /// parts.
    fn needed_resamples(&self) -> usize {
        let level = self.setting().threshold().unwrap_or(self.alpha);
        let borders = match self.decl.side {
            ClaimSide::Equivalent => 2.0,
            ClaimSide::Greater | ClaimSide::Less => 1.0,
        };
        let parts = self.claim.statements.len() as f64;
        (BEYOND * borders * parts / level).ceil() as usize
    }

    pub(super) fn setting(&self) -> duress_stats::power::Setting {
        power::setting(&self.plan.study, self.claim, self.decl, self.alpha)
    }

    /// How strictly it would be judged with more units, which is another look.
    pub(super) fn setting_of_next_look(&self) -> duress_stats::power::Setting {
        power::setting(&self.plan.study, self.claim, self.decl, self.next_alpha)
    }

    /// What became of it. `own` are its p-values, which `judged` has adjusted.
    pub(super) fn finding(
        &self,
        own: &Result<TwoNulls, AbsenceReason>,
        judged: &Result<Judged, AbsenceReason>,
    ) -> ClaimFinding {
        let study = &self.plan.study;
        let decl = self.decl;
        let pairs = self.pairs();
        let n = self.units(&pairs);
        let judged_by = self.judging_interval(&pairs);
        let verdict = verdict_of(judged);
        let mut found = ClaimFinding::new(&decl.name, &self.claim.family, decl.side, decl.margin);
        if self.claim.has_parts() {
            found.id = Id::part(&self.claim.name, &decl.name);
        }
        found.sentence = self.sentence();
        found.gauge = decl.gauge.clone();
        found.of = self.of.map(|at| at.place.clone());
        found.against = self.against.map(|at| at.place.clone());
        found.minus_on.clone_from(&decl.minus_on);
        found.verdict = verdict;
        found.would_decide = (verdict == Verdict::Undecided)
            .then(|| outlook::would_decide(self, judged.is_ok(), own.as_ref().err(), n));
        found.quantity = self.quantity(study.analysis.level);
        found.judged_how = judged_by.is_ok().then(|| self.judged_how(n));
        found.judged_by = judged_by.map(|it| self.range(&it));
        found.test = self.test(&pairs);
        found.effects = self.effects(&pairs);
        found.nulls = own
            .as_ref()
            .ok()
            .zip(judged.as_ref().ok())
            .map(|(own, judged)| {
                let adjusted = (judged.adjusted.not_beyond, judged.adjusted.not_short);
                NullCard::new((own.not_beyond, own.not_short), adjusted, self.alpha)
            });
        found.why = self.why(judged, &found) + &self.left_out(n);
        let counted = Some(n).filter(|n| *n > 0);
        found.power = power::of_statement(&self.setting(), decl, counted);
        found.out_of_reach = power::out_of_reach(&self.setting(), decl, counted);
        found
    }

    /// How many units its test counts.
    pub(super) fn units(&self, pairs: &Result<Pairs, AbsenceReason>) -> usize {
        match self.decl.test {
            ClaimTest::Delong => self.roc().map_or(0, |roc| roc.items),
            _ => pairs.as_ref().map_or(0, |pairs| pairs.of.len()),
        }
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
        match (self.decl.test, self.decl.by_items) {
            (ClaimTest::Design | ClaimTest::Bootstrap, _) => {
                let estimate = self.quantity(self.plan.study.analysis.level);
                JudgingMethod::AsEstimated {
                    method: estimate.method,
                    unit: estimate.unit,
                }
            }
            (ClaimTest::Delong, _) => JudgingMethod::Delong { items: n },
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

    /// The p-values of its two nulls, by its own test.
    pub(super) fn two_nulls(&self) -> Result<TwoNulls, AbsenceReason> {
        let pairs = self.pairs();
        self.claimed()
            .two_nulls(|null, side| self.own_p(&pairs, null, side))
    }

    /// Where the claim says the truth lies.
    fn claimed(&self) -> Claimed {
        match self.decl.side {
            ClaimSide::Greater => Claimed::Above(self.line()),
            ClaimSide::Less => Claimed::Below(self.line()),
            ClaimSide::Equivalent => Claimed::Between(-self.decl.margin, self.decl.margin),
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
        let test = self.decl.test;
        match test {
            ClaimTest::Design | ClaimTest::Bootstrap => return self.p_of_design(null, side),
            ClaimTest::Delong => return self.roc()?.p(null, side),
            _ => {}
        }
        let pairs = pairs.as_ref().map_err(AbsenceReason::clone)?;
        if pairs.of.len() == 2 && !self.decl.by_items {
            return Err(AbsenceReason::TwoSeeds);
        }
        let against: Vec<f64> = pairs.against.iter().map(|value| value + null).collect();
        let x = &pairs.of;
        let y = &against;
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
            ClaimTest::Design | ClaimTest::Bootstrap | ClaimTest::Delong => {
                unreachable!("answered above")
            }
        };
        done.map(|test| test.p).map_err(reason::statistic)
    }

    /// By the error of the estimate; never from the range of the resamples it may be known by.
    fn p_of_design(&self, null: f64, side: Side) -> Result<f64, AbsenceReason> {
        let sample = self.difference.as_ref();
        let sample = sample.ok_or(AbsenceReason::NothingToRead)?;
        let smallest = sample.known()?.evidence.smallest_p();
        let needed = self.needed_resamples();
        if smallest > 0.0 && smallest * needed as f64 > 1.0 {
            return Err(AbsenceReason::TooFewResamples {
                resamples: (1.0 / smallest).round() as usize - 1,
                needed,
            });
        }
        sample.p(null, side)
    }

    /// The items of the one seed, ranked by both sides.
    fn roc(&self) -> Result<Roc, AbsenceReason> {
        let sides = self.sides.as_ref();
        let (of, against) = sides.ok_or(AbsenceReason::NothingToCompareWith)?;
        Roc::read(of.series(), against.as_ref().map(StatementSide::series))
    }

    fn quantity(&self, level: f64) -> Quantity {
        let missing = || Quantity::absent(AbsenceReason::NothingToRead);
        self.difference
            .as_ref()
            .map_or_else(missing, |sample| sample.quantity(level).within(self.ends()))
    }

    /// The ends of a gauge that is judged by itself, or of a difference.
    fn ends(&self) -> Ends {
        let Some(of) = self.of else {
            return (None, None);
        };
        let differences = usize::from(self.decl.minus_on.is_some())
            + usize::from(self.decl.against != Against::Nothing);
        let ends = self.plan.gauges[of.gauge].scale.ends;
        (0..differences).fold(ends, |ends, _| ends_of_difference(ends))
    }

    /// The values the test pairs, by seed or by item.
    pub(super) fn pairs(&self) -> Result<Pairs, AbsenceReason> {
        self.of.ok_or(AbsenceReason::NothingToRead)?;
        let (of, against) = self
            .sides
            .as_ref()
            .ok_or(AbsenceReason::NothingToCompareWith)?;
        let values = |side: &StatementSide<'_>| match self.decl.by_items {
            true => side.by_item(),
            false => Ok(side.by_seed().iter().map(Reading::value).collect()),
        };
        let left = values(of)?;
        let right = against.as_ref().map(values).transpose()?;
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
        if self.decl.against == Against::Nothing && self.decl.side != ClaimSide::Equivalent {
            self.decl.margin
        } else {
            0.0
        }
    }

    /// The test against zero, or of a value by itself against its margin.
    fn test(&self, pairs: &Result<Pairs, AbsenceReason>) -> Result<TestCard, AbsenceReason> {
        let null = self.null();
        let decl = self.decl;
        let side = self.setting().side;
        let level = self.plan.study.analysis.level;
        match decl.test {
            ClaimTest::Design | ClaimTest::Bootstrap => return self.test_of_design(null, side),
            ClaimTest::Delong => return self.test_of_roc(null, side),
            _ => {}
        }
        let pairs = pairs.as_ref().map_err(AbsenceReason::clone)?;
        let against: Vec<f64> = pairs.against.iter().map(|value| value + null).collect();
        let x = &pairs.of;
        let y = &against;
        let done = match decl.test {
            ClaimTest::PairedT => tests::paired_t(x, y, side, level),
            ClaimTest::Wilcoxon => tests::wilcoxon(x, y, side, Zeros::Wilcox, Route::Auto),
            ClaimTest::Sign => tests::sign(x, y, side),
            ClaimTest::SignFlip => tests::sign_flip(x, y, side, Route::Auto),
            ClaimTest::Tost => tests::tost_paired(x, y, -decl.margin, decl.margin, self.alpha),
            ClaimTest::Mcnemar => {
                return mcnemar(pairs, null, side).map(|test| self.card(&test, pairs.of.len()));
            }
            ClaimTest::Design | ClaimTest::Bootstrap | ClaimTest::Delong => {
                unreachable!("answered above")
            }
        };
        let test = done.map_err(reason::statistic)?;
        Ok(self.card(&test, pairs.of.len()))
    }

    fn test_of_roc(&self, null: f64, side: Side) -> Result<TestCard, AbsenceReason> {
        let roc = self.roc()?;
        let p = match self.decl.side {
            ClaimSide::Equivalent => self.two_nulls()?.not_beyond,
            ClaimSide::Greater | ClaimSide::Less => roc.p(null, side)?,
        };
        Ok(self.card_of(TestMethod::Delong, (roc.z(null), p), roc.items))
    }

    /// The card of a test on so many pairs.
    fn card(&self, test: &TestResult, pairs: usize) -> TestCard {
        let alone = self.decl.against == Against::Nothing;
        let route = test.route.map_or(TestRoute::Exact, route);
        let method = match self.decl.test {
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
            ClaimTest::Design | ClaimTest::Bootstrap | ClaimTest::Delong => {
                unreachable!("these have cards of their own")
            }
        };
        self.card_of(method, (test.statistic, test.p), test.n)
    }

    fn card_of(&self, method: TestMethod, found: (f64, f64), n: usize) -> TestCard {
        TestCard::new(method, found, n, self.alpha, &self.claim.family)
    }

    fn test_of_design(&self, null: f64, side: Side) -> Result<TestCard, AbsenceReason> {
        let sample = self.difference.as_ref();
        let sample = sample.ok_or(AbsenceReason::NothingToRead)?;
        let known = sample.known()?;
        let p = match self.decl.side {
            ClaimSide::Equivalent => self.two_nulls()?.not_beyond,
            ClaimSide::Greater | ClaimSide::Less => self.p_of_design(null, side)?,
        };
        let distance = known.evidence.estimate() - null;
        let error = known.evidence.error();
        let statistic = error.map_or(distance, |(error, _)| distance / error);
        let method = TestMethod::Design {
            method: sample.method(&known),
        };
        Ok(self.card_of(method, (statistic, p), sample.units(&known)))
    }

    /// The interval beside the verdict, by the same method: at `1 − 2α`, which is not adjusted over
    /// the family.
    fn judging_interval(
        &self,
        pairs: &Result<Pairs, AbsenceReason>,
    ) -> Result<Interval, AbsenceReason> {
        let level = 1.0 - 2.0 * self.claim.alpha;
        match self.decl.test {
            ClaimTest::Design | ClaimTest::Bootstrap => return self.known()?.interval(level),
            ClaimTest::Delong => return self.roc()?.interval(level),
            _ => {}
        }
        let pairs = pairs.as_ref().map_err(AbsenceReason::clone)?;
        let evidence = pairs.evidence().map_err(reason::statistic)?;
        evidence.interval(level).map_err(reason::statistic)
    }

    pub(super) fn known(&self) -> Result<Known, AbsenceReason> {
        let sample = self.difference.as_ref();
        sample.ok_or(AbsenceReason::NothingToRead)?.known()
    }

    fn why(&self, judged: &Result<Judged, AbsenceReason>, found: &ClaimFinding) -> String {
        let judged = match judged {
            Err(why) => return format!("there is nothing to judge by: {why}"),
            Ok(judged) => judged,
        };
        let line = match self.decl.side {
            ClaimSide::Equivalent => format!("±{}", number::tidy(self.decl.margin)),
            _ => number::tidy(self.line()),
        };
        let (beyond, short) = match self.decl.side {
            ClaimSide::Greater => ("above", "below"),
            ClaimSide::Less => ("below", "above"),
            ClaimSide::Equivalent => ("within", "outside"),
        };
        let p = |p: f64| format!("p {}", in_relation(p));
        let up = p(judged.adjusted.not_beyond);
        let down = p(judged.adjusted.not_short);
        let over = self.family_in_words();
        let interval = match &found.judged_by {
            Err(_) => String::new(),
            Ok(it) => {
                let (low, high) = self.written(it);
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
    pub(super) fn line(&self) -> f64 {
        match (self.decl.side, &self.decl.against) {
            (_, Against::Nothing) | (ClaimSide::Greater | ClaimSide::Equivalent, _) => {
                self.decl.margin
            }
            (ClaimSide::Less, _) => -self.decl.margin,
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
        let write = |end: f64| match (&self.decl.against, &self.decl.minus_on) {
            (Against::Nothing, None) => digits.write(end),
            _ => digits.signed(end),
        };
        (write(range.low), write(range.high))
    }

    /// Says when some seeds have no value and the claim rests on the others.
    fn left_out(&self, n: usize) -> String {
        let seeds = self.plan.study.seeds.len();
        if self.decl.by_items || n == 0 || n == seeds {
            return String::new();
        }
        let samples = self
            .sides
            .iter()
            .flat_map(|(of, against)| std::iter::once(of).chain(against));
        let why = samples
            .flat_map(StatementSide::by_seed)
            .find_map(|reading| match reading {
                Reading::Undefined(why) => Some(why),
                Reading::Value(_) => None,
            });
        format!(
            ", over {n} of {seeds} seeds: the others have no value ({})",
            why.map_or_else(String::new, |why| why.to_string())
        )
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
        if self.decl.against == Against::Nothing {
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
        let claim = self.decl;
        let read_at = self.of.map_or(&claim.place, |of| &of.place);
        let under = match &read_at.under {
            Under::Clean => "when clean".to_string(),
            Under::Rung { ladder, severity } => format!("at {ladder} {severity}"),
            Under::Ladder(ladder) => format!("over {ladder}"),
            Under::Condition(name) => format!("under {name}"),
            Under::Everything => "over all it did".into(),
        };
        let minus = claim.minus_on.as_ref();
        let minus = minus.map_or_else(String::new, |other| format!(" minus {other}"));
        let what = format!(
            "{} of {} on {}{minus} {under}",
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
                    Against::MilderRung => "what it was at the rung before".into(),
                    Against::Clean | Against::Nothing => "its clean twin".into(),
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
    let first = count(1.0, 0.0);
    let second = count(0.0, 1.0);
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

pub(super) fn verdict_of(judged: &Result<Judged, AbsenceReason>) -> Verdict {
    match judged.as_ref().map(|judged| judged.verdict) {
        Ok(verdict::MarginVerdict::Upheld) => Verdict::Upheld,
        Ok(verdict::MarginVerdict::Refuted) => Verdict::Refuted,
        _ => Verdict::Undecided,
    }
}

fn percent(level: f64) -> String {
    let text = format!("{:.2}", level * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
