//! `cargo xtask fuzz`: mutated files for every reader, on from where the last time ended.

use crate::step::{Done, Steps, cargo};

/// `[--inputs N] [--seconds S] [READER…]`, as the harness in `crates/duress-cli/fuzz` takes them.
pub(crate) fn fuzz(args: &[String]) -> Done {
    let mut words = vec!["test", "--release", "--quiet", "--package", "duress-cli"];
    words.extend(["--test", "fuzz", "--", "long"]);
    words.extend(args.iter().map(String::as_str));
    Steps::default().run("fuzz", &mut cargo(&words))
}
