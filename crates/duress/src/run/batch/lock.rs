//! The lock of a batch folder: one run at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;

/// The file that is locked while a run uses the folder.
const LOCK: &str = "duress.lock";

/// A batch folder that no other run uses as long as this value lives: two that wrote what is missing
/// at the same time would ask for it twice.
pub struct BatchLock {
    pub(super) folder: PathBuf,
    _held: File,
}

impl BatchLock {
    /// Takes a folder, which is made where it is not there.
    pub fn take(folder: &Path) -> Result<BatchLock, Problem> {
        let unusable = |error: io::Error| {
            let wrong = Problem::new(format!("it cannot be written: {error}")).in_file(folder);
            wrong.hint("name a folder that can be written with `--batch`")
        };
        fs::create_dir_all(folder).map_err(unusable)?;
        let held = File::create(folder.join(LOCK)).map_err(unusable)?;
        match held.try_lock() {
            Ok(()) => Ok(BatchLock {
                folder: folder.into(),
                _held: held,
            }),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
            Err(TryLockError::WouldBlock) => {
                let busy = Problem::new("another duress is running with this batch folder");
                let busy = busy.in_file(folder);
                Err(busy.hint("wait for it, or name a folder of its own with `--batch`"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_used_by_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = BatchLock::take(folder.path()).unwrap();
        let Err(busy) = BatchLock::take(folder.path()) else {
            panic!("two runs have it")
        };
        assert!(busy.to_string().contains("another duress"), "{busy}");
        drop(first);
        BatchLock::take(folder.path()).unwrap();
    }
}
