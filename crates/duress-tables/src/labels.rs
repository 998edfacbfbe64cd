//! Labels: from the words in a file to positions among the classes.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use duress_core::problem::Problem;
use duress_core::texts::Texts;

use crate::formats;
use crate::layout::words::CLASS_NAMES;
use crate::table::{Table, by_name};

/// The classes that occur, in order.
pub fn classes_of(texts: &Texts) -> Vec<String> {
    in_order(texts.iter())
}

/// Names of classes, each once, in order: by number where all are whole numbers, else by letter. An
/// empty cell names none.
pub fn in_order<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut classes: Vec<&str> = names
        .into_iter()
        .filter(|name| !name.is_empty())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let numbers: Option<Vec<i64>> = classes.iter().map(|class| class.parse().ok()).collect();
    if numbers.is_some() {
        classes.sort_by_key(|class| class.parse::<i64>().unwrap_or_default());
    }
    classes.into_iter().map(String::from).collect()
}

/// The position among `classes` of each label in `column`, and whether the labels were such
/// positions already; an empty cell is a problem.
pub fn positions(
    table: &Table,
    column: &str,
    classes: &[String],
) -> Result<(Vec<u32>, bool), Problem> {
    let (found, numbered) = positions_where_said(table, column, classes)?;
    let found: Result<Vec<u32>, Problem> = found
        .into_iter()
        .enumerate()
        .map(|(row, at)| at.ok_or_else(|| no_class(table, column, row, classes)))
        .collect();
    Ok((found?, numbered))
}

/// The same of labels that may be missing: an empty cell says nothing.
///
/// Labels are positions when all of them are whole numbers below the number of classes and none is
/// itself the name of a class.
pub fn positions_where_said(
    table: &Table,
    column: &str,
    classes: &[String],
) -> Result<(Vec<Option<u32>>, bool), Problem> {
    let texts = table.texts(column);
    let named: HashMap<&str, u32> = classes.iter().map(String::as_str).zip(0..).collect();
    let said = || texts.iter().filter(|text| !text.is_empty());
    let numbered = said().all(|text| position(text, &named).is_some());
    let place = |text: &str| match numbered {
        true => position(text, &named),
        false => named.get(text).copied(),
    };
    let found: Vec<Option<u32>> = texts.iter().map(place).collect();
    if said().all(|text| place(text).is_some()) {
        return Ok((found, numbered));
    }
    // Where labels are positions but for one, that one is at fault, not the first that is a
    // position.
    let unplaced = |text: &str| !text.is_empty() && place(text).is_none();
    let strange = |text: &str| unplaced(text) && position(text, &named).is_none();
    let row = texts
        .iter()
        .position(strange)
        .or_else(|| texts.iter().position(unplaced))
        .unwrap_or_default();
    Err(no_class(table, column, row, classes))
}

fn no_class(table: &Table, column: &str, row: usize, classes: &[String]) -> Problem {
    let text = table.texts(column).get(row);
    let problem = Problem::new(format!(
        "`{column}` is {text:?}, which is none of the classes"
    ))
    .expected(format!("one of {}", listed(classes)));
    table.at(row, with_way_out(problem, text, classes))
}

/// The problem that a label is no class, with what could help. No name is near to a number: digits
/// are not misspelt, they mean another thing.
fn with_way_out(problem: Problem, text: &str, classes: &[String]) -> Problem {
    let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) else {
        return problem.nearest(text, classes.iter().map(String::as_str).take(NAMED));
    };
    let whole = number.to_string();
    let known = classes.contains(&whole)
        || whole
            .parse()
            .is_ok_and(|place: usize| place < classes.len());
    problem.hint(match whole != text && known {
        true => format!("a whole number is written without a point: {whole}"),
        false => {
            format!(
                "labels are names of classes, or all of them positions from 0 to {}",
                classes.len().saturating_sub(1)
            )
        }
    })
}

/// The position that a label is, if it is one and not itself the name of a class.
fn position(text: &str, named: &HashMap<&str, u32>) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    ((number as usize) < named.len() && !named.contains_key(text)).then_some(number)
}

/// That two classes are the same but for case, spaces around them or a point, in words.
pub fn alike_remark(classes: &[String]) -> Option<String> {
    let plain = |class: &str| {
        let text = class.trim().to_lowercase();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => number.to_string(),
            _ => text,
        }
    };
    let mut seen: HashMap<String, &String> = HashMap::new();
    classes.iter().find_map(|class| {
        let before = seen.insert(plain(class), class)?;
        Some(format!(
            "{before:?} and {class:?} are two classes: is it one, written in two ways?"
        ))
    })
}

/// Refuses a list of classes in which a name stands twice.
pub fn no_class_twice(classes: &[String]) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    match classes.iter().find(|class| !seen.insert(class.as_str())) {
        Some(class) => Err(Problem::new(format!("`classes` has {class:?} twice"))),
        None => Ok(()),
    }
}

/// How many classes a message names.
const NAMED: usize = 12;

/// The classes in a message, not more than can be read.
pub fn listed(classes: &[String]) -> String {
    let named = classes[..classes.len().min(NAMED)].join(", ");
    if classes.len() > NAMED {
        format!("{named} … ({} in all)", classes.len())
    } else {
        named
    }
}

/// The names of an array's columns, where the file has as many in a column beside it, and that
/// column.
pub fn names_beside(file: &Path, width: usize) -> Result<Option<(String, Vec<String>)>, Problem> {
    let heads = formats::heads(file)?;
    let called = |name: &&str| heads.iter().any(|head| !head.listed && head.name == **name);
    let Some(column) = CLASS_NAMES.plain().iter().copied().find(called) else {
        return Ok(None);
    };
    let table = formats::read(file, &mut |heads| Ok(by_name(heads, &[], &[column])))?;
    let names: Vec<String> = table.texts(column).iter().map(String::from).collect();
    let once = names.iter().collect::<BTreeSet<_>>().len() == width && names.len() == width;
    Ok(once.then(|| (column.to_string(), names)))
}
