//! The smallest p an exact test can give.

use std::fmt;

use super::Setting;
use crate::test::Short;
use crate::tests::sign_flip;
use crate::{Side, UndefinedReason, check};

/// A test whose p-values form a finite set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactTest {
    /// Sign test; units are pairs with a difference.
    Sign,
    /// Wilcoxon signed rank; units are pairs with a difference.
    Wilcoxon,
    /// Sign-flip permutation; units are pairs.
    SignFlip,
    /// McNemar's exact test; units are discordant items.
    McNemar,
    /// Kendall's τ; units are pairs.
    Kendall,
    /// Spearman's ρ; units are pairs.
    Spearman,
    /// Page's trend; units are blocks.
    Page {
        /// How many ordered treatments each block holds.
        treatments: usize,
    },
}

impl fmt::Display for ExactTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sign => "sign test",
            Self::Wilcoxon => "Wilcoxon signed-rank test",
            Self::SignFlip => "sign-flip test",
            Self::McNemar => "exact McNemar test",
            Self::Kendall => "exact Kendall test",
            Self::Spearman => "exact Spearman test",
            Self::Page { .. } => "Page trend test",
        })
    }
}

/// The smallest p this test can give with `n` units, none of them tied.
///
/// ```
/// use duress_stats::Side;
/// use duress_stats::power::{ExactTest, smallest_p};
///
/// assert_eq!(smallest_p(ExactTest::Wilcoxon, 5, Side::TwoSided).unwrap(), 0.0625);
/// assert_eq!(smallest_p(ExactTest::Wilcoxon, 5, Side::Less).unwrap(), 0.03125);
/// ```
///
/// # Errors
/// No units, or fewer than two treatments.
pub fn smallest_p(test: ExactTest, n: usize, side: Side) -> Result<f64, UndefinedReason> {
    check::at_least("units", n, 1)?;
    let extreme = match test {
        // Beyond the exact limit patterns are drawn, and p counts the one observed among them.
        ExactTest::SignFlip if n > sign_flip::EXACT_LIMIT => 1.0 / (sign_flip::DRAWN as f64 + 1.0),
        ExactTest::Sign | ExactTest::Wilcoxon | ExactTest::SignFlip | ExactTest::McNemar => {
            libm::exp2(-(n as f64))
        }
        ExactTest::Kendall | ExactTest::Spearman => libm::exp(-ln_factorial(n)),
        ExactTest::Page { treatments } => {
            check::at_least("treatments", treatments, 2)?;
            libm::exp(-(n as f64) * ln_factorial(treatments))
        }
    };
    Ok(match side {
        Side::TwoSided => (2.0 * extreme).min(1.0),
        Side::Greater | Side::Less => extreme,
    })
}

fn ln_factorial(n: usize) -> f64 {
    (2..=n).map(|i| libm::log(i as f64)).sum()
}

/// The smallest p at this n beside what is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The test.
    pub test: ExactTest,
    /// Units.
    pub n: usize,
    /// The alternative.
    pub side: Side,
    /// The smallest p it can give.
    pub smallest: f64,
    /// What the setting needs.
    pub needed: f64,
    /// The smallest number of units with which the need can be met, if any can.
    pub enough: Option<usize>,
}

impl Reach {
    /// Whether any outcome would do.
    #[must_use]
    pub fn possible(&self) -> bool {
        self.smallest <= self.needed
    }
}

/// Nobody is told to find more units than this, and 2⁻¹⁰⁰⁰ is below every threshold.
const MOST: usize = 1000;

impl Setting {
    /// Whether an exact test on `n` units can reach this setting's threshold at all.
    ///
    /// # Errors
    /// As [`smallest_p`] and [`Setting::threshold`].
    pub fn reach(&self, test: ExactTest, n: usize) -> Result<Reach, UndefinedReason> {
        let needed = self.threshold()?;
        let smallest = smallest_p(test, n, self.side)?;
        let meets = |n: &usize| smallest_p(test, *n, self.side).is_ok_and(|p| p <= needed);
        let enough = (1..=MOST).find(meets);
        Ok(Reach {
            test,
            n,
            side: self.side,
            smallest,
            needed,
            enough,
        })
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            test,
            n,
            side,
            smallest,
            needed,
            enough,
        } = self;
        write!(
            f,
            "With {n} units the {test} cannot give p below {} ({side}); ",
            Short(*smallest)
        )?;
        match self.possible() {
            true => write!(f, "{} is needed, which is within reach.", Short(*needed)),
            false => {
                write!(f, "{} is needed, so no result can stand. ", Short(*needed))?;
                match enough {
                    Some(enough) => write!(f, "{enough} units would do."),
                    None => f.write_str("No number of units would do."),
                }
            }
        }
    }
}
