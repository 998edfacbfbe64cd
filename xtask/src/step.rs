//! Steps of a chore: commands with names that have to succeed, and where the time went.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What went wrong, in a sentence.
pub(crate) type Done = Result<(), String>;

/// The steps that were taken, in order, with the time each took.
#[derive(Default)]
pub(crate) struct Steps {
    taken: Vec<TimedStep>,
}

struct TimedStep {
    name: String,
    wall: f64,
    /// Processor seconds of the step's processes; nothing where the system does not tell.
    processor: Option<f64>,
    /// Processor seconds of the whole machine meanwhile, with those its host took away.
    machine: Option<f64>,
}

impl Steps {
    /// Runs a command and keeps how long it took; returns its seconds.
    pub(crate) fn run(&mut self, name: &str, command: &mut Command) -> Result<f64, String> {
        println!("── {name}");
        let begun = Instant::now();
        let before = processor_seconds();
        let machine = machine_seconds();
        let status = command
            .status()
            .map_err(|error| format!("{name}: {error}"))?;
        let wall = begun.elapsed().as_secs_f64();
        let since = |now: Option<f64>, then: Option<f64>| Some(now? - then?);
        let processor = since(processor_seconds(), before);
        let machine = since(machine_seconds(), machine);
        println!("── {name}: {wall:.1} s");
        self.taken.push(TimedStep {
            name: name.into(),
            wall,
            processor,
            machine,
        });
        if status.success() {
            Ok(wall)
        } else {
            Err(format!("{name} failed ({status})"))
        }
    }

    /// Seconds of all steps together.
    pub(crate) fn total(&self) -> f64 {
        self.taken.iter().map(|step| step.wall).sum()
    }

    /// The share of the machine's processors that others kept busy during the steps; nothing where
    /// the system does not tell.
    pub(crate) fn share_of_others(&self) -> Option<f64> {
        let processors = std::thread::available_parallelism().ok()?.get() as f64;
        let others = |step: &TimedStep| Some((step.machine? - step.processor?).max(0.0));
        let others: Option<f64> = self.taken.iter().map(others).sum();
        Some(others? / (processors * self.total()).max(f64::MIN_POSITIVE))
    }

    /// A line per step: seconds, processor seconds, share of the whole.
    pub(crate) fn table(&self) -> String {
        let width = self.taken.iter().map(|step| step.name.chars().count());
        let width = width.max().unwrap_or_default().max("all steps".len());
        let line = |name: &str, wall: f64, processor: Option<f64>| {
            let share = 100.0 * wall / self.total().max(f64::MIN_POSITIVE);
            let processor = processor.map_or("-".into(), |seconds| format!("{seconds:.1}"));
            format!("{name:width$} {wall:>9.1} {processor:>12} {share:>5.0} %\n")
        };
        let head = format!(
            "{:width$} {:>9} {:>12} {:>7}\n",
            "step", "seconds", "processor s", "share"
        );
        let steps = self.taken.iter();
        let lines = steps.map(|step| line(&step.name, step.wall, step.processor));
        let processor: Option<f64> = self.taken.iter().map(|step| step.processor).sum();
        head + &lines.collect::<String>() + &line("all steps", self.total(), processor)
    }

    /// The longest steps, in words.
    pub(crate) fn longest(&self, how_many: usize) -> String {
        let mut steps: Vec<&TimedStep> = self.taken.iter().collect();
        steps.sort_by(|a, b| b.wall.total_cmp(&a.wall));
        let words = steps.iter().take(how_many);
        let words: Vec<String> = words
            .map(|step| format!("{} {:.0} s", step.name, step.wall))
            .collect();
        words.join(", ")
    }
}

/// Processor seconds of the processes that this one has waited for so far. Linux tells them in
/// `/proc`, in hundredths (`USER_HZ`).
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in brackets that may hold blanks; fields are counted after it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

/// Seconds that all processors of the machine were busy so far, or taken away by its host.
fn machine_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let fields: Vec<f64> = stat
        .lines()
        .next()?
        .split_whitespace()
        .skip(1)
        .filter_map(|field| field.parse().ok())
        .collect();
    // User, nice, system, idle, waiting, interrupts, soft interrupts, stolen.
    let busy = fields.iter().take(8).sum::<f64>() - fields.get(3)? - fields.get(4)?;
    Some(busy / 100.0)
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A folder that is there and empty.
pub(crate) fn fresh(folder: &Path) -> Done {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(said)?;
    }
    std::fs::create_dir_all(folder).map_err(said)
}

/// A command in the root of the workspace.
pub(crate) fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).args(args);
    command
}

/// Cargo, the one that runs this, without what it says about this package: build scripts that look at
/// those variables would be run again, and all that stands on them compiled again, after every `cargo` by hand.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = command(&cargo, args);
    let about_this =
        |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| about_this(name)) {
        command.env_remove(name);
    }
    command
}
