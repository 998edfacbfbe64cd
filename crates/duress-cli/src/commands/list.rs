//! `duress list`: the parts a study can name.

use duress_parts::causal::presets::PRESETS;
use duress_parts::registry::Registry;

use crate::args::{Kind, List};
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn list(args: &List) -> Exit {
    let registry = Registry::standard();
    for kind in [
        Kind::Dataset,
        Kind::Subject,
        Kind::Stressor,
        Kind::Gauge,
        Kind::Rater,
    ] {
        if args.kind.is_none_or(|only| only == kind) {
            say(format!("{}s\n", kind.word()));
            for part in registry
                .parts()
                .iter()
                .filter(|part| part.kind() == kind.word())
            {
                say(format!("  {:<22} {}\n", part.name, part.summary()));
            }
        }
    }
    if args.kind.is_none() {
        say("presets (stressors under one name, for `preset = \"…\"` in a derived dataset)\n");
        PRESETS
            .iter()
            .for_each(|preset| say(format!("  {:<22} {}\n", preset.name, preset.doc)));
    }
    Exit::Done
}
