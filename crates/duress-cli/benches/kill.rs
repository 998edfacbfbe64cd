//! A hundred `kill -9` of the quickstart, a hundred of a study whose subject is a process with
//! a helper, and twenty of one that teaches a network; each at a random moment and then resumed: the
//! same findings every time, no finished cell asked again, nothing unfinished left, every file as it
//! was written, and nobody left running. What is taught has the same weights, bit by bit.
//! `cargo bench -p duress-cli --bench kill [-- KILLS] [quickstart | process | training]`

#![expect(
    clippy::unwrap_used,
    reason = "what a bench makes up is known to be right"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use duress_core::seed::Seed;

const KILLS: usize = 100;

/// A training takes seconds, most of which it is killed in.
const KILLS_OF_TRAINING: usize = 20;

/// How long processes may outlive the one that was killed.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |word: &String| word.parse().ok();
    let kills = words.iter().find_map(number);
    let folder = tempfile::tempdir().unwrap();
    let quickstart =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/quickstart/study.toml");
    let trials = [
        Trial::new("quickstart", quickstart, folder.path()),
        Trial::new("process", process_study(folder.path()), folder.path()),
        Trial {
            kills: KILLS_OF_TRAINING,
            ..Trial::new("training", training_study(folder.path()), folder.path())
        },
    ];
    let named = |trial: &&Trial<'_>| words.iter().any(|word| word == trial.name);
    let all = !trials.iter().any(|trial| named(&trial));
    let mut met = true;
    for trial in trials.iter().filter(|trial| all || named(trial)) {
        met &= trial.run(kills.unwrap_or(trial.kills));
    }
    match met {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// How often what was so.
#[derive(Debug, Default)]
struct Count {
    /// It was still at it when it was killed.
    at_it: usize,
    /// Some cells were finished then, and the report was not begun.
    in_the_middle: usize,
    nobody_left: usize,
    /// Resumed, it came to the same findings, byte by byte.
    same: usize,
    /// Something was half fitted when it was killed.
    half_fitted: usize,
    /// What was fitted is what it would have been, byte by byte.
    same_weights: usize,
    /// No cell that was finished was written again.
    asked_once: usize,
    /// `verify` finds every file as it was written, and nothing that does not belong there.
    whole: usize,
}

impl Count {
    fn is_met(&self, kills: usize) -> bool {
        let bars = [
            self.nobody_left,
            self.same,
            self.same_weights,
            self.asked_once,
            self.whole,
        ];
        bars.iter().all(|times| *times == kills)
    }
}

/// The cells of a run that are finished, each with the moment it was written.
fn cells(run: &Path) -> Vec<(PathBuf, SystemTime)> {
    let shelves = fs::read_dir(run.join("4-ledger/cells"));
    let shelves = shelves.into_iter().flatten().flatten();
    let files = shelves.flat_map(|shelf| fs::read_dir(shelf.path()).unwrap().flatten());
    files
        .map(|file| (file.path(), file.metadata().unwrap().modified().unwrap()))
        .collect()
}

/// The files on a shelf of a run's ledger, by name.
fn files_on_shelf(run: &Path, shelf: &str) -> BTreeMap<OsString, Vec<u8>> {
    let folders = fs::read_dir(run.join("4-ledger").join(shelf));
    let folders = folders.into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten());
    files
        .map(|file| (file.file_name(), fs::read(file.path()).unwrap()))
        .collect()
}

fn page(run: &Path) -> PathBuf {
    run.join("6-report/index.html")
}

/// Whether a run's folder is whole, with nothing unfinished or foreign in it.
fn is_whole(run: &Path) -> bool {
    let verified = duress::verify(run).unwrap();
    let aside = fs::read_dir(run.join("4-ledger/unfinished")).unwrap();
    let beside = fs::read_dir(run).unwrap().flatten();
    let unfinished =
        beside.filter(|file| file.file_name().to_string_lossy().ends_with(".unfinished"));
    verified.is_whole()
        && verified.sealed
        && verified.audit.strange.is_empty()
        && aside.count() + unfinished.count() == 0
}

/// A study that teaches a network for some seconds, under attack.
fn training_study(below: &Path) -> PathBuf {
    let study = below.join("training.toml");
    fs::write(&study, TRAINING).unwrap();
    study
}

const TRAINING: &str = r#"
name = "killed-training"
seeds = [1]

[dataset.digits]
use = "digits"

[subject.trades]
use = "trained"
on = "digits"
network = "residual"
width = 4
epochs = 8
objective = "trades"
adversarial = "16/255"
attack-steps = 4
validation = 0.2
dropout = 0.1
averaging = 0.9

[analysis]
gauges = ["accuracy"]
"#;

/// A study that is killed and resumed.
struct Trial<'a> {
    name: &'a str,
    study: PathBuf,
    below: &'a Path,
    kills: usize,
}

impl<'a> Trial<'a> {
    fn new(name: &'a str, study: PathBuf, below: &'a Path) -> Trial<'a> {
        Trial {
            name,
            study,
            below,
            kills: KILLS,
        }
    }

    fn run(&self, kills: usize) -> bool {
        let begun = Instant::now();
        let undisturbed = self.below.join("undisturbed");
        let expected = self.finished(&undisturbed);
        let weights = files_on_shelf(&undisturbed, "preparations");
        let whole = begun.elapsed();
        let mut moments = Seed::new(1).child("moments").child(self.name).draws();
        let mut count = Count::default();
        for nth in 1..=kills {
            let run = self.below.join(format!("run-{nth}"));
            count.at_it += usize::from(self.killed(&run, whole.mul_f64(moments.uniform())));
            count.nobody_left += usize::from(nobody_left(self.below));
            let before = cells(&run);
            let half_done = files_on_shelf(&run, "half-done");
            count.half_fitted += usize::from(!half_done.is_empty());
            count.in_the_middle += usize::from(!before.is_empty() && !page(&run).exists());
            count.same += usize::from(self.finished(&run) == expected);
            let fitted = files_on_shelf(&run, "preparations");
            count.same_weights += usize::from(fitted == weights);
            let after = cells(&run);
            count.asked_once += usize::from(before.iter().all(|cell| after.contains(cell)));
            count.whole += usize::from(is_whole(&run));
            fs::remove_dir_all(&run).unwrap();
            if nth.is_multiple_of(10) {
                eprintln!("{} after {nth} kills: {count:?}", self.name);
            }
        }
        fs::remove_dir_all(self.below.join("undisturbed")).unwrap();
        let met = count.is_met(kills);
        println!(
            "kill -9, {} ({:.1} s), {kills} times: {count:?}, bar {kills}: {}",
            self.name,
            whole.as_secs_f64(),
            if met { "met" } else { "MISSED" }
        );
        met
    }

    fn command(&self, run: &Path) -> Command {
        // Another program of the same name, when somebody builds meanwhile.
        let duress = std::env::var_os("DURESS");
        let mut command =
            Command::new(duress.unwrap_or_else(|| env!("CARGO_BIN_EXE_duress").into()));
        command
            .arg("run")
            .arg(&self.study)
            .arg("--out")
            .arg(run)
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        command
    }

    /// The findings of a run that nobody disturbs.
    fn finished(&self, run: &Path) -> Vec<u8> {
        assert!(self.command(run).status().unwrap().success());
        fs::read(run.join("5-findings.json")).unwrap()
    }

    /// Kills a run after a while; whether it was still at it.
    fn killed(&self, run: &Path, after: Duration) -> bool {
        let mut child = self.command(run).spawn().unwrap();
        sleep(after);
        let at_it = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        at_it
    }
}

/// A judge of a few lines of shell that takes its time, with a helper that never ends by itself.
/// The name of the folder is in the command line of both.
fn process_study(folder: &Path) -> PathBuf {
    let here = folder.display();
    // What it says follows from the texts alone, and not from how often it was asked before.
    let judge = format!(
        "sh {here}/helper.sh </dev/null >/dev/null 2>&1 &\nread -r hello\necho '{{\"hello\": 1, \"dimensions\": [\"T\"]}}'\n\
         while read -r question; do\n  sleep 0.02\n  texts=${{question#*\\\"texts\\\":}}\n  texts=${{texts%%\\]*}}\n  \
         id=${{question#*\\\"id\\\":}}\n  id=${{id%%[!0-9]*}}\n  \
         echo \"{{\\\"id\\\": $id, \\\"ratings\\\": [[$((${{#texts}} % 90))]]}}\"\ndone\n"
    );
    fs::write(folder.join("judge.sh"), judge).unwrap();
    fs::write(folder.join("helper.sh"), "while :; do sleep 1; done\n").unwrap();
    let study = format!(
        "name = \"process\"\nseeds = [1]\n[dataset.d]\nuse = \"judged-responses\"\n[subject.mine]\nuse = \"command\"\n\
         command = [\"sh\", \"{here}/judge.sh\"]\naccepts = \"texts\"\nanswers = \"ratings\"\nbatch = 1\n\
         [ladder.spelling]\nuse = \"inject-spelling\"\nseverities = [1, 2]\n[analysis]\ngauges = [\"quality\"]\nresamples = 100\n"
    );
    let file = folder.join("process.toml");
    fs::write(&file, study).unwrap();
    file
}

/// Whether nobody is left whose command line has the folder in it.
fn nobody_left(folder: &Path) -> bool {
    let until = Instant::now() + PATIENCE;
    loop {
        let mut look = Command::new("pgrep");
        let found = look.arg("-f").arg(folder).output().unwrap().stdout;
        if found.is_empty() || Instant::now() > until {
            return found.is_empty();
        }
        sleep(Duration::from_millis(20));
    }
}
