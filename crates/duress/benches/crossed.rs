//! How long the default interval takes: 10⁶ items crossed with 10 replicates, alone, as a difference
//! and in clusters. `cargo bench -p duress --bench crossed`

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use duress::analysis::Replicates;
use duress_core::gauge::{Mean, Meter, SHARE};
use duress_core::seed::Seed;

const ITEMS: usize = 1_000_000;
const REPLICATES: usize = 10;

/// Seconds that each of them may take.
const BAR: f64 = 1.0;

fn main() -> ExitCode {
    let (ours, theirs) = (meters("ours", 0.8), meters("theirs", 0.78));
    let patients: Vec<String> = (0..ITEMS).map(|item| format!("p{}", item / 10)).collect();
    let read = |meters: &[Arc<dyn Meter>]| Replicates::new(meters.to_vec(), SHARE);
    let clustered = read(&ours).clustered_by("patient", &patients);
    let met = [
        timed("an accuracy", || read(&ours).quantity(0.95)),
        timed("a difference", || {
            read(&ours).difference(&read(&theirs), 0.95)
        }),
        timed("an accuracy, 10⁵ clusters", || clustered.quantity(0.95)),
    ];
    match met.iter().all(|met| *met) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Answers of which a share is right.
fn meters(name: &str, share: f64) -> Vec<Arc<dyn Meter>> {
    let meter = |replicate: usize| -> Arc<dyn Meter> {
        let mut draws = Seed::new(replicate as u64).child(name).draws();
        let right = |_| Some(f64::from(u8::from(draws.chance(share))));
        Arc::new(Mean::share((0..ITEMS).map(right).collect()))
    };
    (0..REPLICATES).map(meter).collect()
}

/// The median of five, with the bar.
fn timed(what: &str, make: impl Fn() -> duress_findings::Quantity) -> bool {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            let made = make();
            assert!(made.interval.is_ok(), "{:?}", made.interval);
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (median, met) = (times[2], times[2] < BAR);
    println!(
        "{what}, {ITEMS} items × {REPLICATES} replicates: {median:.3} s, bar {BAR} s: {}",
        if met { "met" } else { "MISSED" }
    );
    met
}
