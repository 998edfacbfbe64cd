//! The same studies through the command: answers written out as recorded ones, the findings held
//! against those of the library call.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use duress_findings::{Findings, Quantity};

use crate::block::Block;
use crate::model::{CLUSTER, Made, classes, named, sure, truth};

/// The command, and where it may work.
pub(crate) struct Binary {
    pub(crate) command: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Binary {
    /// Runs the studies of a file through the command and fails where a verdict or an interval is
    /// another than the library's.
    pub(crate) fn same_findings(
        &self,
        block: &Block,
        seeds: usize,
        studies: Range<usize>,
        expected: &Findings,
    ) -> Result<(), String> {
        let folder = self
            .folder
            .join(format!("binary-{}-{seeds}", studies.start));
        let written = write(block, seeds, studies, &folder).map_err(|why| why.to_string());
        written?;
        let run = folder.join("run");
        let mut command = Command::new(&self.command);
        command
            .arg("run")
            .arg(folder.join("study.toml"))
            .arg("--out")
            .arg(&run)
            .args(["--jobs", "1"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let done = command.output().map_err(|why| why.to_string())?;
        let findings = run.join("5-findings.json");
        let said = fs::read(&findings).map_err(|_| {
            let said = String::from_utf8_lossy(&done.stderr);
            format!("the command has no findings: {said}")
        })?;
        let found: Findings = serde_json::from_slice(&said).map_err(|why| why.to_string())?;
        same(expected, &found)?;
        fs::remove_dir_all(&folder).map_err(|why| why.to_string())
    }
}

/// Writes truth, answers and study.
fn write(block: &Block, seeds: usize, studies: Range<usize>, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = block.head(seeds);
    for study in studies.clone() {
        let subjects = block.subjects(study);
        let together = subjects[0].spread.together;
        let column = match together {
            1 => String::new(),
            _ => format!(", columns = [\"{CLUSTER}\"]{}", block.cluster()),
        };
        let _ = writeln!(
            text,
            "dataset.d{study} = {{ use = \"labelled\", file = \"d{study}.csv\", classes = {:?}{column} }}",
            classes()
        );
        fs::write(folder.join(format!("d{study}.csv")), labels(&subjects[0]))?;
        let severities = if block.has_ladder() { 0..=5 } else { 0..=0 };
        for one in subjects {
            let name = format!("s{study}-{}", one.who);
            let _ = writeln!(
                text,
                "subject.{name} = {{ use = \"recorded\", on = \"d{study}\", files = \"{{subject}}_{{seed}}_{{severity}}.csv\", clean = \"{{subject}}_{{seed}}_0.csv\", classes = {:?} }}",
                classes()
            );
            for seed in 1..=seeds as u64 {
                for severity in severities.clone() {
                    let file = folder.join(format!("{name}_{seed}_{severity}.csv"));
                    fs::write(file, answers(&one, seed, f64::from(severity)))?;
                }
            }
        }
    }
    text += &block.rest(studies);
    fs::write(
        folder.join("study.toml"),
        text + "\n[report]\nfigures = []\n",
    )
}

fn labels(subject: &Made) -> String {
    let together = subject.spread.together;
    let mut text = format!("id,label,{CLUSTER}\n");
    for item in 0..subject.items {
        let label = &classes()[truth(item) as usize];
        let _ = writeln!(text, "{item},{label},{}", item / together);
    }
    text
}

/// The answers of one cell; an item that has none has no line.
fn answers(subject: &Made, seed: u64, severity: f64) -> String {
    let names = classes();
    let mut text = match subject.sure {
        true => format!("id,{}\n", names.join(",")),
        false => "id,prediction\n".to_string(),
    };
    for (item, margin) in subject.margins(seed, severity).into_iter().enumerate() {
        let Some(margin) = margin else { continue };
        let _ = match subject.sure {
            true => {
                let own = sure(margin);
                let yes = if truth(item) == 1 { own } else { 1.0 - own };
                writeln!(text, "{item},{},{yes}", 1.0 - yes)
            }
            false => writeln!(text, "{item},{}", names[named(item, Some(margin)) as usize]),
        };
    }
    text
}

fn same(expected: &Findings, found: &Findings) -> Result<(), String> {
    if expected.claims.len() != found.claims.len()
        || expected.estimates.len() != found.estimates.len()
    {
        return Err("the command found other claims or estimates".into());
    }
    for (one, other) in expected.claims.iter().zip(&found.claims) {
        if one.verdict != other.verdict || !alike(&one.quantity, &other.quantity) {
            return Err(format!(
                "{}: {:?} {:?} by the library, {:?} {:?} by the command",
                one.name, one.verdict, one.quantity, other.verdict, other.quantity
            ));
        }
    }
    for (one, other) in expected.estimates.iter().zip(&found.estimates) {
        if !alike(&one.quantity, &other.quantity) {
            return Err(format!(
                "{}: {:?} by the library, {:?} by the command",
                one.id, one.quantity, other.quantity
            ));
        }
    }
    let shapes = expected.curves.iter().zip(&found.curves);
    for (one, other) in shapes {
        if one.break_point != other.break_point || one.shape != other.shape {
            return Err(format!("{}: another shape by the command", one.id));
        }
    }
    Ok(())
}

fn alike(one: &Quantity, other: &Quantity) -> bool {
    match (&one.interval, &other.interval) {
        (Ok(a), Ok(b)) => (a.low - b.low).abs() <= 1e-12 && (a.high - b.high).abs() <= 1e-12,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}
