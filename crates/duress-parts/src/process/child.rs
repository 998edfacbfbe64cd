//! Starts a process, ends it with all it has started, and leaves no zombie behind.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::carrier::Carrier;
use super::stderr::LastWords;

/// How long a process may take to end by itself after its input was closed.
const GRACE: Duration = Duration::from_millis(500);

/// How long is waited for the last words of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program with its arguments, and the folder it runs in.
#[derive(Clone, Debug)]
pub struct Program {
    program: PathBuf,
    arguments: Vec<OsString>,
    folder: PathBuf,
}

impl Program {
    /// `None` without a program. One with a folder in its path is found from `folder`, one without
    /// on the search path.
    pub fn new(command: &[String], folder: &Path) -> Option<Program> {
        let (program, arguments) = command.split_first()?;
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        let named = Path::new(program);
        let program = if named.components().count() > 1 {
            folder.join(named)
        } else {
            named.into()
        };
        Some(Program {
            program,
            arguments: arguments.iter().map(OsString::from).collect(),
            folder,
        })
    }

    /// Starts it.
    pub fn start(&self) -> io::Result<Running> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.folder.is_dir() {
            command.current_dir(&self.folder);
        }
        own_group(&mut command);
        let mut child = command.spawn()?;
        let (Some(to), Some(from), Some(words)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three were asked for")
        };
        let carrier = Carrier::start(to, from);
        let running = carrier.and_then(|carrier| Ok((carrier, LastWords::listen(words)?)));
        match running {
            Ok((carrier, words)) => Ok(Running {
                child,
                carrier,
                words,
            }),
            Err(why) => {
                bury(&mut child);
                Err(why)
            }
        }
    }

    /// The files it is made of: itself where it lies in the study's folder, and those among its
    /// arguments.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let itself = Some(self.program.clone()).filter(|program| program.starts_with(&self.folder));
        let named = self
            .arguments
            .iter()
            .map(|argument| self.folder.join(argument));
        itself
            .into_iter()
            .chain(named)
            .filter(|path| path.is_file())
    }

    /// How the program is written, for messages.
    pub fn name(&self) -> String {
        self.program.display().to_string()
    }
}

/// A process that runs. Dropping it closes its input, gives it a moment to end, and then ends it.
pub struct Running {
    child: Child,
    /// The way to it and from it.
    pub carrier: Carrier,
    words: LastWords,
}

impl Running {
    /// How it ended, if it does so within `patience`.
    pub fn ended_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// Ends it at once, with all it has started.
    pub fn kill(&mut self) {
        self.carrier.close();
        bury(&mut self.child);
    }

    /// What it last said on its standard error, to be put behind a reason.
    pub fn last_words(&self) -> String {
        match self.words.so_far(LAST_WORDS) {
            Some(said) => format!("; the end of its standard error: {said}"),
            None => "; its standard error is empty".into(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.carrier.close();
        if self.ended_within(GRACE).is_none() {
            self.kill();
        }
    }
}

/// Kills a process and its group, and waits for it. The group goes first: until the process is
/// waited for, nobody else can have its number.
fn bury(child: &mut Child) {
    if let Ok(Some(_)) = child.try_wait() {
        return;
    }
    kill_group(child.id());
    // It may have ended in between, which is as good.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

#[cfg(unix)]
fn kill_group(leader: u32) {
    let mut kill = Command::new("kill");
    kill.args(["-KILL", "--", &format!("-{leader}")]);
    // Without the program `kill`, the process itself is still ended.
    let _ = kill
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(not(unix))]
fn kill_group(_leader: u32) {}
