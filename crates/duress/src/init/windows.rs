//! A study of learners on windows of somebody's own: rows in time, or an array of windows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_tables::formats::{self, npz};
use duress_tables::layout::words::{TIME_COLUMNS, says_nothing};
use duress_tables::table::{Head, Table, Want};

use super::write::{comment, list, quoted, way};

/// What a table of true edges beside the data is called, and what a column of regimes is.
const TRUTHS: [&str; 5] = ["edges", "truth", "graph", "true_edges", "ground_truth"];
const REGIMES: [&str; 5] = ["regime", "regimes", "phase", "mode", "state"];

/// How many rows are looked at to tell numbers from dates and names.
const LOOKED_AT: usize = 200;

/// A column of names that has more of them than this says something else than the regime.
const MOST_REGIMES: usize = 20;

/// The text of a study about the windows in `table`, to stand in the file `out`: with the true edges
/// in a table, or without those in another that are not about these windows.
pub(super) fn study(
    table: &Path,
    truth: Option<&Path>,
    strange: Option<&Path>,
    out: &Path,
) -> Result<String, Problem> {
    let home = out.parent().unwrap_or(Path::new(""));
    let mut data = format!("file = {}\n", quoted(&way(home, table)));
    let array = table.extension().is_some_and(|ending| {
        ["npy", "npz"]
            .iter()
            .any(|own| ending.eq_ignore_ascii_case(own))
    });
    // Rows without an earlier step: nothing can be predicted from the past, and only learners that
    // need none can learn.
    let timeless = array && of_one_step(table)?;
    data += &match array {
        false => columns(table)?,
        true if timeless => String::new(),
        true => "# gap = 0                            # if the windows share no step: none is dropped between fitted and tested\n".into(),
    };
    if let Some(strange) = strange {
        let name = strange.file_name().unwrap_or_default().to_string_lossy();
        data += &format!(
            "# Left out, it does not fit these windows: {}\n",
            comment(&name)
        );
    }
    let gauges = match truth {
        Some(truth) => {
            data += &format!("truth = {}\n", quoted(&way(home, truth)));
            if timeless {
                r#"["directed-f1", "skeleton-f1", "shd"]"#
            } else {
                r#"["directed-f1", "skeleton-f1", "shd", "held-out-likelihood"]"#
            }
        }
        None if timeless => {
            return Err(Problem::new(
                "windows of one step without a list of true edges: there is nothing to hold a graph against",
            )
            .expected("a table of edges beside it, such as edges.csv with the columns from and to")
            .in_file(table));
        }
        None => {
            data += "# truth = \"edges.csv\"             # a row per edge, from and to, where it is known\n";
            "[\"held-out-likelihood\"]          # no truth is known: how well the graph predicts windows it was not fitted on"
        }
    };
    let (rival, rater) = match timeless {
        true => ("pc", ""),
        false => (
            "lagged-regression",
            "[rater.prediction]                    # how well a graph predicts windows it was not fitted on\nuse = \"graph-likelihood\"\n\n",
        ),
    };
    let claim = if truth.is_some() {
        "directed-f1"
    } else {
        "held-out-likelihood"
    };
    let about = comment(&table.display().to_string());
    Ok(format!(
        "# Two learners of causal structure while values go missing, on windows of your own, from {about}.\n\
         #   duress check study.toml      what is wrong, what n can show, how long it takes\n\
         #   duress run   study.toml      ask, find, report\n\
         # Every part is explained by `duress explain NAME`; `duress list` names them all.\n\
         name = \"causal\"\n\
         seeds = [1, 2, 3, 4, 5]               # other values go missing with every seed\n\n\
         [dataset.own]\nuse = \"windows\"\n{data}\n\
         [subject.correlation]\nuse = \"correlation\"\non = \"own\"\n\n\
         [subject.{rival}]\nuse = \"{rival}\"\non = \"own\"\n\n\
         [ladder.missing]\nuse = \"missing-mcar\"\non = \"train\"                          # the learner is refitted at every rung\n\
         severities = [0.2, 0.4, 0.6]          # shares of the values\n\n\
         {rater}[analysis]\ngauges = {gauges}\n\n\
         [[claim]]                             # written before the run, judged by it\n\
         name = \"{rival} withstands 40 % missing better\"\ngauge = \"{claim}\"\nof = \"{rival}\"\nagainst = \"correlation\"\n\
         at = {{ ladder = \"missing\", severity = 0.4 }}\n"
    ))
}

fn of_one_step(table: &Path) -> Result<bool, Problem> {
    let tensors = npz::tensors(table)?;
    let windows = tensors.get("X").or_else(|| tensors.values().next());
    Ok(windows.is_some_and(|x| matches!(x.shape.as_slice(), [_, 1, _])))
}

/// A table beside the windows that is called as true edges are.
pub(super) fn truth_beside(table: &Path) -> Option<PathBuf> {
    let named = |name: &str| {
        formats::ENDINGS.map(|ending| table.with_file_name(format!("{name}.{ending}")))
    };
    TRUTHS
        .iter()
        .flat_map(|name| named(name))
        .find(|path| path != table && path.is_file())
}

/// Whether a text is a number, or begins as a date with the year first.
fn looks_like_time(text: &str) -> bool {
    let year = text.split(['-', '/']).next().unwrap_or_default();
    let dated = year.len() == 4 && year.len() < text.len() && year.parse::<u32>().is_ok();
    dated || text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Which columns are variables, and which says the regime.
fn columns(table: &Path) -> Result<String, Problem> {
    let mut heads: Vec<Head> = Vec::new();
    let read = formats::read(table, &mut |found| {
        heads = found.to_vec();
        Ok(found
            .iter()
            .map(|head| {
                if head.listed {
                    Want::Nothing
                } else {
                    Want::TextsOrGaps
                }
            })
            .collect())
    })?;
    let regime = heads.iter().find(|head| {
        REGIMES
            .iter()
            .any(|name| head.name.eq_ignore_ascii_case(name))
    });
    let seen = |name: &str| {
        let texts = read.texts(name);
        (0..read.rows().min(LOOKED_AT)).map(|row| texts.get(row).trim().to_string())
    };
    let time = TIME_COLUMNS
        .find(&heads)
        .filter(|name| seen(name).all(|text| looks_like_time(&text)));
    let numeric = |head: &&Head| {
        let mut told = seen(&head.name).filter(|text| !says_nothing(text));
        told.all(|text| text.parse::<f64>().is_ok())
    };
    let (variables, others): (Vec<&Head>, Vec<&Head>) = heads
        .iter()
        .filter(|head| !head.listed && Some(*head) != regime && Some(&head.name) != time.as_ref())
        .partition(numeric);
    if variables.len() < 2 {
        return Err(Problem::new("fewer than two columns hold numbers")
            .expected("a row per step in the order of time, a column per variable")
            .in_file(table));
    }
    let mut text = format!(
        "variables = {}\n",
        list(variables.iter().map(|head| head.name.as_str()))
    );
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|head| head.name.as_str()).collect();
        text = format!(
            "# Left out, no numbers: {}\n{text}",
            comment(&names.join(", "))
        );
    }
    if let Some(time) = time {
        text += &format!(
            "time = {}                         # a window ends where there is a gap\n",
            quoted(&time)
        );
    }
    if let Some(regime) = regime {
        text += &format!("regime = {}\n", quoted(&regime.name));
    } else if let Some(names) = others.iter().find_map(|head| names_of_regimes(&read, head)) {
        text += &names;
    }
    Ok(text + "steps = 24                            # in a window\n")
}

/// A line for whoever knows that a column of names says the regime; none where it has too many or one.
fn names_of_regimes(read: &Table, head: &Head) -> Option<String> {
    let texts = read.texts(&head.name);
    let names: BTreeSet<&str> = (0..read.rows()).map(|row| texts.get(row).trim()).collect();
    (2..=MOST_REGIMES).contains(&names.len()).then(|| {
        let count = names.len();
        let names: Vec<&str> = names.into_iter().take(3).collect();
        format!(
            "# regime = {}                   # if its {count} names are regimes: {} …\n",
            quoted(&head.name),
            comment(&names.join(", "))
        )
    })
}
