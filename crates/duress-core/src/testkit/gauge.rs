//! What every gauge must pass, in each of the four scopes.

use std::sync::Arc;

use super::answers;
use crate::answer::Answers;
use crate::gauge::{
    self, CellGauge, Columns, LadderGauge, Mean, Meter, PairGauge, Rung, Scale, SealedCell,
    SubjectGauge, Undefined, Views,
};
use crate::name::Name;
use crate::truth::{Sealed, Truth};

/// A cell gauge reads something; does not depend on the order of items; counts an item as often as
/// it is weighted; is at its best on perfect answers; and is finite and within its ends or
/// undefined with a reason.
pub fn check_cell_gauge(
    gauge: &dyn CellGauge,
    cases: &[(Truth, Answers)],
    perfect: &(Truth, Answers),
) {
    let rules = Rules {
        scale: gauge.scale(),
        open: &|(truth, answers): &(Truth, Answers)| {
            gauge::open_cell(gauge, &Sealed::new(truth.clone()), answers)
        },
    };
    rules.check(cases);
    rules.check_best(perfect);
    for case in cases.iter().chain([perfect]) {
        check_once(gauge, case);
    }
}

/// The short way to the plain reading must lead where the long one does.
fn check_once(gauge: &dyn CellGauge, (truth, answers): &(Truth, Answers)) {
    let truth = Sealed::new(truth.clone());
    let views = Views::default();
    let cell = SealedCell::new(&truth, answers, &views);
    let long =
        gauge::open_viewed(gauge, cell).and_then(|meter| Ok((meter.plain()?, meter.taking_part())));
    match (gauge::once(gauge, cell), long) {
        (Ok((short, n)), Ok((long, taking_part))) => {
            assert!(
                close(short, long),
                "read once it gives {short}, opened {long}"
            );
            assert_eq!(
                n, taking_part,
                "as many items must take part when it is read once"
            );
        }
        (short, long) => assert_eq!(
            short.is_ok(),
            long.is_ok(),
            "reading it once must be defined where opening it is"
        ),
    }
}

/// What a pair gauge is checked on.
#[derive(Clone)]
pub struct PairCase {
    /// What is true of the items.
    pub truth: Truth,
    /// What was said when clean.
    pub clean: Answers,
    /// What was said under stress.
    pub pressed: Answers,
}

/// A pair gauge keeps the rules of a cell gauge, and is at its best where stress changed nothing.
pub fn check_pair_gauge(gauge: &dyn PairGauge, cases: &[PairCase]) {
    let rules = Rules {
        scale: gauge.scale(),
        open: &|case: &PairCase| {
            let truth = Sealed::new(case.truth.clone());
            let clean = Views::default();
            let pressed = Views::default();
            gauge::open_pair(
                gauge,
                SealedCell::new(&truth, &case.clean, &clean),
                SealedCell::new(&truth, &case.pressed, &pressed),
            )
        },
    };
    rules.check(cases);
    let unchanged = |case: &PairCase| PairCase {
        pressed: case.clean.clone(),
        ..case.clone()
    };
    let unchanged: Vec<PairCase> = cases.iter().map(unchanged).collect();
    rules.check(&unchanged);
    for case in unchanged.iter().filter(|case| rules.plain(case).is_ok()) {
        rules.check_best(case);
    }
}

/// What a ladder gauge is checked on.
#[derive(Clone, Default)]
pub struct LadderCase {
    /// The rungs, the clean one first.
    pub rungs: Vec<Rung>,
    /// The columns of the dataset.
    pub columns: Columns,
}

/// A ladder gauge keeps the rules of a cell gauge, does not depend on the order of the rungs above
/// the clean one, and is undefined without rungs and on rungs about different items. `of` is the
/// scale of the gauge it reads through.
pub fn check_ladder_gauge(
    gauge: &dyn LadderGauge,
    of: &Scale,
    cases: &[LadderCase],
    perfect: &LadderCase,
) {
    let rules = Rules {
        scale: gauge.scale(of),
        open: &|case: &LadderCase| gauge.open(&case.rungs, &case.columns),
    };
    rules.check_reading_through(gauge.of(), of, cases, perfect);
}

impl LadderedCase for LadderCase {
    const NOTHING: &'static str = "a ladder without rungs";
    const ORDER: &'static str = "the order of rungs";

    fn reversed(mut self) -> LadderCase {
        if let Some((_, above)) = self.rungs.split_first_mut() {
            above.reverse();
        }
        self
    }

    fn cut_short(mut self) -> Option<LadderCase> {
        cut_short(&mut self.rungs).then_some(self)
    }
}

/// What a subject gauge is checked on.
#[derive(Clone, Default)]
pub struct SubjectCase {
    /// The ladders, the clean rung of each first.
    pub ladders: Vec<(Name, Vec<Rung>)>,
    /// The columns of the dataset.
    pub columns: Columns,
}

/// A subject gauge keeps the rules of a cell gauge, does not depend on the order of the ladders,
/// and is undefined without ladders and on rungs about different items. `of` is the scale of the
/// gauge it reads through.
pub fn check_subject_gauge(
    gauge: &dyn SubjectGauge,
    of: &Scale,
    cases: &[SubjectCase],
    perfect: &SubjectCase,
) {
    let rules = Rules {
        scale: gauge.scale(of),
        open: &|case: &SubjectCase| match gauge.reference() {
            None => gauge.open(&case.ladders, &case.columns),
            Some(_) => {
                let reference = mediocre_ladders(&case.ladders);
                gauge.open_beside(&case.ladders, &reference, &case.columns)
            }
        },
    };
    rules.check_reading_through(gauge.of(), of, cases, perfect);
}

/// The same ladders as a reference climbs them: for every item three quarters when clean and half
/// under stress, so that it does not matter which item is which.
fn mediocre_ladders(ladders: &[(Name, Vec<Rung>)]) -> Vec<(Name, Vec<Rung>)> {
    let rung = |rung: &Rung| {
        let value = if rung.severity.is_clean() { 0.75 } else { 0.5 };
        let meter = Arc::new(Mean::over(vec![Some(value); rung.meter.units()]));
        Rung {
            meter,
            ..rung.clone()
        }
    };
    let ladder =
        |(name, rungs): &(Name, Vec<Rung>)| (name.clone(), rungs.iter().map(rung).collect());
    ladders.iter().map(ladder).collect()
}

impl LadderedCase for SubjectCase {
    const NOTHING: &'static str = "a subject that no ladder presses";
    const ORDER: &'static str = "the order of ladders";

    fn reversed(mut self) -> SubjectCase {
        self.ladders.reverse();
        self
    }

    fn cut_short(mut self) -> Option<SubjectCase> {
        let ladders = self.ladders.iter_mut();
        // Every ladder is cut, whatever became of the one before.
        let cut: Vec<bool> = ladders.map(|(_, rungs)| cut_short(rungs)).collect();
        (!cut.contains(&false)).then_some(self)
    }
}

/// Takes an item from the highest rung, where there are rungs and items enough.
fn cut_short(rungs: &mut [Rung]) -> bool {
    match rungs {
        [_, .., last] => match last.meter.per_item() {
            Some(values) if values.len() > 1 => {
                let fewer: Vec<usize> = (1..values.len()).collect();
                *last = select_rung(last, &fewer);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Something a gauge is opened on, whose items can be taken in another order or several times.
trait GaugeCase: Clone {
    /// How many items it is about; `None` where it cannot be told one item from another.
    fn items(&self) -> Option<usize>;

    /// The same of the items at these positions.
    fn select(&self, which: &[usize]) -> Self;
}

/// A case of rungs, whose gauge reads through one of single cells; without any by default.
trait LadderedCase: GaugeCase + Default {
    /// What the case without rungs is.
    const NOTHING: &'static str;
    /// What a reading must not depend on.
    const ORDER: &'static str;

    /// The same in another order.
    fn reversed(self) -> Self;

    /// The same with rungs about different items, where there are rungs and items enough.
    fn cut_short(self) -> Option<Self>;
}

impl GaugeCase for (Truth, Answers) {
    fn items(&self) -> Option<usize> {
        answers::items(&self.1)
    }

    fn select(&self, which: &[usize]) -> Self {
        (self.0.select(which, None), answers::select(&self.1, which))
    }
}

impl GaugeCase for PairCase {
    fn items(&self) -> Option<usize> {
        answers::items(&self.clean).filter(|items| answers::items(&self.pressed) == Some(*items))
    }

    fn select(&self, which: &[usize]) -> PairCase {
        PairCase {
            truth: self.truth.select(which, None),
            clean: answers::select(&self.clean, which),
            pressed: answers::select(&self.pressed, which),
        }
    }
}

impl GaugeCase for LadderCase {
    fn items(&self) -> Option<usize> {
        items_of(&self.rungs)
    }

    fn select(&self, which: &[usize]) -> LadderCase {
        LadderCase {
            rungs: select_rungs(&self.rungs, which),
            columns: select_columns(&self.columns, which),
        }
    }
}

impl GaugeCase for SubjectCase {
    fn items(&self) -> Option<usize> {
        same_number(self.ladders.iter().map(|(_, rungs)| items_of(rungs)))
    }

    fn select(&self, which: &[usize]) -> SubjectCase {
        let ladders = self.ladders.iter();
        SubjectCase {
            ladders: ladders
                .map(|(name, rungs)| (name.clone(), select_rungs(rungs, which)))
                .collect(),
            columns: select_columns(&self.columns, which),
        }
    }
}

/// The number of items, where every rung is a mean over as many.
fn items_of(rungs: &[Rung]) -> Option<usize> {
    let lengths = rungs
        .iter()
        .map(|rung| rung.meter.per_item().map(<[_]>::len));
    same_number(lengths)
}

/// The number that all of them are, if they are all the same one.
fn same_number(mut all: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let first = all.next()??;
    all.all(|number| number == Some(first)).then_some(first)
}

fn select_rungs(rungs: &[Rung], which: &[usize]) -> Vec<Rung> {
    rungs.iter().map(|rung| select_rung(rung, which)).collect()
}

fn select_rung(rung: &Rung, which: &[usize]) -> Rung {
    let Some(values) = rung.meter.per_item() else {
        return rung.clone();
    };
    let values = answers::pick(values, which);
    let mean = match rung.meter.is_share() {
        true => Mean::share(values),
        false => Mean::over(values),
    };
    Rung {
        meter: Arc::new(mean),
        ..rung.clone()
    }
}

fn select_columns(columns: &Columns, which: &[usize]) -> Columns {
    let selected =
        |(name, values): (&String, &Vec<String>)| (name.clone(), answers::pick(values, which));
    columns.iter().map(selected).collect()
}

/// Opens a gauge on a case.
type OpenCase<'a, C> = dyn Fn(&C) -> Result<Arc<dyn Meter>, Undefined> + 'a;

/// The rules that hold in every scope, for a gauge with this scale that is opened so.
struct Rules<'a, C> {
    scale: Scale,
    open: &'a OpenCase<'a, C>,
}

impl<C: LadderedCase> Rules<'_, C> {
    /// The rules of a cell gauge, for one that reads through the gauge called `name`, and those of
    /// rungs.
    fn check_reading_through(&self, name: &str, of: &Scale, cases: &[C], perfect: &C) {
        assert!(!name.is_empty(), "it must name the gauge it reads through");
        assert_eq!(
            self.scale.reads, of.reads,
            "it must read the question that the gauge it reads through does"
        );
        self.check(cases);
        self.check_best(perfect);
        self.check_undefined(&C::default(), C::NOTHING);
        for case in cases.iter().chain([perfect]) {
            self.check_same(case, &case.clone().reversed(), C::ORDER);
            if let Some(cut) = case.clone().cut_short() {
                self.check_undefined(&cut, "a ladder whose rungs are about different items");
            }
        }
    }
}

impl<C: GaugeCase> Rules<'_, C> {
    fn plain(&self, case: &C) -> Result<f64, Undefined> {
        (self.open)(case)?.plain()
    }

    fn check(&self, cases: &[C]) {
        check_scale(&self.scale);
        let mut last = Undefined::new("there is no case to read");
        let mut read = 0;
        for case in cases {
            match (self.open)(case) {
                Ok(meter) => self.check_meter(meter.as_ref()),
                Err(undefined) => check_reason(&undefined),
            }
            match self.plain(case) {
                Ok(_) => read += 1,
                Err(undefined) => last = undefined,
            }
            self.check_order(case);
            self.check_weights(case);
        }
        assert!(read > 0, "it must read something; on the last case {last}");
    }

    /// Where it says what perfection gives, perfection must give it; where it does not, it must
    /// keep the rules there too.
    fn check_best(&self, perfect: &C) {
        if let Ok(meter) = (self.open)(perfect) {
            self.check_meter(meter.as_ref());
        }
        let Some(best) = self.scale.best else {
            return;
        };
        match self.plain(perfect) {
            Ok(value) => assert!(
                (value - best).abs() < 1e-12,
                "perfect answers must read {best}, not {value}"
            ),
            Err(undefined) => panic!("perfect answers must read {best}, not {undefined}"),
        }
    }

    fn check_undefined(&self, case: &C, what: &str) {
        match self.plain(case) {
            Ok(value) => panic!("{what} must be undefined, not {value}"),
            Err(undefined) => check_reason(&undefined),
        }
    }

    fn check_meter(&self, meter: &dyn Meter) {
        let units = meter.units();
        for weights in [vec![1; units], vec![2; units], uneven(units)] {
            self.check_reading(meter.read(&weights));
            self.check_mean(meter, &weights);
        }
        assert!(
            units < 2 || meter.read(&vec![0; units]).is_err(),
            "no items, no value"
        );
    }

    fn check_reading(&self, reading: Result<f64, Undefined>) {
        let value = match reading {
            Ok(value) => value,
            Err(undefined) => return check_reason(&undefined),
        };
        assert!(value.is_finite(), "a reading must be finite, not {value}");
        let (low, high) = self.scale.ends;
        let within = low.is_none_or(|end| value >= end - 1e-12)
            && high.is_none_or(|end| value <= end + 1e-12);
        assert!(
            within,
            "{value} lies beyond the ends it says it has, {:?}",
            self.scale.ends
        );
    }

    /// A meter that gives values per item reads their mean.
    fn check_mean(&self, meter: &dyn Meter, weights: &[u32]) {
        let Some(values) = meter.per_item() else {
            return;
        };
        assert_eq!(
            values.len(),
            meter.units(),
            "there must be a value, or none, for every item"
        );
        if let Ok(value) = meter.read(weights) {
            let mean = Mean::over(values.to_vec()).read(weights);
            assert!(
                mean.as_ref().is_ok_and(|mean| close(*mean, value)),
                "it reads {value}, the mean of its values per item is {mean:?}"
            );
        }
    }

    fn check_order(&self, case: &C) {
        let Some(items) = case.items() else {
            return;
        };
        let reversed: Vec<usize> = (0..items).rev().collect();
        let rotated: Vec<usize> = (0..items).map(|i| (i + items / 3) % items).collect();
        for which in [reversed, rotated] {
            self.check_same(case, &case.select(&which), "the order of items");
        }
    }

    fn check_same(&self, case: &C, other: &C, what: &str) {
        match (self.plain(case), self.plain(other)) {
            (Ok(a), Ok(b)) => assert!(
                self.scale.compat || close(a, b),
                "{what} changes {a} to {b}"
            ),
            (a, b) => assert_eq!(
                a.is_err(),
                b.is_err(),
                "{what} changes whether it is defined"
            ),
        }
    }

    /// To weight an item twice is to have it twice, and to weight it 0 is not to have it: or else a
    /// bootstrap would resample something else than items.
    fn check_weights(&self, case: &C) {
        let (Some(items), Ok(meter)) = (case.items(), (self.open)(case)) else {
            return;
        };
        let weights = uneven(items);
        let which: Vec<usize> = (0..items)
            .flat_map(|i| std::iter::repeat_n(i, weights[i] as usize))
            .collect();
        let taken = self.plain(&case.select(&which));
        match (meter.read(&weights), taken) {
            (Ok(weighted), Ok(taken)) => assert!(
                self.scale.compat || close(weighted, taken),
                "weighted it reads {weighted}, with items as often as they weigh {taken}"
            ),
            (weighted, taken) => assert_eq!(
                weighted.is_err(),
                taken.is_err(),
                "weights must leave it defined where items taken as often do: {weighted:?} and {taken:?}"
            ),
        }
    }
}

fn check_scale(scale: &Scale) {
    assert!(
        !scale.convention.is_empty(),
        "a gauge must name its convention"
    );
    let (low, high) = scale.ends;
    if let Some(best) = scale.best {
        assert!(
            low.is_none_or(|low| best >= low) && high.is_none_or(|high| best <= high),
            "the best value {best} lies beyond the ends {:?}",
            scale.ends
        );
    }
}

fn check_reason(undefined: &Undefined) {
    assert!(!undefined.why.is_empty(), "undefined must have a reason");
}

/// Weights of 1, 2 and 0, in turn.
fn uneven(units: usize) -> Vec<u32> {
    (0..units).map(|i| [1, 2, 0][i % 3]).collect()
}

/// Whether two ways to the same number came to it, up to rounding.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::RatingAnswers;
    use crate::gauge::{CellRead, Direction, SHARE, Unit, Whole};
    use crate::question::Question;
    use crate::severity::Severity;

    type Values = Vec<Option<f64>>;
    type Opened = Result<Arc<dyn Meter>, Undefined>;

    /// A gauge in all four scopes, of ratings from 0 to 1, that does with them what `open` says.
    struct Toy {
        best: Option<f64>,
        open: fn(Vec<Values>) -> Opened,
    }

    /// The mean of the last rung: what a sound gauge could read.
    fn mean(mut rungs: Vec<Values>) -> Opened {
        let same = rungs.windows(2).all(|two| two[0].len() == two[1].len());
        match rungs.pop() {
            Some(last) if same => Ok(Arc::new(Mean::over(last))),
            _ => Err(Undefined::new("needs rungs about the same items")),
        }
    }

    /// What the last rung lost in the mean.
    fn loss(mut rungs: Vec<Values>) -> Opened {
        let (Some(last), Some(first)) = (rungs.pop(), rungs.first()) else {
            return Err(Undefined::new("needs two rungs"));
        };
        let lost = first.iter().zip(last).map(|(was, is)| Some((*was)? - is?));
        Ok(Arc::new(Mean::over(lost.collect())))
    }

    fn values(read: CellRead<'_>) -> Values {
        let Answers::Ratings(said) = read.answers else {
            panic!("the toy reads ratings")
        };
        (0..said.rows().len())
            .map(|i| said.rating(i, "T"))
            .collect()
    }

    fn per_item(rungs: &[Rung]) -> Vec<Values> {
        let values = |rung: &Rung| rung.meter.per_item().map(<[_]>::to_vec).unwrap_or_default();
        rungs.iter().map(values).collect()
    }

    fn scale(best: Option<f64>) -> Scale {
        Scale {
            reads: Question::Ratings,
            direction: Direction::Higher,
            best,
            ends: SHARE,
            unit: Unit::Items,
            convention: "as the test says".into(),
            compat: false,
        }
    }

    impl Toy {
        fn scale_over(&self, of: &Scale) -> Scale {
            Scale {
                best: self.best,
                ..of.clone()
            }
        }
    }

    impl CellGauge for Toy {
        fn scale(&self) -> Scale {
            scale(self.best)
        }

        fn open(&self, read: CellRead<'_>) -> Opened {
            (self.open)(vec![values(read)])
        }
    }

    impl PairGauge for Toy {
        fn scale(&self) -> Scale {
            scale(self.best)
        }

        fn open(&self, clean: CellRead<'_>, pressed: CellRead<'_>) -> Opened {
            (self.open)(vec![values(clean), values(pressed)])
        }
    }

    impl LadderGauge for Toy {
        fn of(&self) -> &str {
            "rating"
        }

        fn scale(&self, of: &Scale) -> Scale {
            self.scale_over(of)
        }

        fn open(&self, rungs: &[Rung], _columns: &Columns) -> Opened {
            let mut rungs = rungs.to_vec();
            rungs.sort_by(|a, b| a.severity.value().total_cmp(&b.severity.value()));
            (self.open)(per_item(&rungs))
        }
    }

    impl SubjectGauge for Toy {
        fn of(&self) -> &str {
            "rating"
        }

        fn scale(&self, of: &Scale) -> Scale {
            self.scale_over(of)
        }

        fn open(&self, ladders: &[(Name, Vec<Rung>)], _columns: &Columns) -> Opened {
            (self.open)(
                ladders
                    .first()
                    .map_or(Vec::new(), |(_, rungs)| per_item(rungs)),
            )
        }
    }

    fn ratings(values: &[f64]) -> Answers {
        let rows = values.iter().map(|value| Ok(vec![*value])).collect();
        Answers::Ratings(RatingAnswers::new(vec!["T".into()], rows))
    }

    const MIXED: [f64; 4] = [0.1, 0.9, 0.5, 0.2];

    fn check_cell(best: Option<f64>, open: fn(Vec<Values>) -> Opened) {
        let cell = |values: &[f64]| (Truth::Nothing, ratings(values));
        check_cell_gauge(&Toy { best, open }, &[cell(&MIXED)], &cell(&[1.0; 4]));
    }

    fn check_pair(best: Option<f64>, open: fn(Vec<Values>) -> Opened) {
        let case = PairCase {
            truth: Truth::Nothing,
            clean: ratings(&[0.5, 0.9, 0.5, 0.2]),
            pressed: ratings(&[0.1, 0.8, 0.5, 0.2]),
        };
        check_pair_gauge(&Toy { best, open }, &[case]);
    }

    fn ladder(rungs: &[[f64; 4]]) -> Vec<Rung> {
        let rung = |(k, values): (usize, &[f64; 4])| Rung {
            severity: Severity::new(k as f64).unwrap(),
            variant: 0,
            name: None,
            meter: Arc::new(Mean::over(values.map(Some).to_vec())),
        };
        rungs.iter().enumerate().map(rung).collect()
    }

    fn check_ladder(best: Option<f64>, open: fn(Vec<Values>) -> Opened) {
        let case = |rungs: &[[f64; 4]]| LadderCase {
            rungs: ladder(rungs),
            columns: Columns::new(),
        };
        check_ladder_gauge(
            &Toy { best, open },
            &scale(Some(1.0)),
            &[case(&[[1.0; 4], [0.9, 0.8, 0.7, 0.5], MIXED])],
            &case(&[[1.0; 4], [1.0; 4]]),
        );
    }

    fn check_subject(best: Option<f64>, open: fn(Vec<Values>) -> Opened) {
        let case = |names: &[&str], rungs: &[[f64; 4]]| SubjectCase {
            ladders: names
                .iter()
                .zip(1..)
                .map(|(name, length)| {
                    let rungs = rungs[..=length.min(rungs.len() - 1)].to_vec();
                    (Name::new(name).unwrap(), ladder(&rungs))
                })
                .collect(),
            columns: Columns::new(),
        };
        let rungs = [[1.0; 4], MIXED, [0.0; 4]];
        check_subject_gauge(
            &Toy { best, open },
            &scale(Some(1.0)),
            &[case(&["one"], &rungs), case(&["one", "two"], &rungs)],
            &case(&["one"], &[[1.0; 4], [1.0; 4]]),
        );
    }

    fn nothing(_: Vec<Values>) -> Opened {
        Err(Undefined::new("it never is"))
    }

    #[test]
    fn sound_gauges_pass() {
        check_cell(Some(1.0), mean);
        check_pair(Some(0.0), loss);
        check_ladder(Some(1.0), mean);
    }

    #[test]
    #[should_panic(expected = "it must read something; on the last case undefined: it never is")]
    fn a_cell_gauge_that_opens_on_nothing_fails() {
        check_cell(None, nothing);
    }

    #[test]
    #[should_panic(expected = "it must read something")]
    fn a_pair_gauge_that_opens_on_nothing_fails() {
        check_pair(None, nothing);
    }

    #[test]
    #[should_panic(expected = "it must read something")]
    fn a_ladder_gauge_that_opens_on_nothing_fails() {
        check_ladder(None, nothing);
    }

    #[test]
    #[should_panic(expected = "it must read something")]
    fn a_subject_gauge_that_opens_on_nothing_fails() {
        check_subject(None, nothing);
    }

    #[test]
    #[should_panic(expected = "perfect answers must read 0.5, not 1")]
    fn a_gauge_that_is_not_at_its_best_on_perfect_answers_fails() {
        check_cell(Some(0.5), mean);
    }

    #[test]
    #[should_panic(expected = "perfect answers must read 1, not undefined: all are the same")]
    fn a_gauge_that_is_undefined_on_perfect_answers_fails() {
        check_cell(Some(1.0), |rungs| match &rungs[0] {
            all if all.windows(2).all(|two| two[0] == two[1]) => {
                Err(Undefined::new("all are the same"))
            }
            _ => mean(rungs),
        });
    }

    #[test]
    #[should_panic(expected = "perfect answers must read 1, not 0")]
    fn a_pair_gauge_that_sees_a_change_where_there_is_none_fails() {
        check_pair(Some(1.0), loss);
    }

    #[test]
    #[should_panic(expected = "the order of items changes 0.1 to 0.2")]
    fn a_gauge_of_the_first_item_fails() {
        check_cell(None, |rungs| {
            Ok(Arc::new(Whole(rungs[0][0].unwrap_or_default())))
        });
    }

    #[test]
    #[should_panic(expected = "a reading must be finite, not NaN")]
    fn a_gauge_that_reads_no_number_fails() {
        check_ladder(None, |rungs| {
            mean(rungs)?;
            Ok(Arc::new(Whole(f64::NAN)))
        });
    }

    #[test]
    #[should_panic(expected = "3 lies beyond the ends it says it has")]
    fn a_gauge_beyond_its_ends_fails() {
        check_subject(None, |rungs| {
            mean(rungs)?;
            Ok(Arc::new(Whole(3.0)))
        });
    }

    #[test]
    #[should_panic(expected = "undefined must have a reason")]
    fn a_gauge_that_does_not_say_why_fails() {
        check_cell(None, |_| Err(Undefined::new("")));
    }

    #[test]
    #[should_panic(expected = "the order of ladders changes")]
    fn a_subject_gauge_of_whichever_ladder_is_first_fails() {
        check_subject(None, mean);
    }

    #[test]
    #[should_panic(expected = "a ladder whose rungs are about different items must be undefined")]
    fn a_ladder_gauge_that_mixes_items_fails() {
        check_ladder(None, |mut rungs| match rungs.pop() {
            Some(last) => Ok(Arc::new(Mean::over(last))),
            None => Err(Undefined::new("needs rungs")),
        });
    }

    #[test]
    #[should_panic(expected = "a ladder without rungs must be undefined, not 0")]
    fn a_ladder_gauge_that_makes_up_a_value_fails() {
        check_ladder(None, |rungs| match rungs.is_empty() {
            true => Ok(Arc::new(Whole(0.0))),
            false => mean(rungs),
        });
    }

    /// The largest value, whatever the weights.
    struct Largest(Values);

    impl Meter for Largest {
        fn units(&self) -> usize {
            self.0.len()
        }

        fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
            match weights.iter().any(|weight| *weight > 0) {
                true => Ok(self.0.iter().flatten().copied().fold(0.0, f64::max)),
                false => Err(Undefined::new("no items")),
            }
        }
    }

    #[test]
    #[should_panic(expected = "with items as often as they weigh")]
    fn a_gauge_that_does_not_look_at_weights_fails() {
        let case = |values: &[f64]| (Truth::Nothing, ratings(values));
        check_cell_gauge(
            &Toy {
                best: None,
                open: |mut rungs| Ok(Arc::new(Largest(rungs.pop().unwrap_or_default()))),
            },
            &[case(&[0.1, 0.2, 0.9, 0.3])],
            &case(&[1.0]),
        );
    }
}
