//! `duress explain NAME`: what a part does, its keys, what to read.

use duress_core::part::{Field, Part};
use duress_core::problem::Problem;
use duress_parts::causal::presets;
use duress_parts::registry::Registry;

use crate::args::ExplainArgs;
use crate::complain;
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn explain(args: &ExplainArgs) -> Exit {
    let registry = Registry::standard();
    // All names are in small letters; people write AURC.
    let name = args.name.to_lowercase();
    if let Some(preset) = presets::find(&name) {
        return explain_preset(preset);
    }
    let named: Vec<&&Part> = registry
        .parts()
        .iter()
        .filter(|part| part.name == name)
        .collect();
    if named.is_empty() {
        let wrong = Problem::new(format!("there is no part called `{}`", args.name));
        let words = registry
            .parts()
            .iter()
            .map(|part| part.name)
            .chain(presets::PRESETS.iter().map(|one| one.name));
        return complain::problem(&wrong.nearest(&name, words));
    }
    for part in named {
        say(format!(
            "{} {} (version {})\n\n{}\n",
            part.kind(),
            part.name,
            part.version,
            part.explanation()
        ));
        say(if part.fields.is_empty() {
            "\nNo keys.\n"
        } else {
            "\nKeys\n"
        });
        part.fields.iter().for_each(|field| say(line(field)));
    }
    Exit::Done
}

fn explain_preset(preset: &presets::Preset) -> Exit {
    say(format!(
        "preset {}\n\n{}\n\nIn this order\n",
        preset.name, preset.doc
    ));
    for one in preset.press {
        let keys: String = one
            .keys
            .iter()
            .map(|(key, value)| format!(", {key} = {value}"))
            .collect();
        say(format!(
            "  {:<22} severity {}{keys}\n",
            one.stressor, one.severity
        ));
    }
    Exit::Done
}

fn line(field: &Field) -> String {
    let default = match field.default {
        None => "required".to_string(),
        Some("") => "may be left out".into(),
        Some(default) => format!("default {default}"),
    };
    format!(
        "  {:<16} {} ({}; {default})\n",
        field.name,
        field.doc,
        field.takes.expectation()
    )
}
