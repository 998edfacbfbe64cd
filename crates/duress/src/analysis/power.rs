//! What this many seeds and items can show at all, said before the run.

use duress_findings::words;
use duress_stats::Side;
use duress_stats::correct::Correction;
use duress_stats::power::{ExactTest, Reach, Setting};

use super::look::{self, History};
use crate::study::{Against, ClaimDecl, ClaimSide, ClaimTest, StatementDecl, Study, Units};

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
        let alpha = look::level(study, claim, &History::default()).alpha;
        for statement in &claim.statements {
            let scope = statement.scope.unwrap_or(study.analysis.units);
            let over_items = statement.by_items || scope == Units::Items;
            let units = (!over_items).then_some(seeds);
            let setting = setting(study, claim, statement, alpha);
            let about = of_statement(&setting, statement, units).into_iter();
            let name = claim.quoted(statement);
            said.extend(about.map(|sentence| format!("{name}: {sentence}")));
        }
    }
    said
}

/// The exact test of a statement, where its p-values have a smallest one.
fn exact_test(statement: &StatementDecl) -> Option<ExactTest> {
    match statement.test {
        ClaimTest::Wilcoxon => Some(ExactTest::Wilcoxon),
        ClaimTest::Sign => Some(ExactTest::Sign),
        ClaimTest::SignFlip => Some(ExactTest::SignFlip),
        // Against a margin the score test of paired shares stands in for McNemar's.
        ClaimTest::Mcnemar if statement.margin == 0.0 => Some(ExactTest::McNemar),
        ClaimTest::Mcnemar
        | ClaimTest::Design
        | ClaimTest::PairedT
        | ClaimTest::Tost
        | ClaimTest::Bootstrap
        | ClaimTest::Delong => None,
    }
}

/// What a statement's exact test on `n` units can reach; none where its test is another.
pub(super) fn exact_reach(setting: &Setting, statement: &StatementDecl, n: usize) -> Option<Reach> {
    setting.reach(exact_test(statement)?, n.max(2)).ok()
}

/// Whether no outcome of a statement's exact test on `n` units could stand.
pub(super) fn out_of_reach(setting: &Setting, statement: &StatementDecl, n: Option<usize>) -> bool {
    let units = n.filter(|n| *n >= 2);
    let reach = units.and_then(|n| exact_reach(setting, statement, n));
    reach.is_some_and(|reach| !reach.possible())
}

/// Sentences about one statement on `n` units; `None` when they are not counted yet.
pub(super) fn of_statement(
    setting: &Setting,
    statement: &StatementDecl,
    n: Option<usize>,
) -> Vec<String> {
    let Some(n) = n else { return Vec::new() };
    if n < 2 {
        return vec![
            "one unit: no test can be made, and the claim cannot be decided over it.".into(),
        ];
    }
    if let Some(test) = exact_test(statement) {
        return sentence(setting.reach(test, n)).into_iter().collect();
    }
    match statement.test {
        ClaimTest::Wilcoxon
        | ClaimTest::Sign
        | ClaimTest::SignFlip
        | ClaimTest::Mcnemar
        | ClaimTest::Bootstrap
        | ClaimTest::Delong => Vec::new(),
        ClaimTest::Design | ClaimTest::Tost if statement.side == ClaimSide::Equivalent => {
            let widest = setting.widest_spread(n, statement.margin);
            sentence(widest).into_iter().collect()
        }
        ClaimTest::Design | ClaimTest::PairedT if n == 2 => {
            vec!["two seeds: an interval can be made, but nothing is decided about others.".into()]
        }
        ClaimTest::Design | ClaimTest::PairedT if statement.against == Against::Nothing => {
            let units = if statement.by_items { "items" } else { "seeds" };
            let critical = setting
                .critical_t(n)
                .ok()
                .map(|known| known.of_values(units, statement.margin));
            let detectable = setting
                .detectable(n, POWER)
                .ok()
                .map(|known| known.of_values(units, statement.margin));
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

/// How strictly a statement is judged in the family of its claim, at this level.
pub(super) fn setting(
    study: &Study,
    claim: &ClaimDecl,
    statement: &StatementDecl,
    alpha: f64,
) -> Setting {
    let claims = study
        .claims
        .iter()
        .filter(|other| other.family == claim.family)
        .count();
    let side = match statement.side {
        ClaimSide::Greater | ClaimSide::Equivalent => Side::Greater,
        ClaimSide::Less => Side::Less,
    };
    Setting {
        alpha,
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
