//! HELM's `scenario_state.json`: what each instance was asked, clean and under each perturbation, and
//! what was said. A perturbation that changes nothing makes no row.

use std::collections::BTreeMap;

use duress_core::answer::{Absence, AbsenceKind};
use duress_core::problem::Problem;
use serde_json::Value;

use super::json::text;
use super::{EvalLog, LogProgram, LoggedAnswer};

pub(super) fn read(states: &[Value]) -> Result<EvalLog, Problem> {
    let mut answers = states.iter().map(answer).collect::<Result<Vec<_>, _>>()?;
    // Several trials of one instance differ in their few-shot examples: they are its epochs.
    let mut times: BTreeMap<(String, String), u32> = BTreeMap::new();
    for answer in &mut answers {
        let epoch = times
            .entry((answer.item.clone(), answer.series.clone()))
            .or_default();
        *epoch += 1;
        answer.epoch = *epoch;
    }
    Ok(EvalLog::new(LogProgram::Helm, answers))
}

fn answer(state: &Value) -> Result<LoggedAnswer, Problem> {
    let instance = &state["instance"];
    let id = text(instance, "id").ok_or_else(|| Problem::new("an instance has no `id`"))?;
    let asked = text(&instance["input"], "text").unwrap_or_default();
    let mut answer = LoggedAnswer::new(id.into(), asked.into(), said(state));
    answer.series = perturbation(instance);
    let references = instance["references"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let output = |reference: &Value| text(&reference["output"], "text").map(String::from);
    let is_right = |reference: &&Value| {
        let tags = reference["tags"].as_array().into_iter().flatten();
        tags.into_iter().any(|tag| tag == "correct")
    };
    answer.target = references
        .iter()
        .filter(is_right)
        .filter_map(output)
        .collect();
    if let Some(mapping) = state["output_mapping"].as_object() {
        let letters: Vec<&String> = mapping.keys().collect();
        answer.choices = mapping
            .values()
            .filter_map(Value::as_str)
            .map(String::from)
            .collect();
        let named = |text: &String| answer.choices.iter().position(|choice| choice == text);
        answer.right = match &answer.target[..] {
            [one] => named(one),
            _ => None,
        };
        let unread = || Absence::new(AbsenceKind::Unparsable, "the reply is none of the letters");
        answer.chosen = Some(answer.said.clone().and_then(|said| {
            let class = letters.iter().position(|letter| **letter == said.trim());
            class.map(|class| (class, None)).ok_or_else(unread)
        }));
    }
    Ok(answer)
}

/// The perturbation an instance stands under: `clean` where there is none.
fn perturbation(instance: &Value) -> String {
    let Some(perturbation) = instance.get("perturbation").filter(|one| !one.is_null()) else {
        return "clean".into();
    };
    let name = text(perturbation, "name").unwrap_or("perturbation");
    let prob = perturbation["prob"].as_f64();
    prob.map_or_else(|| name.to_string(), |prob| format!("{name} {prob}"))
}

fn said(state: &Value) -> Result<String, Absence> {
    let result = &state["result"];
    if result["success"] == Value::Bool(false) {
        let why = text(result, "error").unwrap_or("the request failed");
        return Err(Absence::new(AbsenceKind::Failed, why));
    }
    let completion = &result["completions"][0];
    let said = text(completion, "text").unwrap_or_default();
    let reason = text(&completion["finish_reason"], "reason");
    match reason {
        Some("length") => Err(Absence::new(AbsenceKind::CutOff, "the reply was cut off")),
        _ if said.trim().is_empty() => {
            Err(Absence::new(AbsenceKind::Empty, "the reply holds nothing"))
        }
        _ => Ok(said.into()),
    }
}
