//! In no figure does a text cover another, and nothing leaves the canvas.

use crate::kinds;

#[test]
fn no_two_texts_overlap() {
    for (name, scene) in kinds::all() {
        assert_eq!(scene.overlaps(), [], "{name}");
    }
}

#[test]
fn nothing_leaves_the_canvas() {
    for (name, scene) in kinds::all() {
        assert_eq!(scene.strays(), Vec::<String>::new(), "{name}");
    }
}
