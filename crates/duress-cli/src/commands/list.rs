//! `duress list`: the parts a study can name.

use duress_core::part::PartKind;
use duress_parts::causal::presets::PRESETS;
use duress_parts::registry::Registry;

use crate::args::ListArgs;
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn list(args: &ListArgs) -> Exit {
    let registry = Registry::standard();
    for kind in [
        PartKind::Dataset,
        PartKind::Subject,
        PartKind::Stressor,
        PartKind::Gauge,
        PartKind::Rater,
    ] {
        if args.kind.is_none_or(|only| PartKind::from(only) == kind) {
            say(format!("{kind}s\n"));
            for part in registry.parts().iter().filter(|part| part.kind() == kind) {
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
