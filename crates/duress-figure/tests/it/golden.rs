//! Every figure kind as SVG, kept: a change of looks is a change of these files, to be looked at.
//!
//! `UPDATE_GOLDEN=1 cargo test -p duress-figure --test it golden` writes them anew.

use std::path::Path;

use duress_figure::svg::{self, Dress};

use crate::kinds;

#[test]
fn figures_look_as_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut changed = Vec::new();
    for (name, scene) in kinds::all() {
        // One mark per line, so that a difference can be read.
        let drawn = svg::write(&scene, Dress::Page)
            .replace("/><", "/>\n<")
            .replace("</text><", "</text>\n<");
        let path = folder.join(format!("{name}.svg"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &drawn).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&drawn) {
            changed.push(name);
        }
    }
    assert!(
        changed.is_empty(),
        "drawn differently: {changed:?}; look, then UPDATE_GOLDEN=1"
    );
}
