//! Data: items with ids, what a subject sees of them, and the truth that it does not.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::seed::Seed;
use crate::texts::Texts;
use crate::truth::{Sealed, Truth};

/// What the items of a dataset look like to a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// Nothing is known but the ids: the answers were recorded elsewhere.
    Unseen,
    /// Images.
    Images,
    /// Windows of a multivariate time series.
    Windows,
    /// Texts.
    Texts,
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputKind::Unseen => "items known by id only",
            InputKind::Images => "images",
            InputKind::Windows => "windows",
            InputKind::Texts => "texts",
        })
    }
}

/// What a subject sees of the items.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// Nothing; this many items.
    Unseen(usize),
    /// Images in [0, 1].
    Images(Images),
    /// Windows of a multivariate time series, some values hidden.
    Windows(Windows),
    /// One text per item.
    Texts(Vec<Text>),
}

impl Inputs {
    /// What kind they are.
    pub fn kind(&self) -> InputKind {
        match self {
            Inputs::Unseen(_) => InputKind::Unseen,
            Inputs::Images(_) => InputKind::Images,
            Inputs::Windows(_) => InputKind::Windows,
            Inputs::Texts(_) => InputKind::Texts,
        }
    }

    fn len(&self) -> usize {
        match self {
            Inputs::Unseen(n) => *n,
            Inputs::Images(images) => images.len(),
            Inputs::Windows(windows) => windows.len(),
            Inputs::Texts(texts) => texts.len(),
        }
    }

    fn select(&self, which: &[usize]) -> Inputs {
        match self {
            Inputs::Unseen(_) => Inputs::Unseen(which.len()),
            Inputs::Images(images) => Inputs::Images(images.select(which)),
            Inputs::Windows(windows) => Inputs::Windows(windows.select(which)),
            Inputs::Texts(texts) => {
                Inputs::Texts(which.iter().map(|&i| texts[i].clone()).collect())
            }
        }
    }

    /// Gives the content of item `i` to `sink`, byte by byte the same on every platform.
    fn feed_item(&self, i: usize, sink: &mut dyn FnMut(&[u8])) {
        match self {
            Inputs::Unseen(_) => {}
            Inputs::Images(images) => images.image(i).iter().for_each(|p| sink(&p.to_le_bytes())),
            Inputs::Windows(windows) => windows.feed_window(i, sink),
            Inputs::Texts(texts) => texts[i].feed(sink),
        }
    }

    /// Gives what is not in any one item to `sink`: the kind, the shape, the names.
    fn feed_shape(&self, sink: &mut dyn FnMut(&[u8])) {
        sink(self.kind().to_string().as_bytes());
        match self {
            Inputs::Unseen(_) | Inputs::Texts(_) => {}
            Inputs::Images(images) => {
                images
                    .shape()
                    .iter()
                    .for_each(|&size| sink(&(size as u64).to_le_bytes()));
            }
            Inputs::Windows(windows) => {
                sink(&(windows.steps as u64).to_le_bytes());
                windows
                    .variables
                    .iter()
                    .for_each(|name| sink(name.as_bytes()));
            }
        }
    }
}

/// Items as a subject or a stressor meets them: ids and inputs, no truth.
///
/// ```
/// use duress_core::data::{Inputs, Items};
/// let items = Items::new(vec!["a".into(), "b".into()], Inputs::Unseen(2)).unwrap();
/// assert_eq!(items.select(&[1]).ids(), ["b"]);
/// assert!(Items::new(vec!["a".into(), "a".into()], Inputs::Unseen(2)).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    ids: Arc<Texts>,
    inputs: Inputs,
}

impl Items {
    /// Items whose ids are unique and as many as the inputs.
    pub fn new(ids: Vec<String>, inputs: Inputs) -> Result<Items, Problem> {
        Items::of(ids.into(), inputs)
    }

    /// The same, for ids that are kept together already.
    pub fn of(ids: Texts, inputs: Inputs) -> Result<Items, Problem> {
        if ids.len() != inputs.len() {
            return Err(Problem::new(format!(
                "{} ids for {} items",
                ids.len(),
                inputs.len()
            )));
        }
        match ids.twice() {
            Some((_, at)) => Err(
                Problem::new(format!("the id `{}` is there twice", &ids[at]))
                    .expected("one item per id"),
            ),
            None => Ok(Items {
                ids: Arc::new(ids),
                inputs,
            }),
        }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no item at all.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, in order.
    pub fn ids(&self) -> &Texts {
        &self.ids
    }

    /// What a subject sees.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The images, or a failure that says what is there instead.
    pub fn images(&self) -> Result<&Images, crate::subject::Failure> {
        match &self.inputs {
            Inputs::Images(images) => Ok(images),
            other => Err(crate::subject::Failure::mismatch(
                InputKind::Images,
                other.kind(),
            )),
        }
    }

    /// The windows, or a failure that says what is there instead.
    pub fn windows(&self) -> Result<&Windows, crate::subject::Failure> {
        match &self.inputs {
            Inputs::Windows(windows) => Ok(windows),
            other => Err(crate::subject::Failure::mismatch(
                InputKind::Windows,
                other.kind(),
            )),
        }
    }

    /// The texts, or a failure that says what is there instead.
    pub fn texts(&self) -> Result<&[Text], crate::subject::Failure> {
        match &self.inputs {
            Inputs::Texts(texts) => Ok(texts),
            other => Err(crate::subject::Failure::mismatch(
                InputKind::Texts,
                other.kind(),
            )),
        }
    }

    /// The same items with other inputs.
    ///
    /// # Panics
    /// When the number of inputs is another one: that is a stressor's bug.
    #[must_use]
    pub fn with(&self, inputs: Inputs) -> Items {
        assert_eq!(
            inputs.len(),
            self.len(),
            "a stressor must return as many items as it was given"
        );
        Items {
            ids: Arc::clone(&self.ids),
            inputs,
        }
    }

    /// The items at these positions, in this order.
    #[must_use]
    pub fn select(&self, which: &[usize]) -> Items {
        let ids: Texts = which.iter().map(|&i| &self.ids[i]).collect();
        Items {
            ids: Arc::new(ids),
            inputs: self.inputs.select(which),
        }
    }

    /// The seed of item `i`: it depends on the id, not on the position.
    pub fn seed(&self, i: usize, seed: Seed) -> Seed {
        seed.child(&self.ids[i])
    }

    /// Gives everything to `sink`: what a fingerprint is made of.
    pub fn feed(&self, sink: &mut dyn FnMut(&[u8])) {
        self.inputs.feed_shape(sink);
        for (i, id) in self.ids.iter().enumerate() {
            sink(&(id.len() as u64).to_le_bytes());
            sink(id.as_bytes());
            self.inputs.feed_item(i, sink);
        }
    }

    fn content_hash(&self, i: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inputs.feed_item(i, &mut |bytes| hasher.write(bytes));
        hasher.finish()
    }
}

/// Images with values in [0, 1], one after the other as channels × height × width.
///
/// ```
/// use duress_core::data::Images;
/// let images = Images::new([1, 2, 2], vec![0.0, 0.5, 1.0, 0.25]).unwrap();
/// assert_eq!(images.len(), 1);
/// assert!(Images::new([1, 2, 2], vec![0.0, 0.5, 1.5, 0.25]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Images {
    shape: [usize; 3],
    pixels: Vec<f32>,
}

impl Images {
    /// Checks count and range.
    pub fn new(shape: [usize; 3], pixels: Vec<f32>) -> Result<Images, Problem> {
        let size = shape.iter().product::<usize>();
        if size == 0 || !pixels.len().is_multiple_of(size) {
            return Err(Problem::new(format!(
                "{} pixels do not make images of {shape:?}",
                pixels.len()
            )));
        }
        match pixels.iter().position(|p| !(0.0..=1.0).contains(p)) {
            Some(at) => {
                Err(
                    Problem::new(format!("image {} has a pixel of {}", at / size, pixels[at]))
                        .expected("values from 0 to 1"),
                )
            }
            None => Ok(Images { shape, pixels }),
        }
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.pixels.len() / self.size()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    /// Channels, height, width.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// How many values an image has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// All values, image after image.
    pub fn pixels(&self) -> &[f32] {
        &self.pixels
    }

    /// The values of image `i`.
    pub fn image(&self, i: usize) -> &[f32] {
        &self.pixels[i * self.size()..(i + 1) * self.size()]
    }

    /// Images of the same shape from `change(i, image)`; what leaves [0, 1] is clipped to it.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(usize, &mut [f32])) -> Images {
        let mut pixels = self.pixels.clone();
        for (i, image) in pixels.chunks_mut(self.size()).enumerate() {
            change(i, image);
            image.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
        }
        Images {
            shape: self.shape,
            pixels,
        }
    }

    fn select(&self, which: &[usize]) -> Images {
        let pixels = which.iter().flat_map(|&i| self.image(i)).copied().collect();
        Images {
            shape: self.shape,
            pixels,
        }
    }
}

/// Windows of a multivariate time series: windows × steps × variables, some values hidden, each
/// window in a regime.
///
/// A hidden value is overwritten when it is hidden, and no method gives it back.
///
/// ```
/// use duress_core::data::Windows;
/// let mut windows = Windows::new(vec!["t".into()], 2, vec![0], vec![20.5, 21.0]).unwrap();
/// windows.hide(0, 1, 0);
/// assert_eq!(windows.get(0, 0, 0), Some(20.5));
/// assert_eq!(windows.get(0, 1, 0), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    variables: Vec<String>,
    steps: usize,
    regimes: Vec<u32>,
    values: Vec<f64>,
    observed: Vec<bool>,
}

impl Windows {
    /// Windows with every value observed; `values` in the order window, step, variable; one regime
    /// per window.
    pub fn new(
        variables: Vec<String>,
        steps: usize,
        regimes: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Windows, Problem> {
        let expected = variables.len() * steps * regimes.len();
        if variables.is_empty() || steps == 0 || values.len() != expected {
            return Err(
                Problem::new(format!("{} values in windows", values.len())).expected(format!(
                    "{} windows × {steps} steps × {} variables",
                    regimes.len(),
                    variables.len()
                )),
            );
        }
        let mut known = HashSet::new();
        if let Some(twice) = variables.iter().find(|name| !known.insert(name.as_str())) {
            return Err(
                Problem::new(format!("the variable `{twice}` is there twice"))
                    .expected("a name of its own for each variable"),
            );
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(
                Problem::new(format!("a value of {} at position {at}", values[at]))
                    .expected("a finite number")
                    .hint("hide what is missing instead of writing it down as NaN"),
            ),
            None => {
                let observed = vec![true; values.len()];
                Ok(Windows {
                    variables,
                    steps,
                    regimes,
                    values,
                    observed,
                })
            }
        }
    }

    /// How many windows there are.
    pub fn len(&self) -> usize {
        self.regimes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.regimes.is_empty()
    }

    /// Steps in a window.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The names of the variables, in order.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The regime of each window.
    pub fn regimes(&self) -> &[u32] {
        &self.regimes
    }

    /// The value, unless it is hidden.
    pub fn get(&self, window: usize, step: usize, variable: usize) -> Option<f64> {
        let at = self.at(window, step, variable);
        self.observed[at].then_some(self.values[at])
    }

    /// Changes a value that can be seen; a hidden one stays hidden.
    ///
    /// # Panics
    /// When `value` is not finite: that is a stressor's bug.
    pub fn set(&mut self, window: usize, step: usize, variable: usize, value: f64) {
        assert!(value.is_finite(), "a stressor wrote {value} into a window");
        let at = self.at(window, step, variable);
        if self.observed[at] {
            self.values[at] = value;
        }
    }

    /// Hides a value for good.
    pub fn hide(&mut self, window: usize, step: usize, variable: usize) {
        let at = self.at(window, step, variable);
        self.observed[at] = false;
        self.values[at] = 0.0;
    }

    /// Puts a window into another regime.
    pub fn set_regime(&mut self, window: usize, regime: u32) {
        self.regimes[window] = regime;
    }

    /// The share of values that are hidden.
    pub fn hidden_share(&self) -> f64 {
        self.observed.iter().filter(|seen| !**seen).count() as f64 / self.observed.len() as f64
    }

    fn at(&self, window: usize, step: usize, variable: usize) -> usize {
        let width = self.variables.len();
        assert!(
            step < self.steps && variable < width,
            "no step {step} or variable {variable} in a window"
        );
        (window * self.steps + step) * width + variable
    }

    fn span(&self, window: usize) -> std::ops::Range<usize> {
        let size = self.steps * self.variables.len();
        window * size..(window + 1) * size
    }

    fn feed_window(&self, i: usize, sink: &mut dyn FnMut(&[u8])) {
        sink(&self.regimes[i].to_le_bytes());
        for at in self.span(i) {
            sink(&self.values[at].to_le_bytes());
            sink(&[u8::from(self.observed[at])]);
        }
    }

    fn select(&self, which: &[usize]) -> Windows {
        let spans = || which.iter().flat_map(|&i| self.span(i));
        Windows {
            variables: self.variables.clone(),
            steps: self.steps,
            regimes: which.iter().map(|&i| self.regimes[i]).collect(),
            values: spans().map(|at| self.values[at]).collect(),
            observed: spans().map(|at| self.observed[at]).collect(),
        }
    }
}

/// A text that stressors may press, and what a subject sees beside it and nobody presses: a prompt,
/// a source.
///
/// ```
/// use duress_core::data::Text;
/// let text = Text::new("It opened in 1889.").with("source", "The tower opened in 1889.");
/// assert_eq!(text.beside("source"), Some("The tower opened in 1889."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What may be pressed.
    pub text: String,
    beside: BTreeMap<String, String>,
}

impl Text {
    /// A text with nothing beside it.
    pub fn new(text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            beside: BTreeMap::new(),
        }
    }

    /// Puts something beside it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Text {
        self.beside.insert(name.into(), value.into());
        self
    }

    /// What stands beside it under a name.
    pub fn beside(&self, name: &str) -> Option<&str> {
        self.beside.get(name).map(String::as_str)
    }

    /// Everything that stands beside it, by name.
    pub fn all_beside(&self) -> &BTreeMap<String, String> {
        &self.beside
    }

    /// The same with another text; what stands beside it stays.
    #[must_use]
    pub fn pressed(&self, text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            beside: self.beside.clone(),
        }
    }

    fn feed(&self, sink: &mut dyn FnMut(&[u8])) {
        let pieces = self.beside.iter().flat_map(|(name, value)| [name, value]);
        for piece in std::iter::once(&self.text).chain(pieces) {
            sink(&(piece.len() as u64).to_le_bytes());
            sink(piece.as_bytes());
        }
    }
}

/// Items with their sealed truth and the columns they can be sliced by.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    items: Items,
    truth: Sealed<Truth>,
    columns: BTreeMap<String, Vec<String>>,
}

impl Split {
    /// A split whose truth covers every item.
    pub fn new(items: Items, truth: Truth) -> Result<Split, Problem> {
        let covered = match &truth {
            Truth::Labels(labels) => labels.of().len(),
            Truth::References(references) => references.len(),
            Truth::Graph(_) | Truth::Regimes { .. } | Truth::Nothing => items.len(),
        };
        if covered != items.len() {
            return Err(Problem::new(format!(
                "truth for {covered} of {} items",
                items.len()
            )));
        }
        Ok(Split {
            items,
            truth: Sealed::new(truth),
            columns: BTreeMap::new(),
        })
    }

    /// Adds a column to slice by.
    ///
    /// # Panics
    /// When it has not one value per item: that is a dataset part's bug.
    #[must_use]
    pub fn with_column(mut self, name: &str, values: Vec<String>) -> Split {
        assert_eq!(
            values.len(),
            self.items.len(),
            "column {name} must have a value per item"
        );
        self.columns.insert(name.into(), values);
        self
    }

    /// The same items, stressed: the truth and the columns stay, except for the regimes, which
    /// stress may change.
    #[must_use]
    pub fn with_items(&self, items: Items) -> Split {
        assert_eq!(
            items.ids(),
            self.items.ids(),
            "stress must not change which items there are"
        );
        let mut columns = self.columns.clone();
        if let (Inputs::Windows(windows), Some(column)) = (items.inputs(), columns.get_mut(REGIME))
        {
            *column = windows.regimes().iter().map(u32::to_string).collect();
        }
        Split {
            items,
            truth: self.truth.clone(),
            columns,
        }
    }

    /// The windows whose regime `wanted` says, with their own truth.
    fn of_regimes(&self, wanted: impl Fn(u32) -> bool) -> Option<Split> {
        let Inputs::Windows(windows) = self.items.inputs() else {
            return None;
        };
        let regimes = windows.regimes();
        let which: Vec<usize> = (0..regimes.len()).filter(|&i| wanted(regimes[i])).collect();
        let first = regimes[*which.first()?];
        let one = which.iter().all(|&i| regimes[i] == first).then_some(first);
        let pick = |values: &Vec<String>| which.iter().map(|&i| values[i].clone()).collect();
        Some(Split {
            items: self.items.select(&which),
            truth: Sealed::new(self.truth.open().select(&which, one)),
            columns: self
                .columns
                .iter()
                .map(|(name, values)| (name.clone(), pick(values)))
                .collect(),
        })
    }

    /// What a subject may see.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The names of the classes, in order, where the truth is labels. They are no secret; which
    /// item has which is.
    pub fn classes(&self) -> Option<&[String]> {
        match self.truth.open() {
            Truth::Labels(labels) => Some(labels.classes()),
            _ => None,
        }
    }

    /// The truth, sealed.
    pub fn truth(&self) -> &Sealed<Truth> {
        &self.truth
    }

    /// The columns items can be sliced by.
    pub fn columns(&self) -> &BTreeMap<String, Vec<String>> {
        &self.columns
    }
}

/// The column that says the regime of a window.
pub const REGIME: &str = "regime";

/// Sentences about a split that a reader of the report should know; it is told again of every
/// dataset derived from it.
pub type Describe = fn(&Items, &Truth) -> Vec<String>;

/// What a study's dataset holds: items to be tested on and, where subjects are fitted, other items
/// to fit them on.
#[derive(Clone, Debug)]
pub struct Dataset {
    fit: Option<Split>,
    test: Split,
    remarks: Vec<String>,
    describe: Option<Describe>,
}

impl Dataset {
    /// A dataset whose two splits share no item, neither by id nor by content.
    pub fn new(fit: Option<Split>, test: Split) -> Result<Dataset, Problem> {
        if test.items.is_empty() {
            return Err(Problem::new("there is no item to test on"));
        }
        if let Some(fit) = &fit {
            disjoint(&fit.items, &test.items)?;
        }
        Ok(Dataset {
            fit,
            test,
            remarks: Vec::new(),
            describe: None,
        })
    }

    /// Adds something a reader of the report should know about these data.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Dataset {
        self.remarks.push(remark.into());
        self
    }

    /// Says how what is fitted on is to be described; datasets derived from this one are described
    /// anew.
    #[must_use]
    pub fn described_by(mut self, describe: Describe) -> Dataset {
        self.describe = Some(describe);
        self
    }

    /// What subjects are fitted on.
    pub fn fit(&self) -> Option<&Split> {
        self.fit.as_ref()
    }

    /// What subjects are tested on.
    pub fn test(&self) -> &Split {
        &self.test
    }

    /// What a reader of the report should know.
    pub fn remarks(&self) -> Vec<String> {
        let shown = self.fit.as_ref().unwrap_or(&self.test);
        let described = self
            .describe
            .map(|describe| describe(&shown.items, shown.truth.open()));
        self.remarks
            .iter()
            .cloned()
            .chain(described.into_iter().flatten())
            .collect()
    }

    /// The same dataset with other splits, as a derived dataset has them.
    #[must_use]
    pub fn derive(&self, fit: Option<Split>, test: Split) -> Dataset {
        Dataset {
            fit,
            test,
            remarks: self.remarks.clone(),
            describe: self.describe,
        }
    }

    /// The same dataset with a regime held out: fitted on the windows of all others, tested on its
    /// own against its own truth.
    pub fn hold_out(&self, regime: u32) -> Result<Dataset, Problem> {
        let mut regimes: Vec<u32> = match self.test.items.inputs() {
            Inputs::Windows(windows) => windows.regimes().to_vec(),
            other => {
                let wrong = format!("no regime can be held out of {}", other.kind());
                return Err(Problem::new(wrong).expected("windows with regimes"));
            }
        };
        regimes.sort_unstable();
        regimes.dedup();
        let there = || {
            regimes
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !regimes.contains(&regime) {
            let wrong = format!("no window tested on is in regime {regime}");
            return Err(Problem::new(wrong).expected(format!("one of {}", there())));
        }
        let rest = self
            .fit
            .as_ref()
            .and_then(|fit| fit.of_regimes(|other| other != regime));
        match (rest, self.test.of_regimes(|other| other == regime)) {
            (Some(fit), Some(test)) => Ok(self.derive(Some(fit), test)),
            _ => Err(
                Problem::new(format!("all windows fitted on are in regime {regime}"))
                    .expected("two regimes or more: with one there is nothing left to fit on"),
            ),
        }
    }
}

fn disjoint(fit: &Items, test: &Items) -> Result<(), Problem> {
    let ids: HashSet<&str> = fit.ids.iter().collect();
    if let Some(id) = test.ids.iter().find(|id| ids.contains(id)) {
        return Err(Problem::new(format!(
            "item `{id}` is both fitted and tested on"
        )));
    }
    if matches!(fit.inputs, Inputs::Unseen(_)) {
        return Ok(());
    }
    let contents: HashMap<u64, usize> = (0..fit.len()).map(|i| (fit.content_hash(i), i)).collect();
    let twin = (0..test.len()).find_map(|i| Some((i, *contents.get(&test.content_hash(i))?)));
    match twin {
        Some((i, j)) => Err(Problem::new(format!(
            "item `{}` to be tested on has the same content as item `{}` fitted on",
            &test.ids[i], &fit.ids[j]
        ))
        .hint("drop one of the two, or put both on one side")),
        None => Ok(()),
    }
}

/// Where a dataset comes from: a part that reads or generates it.
pub trait Source: Send + Sync {
    /// What its items look like.
    fn kind(&self) -> InputKind;

    /// What is true of them.
    fn offers(&self) -> crate::question::Question;

    /// Whether another seed gives other items.
    fn varies(&self) -> bool;

    /// The items, once and for all for this seed.
    fn load(&self, seed: Seed) -> Result<Dataset, Problem>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::Labels;

    fn split(ids: &[&str], pixels: &[f32]) -> Split {
        let images = Images::new([1, 1, 1], pixels.to_vec()).unwrap();
        let items = Items::new(
            ids.iter().map(|id| (*id).into()).collect(),
            Inputs::Images(images),
        )
        .unwrap();
        let labels = Labels::new(vec!["a".into()], vec![0; ids.len()]).unwrap();
        Split::new(items, Truth::Labels(labels)).unwrap()
    }

    #[test]
    fn a_dataset_whose_splits_share_an_id_or_a_content_is_refused() {
        let check = |fit: Split, expected: &str| {
            let problem = Dataset::new(Some(fit), split(&["x", "y"], &[0.1, 0.2])).unwrap_err();
            assert!(problem.message.contains(expected), "{problem}");
        };
        check(split(&["x"], &[0.9]), "item `x` is both");
        check(
            split(&["z"], &[0.2]),
            "item `y` to be tested on has the same content as item `z`",
        );
        assert!(Dataset::new(Some(split(&["z"], &[0.3])), split(&["x"], &[0.1])).is_ok());
    }

    fn in_regimes(of: &[u32], truth: Truth) -> Split {
        let values = (0..of.len()).map(|i| (100 * of.len() + i) as f64).collect();
        let windows = Windows::new(vec!["a".into()], 1, of.to_vec(), values).unwrap();
        let ids = (0..of.len()).map(|i| format!("{}-{i}", of.len())).collect();
        let column = of.iter().map(u32::to_string).collect();
        let items = Items::new(ids, Inputs::Windows(windows)).unwrap();
        Split::new(items, truth)
            .unwrap()
            .with_column(REGIME, column)
    }

    #[test]
    fn a_regime_held_out_is_tested_on_alone_against_its_own_truth() {
        let graph = |names: &[&str]| {
            crate::graph::Graph::new(names.iter().map(|n| (*n).into()).collect(), []).unwrap()
        };
        let truth = || Truth::Regimes {
            whole: graph(&["w"]),
            by_regime: vec![graph(&["r0"]), graph(&["r1"])],
        };
        let (fit, test) = (
            in_regimes(&[0, 1, 0], truth()),
            in_regimes(&[9, 1, 0, 1], truth()),
        );
        let held = Dataset::new(Some(fit), test).unwrap().hold_out(1).unwrap();
        assert_eq!(held.fit().unwrap().columns()[REGIME], ["0", "0"]);
        assert_eq!(held.test().items().ids(), ["4-1", "4-3"]);
        assert_eq!(held.test().truth().open().graph(), Some(&graph(&["r1"])));
    }

    #[test]
    fn a_regime_that_is_the_only_one_or_not_there_cannot_be_held_out() {
        let check = |fit: &[u32], regime: u32, expected: &str| {
            let (fit, test) = (
                in_regimes(fit, Truth::Nothing),
                in_regimes(&[1, 1, 1, 1, 1], Truth::Nothing),
            );
            let problem = Dataset::new(Some(fit), test)
                .unwrap()
                .hold_out(regime)
                .unwrap_err();
            assert!(problem.to_string().contains(expected), "{problem}");
        };
        check(
            &[7, 1],
            3,
            "no window tested on is in regime 3; expected one of 1",
        );
        check(
            &[1, 1],
            1,
            "all windows fitted on are in regime 1; expected two regimes or more",
        );
    }

    #[test]
    fn hiding_a_value_loses_it_and_setting_it_does_not_bring_it_back() {
        let make = |value| Windows::new(vec!["a".into()], 1, vec![0], vec![value]).unwrap();
        let (mut one, mut two) = (make(1.0), make(2.0));
        one.hide(0, 0, 0);
        two.hide(0, 0, 0);
        assert_eq!(one, two, "nothing of a hidden value may be left");
        one.set(0, 0, 0, 5.0);
        assert_eq!(one.get(0, 0, 0), None);
        assert_eq!(one.hidden_share(), 1.0);
    }

    #[test]
    fn a_window_with_a_value_that_is_not_finite_is_refused() {
        assert!(Windows::new(vec!["a".into()], 1, vec![0], vec![f64::NAN]).is_err());
    }
}
