//! Exit codes: how a command ended, for scripts and CI.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done; under `--gate`, every claim is upheld.
    Done = 0,
    /// Under `--gate`, some claim is not upheld.
    NotUpheld = 1,
    /// Bad input, also a gate without a claim.
    BadInput = 2,
    /// Done, but cells failed, or failed when they were asked again.
    CellsFailed = 3,
    /// Our fault.
    OurFault = 4,
    /// Interrupted.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
