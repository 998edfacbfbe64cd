//! What floors cost that a study reads without naming them, told before a run.

use duress_core::question::Question;

use super::{Plan, PlannedGauge};

/// How many cells are asked for floors alone, in words, where there are some.
pub(super) fn remarks(plan: &Plan) -> Vec<String> {
    let is_floor = |at| plan.study.gauges[at].floor.is_some();
    let questions = |floors: bool| -> Vec<Question> {
        let gauges = plan.gauges.at_each();
        let gauges = gauges.filter(|(at, _)| is_floor(*at) == floors);
        let read = gauges.map(|(_, planned)| planned);
        read.flat_map(PlannedGauge::questions).collect()
    };
    let (of_floors, of_others) = (questions(true), questions(false));
    let is_of_floors_alone =
        |question: &Question| of_floors.contains(question) && !of_others.contains(question);
    let cells = plan.cells();
    let cells = cells
        .filter(|cell| is_of_floors_alone(&cell.question))
        .count();
    let floors = plan.study.gauges.iter().filter(|decl| decl.floor.is_some());
    let floors: Vec<&str> = floors.map(|decl| decl.name.as_str()).collect();
    match cells {
        0 => Vec::new(),
        cells => vec![format!(
            "{cells} of {} cells are for floors ({}): a map of theirs asks nobody, and what becomes of it costs as much as of any map; `floors = false` in [analysis] leaves them out",
            plan.count().cells,
            floors.join(", ")
        )],
    }
}
