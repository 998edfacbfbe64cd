//! Stage 6 of 6: findings become a report. Sees findings only.
//!
//! [`write`](write()) fills a run's `6-report/`: `index.html`, which needs no other file and no
//! network; `tables/` as Markdown, LaTeX, CSV, HTML and a workbook; `figures/` as SVG, PNG and PDF;
//! and the layouts that the study asks for. [`terminal::summary`] is the same in 80 columns.

use std::fs;
use std::io;
use std::path::Path;

use duress_findings::Findings;
use duress_stats::parallel::join;

pub mod comparison;
mod digest;
mod figures;
mod layouts;
mod noise;
mod order_scores;
mod page;
pub mod review;
mod stress_summary;
mod tables;
pub mod terminal;
mod words;

use digest::Digest;
pub use order_scores::write_order_scores;
pub use stress_summary::write_stress_summary;
pub use words::counted;

/// Writes the report into `folder`, which is made if it is not there.
///
/// Files of the same names are replaced; others are left alone.
pub fn write(findings: &Findings, folder: &Path) -> io::Result<()> {
    let digest = Digest::of(findings);
    let figures = figures::all(&digest);
    let tables = tables::all(&digest);
    let fonts = figures::fonts(&figures);
    fs::create_dir_all(folder)?;
    // Tables and pictures share nothing, so one need not wait for the other.
    let pictures = || {
        figures::write(&figures, &fonts, &folder.join("figures"))?;
        layouts::write(&digest, folder)
    };
    let text = || {
        let lacking = figures::lacking(&figures, &fonts);
        let page = page::write(&digest, &figures, &tables, &lacking);
        fs::write(folder.join("index.html"), page)?;
        tables::format::write(&tables, &digest, &folder.join("tables"))
    };
    let (pictures, text) = join(pictures, text);
    pictures.and(text)
}
