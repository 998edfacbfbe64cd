//! What this many seeds and items can show at all, said before the run.

use duress_findings::words;
use duress_stats::Side;
use duress_stats::correct::Correction;
use duress_stats::power::{ExactTest, Setting};

use crate::study::{Against, ClaimDecl, ClaimSide, ClaimTest, Study};

/// The power that "detectable" means.
const POWER: f64 = 0.8;

/// Sentences about a study as a whole.
pub fn of_study(study: &Study) -> Vec<String> {
    let seeds = study.seeds.len();
    let mut said = Vec::new();
    if seeds == 1 {
        said.push("One seed: nothing can be said about how results vary from seed to seed.".into());
    }
    if study.claims.is_empty() && seeds > 1 {
        let alone = Setting::single(0.05, Side::TwoSided);
        said.extend(sentence(alone.critical_t(seeds)));
        said.extend(sentence(alone.detectable(seeds, POWER)));
        said.extend(sentence(alone.reach(ExactTest::Wilcoxon, seeds)));
    }
    for claim in &study.claims {
        let units = if claim.by_items { None } else { Some(seeds) };
        let about = of_claim(study, claim, units);
        said.extend(
            about
                .into_iter()
                .map(|sentence| format!("{}: {sentence}", claim.name)),
        );
    }
    said
}

/// Whether no outcome of a claim's exact test on `n` units could stand.
pub fn out_of_reach(study: &Study, claim: &ClaimDecl, n: Option<usize>) -> bool {
    let test = match claim.test {
        ClaimTest::Wilcoxon => ExactTest::Wilcoxon,
        ClaimTest::Sign => ExactTest::Sign,
        ClaimTest::SignFlip => ExactTest::SignFlip,
        ClaimTest::Mcnemar => ExactTest::McNemar,
        ClaimTest::Design | ClaimTest::PairedT | ClaimTest::Tost | ClaimTest::Bootstrap => {
            return false;
        }
    };
    let reach = n
        .filter(|n| *n >= 2)
        .map(|n| setting(study, claim).reach(test, n));
    reach.is_some_and(|reach| reach.is_ok_and(|reach| !reach.possible()))
}

/// Sentences about one claim on `n` units; `None` when they are not counted yet.
pub fn of_claim(study: &Study, claim: &ClaimDecl, n: Option<usize>) -> Vec<String> {
    let Some(n) = n else { return Vec::new() };
    if n < 2 {
        return vec![
            "one unit: no test can be made, and the claim cannot be decided over it.".into(),
        ];
    }
    let setting = setting(study, claim);
    let reach = |test| sentence(setting.reach(test, n)).into_iter().collect();
    match claim.test {
        ClaimTest::Wilcoxon => reach(ExactTest::Wilcoxon),
        ClaimTest::Sign => reach(ExactTest::Sign),
        ClaimTest::SignFlip => reach(ExactTest::SignFlip),
        ClaimTest::Mcnemar => reach(ExactTest::McNemar),
        ClaimTest::Bootstrap => Vec::new(),
        ClaimTest::Design | ClaimTest::Tost if claim.side == ClaimSide::Equivalent => {
            let widest = setting.widest_spread(n, claim.margin);
            sentence(widest).into_iter().collect()
        }
        ClaimTest::Design if n == 2 => {
            vec!["two seeds: an interval can be made, but nothing is decided about others.".into()]
        }
        ClaimTest::Design | ClaimTest::PairedT if claim.against == Against::Nothing => {
            let units = if claim.by_items { "items" } else { "seeds" };
            let critical = setting
                .critical_t(n)
                .ok()
                .map(|known| known.of_values(units, claim.margin));
            let detectable = setting
                .detectable(n, POWER)
                .ok()
                .map(|known| known.of_values(units, claim.margin));
            critical.into_iter().chain(detectable).collect()
        }
        ClaimTest::Design | ClaimTest::PairedT | ClaimTest::Tost => {
            let critical = sentence(setting.critical_t(n));
            critical
                .into_iter()
                .chain(sentence(setting.detectable(n, POWER)))
                .collect()
        }
    }
}

/// How strictly a claim is judged in its family.
pub(super) fn setting(study: &Study, claim: &ClaimDecl) -> Setting {
    let claims = study
        .claims
        .iter()
        .filter(|other| other.family == claim.family)
        .count();
    let side = match claim.side {
        ClaimSide::Greater | ClaimSide::Equivalent => Side::Greater,
        ClaimSide::Less => Side::Less,
    };
    Setting {
        alpha: claim.alpha,
        side,
        correction: correction(study),
        claims,
    }
}

/// The study's correction.
pub(super) fn correction(study: &Study) -> Correction {
    match study.analysis.correction {
        words::Correction::None => Correction::None,
        words::Correction::Holm => Correction::Holm,
        words::Correction::HolmSidak => Correction::HolmSidak,
        words::Correction::Hommel => Correction::Hommel,
        words::Correction::BenjaminiHochberg => Correction::BenjaminiHochberg,
        words::Correction::BenjaminiYekutieli => Correction::BenjaminiYekutieli,
    }
}

fn sentence(
    known: Result<impl std::fmt::Display, duress_stats::UndefinedReason>,
) -> Option<String> {
    known.ok().map(|known| known.to_string())
}
