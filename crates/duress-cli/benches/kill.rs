//! A hundred `kill -9` of the quickstart, and a hundred of a study whose subject is a process with
//! a helper; each at a random moment and then resumed: the same findings every time, and nobody
//! left running. `cargo bench -p duress-cli --bench kill [-- KILLS] [quickstart | process]`

#![expect(
    clippy::unwrap_used,
    reason = "what a bench makes up is known to be right"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use duress_core::seed::Seed;

const KILLS: usize = 100;

/// How long processes may outlive the one that was killed.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |word: &String| word.parse().ok();
    let kills = words.iter().find_map(number).unwrap_or(KILLS);
    let folder = tempfile::tempdir().unwrap();
    let quickstart =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/quickstart/study.toml");
    let trials = [
        Trial::new("quickstart", quickstart, folder.path()),
        Trial::new("process", process_study(folder.path()), folder.path()),
    ];
    let named = |trial: &&Trial<'_>| words.iter().any(|word| word == trial.name);
    let all = !trials.iter().any(|trial| named(&trial));
    let mut met = true;
    for trial in trials.iter().filter(|trial| all || named(trial)) {
        met &= trial.run(kills);
    }
    match met {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// A study that is killed and resumed.
struct Trial<'a> {
    name: &'a str,
    study: PathBuf,
    below: &'a Path,
}

impl<'a> Trial<'a> {
    fn new(name: &'a str, study: PathBuf, below: &'a Path) -> Trial<'a> {
        Trial { name, study, below }
    }

    fn run(&self, kills: usize) -> bool {
        let begun = Instant::now();
        let expected = self.finished(&self.below.join("undisturbed"));
        let whole = begun.elapsed();
        let mut moments = Seed::new(1).child("moments").child(self.name).draws();
        let (mut same, mut interrupted, mut clean) = (0, 0, 0);
        for nth in 0..kills {
            let run = self.below.join(format!("run-{nth}"));
            interrupted += usize::from(self.killed(&run, whole.mul_f64(moments.uniform())));
            clean += usize::from(nobody_left(self.below));
            same += usize::from(self.finished(&run) == expected);
            fs::remove_dir_all(&run).unwrap();
        }
        fs::remove_dir_all(self.below.join("undisturbed")).unwrap();
        let met = same == kills && clean == kills;
        println!(
            "kill -9, {} ({:.1} s), {kills} times, {interrupted} before it was done: {same} times the same findings, {clean} times nobody left running, bar {kills}: {}",
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
