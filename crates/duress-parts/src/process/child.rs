//! Starts a process, ends it with all it has started, and leaves no zombie behind.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::carrier::Carrier;
use super::secrets::InheritedSecrets;
use super::stderr::LastWords;
use super::watchdog::Watchdog;

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
        let watchdog = Watchdog::start()?;
        watchdog.watch(&mut command);
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
                watchdog,
                carrier,
                words,
            }),
            Err(why) => {
                // With the watchdog goes its group.
                drop(watchdog);
                let _ = child.wait();
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

/// A process that runs. Dropping it closes its input, gives it a moment to end, and then ends it
/// and all it has started.
pub struct Running {
    child: Child,
    /// Ends it and all it has started, also when this process ends without a word.
    watchdog: Watchdog,
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
        self.watchdog.end_all();
        // It may have left the group, and may have ended, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// What it last said on its standard error, to be put behind a reason.
    pub fn last_words(&self, secrets: &InheritedSecrets) -> String {
        match self.words.so_far(LAST_WORDS, secrets) {
            Some(said) => format!("; the end of its standard error: {said}"),
            None => "; its standard error is empty".into(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.carrier.close();
        self.ended_within(GRACE);
        // Also when it has ended by itself: its helpers may not have.
        self.kill();
    }
}
