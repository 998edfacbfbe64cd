//! Scores per arrangement: one file or one sheet per arrangement, or one row per item and
//! arrangement.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use duress_core::answer::{Absence, Answers, RatingAnswers};
use duress_core::gauge::Columns;
use duress_core::number;
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_parts::order::repeats::counts_for;
use duress_tables::formats;
use duress_tables::formats::xlsx::{Book, Sheet};
use duress_tables::layout::named_or_usual;
use duress_tables::layout::words::{
    ARRANGED_ITEMS, ARRANGED_TEXTS, ARRANGEMENTS, ColumnWords, EXPLANATION_SCORES, ORIGINAL_ORDER,
};
use duress_tables::table::{Choose, Head, Table, Want};

use super::TableHints;
use super::cluster_words::{cluster_words, clusters_by};
use super::scored_ladder::{ScoredLadder, ScoredRung};

/// The dimension that scores of explanations are ratings in.
const DIMENSION: &str = "s-acc";

/// Scores of items under every arrangement.
#[derive(Clone)]
pub(super) struct ArrangementScores {
    pub(super) scores: ScoredLadder,
    pub(super) items: usize,
    pub(super) found: Vec<String>,
}

impl ArrangementScores {
    /// The same with the clusters of a column, if one is named.
    fn clustered_by(mut self, column: Option<&str>) -> Result<ArrangementScores, Problem> {
        let columns = &self.scores.columns;
        if let Some(column) = column.filter(|column| !columns.contains_key(*column)) {
            let wrong = format!("no column `{column}` has one value for every item");
            return Err(Problem::new(wrong).nearest(column, columns.keys().map(String::as_str)));
        }
        self.found.extend(cluster_words(column, columns));
        self.scores.clusters = clusters_by(column, columns);
        Ok(self)
    }
}

/// Scores, if that is what the table holds.
pub(super) fn read(file: &Path, hints: &TableHints) -> Result<Option<ArrangementScores>, Problem> {
    if file.is_dir() {
        return folder(file, hints).map(Some);
    }
    let mut gathered = GatheredScores::default();
    let workbook = file
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("xlsx"));
    let sheets = if workbook { sheets(file)? } else { Vec::new() };
    if sheets.len() > 1 {
        for sheet in &sheets {
            let table = layout(None, hints, file, &mut |choose| sheet.table(file, choose))?;
            gathered.take(&table, Some(sheet.name()))?;
        }
    } else {
        let heads = formats::heads(file)?;
        let long = ARRANGEMENTS
            .find(&heads)
            .filter(|_| column(&heads, hints.score.as_deref(), EXPLANATION_SCORES).is_ok());
        let Some(arrangement) = long else {
            return Ok(None);
        };
        let table = layout(Some(&arrangement), hints, file, &mut |choose| {
            formats::read(file, choose)
        })?;
        gathered.take(&table, None)?;
    }
    let found = gathered.finish();
    found
        .and_then(|scores| scores.clustered_by(hints.cluster.as_deref()))
        .map(Some)
        .map_err(|problem| problem.in_file(file))
}

/// A folder with one table per arrangement, which its name says.
fn folder(folder: &Path, hints: &TableHints) -> Result<ArrangementScores, Problem> {
    let here = |problem: Problem| problem.in_file(folder);
    let entries = std::fs::read_dir(folder)
        .map_err(|why| here(Problem::new(format!("cannot be read: {why}"))))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let ending = |path: &Path| {
        path.extension()
            .map(|ending| ending.to_string_lossy().to_lowercase())
    };
    let table = |path: &&std::path::PathBuf| {
        ending(path).is_some_and(|ending| formats::ENDINGS.contains(&&*ending))
    };
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let (arranged, others): (Vec<_>, Vec<_>) = paths
        .iter()
        .filter(table)
        .partition(|path| UnitOrder::parse(&stem(path)).is_some());
    if arranged.is_empty() {
        let none = Problem::new("no file in this folder is called after an arrangement")
            .expected("one table per arrangement, such as ABCD.csv, scores_ABDC.csv or 1243.xlsx")
            .hint(of_answers(folder));
        return Err(here(none));
    }
    let mut gathered = GatheredScores::default();
    for path in arranged {
        let laid = layout(None, hints, path, &mut |choose| formats::read(path, choose))
            .map_err(|problem| problem.hint(of_answers(folder)))?;
        gathered
            .take(&laid, Some(&stem(path)))
            .map_err(|problem| problem.in_file(path))?;
    }
    let scores = gathered.finish();
    let scores = scores.and_then(|scores| scores.clustered_by(hints.cluster.as_deref()));
    let mut scores = scores.map_err(here)?;
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|path| stem(path)).collect();
        scores.found.push(format!(
            "not read, no arrangement in the name: {}",
            names.join(", ")
        ));
    }
    Ok(scores)
}

/// The way out for whoever meant tables of a classifier's answers.
fn of_answers(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "if these are a classifier's answers: `duress init {folder}` writes a study for all of them, `duress gauge FILE` reads one"
    )
}

/// The sheets of a workbook in which anything stands.
fn sheets(file: &Path) -> Result<Vec<Sheet>, Problem> {
    let mut book = Book::open(file)?;
    let sheets = book
        .sheets()
        .iter()
        .map(|name| book.sheet(name))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(sheets
        .into_iter()
        .filter(|sheet| !sheet.is_empty())
        .collect())
}

fn column(heads: &[Head], named: Option<&str>, words: ColumnWords) -> Result<String, Problem> {
    let missing = || {
        let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
        Problem::new(format!(
            "there is no column called as {} are",
            words.first()
        ))
        .expected(format!("one of {}", words.all().join(", ")))
        .hint(format!("there is: {}", names.join(", ")))
    };
    named_or_usual(heads, named, words)?.ok_or_else(missing)
}

/// A table with what its columns are.
struct Laid {
    table: Table,
    item: String,
    score: String,
    arrangement: Option<String>,
    others: Vec<String>,
}

type ReadTable<'a> = dyn FnMut(&mut Choose<'_>) -> Result<Table, Problem> + 'a;

fn layout(
    arrangement: Option<&str>,
    hints: &TableHints,
    file: &Path,
    read: &mut ReadTable<'_>,
) -> Result<Laid, Problem> {
    let mut item = String::new();
    let mut score = String::new();
    let mut others = Vec::new();
    let table = read(&mut |heads| {
        item = column(heads, hints.id.as_deref(), ARRANGED_ITEMS)?;
        score = column(heads, hints.score.as_deref(), EXPLANATION_SCORES)?;
        let own = |name: &str| name == item || name == score || Some(name) == arrangement;
        others = heads
            .iter()
            .filter(|head| !head.listed && !own(&head.name))
            .map(|head| head.name.clone())
            .collect();
        let want = |head: &Head| match head.name.as_str() {
            name if name == score => Want::Numbers,
            _ if head.listed => Want::Nothing,
            _ => Want::Texts,
        };
        Ok(heads.iter().map(want).collect())
    })
    .map_err(|problem| problem.in_file(file))?;
    Ok(Laid {
        table,
        item,
        score,
        arrangement: arrangement.map(String::from),
        others,
    })
}

/// Scores as they come in, row by row.
#[derive(Default)]
struct GatheredScores {
    ids: Vec<String>,
    places: HashMap<String, usize>,
    by_arrangement: BTreeMap<UnitOrder, HashMap<usize, f64>>,
    /// What the column with the items is called.
    item_column: String,
    /// For every other column the value of each item; none where an item has two.
    columns: BTreeMap<String, Option<HashMap<usize, String>>>,
}

impl GatheredScores {
    fn take(&mut self, laid: &Laid, sheet: Option<&str>) -> Result<(), Problem> {
        let table = &laid.table;
        self.item_column.clone_from(&laid.item);
        let (_, scores) = table.numbers(&laid.score);
        for (row, &score) in scores.iter().enumerate() {
            let name = match &laid.arrangement {
                Some(column) => table.texts(column).get(row),
                None => sheet.unwrap_or_default(),
            };
            let arrangement =
                UnitOrder::parse(name).ok_or_else(|| table.at(row, no_arrangement(name)))?;
            let item = self.item(table.texts(&laid.item).get(row));
            if self
                .by_arrangement
                .entry(arrangement)
                .or_default()
                .insert(item, score)
                .is_some()
            {
                let id = &self.ids[item];
                let twice =
                    Problem::new(format!("`{id}` has two scores in the arrangement {name}"));
                return Err(table.at(row, twice.expected("one score per item and arrangement")));
            }
            for other in &laid.others {
                self.note(other, item, table.texts(other).get(row));
            }
        }
        Ok(())
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

    fn finish(self) -> Result<ArrangementScores, Problem> {
        let Some(units) = self.by_arrangement.keys().map(|one| one.0.len()).max() else {
            return Err(Problem::new("there is no score"));
        };
        if let Some(odd) = self
            .by_arrangement
            .keys()
            .find(|one| !one.0.is_empty() && one.0.len() != units)
        {
            return Err(Problem::new(format!(
                "{odd} arranges {} units, others {units}",
                odd.0.len()
            ))
            .expected("as many in all"));
        }
        if self.by_arrangement.keys().all(|one| one.inversions() > 0) {
            return Err(Problem::new("there are no scores in the original order")
                .expected(format!(
                    "an arrangement {} or `original`",
                    UnitOrder((0..units).collect())
                ))
                .hint("how much is lost can only be said against scores that were measured"));
        }
        let items = self.ids.len();
        let found = vec![format!(
            "scores of {} arrangements of {units} units, the original among them",
            number::count(self.by_arrangement.len() as u64)
        )];
        let columns = self.columns.iter().filter_map(|(name, values)| {
            let values = values.as_ref().filter(|values| values.len() == items)?;
            Some((
                name.clone(),
                (0..items).map(|item| values[&item].clone()).collect(),
            ))
        });
        let columns: Columns = columns.collect();
        let mut found = found;
        let by_arrangement = match texts_of(&self.ids, &columns, &self.item_column, units) {
            Some(texts) => {
                let (kept, left_out) = without_repeats(self.by_arrangement, texts);
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
                self.by_arrangement
            }
        };
        found.extend(lacking(&by_arrangement, units));
        found.extend(beyond(&by_arrangement));
        let rungs = rungs(by_arrangement, items)?;
        Ok(ArrangementScores {
            items,
            found: with_columns(found, &columns),
            scores: ScoredLadder::new(rungs, columns),
        })
    }
}

/// Scores by arrangement and item.
type ByArrangement = BTreeMap<UnitOrder, HashMap<usize, f64>>;

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
    if !columns.is_empty() {
        let names: Vec<String> = columns.keys().map(|name| format!("`{name}`")).collect();
        found.push(format!("groups in {}", names.join(", ")));
    }
    found
}

/// Rungs by severity, the original first; arrangements with as many inversions are variants of one.
fn rungs(
    by_arrangement: BTreeMap<UnitOrder, HashMap<usize, f64>>,
    items: usize,
) -> Result<Vec<ScoredRung>, Problem> {
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
        let score = |item: usize| match scores.get(&item) {
            Some(score) => Ok(vec![*score]),
            None => Err(Absence::from(format!(
                "no score in the arrangement {arrangement}"
            ))),
        };
        let ratings = RatingAnswers::new(vec![DIMENSION.into()], (0..items).map(score).collect());
        rungs.push(ScoredRung {
            severity,
            variant,
            answers: Answers::Ratings(ratings),
        });
    }
    Ok(rungs)
}

fn no_arrangement(name: &str) -> Problem {
    Problem::new(format!("{name:?} is no arrangement"))
        .expected("letters or digits in some order, such as ABDC or 1243, or `original`")
}

/// Which unit stands at each place; the original order without a number of units is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnitOrder(Vec<usize>);

impl UnitOrder {
    /// Reads `ABDC`, `1243`, `0132` or `original`, also behind other words (`scores_ABDC`).
    fn parse(name: &str) -> Option<UnitOrder> {
        let word = name
            .trim()
            .rsplit(['_', '-', ' ', '.'])
            .next()?
            .to_ascii_lowercase();
        if ORIGINAL_ORDER.has(&word) {
            return Some(UnitOrder(Vec::new()));
        }
        let first = word.bytes().min()?;
        let order: Vec<usize> = word.bytes().map(|byte| usize::from(byte - first)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let whole = [b'a', b'0', b'1'].contains(&first)
            && sorted.iter().enumerate().all(|(at, unit)| at == *unit);
        let same = word
            .bytes()
            .all(|byte| byte.is_ascii_digit() == first.is_ascii_digit());
        (whole && same && order.len() > 1).then_some(if sorted == order {
            UnitOrder(Vec::new())
        } else {
            UnitOrder(order)
        })
    }

    /// How many pairs stand in the wrong order.
    fn inversions(&self) -> usize {
        let before =
            |(at, unit): (usize, &usize)| self.0[..at].iter().filter(|left| *left > unit).count();
        self.0.iter().enumerate().map(before).sum()
    }
}

impl std::fmt::Display for UnitOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("original");
        }
        let letter = |unit: &usize| char::from(b'A'.saturating_add((*unit).min(25) as u8));
        f.write_str(&self.0.iter().map(letter).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_are_told_from_their_names() {
        let check = |name: &str, expected: Option<usize>| {
            assert_eq!(
                UnitOrder::parse(name).map(|one| one.inversions()),
                expected,
                "{name}"
            );
        };
        check("ABCD", Some(0));
        check("original", Some(0));
        check("abdc", Some(1));
        check("DCBA", Some(6));
        check("scores_BADC", Some(2));
        check("1243", Some(1));
        check("0132", Some(1));
        check("Sheet1", None);
        check("2024", None);
        check("AABB", None);
        check("", None);
        check("猫", None);
    }
}
