//! Answers about distributions.

use duress_stats::UndefinedReason;
use duress_stats::dist::{Beta, Binomial, ChiSquared, FisherF, NoncentralT, Normal, StudentT};

use super::case::{Answer, Case, one};

pub(crate) fn answer(case: &Case) -> Result<Answer, UndefinedReason> {
    let (law, what) = case.ask().split_once('.').expect("law.function");
    let (at, x) = (case.sample("at"), case.number("x"));
    macro_rules! continuous {
        ($law:expr) => {
            match what {
                "cdf" => Ok($law.cdf(x)),
                "sf" => Ok($law.sf(x)),
                "quantile" => $law.quantile(x),
                _ => $law.upper_quantile(x),
            }
        };
    }
    let value = match law {
        "normal" => continuous!(Normal),
        "student_t" => continuous!(StudentT::new(at[0])?),
        "chi_squared" => continuous!(ChiSquared::new(at[0])?),
        "fisher_f" => continuous!(FisherF::new(at[0], at[1])?),
        "beta" => continuous!(Beta::new(at[0], at[1])?),
        "noncentral_t" => Ok(NoncentralT::new(at[0], at[1])?.cdf(x)),
        "binomial" => {
            let law = Binomial::new(at[0] as u64, at[1])?;
            match what {
                "cdf" => Ok(law.cdf(x as u64)),
                "sf" => Ok(law.sf(x as u64)),
                "pmf" => Ok(law.pmf(x as u64)),
                _ => law.quantile(x).map(|k| k as f64),
            }
        }
        unknown => panic!("no law {unknown}"),
    };
    value.map(one)
}
