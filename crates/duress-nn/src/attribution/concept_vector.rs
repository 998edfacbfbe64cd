//! Concept activation vectors: the direction in a layer that tells examples with a concept from others.
//!
//! The direction is the normal of a logistic regression with an L2 penalty (Kim et al., 2018, whose
//! script takes a linear classifier by stochastic gradients; this one has a single solution). A layer
//! has far more values than there are examples, so the weights are looked for where they must lie:
//! among the weighted sums of the examples. That makes it a problem with as many unknowns as
//! examples, solved by Newton's method.

use duress_core::problem::Problem;
use duress_core::seed::Seed;

/// How a direction is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorRecipe {
    /// How much the errors count beside half the square of the weights, scikit-learn's `C`; 1 there.
    pub error_weight: f64,
    /// The share of examples, of each side, that is held out to see whether the direction tells them;
    /// a third in the script of Kim et al.
    pub held_out: f64,
}

impl VectorRecipe {
    /// As Kim et al. have it, with scikit-learn's penalty.
    pub fn usual() -> VectorRecipe {
        VectorRecipe {
            error_weight: 1.0,
            held_out: 1.0 / 3.0,
        }
    }
}

/// A direction in which there is more of a concept.
#[derive(Clone, Debug, PartialEq)]
pub struct ConceptVector {
    /// Of length 1.
    pub direction: Vec<f32>,
    /// The share of held-out examples that are told right; one half is chance.
    pub accuracy: f64,
    /// How many that are.
    pub held_out: usize,
}

/// Two examples of each side are learnt from and one is held out, at least.
const FEWEST: usize = 3;

/// The direction from examples without a concept to those with it. Both are rows of `width` values.
pub fn concept_vector(
    with: &[f32],
    without: &[f32],
    width: usize,
    recipe: VectorRecipe,
    seed: Seed,
) -> Result<ConceptVector, Problem> {
    check(with, without, width, recipe)?;
    let with = Division::new(with, width, recipe.held_out, seed.child("with"));
    let without = Division::new(without, width, recipe.held_out, seed.child("without"));
    let rows = [&with.learnt[..], &without.learnt[..]].concat();
    let plane = Plane::fitted(&rows, with.learnt.len(), recipe.error_weight);
    let length = plane.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(
            Problem::new("the layer's values are the same with the concept and without")
                .hint("take an earlier layer, or other examples"),
        );
    }
    let told = with.held_out.iter().filter(|row| plane.height(row) > 0.0);
    let told_without = without
        .held_out
        .iter()
        .filter(|row| plane.height(row) <= 0.0);
    let held_out = with.held_out.len() + without.held_out.len();
    Ok(ConceptVector {
        accuracy: (told.count() + told_without.count()) as f64 / held_out as f64,
        direction: plane.weights.iter().map(|w| (w / length) as f32).collect(),
        held_out,
    })
}

fn check(with: &[f32], without: &[f32], width: usize, recipe: VectorRecipe) -> Result<(), Problem> {
    assert!(
        width > 0 && with.len().is_multiple_of(width) && without.len().is_multiple_of(width),
        "whole rows of {width} values"
    );
    let fewest = with.len().min(without.len()) / width;
    if fewest < FEWEST {
        return Err(
            Problem::new(format!("{fewest} examples on one side of a concept")).expected(format!(
                "at least {FEWEST} with it and {FEWEST} without, of which some are held out"
            )),
        );
    }
    if !(0.0 < recipe.held_out && recipe.held_out < 1.0) {
        return Err(Problem::new(format!(
            "a share of {} of the examples held out",
            recipe.held_out
        ))
        .expected("a share between 0 and 1"));
    }
    if !(recipe.error_weight.is_finite() && recipe.error_weight > 0.0) {
        return Err(
            Problem::new(format!("an error weight of {}", recipe.error_weight))
                .expected("a number above 0"),
        );
    }
    Ok(())
}

/// The examples of one side, divided by chance.
struct Division<'a> {
    learnt: Vec<&'a [f32]>,
    held_out: Vec<&'a [f32]>,
}

impl<'a> Division<'a> {
    fn new(examples: &'a [f32], width: usize, share: f64, seed: Seed) -> Division<'a> {
        let mut rows: Vec<&[f32]> = examples.chunks_exact(width).collect();
        seed.draws().shuffle(&mut rows);
        let held_out = (share * rows.len() as f64).round() as usize;
        let held_out = held_out.clamp(1, rows.len() - 2);
        let learnt = rows.split_off(held_out);
        Division {
            learnt,
            held_out: rows,
        }
    }
}

/// A plane between two sides.
pub(super) struct Plane {
    pub(super) weights: Vec<f64>,
    pub(super) offset: f64,
}

impl Plane {
    /// The logistic regression of rows of which the first `with` are on the one side.
    pub(super) fn fitted(rows: &[&[f32]], with: usize, error_weight: f64) -> Plane {
        let n = rows.len();
        let sides = (0..n).map(|row| if row < with { 1.0 } else { 0.0 });
        let mut search = Search {
            products: products(rows),
            sides: sides.collect(),
            error_weight,
            shares: vec![0.0; n],
            offset: 0.0,
        };
        search.run();
        let mut weights = vec![0.0; rows[0].len()];
        for (row, share) in rows.iter().zip(&search.shares) {
            let both = weights.iter_mut().zip(*row);
            both.for_each(|(weight, value)| *weight += share * f64::from(*value));
        }
        Plane {
            weights,
            offset: search.offset,
        }
    }

    /// How far above it a row is, in units of its own.
    fn height(&self, row: &[f32]) -> f64 {
        let both = self.weights.iter().zip(row);
        let sum: f64 = both.map(|(weight, value)| weight * f64::from(*value)).sum();
        sum + self.offset
    }
}

/// The products of all rows with each other.
fn products(rows: &[&[f32]]) -> Vec<Vec<f64>> {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let both = a.iter().zip(b);
        both.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let mut products = vec![vec![0.0; rows.len()]; rows.len()];
    for one in 0..rows.len() {
        for other in 0..=one {
            let found = product(rows[one], rows[other]);
            products[one][other] = found;
            products[other][one] = found;
        }
    }
    products
}

/// Newton's method for the share that each example has in the weights. At the end a share is the
/// error weight times what the example's side is off its probability, and all shares sum to 0.
struct Search {
    products: Vec<Vec<f64>>,
    /// 1 for examples on the one side, 0 on the other.
    sides: Vec<f64>,
    error_weight: f64,
    shares: Vec<f64>,
    offset: f64,
}

impl Search {
    fn run(&mut self) {
        let mut loss = self.loss(&self.shares, self.offset);
        for _ in 0..200 {
            let Some((shares, offset)) = self.newton_point() else {
                return;
            };
            let Some((next, lower)) = self.lower_point(&shares, offset, loss) else {
                return;
            };
            let gained = loss - lower;
            (self.shares, self.offset) = next;
            loss = lower;
            if gained <= 1e-14 * loss {
                return;
            }
        }
    }

    /// A point on the way to another at which less is lost; far from the end the way may be too long.
    fn lower_point(
        &self,
        shares: &[f64],
        offset: f64,
        loss: f64,
    ) -> Option<((Vec<f64>, f64), f64)> {
        let steps = std::iter::successors(Some(1.0), |step| Some(step / 2.0)).take(40);
        steps
            .map(|step| {
                let both = self.shares.iter().zip(shares);
                let between: Vec<f64> = both.map(|(from, to)| from + step * (to - from)).collect();
                let offset = self.offset + step * (offset - self.offset);
                let lost = self.loss(&between, offset);
                ((between, offset), lost)
            })
            .find(|(_, lost)| *lost < loss)
    }

    fn heights(&self, shares: &[f64], offset: f64) -> Vec<f64> {
        let height = |row: &Vec<f64>| row.iter().zip(shares).map(|(p, s)| p * s).sum::<f64>();
        let rows = self.products.iter();
        rows.map(|row| height(row) + offset).collect()
    }

    /// Half the square of the weights, and the errors.
    fn loss(&self, shares: &[f64], offset: f64) -> f64 {
        let heights = self.heights(shares, offset);
        let square: f64 = heights
            .iter()
            .zip(shares)
            .map(|(height, share)| (height - offset) * share)
            .sum();
        let error = |(height, side): (&f64, &f64)| {
            let against = if *side > 0.5 { -height } else { *height };
            against.max(0.0) + libm::log1p(libm::exp(-against.abs()))
        };
        let errors: f64 = heights.iter().zip(&self.sides).map(error).sum();
        0.5 * square + self.error_weight * errors
    }

    /// Where the end would be if probabilities went on as straight as they go here.
    fn newton_point(&self) -> Option<(Vec<f64>, f64)> {
        let n = self.shares.len();
        let heights = self.heights(&self.shares, self.offset);
        let mut rows = Vec::with_capacity(n + 1);
        for (example, height) in heights.iter().enumerate() {
            let probability = 1.0 / (1.0 + libm::exp(-height));
            let bend = self.error_weight * probability * (1.0 - probability);
            let mut row: Vec<f64> = self.products[example].iter().map(|p| bend * p).collect();
            row[example] += 1.0;
            row.push(bend);
            let off = self.sides[example] - probability;
            row.push(self.error_weight * off + bend * height);
            rows.push(row);
        }
        let mut last = vec![1.0; n];
        last.extend([0.0, 0.0]);
        rows.push(last);
        let mut solution = solved(rows)?;
        let offset = solution.pop()?;
        Some((solution, offset))
    }
}

/// Solves linear equations, each a row with its right side last, by elimination.
fn solved(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let (done, rest) = rows.split_at_mut(column + 1);
        let pivot = &done[column];
        if pivot[column] == 0.0 {
            return None;
        }
        for row in rest {
            let factor = row[column] / pivot[column];
            let both = row[column..].iter_mut().zip(&pivot[column..]);
            both.for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    let mut solution = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|at| rows[row][at] * solution[at]).sum();
        solution[row] = (rows[row][n] - known) / rows[row][row];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(count: usize, width: usize, shift: f64, seed: u64) -> Vec<f32> {
        let mut draws = Seed::new(seed).draws();
        (0..count * width)
            .map(|at| {
                let along = if at % width == 0 { shift } else { 0.0 };
                (along + draws.normal()) as f32
            })
            .collect()
    }

    #[test]
    fn the_direction_points_to_where_the_concept_is_and_tells_what_was_held_out() {
        let with = examples(60, 5, 4.0, 1);
        let without = examples(60, 5, 0.0, 2);
        let found =
            concept_vector(&with, &without, 5, VectorRecipe::usual(), Seed::new(3)).unwrap();
        assert!(found.direction[0] > 0.9, "{:?}", found.direction);
        assert!(found.accuracy > 0.9, "{}", found.accuracy);
        assert_eq!(found.held_out, 40);
        let length: f32 = found.direction.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_be_told_apart_is_told_by_chance_only() {
        let with = examples(300, 4, 0.0, 1);
        let without = examples(300, 4, 0.0, 2);
        let found =
            concept_vector(&with, &without, 4, VectorRecipe::usual(), Seed::new(3)).unwrap();
        assert!((found.accuracy - 0.5).abs() < 0.12, "{}", found.accuracy);
    }

    #[test]
    fn far_more_values_than_examples_and_any_scale_are_solved() {
        for scale in [1e-4_f32, 1.0, 1e3] {
            let scaled = |seed, shift| -> Vec<f32> {
                let values = examples(12, 400, shift, seed);
                values.iter().map(|value| scale * value).collect()
            };
            let recipe = VectorRecipe::usual();
            let (with, without) = (scaled(1, 9.0), scaled(2, 0.0));
            let found = concept_vector(&with, &without, 400, recipe, Seed::new(3)).unwrap();
            let first = found.direction[0];
            let most = found.direction[1..]
                .iter()
                .fold(0.0, |most: f32, x| most.max(x.abs()));
            assert!(first > most, "{scale}: {first} {most}");
        }
    }

    #[test]
    fn too_few_or_equal_examples_are_refused() {
        let usual = VectorRecipe::usual();
        let why = concept_vector(&[0.0; 4], &[1.0; 8], 2, usual, Seed::new(1)).unwrap_err();
        assert!(why.to_string().contains("at least 3 with it"), "{why}");
        let why = concept_vector(&[1.0; 8], &[1.0; 8], 2, usual, Seed::new(1)).unwrap_err();
        assert!(why.to_string().contains("the same with"), "{why}");
    }
}
