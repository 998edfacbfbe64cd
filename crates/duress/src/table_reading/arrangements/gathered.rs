//! Scores of one model as they come in, row by row, until they are rungs of a ladder.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::gauge::Columns;
use duress_core::number;
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_parts::order::repeats::counts_for;
use duress_tables::layout::words::ARRANGED_TEXTS;

use super::super::scored_ladder::{ScoredLadder, ScoredRung};
use super::score_table::{ScoreColumns, ScoreTable};
use super::unit_order::UnitOrder;
use super::{ArrangementScores, DIMENSION};

/// Scores by arrangement and item.
type ByArrangement = BTreeMap<UnitOrder, HashMap<usize, f64>>;

/// The scores of every model, in the order in which they are met.
#[derive(Default)]
pub(super) struct GatheredModels {
    models: Vec<(Option<String>, GatheredScores)>,
}

impl GatheredModels {
    /// Takes in a table; `called` is what its file or sheet is called after, `model` whose it is
    /// where the table does not say it.
    pub(super) fn take(
        &mut self,
        read: &ScoreTable,
        called: Option<&str>,
        model: Option<&str>,
    ) -> Result<(), Problem> {
        for row in 0..read.table.rows() {
            let own = read.model.as_ref().map(|column| read.table.texts(column));
            let own = own.map(|models| models.get(row).trim());
            let whose = own.or(model).map(String::from);
            self.of_model(whose).take(read, row, called)?;
        }
        Ok(())
    }

    fn of_model(&mut self, model: Option<String>) -> &mut GatheredScores {
        let known = self.models.iter().position(|(name, _)| *name == model);
        let at = known.unwrap_or_else(|| {
            self.models.push((model, GatheredScores::default()));
            self.models.len() - 1
        });
        &mut self.models[at].1
    }

    /// The scores of every model as ladders; what is known of items by their text is joined.
    pub(super) fn finish(
        self,
        known: &[(String, String)],
    ) -> Result<Vec<(Option<String>, ArrangementScores)>, Problem> {
        let finish = |(model, mut gathered): (Option<String>, GatheredScores)| {
            let joined = gathered.join(known);
            let mut scores = gathered.finish()?;
            scores.found.extend(joined);
            Ok((model, scores))
        };
        if self.models.is_empty() {
            return Err(Problem::new("there is no score"));
        }
        self.models.into_iter().map(finish).collect()
    }
}

/// The column that a joined table makes.
const JOINED: &str = "structure";

#[derive(Default)]
struct GatheredScores {
    ids: Vec<String>,
    places: HashMap<String, usize>,
    by_arrangement: ByArrangement,
    /// The mean of each item over its arrangements, where nothing else is known.
    averages: HashMap<usize, f64>,
    /// Cells without a score.
    gaps: usize,
    /// What the column with the items is called.
    item_column: String,
    /// For every other column the value of each item; none where an item has two.
    columns: BTreeMap<String, Option<HashMap<usize, String>>>,
}

impl GatheredScores {
    fn take(&mut self, read: &ScoreTable, row: usize, called: Option<&str>) -> Result<(), Problem> {
        let table = &read.table;
        self.item_column.clone_from(&read.item);
        let item = self.item(table.texts(&read.item).get(row).trim());
        let arrangement =
            |name: &str| UnitOrder::parse(name).ok_or_else(|| table.at(row, no_arrangement(name)));
        let score = |column: &str| read.score(column, row);
        match &read.scores {
            ScoreColumns::Long(order, column) => {
                let order = arrangement(table.texts(order).get(row))?;
                self.keep(read, row, (item, order), score(column)?)?;
            }
            ScoreColumns::Named(column) => {
                let order = arrangement(called.unwrap_or_default())?;
                self.keep(read, row, (item, order), score(column)?)?;
            }
            ScoreColumns::Wide(columns) => {
                for (column, order) in columns {
                    self.keep(read, row, (item, order.clone()), score(column)?)?;
                }
            }
            ScoreColumns::Averages(column) => match score(column)? {
                Some(score) => {
                    self.averages.insert(item, score);
                }
                None => self.gaps += 1,
            },
        }
        for other in &read.others {
            self.note(other, item, table.texts(other).get(row).trim());
        }
        Ok(())
    }

    /// Keeps a score, which an item has once in an arrangement.
    fn keep(
        &mut self,
        read: &ScoreTable,
        row: usize,
        (item, order): (usize, UnitOrder),
        score: Option<f64>,
    ) -> Result<(), Problem> {
        let Some(score) = score else {
            self.gaps += 1;
            return Ok(());
        };
        let name = order.to_string();
        let known = self.by_arrangement.entry(order).or_default();
        if known.insert(item, score).is_none() {
            return Ok(());
        }
        let id = &self.ids[item];
        let twice = Problem::new(format!("`{id}` has two scores in the arrangement {name}"));
        Err(read
            .table
            .at(row, twice.expected("one score per item and arrangement")))
    }

    fn item(&mut self, id: &str) -> usize {
        let next = self.ids.len();
        let item = *self.places.entry(id.into()).or_insert(next);
        if item == next {
            self.ids.push(id.into());
        }
        item
    }

    fn note(&mut self, column: &str, item: usize, value: &str) {
        let kept = self
            .columns
            .entry(column.into())
            .or_insert_with(|| Some(HashMap::new()));
        if let Some(values) = kept
            && values.entry(item).or_insert_with(|| value.into()) != value
        {
            *kept = None;
        }
    }

    /// Joins what is known of items by their text, and says how many are known.
    fn join(&mut self, known: &[(String, String)]) -> Option<String> {
        if known.is_empty() {
            return None;
        }
        let mut by_text: HashMap<&str, &str> = HashMap::new();
        for (text, value) in known {
            by_text.entry(text).or_insert(value);
        }
        let value = |id: &String| (*by_text.get(id.as_str()).unwrap_or(&UNLABELLED)).to_owned();
        let values: Vec<String> = self.ids.iter().map(value).collect();
        let joined = values.iter().filter(|value| *value != UNLABELLED).count();
        let all = values.len();
        let column = values.into_iter().enumerate().collect();
        self.columns.insert(JOINED.into(), Some(column));
        Some(format!("structures of {joined} of {all} items are joined"))
    }

    fn finish(mut self) -> Result<ArrangementScores, Problem> {
        let items = self.ids.len();
        let mut found = Vec::new();
        if self.by_arrangement.is_empty() && !self.averages.is_empty() {
            found.push(
                "means over arrangements: which arrangement did what is not known".to_owned(),
            );
            let averages = std::mem::take(&mut self.averages);
            return self.ladder(vec![averaged(averages, items)?], found);
        }
        let units = self.units()?;
        let original = self.by_arrangement.keys().any(|one| one.inversions() == 0);
        found.push(format!(
            "scores of {} arrangements of {units} units{}",
            number::count(self.by_arrangement.len() as u64),
            match original {
                true => ", the original among them",
                false => ", without the original: how much is lost cannot be said, only what needs no S_orig is read",
            }
        ));
        let columns = self.columns();
        let by_arrangement = std::mem::take(&mut self.by_arrangement);
        let texts = texts_of(&self.ids, &columns, &self.item_column, units);
        let by_arrangement = match texts {
            Some(texts) => {
                let (kept, left_out) = without_repeats(by_arrangement, texts);
                found.extend((left_out > 0).then(|| {
                    format!(
                        "{} scores left out: the text repeats a unit, and the arrangement looks like another",
                        number::count(left_out as u64)
                    )
                }));
                kept
            }
            None => {
                found.push(
                    "which arrangements look alike is not known: no column has the texts".into(),
                );
                by_arrangement
            }
        };
        found.extend(lacking(&by_arrangement, units));
        found.extend(beyond(&by_arrangement));
        let rungs = rungs(by_arrangement, items)?;
        self.ladder(rungs, found)
    }

    /// The ladder of these rungs, with what is said of the table.
    fn ladder(
        self,
        rungs: Vec<ScoredRung>,
        mut found: Vec<String>,
    ) -> Result<ArrangementScores, Problem> {
        let columns = self.columns();
        found.extend((self.gaps > 0).then(|| {
            format!(
                "{} cells without a score are absent answers",
                number::count(self.gaps as u64)
            )
        }));
        let unscored = (0..self.ids.len()).filter(|&item| {
            let scored = |rung: &ScoredRung| rung.answers.absence(item).is_none();
            !rungs.iter().any(scored)
        });
        let unscored: Vec<&str> = unscored.map(|item| self.ids[item].as_str()).collect();
        found.extend(
            (!unscored.is_empty()).then(|| format!("no score at all: {}", unscored.join(", "))),
        );
        Ok(ArrangementScores {
            items: self.ids.len(),
            found: with_columns(found, &columns),
            scores: ScoredLadder::new(rungs, columns),
        })
    }

    /// How many units are arranged, which is the same in all arrangements.
    fn units(&self) -> Result<usize, Problem> {
        let units = self.by_arrangement.keys().map(|one| one.0.len()).max();
        let units = units.filter(|units| *units > 0);
        let units = units.ok_or_else(|| {
            Problem::new("there is no score of an arrangement but the original")
                .expected("scores per item and arrangement")
        })?;
        let odd = self
            .by_arrangement
            .keys()
            .find(|one| !one.0.is_empty() && one.0.len() != units);
        match odd {
            None => Ok(units),
            Some(odd) => Err(Problem::new(format!(
                "{odd} arranges {} units, others {units}",
                odd.0.len()
            ))
            .expected("as many in all")),
        }
    }

    /// The columns with one value for every item.
    fn columns(&self) -> Columns {
        let items = self.ids.len();
        let whole = self.columns.iter().filter_map(|(name, values)| {
            let values = values.as_ref().filter(|values| values.len() == items)?;
            let of = (0..items).map(|item| values[&item].clone()).collect();
            Some((name.clone(), of))
        });
        whole.collect()
    }
}

/// What stands in a column that was joined where nothing is known.
const UNLABELLED: &str = "unlabelled";

/// The rung of means over arrangements.
fn averaged(averages: HashMap<usize, f64>, items: usize) -> Result<ScoredRung, Problem> {
    let severity = Severity::new(1.0).map_err(|not| Problem::new(not.to_string()))?;
    Ok(ScoredRung {
        severity,
        variant: 0,
        name: Some("average".into()),
        answers: ratings(&averages, items, "average"),
    })
}

/// The scores of items as answers.
fn ratings(scores: &HashMap<usize, f64>, items: usize, arrangement: &str) -> Answers {
    let score = |item: usize| match scores.get(&item) {
        Some(score) => Ok(vec![*score]),
        None => Err(Absence::from(format!(
            "no score in the arrangement {arrangement}"
        ))),
    };
    let rows = (0..items).map(score).collect();
    Answers::Ratings(RatingAnswers::new(vec![DIMENSION.into()], rows))
}

fn no_arrangement(name: &str) -> Problem {
    Problem::new(format!("{name:?} is no arrangement"))
        .expected("letters or digits in some order, such as ABDC or 1243, or `original`")
}

/// The texts that were arranged: in a column that is called so, or the items themselves where these
/// are texts and no numbers of somebody's.
fn texts_of<'a>(
    ids: &'a [String],
    columns: &'a Columns,
    item_column: &str,
    units: usize,
) -> Option<&'a [String]> {
    let arrangeable = |texts: &[String]| {
        let name: String = UnitOrder((0..units).collect()).to_string();
        texts.iter().any(|text| counts_for(text, &name).is_some())
    };
    let named = ARRANGED_TEXTS
        .all()
        .iter()
        .find_map(|word| {
            columns
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(word))
        })
        .map(|(_, texts)| texts.as_slice());
    let wordy = |text: &String| text.chars().all(|c| c.is_alphabetic() || c.is_whitespace());
    let own = (ARRANGED_TEXTS.has(item_column) || ids.iter().all(wordy)).then_some(ids);
    named
        .into_iter()
        .chain(own)
        .find(|texts| arrangeable(texts))
}

/// The scores without those of arrangements that look like others, and how many those are. A text
/// of another length has no repeats to leave out.
fn without_repeats(by_arrangement: ByArrangement, texts: &[String]) -> (ByArrangement, usize) {
    let mut left_out = 0;
    let kept = by_arrangement.into_iter().map(|(order, mut scores)| {
        let name = order.to_string();
        let before = scores.len();
        if order.inversions() > 0 {
            scores.retain(|item, _| counts_for(&texts[*item], &name) != Some(false));
        }
        left_out += before - scores.len();
        (order, scores)
    });
    let kept = kept.collect();
    (kept, left_out)
}

/// That some arrangements have no scores, where that is so: means over the others are not those
/// over all.
fn lacking(by_arrangement: &ByArrangement, units: usize) -> Option<String> {
    let there = by_arrangement
        .keys()
        .filter(|one| one.inversions() > 0)
        .count();
    let all: usize = (1..=units).product::<usize>() - 1;
    (there < all).then(|| {
        format!("{there} of {all} arrangements have scores: means and the worst are over those")
    })
}

/// That some scores are not from 0 to 1, where that is so.
fn beyond(by_arrangement: &ByArrangement) -> Option<String> {
    let scores = || by_arrangement.values().flat_map(HashMap::values);
    let out = scores().filter(|x| !(0.0..=1.0).contains(*x)).count();
    (out > 0).then(|| {
        format!(
            "{} of {} scores are outside [0, 1], where S_struct and S_seq mean nothing: percent? Then divide by 100",
            number::count(out as u64),
            number::count(scores().count() as u64)
        )
    })
}

fn with_columns(mut found: Vec<String>, columns: &Columns) -> Vec<String> {
    let groups = |values: &[String]| {
        let distinct: BTreeSet<&String> = values.iter().collect();
        distinct.len() < values.len()
    };
    let names: Vec<String> = columns
        .iter()
        .filter(|(_, values)| groups(values))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if !names.is_empty() {
        found.push(format!("groups in {}", names.join(", ")));
    }
    found
}

/// Rungs by severity, the original first; arrangements with as many inversions are variants of one.
fn rungs(by_arrangement: ByArrangement, items: usize) -> Result<Vec<ScoredRung>, Problem> {
    let mut by_severity: Vec<(usize, UnitOrder, HashMap<usize, f64>)> = by_arrangement
        .into_iter()
        .map(|(one, scores)| (one.inversions(), one, scores))
        .collect();
    by_severity.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut rungs: Vec<ScoredRung> = Vec::new();
    for (inversions, arrangement, scores) in by_severity {
        let severity =
            Severity::new(inversions as f64).map_err(|not| Problem::new(not.to_string()))?;
        let variant = rungs
            .iter()
            .filter(|rung| rung.severity == severity)
            .count();
        let name = arrangement.to_string();
        rungs.push(ScoredRung {
            severity,
            variant,
            answers: ratings(&scores, items, &name),
            name: Some(name),
        });
    }
    Ok(rungs)
}
