//! Randomised smoothing: what a classifier says most often about an image under Gaussian noise, and
//! how far an image may move in L2 without changing that.

use std::sync::OnceLock;

use duress_core::answer::{Answers, ClassAnswers, Said, softmax};
use duress_core::data::Items;
use duress_core::part::{Field, Params, Takes};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Differentiable, Failure, FailureKind, Fitted, LogitSlopes, Loss};
use duress_stats::dist::Normal;
use duress_stats::interval::clopper_pearson;

/// The score beside the answers: how far an image may move.
pub(crate) const RADIUS: &str = "certified-radius";

/// Certificates hold each with this probability.
const CONFIDENCE: f64 = 0.999;

/// One in so many draws says which class is certified; the others say how sure that is.
const SELECTING: usize = 10;

/// The key `smoothing`.
pub(crate) const SMOOTHING: Field = Field {
    name: "smoothing",
    takes: Takes::Number(0.0, 100.0),
    doc: "the deviation of Gaussian noise, in pixel units, under which the most frequent answer is the answer (randomised smoothing, with certificates in L2); 0 for none",
    default: Some("0"),
};

/// The key `smoothing-draws`.
pub(crate) const DRAWS: Field = Field {
    name: "smoothing-draws",
    takes: Takes::Whole(20, 1_000_000),
    doc: "with smoothing, how many noisy copies of an image are looked at; one in ten chooses the class that is certified",
    default: Some("200"),
};

/// What the keys say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Smoothing {
    deviation: f64,
    draws: usize,
}

impl Smoothing {
    pub(crate) fn new(params: &Params) -> Option<Smoothing> {
        let deviation = params.number("smoothing");
        (deviation > 0.0).then(|| Smoothing {
            deviation,
            draws: params.count("smoothing-draws"),
        })
    }

    /// A classifier, smoothed where that is wanted.
    pub(crate) fn applied(this: Option<Smoothing>, inner: Box<dyn Fitted>) -> Box<dyn Fitted> {
        match this {
            None => inner,
            Some(how) => Box::new(SmoothedClassifier {
                inner,
                how,
                noise: OnceLock::new(),
            }),
        }
    }
}

/// The smoothed form of a classifier. Its noise is drawn once and is the same for every image, so
/// that it is one function, which can be attacked as it is.
struct SmoothedClassifier {
    inner: Box<dyn Fitted>,
    how: Smoothing,
    /// As many images of noise as there are draws.
    noise: OnceLock<Vec<f32>>,
}

impl SmoothedClassifier {
    fn slopes(&self) -> Result<(&dyn Differentiable, &dyn LogitSlopes), Failure> {
        let told = self.inner.differentiable();
        let both = told.and_then(|told| Some((told, told.logit_slopes()?)));
        both.ok_or_else(|| Failure::unable("smoothing needs a classifier that tells its logits"))
    }

    fn noisy_copies(&self, image: &[f32]) -> Vec<f32> {
        let noise = self.noise.get_or_init(|| {
            let mut draws = Seed::new(0).child("smoothing").draws();
            let one = |_| (self.how.deviation * draws.normal()) as f32;
            (0..self.how.draws * image.len()).map(one).collect()
        });
        let copies = noise.chunks_exact(image.len());
        copies
            .flat_map(|noise| image.iter().zip(noise).map(|(x, by)| x + by))
            .collect()
    }

    /// What is said about each noisy copy of an image.
    fn look(&self, image: &[f32]) -> Result<Look, Failure> {
        let (told, slopes) = self.slopes()?;
        let logits = slopes.logits(&self.noisy_copies(image))?;
        let rows = logits.chunks_exact(told.classes().len());
        Ok(Look::new(told.classes().len(), rows))
    }
}

/// What a classifier says about the noisy copies of an image.
struct Look {
    /// How often each class is the answer to the copies that choose, and to the others.
    choosing: Vec<u64>,
    rest: Vec<u64>,
    /// The mean probability of each class.
    mean: Vec<f64>,
}

impl Look {
    fn new<'a>(classes: usize, rows: impl ExactSizeIterator<Item = &'a [f32]>) -> Look {
        let count = rows.len();
        let mut look = Look {
            choosing: vec![0; classes],
            rest: vec![0; classes],
            mean: vec![0.0; classes],
        };
        for (at, row) in rows.enumerate() {
            let exact: Vec<f64> = row.iter().map(|logit| f64::from(*logit)).collect();
            let votes = match at < count / SELECTING {
                true => &mut look.choosing,
                false => &mut look.rest,
            };
            votes[first_largest(&exact)] += 1;
            for (mean, p) in look.mean.iter_mut().zip(softmax(&exact)) {
                *mean += p / count as f64;
            }
        }
        look
    }

    fn shares(&self) -> Vec<f64> {
        let votes: Vec<f64> = self
            .choosing
            .iter()
            .zip(&self.rest)
            .map(|(a, b)| (a + b) as f64)
            .collect();
        let all: f64 = votes.iter().sum();
        votes.into_iter().map(|votes| votes / all).collect()
    }

    fn answer(&self) -> usize {
        first_largest(&self.shares())
    }

    /// How far the image may move in L2 before its answer can change, with [`CONFIDENCE`]: σ · Φ⁻¹(p)
    /// with a lower bound p for how often the chosen class is the answer (Cohen et al., 2019). 0 where
    /// nothing is certified, or not the answer.
    fn radius(&self, deviation: f64) -> f64 {
        let exact: Vec<f64> = self.choosing.iter().map(|votes| *votes as f64).collect();
        let chosen = first_largest(&exact);
        let trials = self.rest.iter().sum();
        // The lower end of a two-sided interval, so that its one tail is what may fail.
        let level = 1.0 - 2.0 * (1.0 - CONFIDENCE);
        let low = clopper_pearson(self.rest[chosen], trials, level).map_or(0.0, |found| found.low);
        if low <= 0.5 || chosen != self.answer() {
            return 0.0;
        }
        deviation * Normal.quantile(low).unwrap_or(0.0)
    }
}

fn first_largest(values: &[f64]) -> usize {
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.iter().position(|value| *value == top).unwrap_or(0)
}

impl Fitted for SmoothedClassifier {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Classes {
            return self.inner.answer(question, items);
        }
        let images = items.images()?;
        let (told, _) = self.slopes()?;
        let mut shares = Vec::new();
        let mut radii = Vec::new();
        for at in 0..images.len() {
            let look = self.look(images.image(at))?;
            shares.extend(look.shares());
            radii.push(look.radius(self.how.deviation));
        }
        let said = ClassAnswers::new(told.classes().to_vec(), Said::Probabilities(shares));
        Ok(Answers::Classes(said.with_score(RADIUS, radii)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.inner.checkpoint()
    }

    fn differentiable(&self) -> Option<&dyn Differentiable> {
        self.slopes().ok().map(|_| self as &dyn Differentiable)
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.inner.remarks();
        let Smoothing { deviation, draws } = self.how;
        remarks.push(format!(
            "It is smoothed: its answer is the most frequent of {draws} under noise of σ = {deviation}, the \
             same noise for every image and every seed; its probabilities are shares of answers. Each \
             certified radius, in L2, holds with probability {CONFIDENCE}."
        ));
        remarks
    }
}

/// What is climbed is the cross-entropy of the mean probability under the noise (Salman et al., 2019);
/// whether an answer is right is told by the votes, as in the answers themselves.
impl Differentiable for SmoothedClassifier {
    fn classes(&self) -> &[String] {
        self.inner
            .differentiable()
            .map_or(&[], |told| told.classes())
    }

    fn loss(
        &self,
        images: &[f32],
        labels: &[u32],
        mut gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let (_, slopes) = self.slopes()?;
        let size = images.len() / labels.len().max(1);
        let mut losses = Vec::with_capacity(labels.len());
        for (at, (image, &label)) in images.chunks_exact(size).zip(labels).enumerate() {
            let look = self.look(image)?;
            let label = label as usize;
            let mean = look.mean[label].max(f64::MIN_POSITIVE);
            losses.push(Loss {
                loss: -libm::log(mean),
                right: look.answer() == label,
            });
            let Some(gradient) = gradient.as_deref_mut() else {
                continue;
            };
            let draws = self.how.draws as f64;
            let slope = |_: usize, logits: &[f32], slope: &mut [f32]| {
                let exact: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
                let p = softmax(&exact);
                let weight = p[label] / (draws * mean);
                for (class, slope) in slope.iter_mut().enumerate() {
                    let own = f64::from(u8::from(class == label));
                    *slope = (weight * (p[class] - own)) as f32;
                }
            };
            let copies = self.noisy_copies(image);
            let mut each = vec![0.0; copies.len()];
            slopes.backward(&copies, &slope, &mut each)?;
            let into = &mut gradient[at * size..(at + 1) * size];
            for one in each.chunks_exact(size) {
                into.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
            }
        }
        match losses.len() == labels.len() {
            true => Ok(losses),
            false => Err(Failure::new(
                FailureKind::Nonsense,
                "images and labels differ in number",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(votes: u64, of: u64) -> Look {
        Look {
            choosing: vec![9, 1],
            rest: vec![votes, of - votes],
            mean: vec![0.5, 0.5],
        }
    }

    #[test]
    fn radii_are_those_of_the_published_bound() {
        // scipy.stats: 0.5 * norm.ppf(beta.ppf(0.001, 90, 1)) and 0.5 * norm.ppf(beta.ppf(0.001, 80, 11))
        let check = |votes: u64, expected: f64| {
            let found = look(votes, 90).radius(0.5);
            assert!((found - expected).abs() < 1e-6, "{votes}: {found}");
        };
        check(90, RADIUS_90_OF_90);
        check(80, RADIUS_80_OF_90);
    }

    #[test]
    fn nothing_is_certified_that_may_be_a_coin_or_is_not_the_answer() {
        assert_eq!(look(50, 90).radius(0.5), 0.0);
        assert_eq!(look(0, 90).radius(0.5), 0.0);
    }

    const RADIUS_90_OF_90: f64 = 0.7237399825621889;
    const RADIUS_80_OF_90: f64 = 0.34098861796498914;
}
