//! `duress schema`: the JSON schemas of study files and of findings.

use duress_parts::registry::Registry;

use crate::args::{SchemaArgs, SchemaOf};
use crate::exit::Exit;
use crate::say::say;

pub(crate) fn schema(args: &SchemaArgs) -> Exit {
    match args.of {
        SchemaOf::Study => say(of_studies() + "\n"),
        SchemaOf::Findings => say(duress_findings::SCHEMA),
    }
    Exit::Done
}

fn of_studies() -> String {
    let schema = duress::study::schema::schema(&Registry::standard());
    serde_json::to_string_pretty(&schema).unwrap_or_else(|why| panic!("a schema is JSON: {why}"))
}
