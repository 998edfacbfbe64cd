//! The learners on tables that peers/graphs writes: prints what each found and how long it took, one JSON line per task.
//!
//! A task is a line `learner path rows columns`; the file holds rows of f64, little endian. `generate` tasks write such files.

use std::io::BufRead;
use std::time::Instant;

use duress_core::seed::Seed;
use duress_graph::learners::{dagma, notears};
use duress_graph::matrix::{Square, add_times};

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("standard input can be read");
        let words: Vec<&str> = line.split_whitespace().collect();
        let _ = Seed::new(1);
        match words[..] {
            [learner, path, rows, columns, extra] => {
                let (rows, columns): (usize, usize) = (rows.parse().unwrap(), columns.parse().unwrap());
                let bytes = std::fs::read(path).unwrap();
                let x: Vec<f64> =
                    bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
                assert_eq!(x.len(), rows * columns);
                let penalty: f64 = extra.parse().unwrap();
                let start = Instant::now();
                let s = moments(&x, columns);
                let w = match learner {
                    "notears" => notears::fit(&s, &notears::penalties(columns, penalty)).unwrap(),
                    "dagma" => dagma::fit(&s, &notears::penalties(columns, penalty)).unwrap(),
                    _ => panic!(),
                };
                let seconds = start.elapsed().as_secs_f64();
                println!("{}", serde_json::json!({"seconds": seconds, "weights": w.cells()}));
            }
            _ => panic!("{line}"),
        }
    }
}

fn moments(x: &[f64], p: usize) -> Square {
    let n = (x.len() / p) as f64;
    let mut mean = vec![0.0; p];
    x.chunks(p).for_each(|row| add_times(&mut mean, 1.0 / n, row));
    let mut s = Square::zero(p);
    for row in x.chunks(p) {
        let c: Vec<f64> = row.iter().zip(&mean).map(|(x, m)| x - m).collect();
        for i in 0..p {
            add_times(s.row_mut(i), c[i] / n, &c);
        }
    }
    s
}
