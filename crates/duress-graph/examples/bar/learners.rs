//! Learners, from their name.

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::seed::Seed;
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_graph::learners::correlation::{PairedSteps, correlate};
use duress_graph::learners::pc::Pc;
use duress_graph::learners::pcmci::{PairTest, Pcmci};
use duress_graph::learners::{
    dagma, em_kalman, independent_rows, kalman_basis, lagged_regression, nonlinear_var, notears,
    var_lingam,
};
use duress_graph::matrix::Square;
use duress_graph::panel::{Scaling, StandardisedPanel};
use duress_graph::rc_gnn::{MessageShape, NoiseModel, RcGnn};
use duress_graph::select::{EdgeSelection, Null, Rule, Score};

/// The graph, and the probability of each pair where the learner says it.
pub(crate) fn learn(
    learner: &str,
    windows: &Windows,
) -> Result<(GraphAnswer, Option<Square>), Failure> {
    let (name, share) = learner
        .split_once('/')
        .map_or((learner, 0.05), |(name, share)| {
            (name, share.parse().expect("a false share"))
        });
    let (name, scaling) = match name.strip_suffix("+robust") {
        Some(name) => (name, Scaling::Robust),
        None => (name, Scaling::Moments),
    };
    if let Some(parts) = name.strip_prefix("rc-gnn") {
        let mut model = rc_gnn(parts);
        if learner.contains('/') {
            model.false_share = share;
        }
        let fit = model.fit(windows, Seed::new(1), &mut |_, _| {})?;
        return Ok((fit.answer, Some(fit.probabilities)));
    }
    Ok((rival(name, share, scaling, windows)?, None))
}

fn rival(
    name: &str,
    share: f64,
    scaling: Scaling,
    windows: &Windows,
) -> Result<GraphAnswer, Failure> {
    let panel = StandardisedPanel::scaled(windows, scaling)?;
    let mut null = Null::Empirical;
    let score: Score<'_> = match name {
        "correlation" => {
            null = Null::Theoretical;
            &|panel| correlate(panel, PairedSteps::Lagged)
        }
        "lagged-regression" => &lagged_regression::regress,
        "nonlinear-var" => &nonlinear_var::regress,
        "kalman-basis" => &kalman_basis::regress,
        "em-kalman" => &em_kalman::score,
        "notears" => {
            null = Null::Permutation;
            &|panel| independent_rows::score(panel, 0.1, notears::fit)
        }
        "dagma" => {
            null = Null::Permutation;
            &|panel| independent_rows::score(panel, 0.03, dagma::fit)
        }
        "var-lingam" => &var_lingam::score,
        "pc" => {
            return Pc {
                alpha: 0.01,
                depth: 3,
                false_share: Some(share),
            }
            .learn(&panel);
        }
        "pcmci" | "pcmci-ranks" | "pcmci-curves" => {
            return pcmci(name, share).learn(&panel);
        }
        "j-pcmci" | "j-pcmci-ranks" | "j-pcmci-curves" => {
            let together = StandardisedPanel::pooled(windows, scaling)?;
            return pcmci(name, share).learn(&together);
        }
        other => panic!("no learner is called {other}"),
    };
    EdgeSelection {
        rule: Rule::FalseShare { share, null },
        acyclic: true,
        stable: 0.0,
    }
    .learn(&panel, Seed::new(1), score)
}

/// PCMCI+ with the test its name ends in, and with regimes as context where it begins with `j-`.
fn pcmci(name: &str, share: f64) -> Pcmci {
    let test = match name.rsplit('-').next() {
        Some("ranks") => PairTest::Ranks,
        Some("curves") => PairTest::Curves,
        _ => PairTest::Lines,
    };
    Pcmci {
        test,
        context: name.starts_with("j-"),
        false_share: Some(share),
        ..Pcmci::default()
    }
}

/// The model with parts changed: `~covariance~noise=plain` and the like.
pub(crate) fn rc_gnn(parts: &str) -> RcGnn {
    let mut model = RcGnn::default();
    for part in parts.split('~').skip(1) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key {
            "covariance" => model.covariance = false,
            "bias" => model.bias = false,
            "noise" => model.noise = NoiseModel::from_word(value).expect("a noise"),
            "shape" => model.shape = MessageShape::from_word(value).expect("a shape"),
            "rounds" => model.rounds = value.parse().expect("a number"),
            "invariance" => model.invariance = true,
            other => panic!("no part is called {other}"),
        }
    }
    model
}
