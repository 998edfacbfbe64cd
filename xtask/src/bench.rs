//! `cargo xtask bench`: every bench of the workspace, each with its bar beside the number.

use crate::step::{Done, Steps, cargo};

pub(crate) fn bench() -> Done {
    let mut benches = cargo(&["bench", "--workspace", "--benches"]);
    Steps::default().run("benches", &mut benches).map(|_| ())
}
