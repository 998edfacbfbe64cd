//! A model that judges: one dialogue per item, as many at a time as the client has requests under way.

use std::sync::Arc;

use duress_core::answer::{Answers, ItemAnswer, ItemForm};
use duress_core::cost::Cost;
use duress_core::data::Items;
use duress_core::question::Question;
use duress_core::subject::{Failure, Fitted, Intake, ItemByItem};
use duress_endpoint::client::{Client, Told};
use duress_endpoint::reply::{NoAnswer, NoAnswerKind};
use duress_endpoint::request::Request;

use crate::endpoint::asked_model::absence;
use crate::endpoint::heard_models::{HeardModels, unless_stopping};
use crate::judge::frame::judge_dialogue::{Dialogue, JudgeTerms, NextTurn};
use crate::shared::frame::gathering_intake::gathered;

/// A model that judges.
pub(crate) struct AskedJudge {
    pub(crate) client: Arc<Client>,
    pub(crate) terms: Arc<JudgeTerms>,
    pub(crate) seed: u32,
    pub(crate) models: HeardModels,
}

impl AskedJudge {
    fn turn(&self, dialogue: &mut Dialogue<'_>, told: Told) -> Result<NextTurn, NoAnswer> {
        let reply = told.answer?;
        self.models.hear(&reply);
        dialogue.hear(&reply)
    }
}

impl Fitted for AskedJudge {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        gathered(self, question, items)
    }

    fn item_by_item(&self) -> Option<&dyn ItemByItem> {
        Some(self)
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.seed.to_string().into_bytes()
    }

    fn remarks(&self) -> Vec<String> {
        self.models.remarks(&self.terms.model)
    }
}

impl ItemByItem for AskedJudge {
    fn bounds_its_waiting(&self) -> bool {
        true
    }

    fn form(&self, _question: Question) -> ItemForm {
        ItemForm::Ratings(self.terms.all_dimensions())
    }

    fn answer_items(
        &self,
        question: Question,
        items: &Items,
        intake: &dyn Intake,
    ) -> Result<(), Failure> {
        if question != Question::Ratings {
            let why = format!("a judge answers ratings, not {question}");
            return Err(Failure::unable(why));
        }
        if intake.batch().is_some() {
            let why = "a judge's requests follow from its replies, which a batch cannot wait for: run without --batch";
            return Err(Failure::unable(why));
        }
        let open = |text| {
            let dialogue = Dialogue::new(&self.terms, text, self.seed);
            dialogue.map_err(|bad| Failure::unable(bad.to_string()))
        };
        let mut dialogues: Vec<Dialogue<'_>> =
            items.texts()?.iter().map(open).collect::<Result<_, _>>()?;
        let requests: Vec<Request> = dialogues.iter().map(|one| one.asked().into()).collect();
        let mut costs = vec![Cost::default(); dialogues.len()];
        let mut not_asked = None;
        let mut hear = |item: usize, told: Told| {
            costs[item] = costs[item] + told.cost;
            let answer = match self.turn(&mut dialogues[item], told) {
                Ok(NextTurn::Ask(chat)) => return Ok(Some(Request::Chat(chat))),
                Ok(NextTurn::Rated(ratings)) => ItemAnswer::Ratings(ratings),
                Err(no) if no.kind == NoAnswerKind::NotAsked => {
                    not_asked = Some(no.why);
                    return Ok(None);
                }
                Err(no) => ItemAnswer::Absent(absence(no)),
            };
            intake.keep(item, answer, costs[item])?;
            Ok::<_, Failure>(None)
        };
        let stopping = || intake.stopping();
        self.client
            .ask_all(requests, intake.cache(), &stopping, &mut hear)?;
        unless_stopping(not_asked, intake)
    }
}
