//! Unfinished files: written aside, and moved into place in one step when they are whole.
//!
//! Such a file belongs to the process that writes it, which holds a lock on it until it is in
//! place. A lock ends with its process however that ends, so whoever finds a file without one may
//! clear it away, and a file with one is left alone; that holds across machines that share a disk,
//! where a process id would say nothing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How an unfinished file's name ends.
pub(crate) const ENDING: &str = ".unfinished";

/// Writes a file aside and moves it into place in one step.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    publish(folder, path, |mut file| {
        file.write_all(bytes)?;
        file.flush()
    })
}

/// Writes a file in the folder `aside` and moves it to `path` in one step. `write` has to flush: a
/// buffer that is dropped keeps its error to itself.
pub(crate) fn publish(
    aside: &Path,
    path: &Path,
    write: impl FnOnce(BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    write_aside(aside, path, write)?.place()
}

/// Writes a file in the folder `aside`, to be moved to `path`.
pub(crate) fn write_aside(
    aside: &Path,
    path: &Path,
    write: impl FnOnce(BufWriter<File>) -> io::Result<()>,
) -> io::Result<Unplaced> {
    let (unfinished, file) = begin(aside)?;
    // The lock is shared by both handles, and so outlives the one that `write` closes.
    let unplaced = Unplaced {
        held: file.try_clone()?,
        path: path.into(),
        unfinished,
    };
    match write(BufWriter::new(file)) {
        Ok(()) => Ok(unplaced),
        Err(error) => Err(unplaced.given_up(error)),
    }
}

/// A file that is written and has no name yet.
pub(crate) struct Unplaced {
    unfinished: PathBuf,
    path: PathBuf,
    held: File,
}

impl Unplaced {
    /// Moves it into place once the disk has it: after a power cut a name stands for the whole file
    /// or is not there.
    pub(crate) fn place(self) -> io::Result<()> {
        self.place_synced(sync)
    }

    fn place_synced(self, sync: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let moved = sync(&self.held).and_then(|()| {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::rename(&self.unfinished, &self.path)
        });
        moved.map_err(|error| self.given_up(error))
    }

    /// The first error is the one to tell; what is left over does no harm.
    fn given_up(self, error: io::Error) -> io::Error {
        let _ = fs::remove_file(&self.unfinished);
        error
    }
}

/// Waits until the disk has a file. Some file systems know no such thing, and say so.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data() {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// A file that is empty, and locked by this process.
fn begin(folder: &Path) -> io::Result<(PathBuf, File)> {
    // Counted for the whole process: who clears away may hold an old file by its name until it is
    // in place, so a name must not come again.
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = BEGUN.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}{ENDING}", std::process::id());
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        // Not truncated before it is locked: on a shared disk it may be another machine's.
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)?;
        match file.try_lock() {
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) if path.exists() => {
                if file.metadata()?.len() > 0 {
                    file.set_len(0)?;
                }
                return Ok((path, file));
            }
            // Somebody else writes it, or somebody who clears away was faster than the lock.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
        }
    }
}

/// Removes the files of a folder whose names end so and that nobody writes any more.
pub(crate) fn clear(folder: &Path, ending: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let ours = entry.file_name().to_string_lossy().ends_with(ending);
        if ours && entry.file_type()?.is_file() {
            remove_unless_held(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_unless_held(path: &Path) -> io::Result<()> {
    let file = match File::open(path) {
        // It is in place by now.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    if file.try_lock().is_err() {
        return Ok(());
    }
    // Still locked while it is removed: whoever has just begun it cannot take it for theirs.
    let removed = super::remove_if_there(path);
    drop(file);
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_that_is_being_written_is_left_alone_and_a_left_over_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = begin(folder.path()).unwrap();
        clear(folder.path(), ENDING).unwrap();
        assert!(path.exists());
        drop(file);
        clear(folder.path(), ENDING).unwrap();
        assert_eq!(files(folder.path()), 0);
    }

    #[test]
    fn who_clears_away_does_not_disturb_who_writes() {
        let folder = tempfile::tempdir().unwrap();
        let aside = folder.path().join("aside");
        fs::create_dir(&aside).unwrap();
        std::thread::scope(|scope| {
            let write = |name: usize| {
                let path = folder.path().join(name.to_string());
                publish(&aside, &path, |mut file| {
                    file.write_all(b"whole")?;
                    file.flush()
                })
            };
            let writers =
                [0, 500].map(|from| scope.spawn(move || (from..from + 500).try_for_each(write)));
            while writers.iter().any(|writer| !writer.is_finished()) {
                clear(&aside, ENDING).unwrap();
            }
            for writer in writers {
                writer.join().unwrap().unwrap();
            }
        });
        assert_eq!((files(&aside), files(folder.path())), (0, 1001));
    }

    #[test]
    fn a_file_is_whole_and_synced_before_it_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell");
        let write = |mut file: BufWriter<File>| {
            file.write_all(b"whole")?;
            file.flush()
        };
        let seen = |file: &File| {
            assert_eq!(file.metadata().unwrap().len(), 5);
            assert!(!path.exists(), "it has its name before it is on the disk");
            Ok(())
        };
        let unplaced = write_aside(folder.path(), &path, write).unwrap();
        unplaced.place_synced(seen).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let lost = |_: &File| Err(io::Error::other("no such disk"));
        let other = folder.path().join("other");
        let unplaced = write_aside(folder.path(), &other, write).unwrap();
        unplaced.place_synced(lost).unwrap_err();
        assert!(!other.exists());
        assert_eq!(files(folder.path()), 1);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell");
        let refused = publish(folder.path(), &path, |_| Err(io::Error::other("full")));
        assert_eq!(refused.unwrap_err().to_string(), "full");
        assert_eq!(files(folder.path()), 0);
    }
}
