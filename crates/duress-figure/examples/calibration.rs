//! Draws what `rc-gnn` says of pairs beside what is true of them, from the lines that the example `bar` of
//! duress-graph ends with: `cargo run --release -p duress-graph --example bar … | cargo run -p duress-figure
//! --example calibration > calibration.svg`.

use std::io::BufRead;

use duress_figure::frame::Titles;
use duress_figure::reliability::{Reliability, ReliabilityBin, ReliabilityPanel};
use duress_figure::svg::{self, Dress};

const BINS: usize = 10;

fn main() {
    let lines: Vec<String> = std::io::stdin()
        .lock()
        .lines()
        .map(|line| line.expect("text"))
        .collect();
    let mut bins: Vec<ReliabilityBin> = (0..BINS).map(empty_bin).collect();
    for (said, found, n) in lines.iter().filter_map(|line| bin_line(line)) {
        let at = ((said * BINS as f64) as usize).min(BINS - 1);
        bins[at].n = n;
        bins[at].point = Some((said, found));
    }
    let gap = lines
        .iter()
        .find_map(|line| line.strip_prefix("= weighted gap "));
    let figure = Reliability {
        titles: Titles {
            title: "Probability of an edge, said and true".into(),
            remark: "Ordered pairs in ten bins of what was said; below, how many there are.".into(),
            x: "probability said by rc-gnn".into(),
            y: "share that is an edge".into(),
        },
        panels: vec![ReliabilityPanel {
            name: "rc-gnn".into(),
            key: 0,
            style: 0,
            remarks: gap
                .map(|gap| format!("weighted gap {gap}"))
                .into_iter()
                .collect(),
            bins,
        }],
    };
    println!("{}", svg::write(&figure.draw(420.0), Dress::Alone));
}

fn empty_bin(at: usize) -> ReliabilityBin {
    let end = |at: usize| at as f64 / BINS as f64;
    ReliabilityBin {
        range: (end(at), end(at + 1)),
        n: 0,
        point: None,
    }
}

/// `= said 0.512 true 0.498 of 120 pairs`, parted by tabs.
fn bin_line(line: &str) -> Option<(f64, f64, u64)> {
    let words: Vec<&str> = line.strip_prefix("= said ")?.split_whitespace().collect();
    let [said, "true", found, "of", n, "pairs"] = words[..] else {
        return None;
    };
    Some((said.parse().ok()?, found.parse().ok()?, n.parse().ok()?))
}
