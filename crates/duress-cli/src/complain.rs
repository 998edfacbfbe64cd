//! Bad input, shown as rustc shows it: where, what was found, what was expected, and the way out.

use std::io;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use duress::RunError;
use duress::ledger::{Unreadable, UnreadableKind};
use duress::run::FolderError;
use duress::study::Rejected;
use duress_core::problem::Problem;

use crate::exit::Exit;
use crate::say::{colour, harmless, warn};

/// Shows every problem of a study.
pub(crate) fn rejected(rejected: &Rejected) -> Exit {
    let path = rejected.path.display().to_string();
    for problem in &rejected.problems {
        show(problem, &path, &rejected.text);
    }
    let count = rejected.problems.len();
    let plural = if count == 1 { "" } else { "s" };
    warn(format!(
        "{}: {count} problem{plural}; nothing was run\n",
        harmless(&path)
    ));
    Exit::BadInput
}

/// Shows a problem with a run's folder.
pub(crate) fn folder(error: &FolderError) -> Exit {
    match error {
        FolderError::Problem(wrong) => problem(wrong),
        FolderError::Io(path, error) => disk(&path.display().to_string(), error),
    }
}

/// Shows why a run came to no findings.
pub(crate) fn run(error: &RunError) -> Exit {
    match error {
        RunError::Rejected(why) => rejected(why),
        RunError::Folder(error) => folder(error),
        RunError::Disk(path, error) => disk(&path.display().to_string(), error),
        RunError::Ledger(unreadable) => ledger(unreadable),
        RunError::Removed(_) => problem(
            &Problem::new(error.to_string()).hint("run again: what was removed is asked anew"),
        ),
        RunError::Stopped(_) => Exit::Interrupted,
        other => problem(&Problem::new(other.to_string())),
    }
}

/// Shows a file of the ledger that cannot be read.
pub(crate) fn ledger(unreadable: &Unreadable) -> Exit {
    let way_out = match unreadable.kind {
        UnreadableKind::Damaged => {
            "run the study again: what is damaged is set aside and only that is asked anew; `duress verify RUN` lists all of it"
        }
        UnreadableKind::Newer => "use the duress that wrote it, or one that is newer still",
        UnreadableKind::Disk => "see why the disk does not give it, then try again",
    };
    let wrong = Problem::new(unreadable.why.clone()).in_file(&unreadable.path);
    problem(&wrong.hint(way_out))
}

/// Shows one problem that is not about the study file.
pub(crate) fn problem(problem: &Problem) -> Exit {
    show(problem, "", "");
    Exit::BadInput
}

/// The disk would not have it: full, read-only, gone. What was finished before is kept.
pub(crate) fn disk(what: &str, error: &io::Error) -> Exit {
    let way_out = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room, then run again: finished cells are kept"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "name a folder that can be written with `--out`: finished cells are kept"
        }
        _ => "mend it, then run again: finished cells are kept",
    };
    let problem = Problem::new(format!("{what}: {error}"));
    show(&problem.hint(way_out), "", "");
    Exit::BadInput
}

fn show(problem: &Problem, path: &str, text: &str) {
    let placed = Problem {
        expected: None,
        hint: None,
        ..problem.clone()
    };
    let title = harmless(&placed.to_string());
    let expected = problem
        .expected
        .as_ref()
        .map(|expected| harmless(&format!("expected {expected}")));
    let hint = problem.hint.as_deref().map(harmless);
    let mut group = Level::ERROR
        .primary_title(title)
        .elements(None::<Snippet<'_, annotate_snippets::Annotation<'_>>>);
    if let Some(span) = problem
        .span
        .clone()
        .filter(|span| !span.is_empty() && span.end <= text.len())
    {
        let mark = AnnotationKind::Primary.span(span).label(expected.clone());
        group = group.element(Snippet::source(text).path(path).annotation(mark));
    } else if let Some(expected) = expected {
        group = group.element(Level::NOTE.message(expected));
    }
    if let Some(hint) = hint {
        group = group.element(Level::HELP.message(hint));
    }
    render(group);
}

fn render(group: Group<'_>) {
    let renderer = if colour(&io::stderr()) {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    warn(format!("{}\n\n", renderer.render(&[group])));
}
