//! `duress schema`: the JSON schema of study files.

use duress_parts::registry::Registry;

use crate::exit::Exit;
use crate::say::say;

pub(crate) fn schema() -> Exit {
    let schema = duress::study::schema::schema(&Registry::standard());
    let text = serde_json::to_string_pretty(&schema)
        .unwrap_or_else(|why| panic!("a schema is JSON: {why}"));
    say(text + "\n");
    Exit::Done
}
