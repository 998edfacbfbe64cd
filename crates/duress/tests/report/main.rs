//! What people read: the page, the tables, the terminal.

#![expect(clippy::unwrap_used, reason = "what a test makes up is known to be right")]

mod made_up;

use std::fs;

use duress::report;
use made_up::{HOSTILE, QUICKSTART, Size, findings};

const AWKWARD: Size = Size { subjects: 4, ladders: 2, rungs: 5, gauges: 6, awkward: true };

fn written(size: Size) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings(size), folder.path()).unwrap();
    folder
}

#[test]
fn a_hostile_text_stays_text_on_the_page() {
    let folder = written(AWKWARD);
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("&lt;script&gt;document.title"));
    assert!(!page.contains("<script>document"));
    assert!(!page.contains("<img src=x"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

#[test]
fn a_hostile_text_stays_text_in_the_terminal() {
    for colour in [false, true] {
        let text = report::terminal::summary(&findings(AWKWARD), 80, colour);
        assert!(!text.contains('\u{7}') && !text.contains('\u{202e}'));
        assert!(!text.contains("\u{1b}[31m"));
        assert_eq!(text.contains('\u{1b}'), colour);
        assert!(HOSTILE.contains('\u{1b}'));
    }
}

#[test]
fn a_terminal_line_is_never_longer_than_asked() {
    for width in [60, 80, 120] {
        for size in [QUICKSTART, AWKWARD, Size { subjects: 100, ..QUICKSTART }] {
            let text = report::terminal::summary(&findings(size), width, false);
            for line in text.lines() {
                let columns: usize =
                    line.chars().map(|c| if duress_figure::label::is_wide(c) { 2 } else { 1 }).sum();
                assert!(columns <= width, "{columns} > {width}: {line}");
            }
        }
    }
}

#[test]
fn small_and_large_studies_give_a_page() {
    for (subjects, ladders, gauges) in [(1, 0, 1), (1, 1, 1), (0, 0, 0), (100, 1, 1), (2, 3, 0)] {
        let folder = written(Size { subjects, ladders, gauges, ..QUICKSTART });
        let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
        assert!(page.contains("id=\"verdicts\"") && page.ends_with("</html>\n"));
    }
}
