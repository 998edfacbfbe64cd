//! Answers about hypothesis tests.

use duress_stats::tests::{self, McNemar};
use duress_stats::{Route, UndefinedReason, Zeros};

use super::case::{Answer, Case, of_test};

pub(crate) fn answer(case: &Case) -> Result<Answer, UndefinedReason> {
    let x = || case.sample("x");
    let y = || case.sample("y");
    let test = match case.ask() {
        "paired_t" => tests::paired_t(&x(), &y(), case.side(), case.number("level")),
        "welch_t" => tests::welch_t(&x(), &y(), case.side(), case.number("level")),
        "tost_paired" => {
            tests::tost_paired(&x(), &y(), case.number("low"), case.number("high"), 0.05)
        }
        "tost_welch" => {
            tests::tost_welch(&x(), &y(), case.number("low"), case.number("high"), 0.05)
        }
        "wilcoxon" => tests::wilcoxon(&x(), &y(), case.side(), zeros(case), case.route()),
        "sign" => tests::sign(&x(), &y(), case.side()),
        "sign_flip" => tests::sign_flip(&x(), &y(), case.side(), Route::Exact),
        "mcnemar" => {
            let (first, second) = (case.count("first") as u64, case.count("second") as u64);
            tests::mcnemar(first, second, case.side(), form(case))
        }
        "kendall" => tests::kendall(&x(), &y(), case.side(), case.route()),
        "spearman" => tests::spearman(&x(), &y(), case.side(), case.route()),
        "page" => tests::page(&case.rows("rows"), case.side(), case.route()),
        "jonckheere" => tests::jonckheere(&case.rows("rows"), case.side(), case.route()),
        "delong" => tests::delong(&x(), &case.bools("positive"), 0.5, case.side(), 0.95),
        "delong_paired" => {
            tests::delong_paired(&x(), &y(), &case.bools("positive"), case.side(), 0.95)
        }
        unknown => panic!("no test {unknown}"),
    };
    test.map(of_test)
}

fn zeros(case: &Case) -> Zeros {
    match case.text("zeros") {
        "wilcox" => Zeros::Wilcox,
        "pratt" => Zeros::Pratt,
        _ => Zeros::Split,
    }
}

fn form(case: &Case) -> McNemar {
    match case.text("form") {
        "exact" => McNemar::Exact,
        "mid-p" => McNemar::MidP,
        other => McNemar::Asymptotic {
            continuity: other == "corrected",
        },
    }
}
