//! A fit that tells how far it is and keeps what is half done, so that a killed run goes on there.

use duress_core::data::Windows;
use duress_core::fitting::{self, FitKeeper};
use duress_core::seed::Seed;
use duress_core::subject::Failure;

use super::{FitProgress, FitState, RcGnn, RcGnnFit};

impl RcGnn {
    /// Learns a graph from windows, from where an earlier fit was kept.
    pub fn fit_kept(
        &self,
        windows: &Windows,
        seed: Seed,
        keeper: &dyn FitKeeper,
    ) -> Result<RcGnnFit, Failure> {
        let from = keeper
            .half_done()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut kept = Ok(());
        let mut after_round = |told: FitProgress, state: &FitState| {
            keeper.hear(&fitting::FitProgress {
                done: told.round as u64 + 1,
                of: told.rounds as u64 + 1,
                watched: vec![("loss".into(), told.loss)],
            });
            if kept.is_ok() && keeper.is_due() {
                let unwritten = |why| Failure::unable(format!("what is half done: {why}"));
                let bytes = serde_json::to_vec(state).map_err(unwritten);
                kept = bytes.and_then(|bytes| keeper.keep(&bytes));
            }
        };
        let fitted = self.resume(windows, seed, from, &mut after_round)?;
        kept.map(|()| fitted)
    }
}
