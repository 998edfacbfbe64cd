//! A watchdog: a second process that ends a process group as soon as nobody holds its leash.
//!
//! The leash is a pipe. The operating system closes it when we end, however we end, so a `kill -9`
//! of ours ends what we started as surely as a time-out does; a guard in our own process could not
//! do that. The watchdog leads the group and what it watches joins it. So the group's number
//! cannot become somebody else's while the watchdog is there, and nothing can join a group that is
//! over. It is a line of `sh`, and not this program started anew, because the program that uses
//! this library need not be ours.

use std::io;
use std::process::Command;

#[cfg(unix)]
pub use group::Watchdog;
#[cfg(not(unix))]
pub use nothing::Watchdog;

#[cfg(unix)]
mod group {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    use super::{Command, io};

    /// Waits for the end of its input, then kills its group and so itself. A process that signals
    /// its own group does not silence it: only SIGKILL does, which leaves nobody to watch.
    const WATCH: &str = "trap '' HUP INT QUIT TERM; read -r leash; kill -KILL 0";

    /// How long the group may take to be over.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Watches a group of processes.
    pub struct Watchdog {
        shell: Child,
    }

    impl Watchdog {
        /// Starts watching a group that has nobody in it yet.
        pub fn start() -> io::Result<Watchdog> {
            let mut shell = Command::new("/bin/sh");
            shell
                .args(["-c", WATCH])
                // Nothing is kept from being unmounted or removed.
                .current_dir("/")
                .env_clear()
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0);
            let started = shell.spawn();
            let shell = started.map_err(|why| {
                let needed = "`/bin/sh` is needed to end the process when duress ends";
                io::Error::new(why.kind(), format!("{needed}: {why}"))
            })?;
            Ok(Watchdog { shell })
        }

        /// Puts what is about to be started into the group.
        pub fn watch(&self, command: &mut Command) {
            // A number of a process is positive and fits.
            command.process_group(self.shell.id().cast_signed());
        }

        /// Ends everybody in the group, and waits until that is so.
        pub fn end_all(&mut self) {
            self.shell.stdin = None;
            let until = Instant::now() + PATIENCE;
            while let Ok(None) = self.shell.try_wait() {
                if Instant::now() > until {
                    // Somebody has stopped it; a process that is stopped can still be killed.
                    let _ = self.shell.kill();
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    impl Drop for Watchdog {
        fn drop(&mut self) {
            self.end_all();
        }
    }
}

#[cfg(not(unix))]
mod nothing {
    use super::{Command, io};

    /// Where there are no groups of processes, nobody watches.
    pub struct Watchdog;

    impl Watchdog {
        /// Does nothing.
        pub fn start() -> io::Result<Watchdog> {
            Ok(Watchdog)
        }

        /// Does nothing.
        pub fn watch(&self, _command: &mut Command) {}

        /// Does nothing.
        pub fn end_all(&mut self) {}
    }
}
