//! `duress verify`: whether the folder of a run is as it was written.

use duress::Verified;

use crate::args::VerifyArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::{harmless, say, warn};

pub(crate) fn verify(args: &VerifyArgs) -> Exit {
    match duress::verify(&args.run) {
        Ok(verified) => {
            let exit = tell(&verified);
            say(summary(&args.run.display().to_string(), &verified));
            exit
        }
        Err(error) => complain::folder(&error),
    }
}

fn tell(verified: &Verified) -> Exit {
    for path in &verified.audit.strange {
        let note = format!("{}: belongs to no run, and is not read\n", path.display());
        warn(harmless(&note));
    }
    let bad = verified.audit.unreadable.iter().map(complain::ledger);
    bad.fold(Exit::Done, |_, exit| exit)
}

fn summary(run: &str, verified: &Verified) -> String {
    let audit = &verified.audit;
    let state = match audit.unreadable.len() {
        0 => "whole".to_string(),
        1 => "1 file is not as it was written".to_string(),
        bad => format!("{bad} files are not as they were written"),
    };
    let unchecked = match audit.unchecked {
        0 => String::new(),
        some => format!(
            "{some} of them of a version without checksums: damage there would not be noticed.\n"
        ),
    };
    let unsealed = match verified.sealed {
        true => "",
        false => {
            "There is no manifest: the run has not reached its end, or an earlier version made it. Nothing vouches for findings and report.\n"
        }
    };
    let run = harmless(run);
    let files = verified.files;
    format!("{run}: {files} files, {state}.\n{unchecked}{unsealed}")
}
