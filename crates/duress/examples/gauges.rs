//! How long gauges take on answers that are in memory: `gauges FILE CLASSES GAUGES` reads the file
//! once and then, for every line of its input, all gauges anew, and prints the seconds.
//! `peers/classify/bench.py` asks it in turn with other software.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use duress::table_reading::{GaugeOptions, Material, TableHints};
use duress_parts::registry::Registry;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, classes, gauges] = arguments.as_slice() else {
        return Err("FILE CLASSES GAUGES".into());
    };
    let listed = |text: &str| -> Vec<String> {
        text.split(',')
            .filter(|one| !one.is_empty())
            .map(String::from)
            .collect()
    };
    let registry = Registry::standard();
    let hints = TableHints {
        classes: listed(classes),
        ..TableHints::default()
    };
    let options = GaugeOptions {
        only: listed(gauges),
        intervals: false,
        ..GaugeOptions::default()
    };
    let read = Material::read(Path::new(file), &hints, &registry)?;
    for line in std::io::stdin().lock().lines() {
        line?;
        // A copy knows nothing of what was worked out before.
        let fresh = read.clone();
        let start = Instant::now();
        let gauges = fresh.gauge(&options, &registry)?;
        println!("{} {}", start.elapsed().as_secs_f64(), gauges.len());
        std::io::stdout().flush()?;
    }
    Ok(())
}
