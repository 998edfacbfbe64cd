//! Writes a report of made-up findings, to be looked at: `cargo run -p duress-report --example
//! made_up_report -- DIR [awkward|large]`.

#[path = "../tests/it/made_up.rs"]
mod made_up;

fn main() -> std::io::Result<()> {
    let folder = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "made-up-report".into());
    let size = match std::env::args().nth(2).as_deref() {
        Some("awkward") => made_up::Size {
            subjects: 4,
            ladders: 2,
            rungs: 5,
            gauges: 6,
            awkward: true,
        },
        Some("large") => made_up::Size {
            subjects: 100,
            ladders: 10,
            rungs: 6,
            gauges: 20,
            awkward: false,
        },
        _ => made_up::Size {
            gauges: 6,
            ..made_up::QUICKSTART
        },
    };
    let findings = made_up::findings(size);
    let start = std::time::Instant::now();
    duress_report::write(&findings, std::path::Path::new(&folder))?;
    let taken = start.elapsed();
    print!("{}", duress_report::terminal::summary(&findings, 80, true));
    println!("written in {:.3} s", taken.as_secs_f64());
    Ok(())
}
