//! `cargo xtask bench`: every bench of the workspace, each with its bar beside the number.

use crate::step::{Done, cargo, step};

pub(crate) fn bench() -> Done {
    step(
        "benches",
        &mut cargo(&["bench", "--workspace", "--benches"]),
    )
}
