//! A model that can be asked: requests go out for what is missing, and every answer is handed over
//! as it comes.

use std::collections::BTreeMap;
use std::sync::Arc;

use duress_core::answer::{Absence, AbsenceKind, Answers, ItemAnswer, ItemForm};
use duress_core::batch::ItemRepeat;
use duress_core::cost::Cost;
use duress_core::data::Items;
use duress_core::question::Question;
use duress_core::subject::{Failure, Fitted, Intake, ItemByItem};
use duress_endpoint::batch::NoBatch;
use duress_endpoint::client::{Client, Told};
use duress_endpoint::reply::{NoAnswer, NoAnswerKind};
use duress_endpoint::request::Request;

use super::heard_models::{HeardModels, unless_stopping};
use super::repeats;
use super::terms::AskingTerms;
use crate::shared::frame::gathering_intake::gathered;

/// A model that can be asked.
pub(crate) struct AskedModel {
    client: Arc<Client>,
    terms: Arc<AskingTerms>,
    seed: u32,
    models: HeardModels,
}

/// What came of a request.
enum Heard {
    Answer(ItemAnswer),
    Further(Request),
    NotAsked(String),
}

impl AskedModel {
    pub(crate) fn new(client: Arc<Client>, terms: Arc<AskingTerms>, seed: u32) -> AskedModel {
        AskedModel {
            client,
            terms,
            seed,
            models: HeardModels::default(),
        }
    }

    /// What came of a request about an item: its answer, or a further request, once.
    fn hear(&self, told: Told, asked: &Request, may_repair: bool) -> Heard {
        let reply = match told.answer {
            Ok(reply) => reply,
            Err(no) if no.kind == NoAnswerKind::NotAsked => return Heard::NotAsked(no.why),
            Err(no) => return Heard::Answer(ItemAnswer::Absent(absence(no))),
        };
        self.models.hear(&reply);
        let no = match self.terms.read(&reply) {
            Ok(answer) => return Heard::Answer(answer),
            Err(no) => no,
        };
        let repairs = no.kind == NoAnswerKind::Unparsable && may_repair;
        let further = repairs.then(|| self.terms.repair(asked, &reply, &no.why));
        match further.flatten() {
            Some(further) => Heard::Further(further),
            None => Heard::Answer(ItemAnswer::Absent(absence(no))),
        }
    }

    /// Sends what is missing of every item and hands over what comes; returns why something was not
    /// asked, where that is so.
    fn ask_missing(
        &self,
        items: &Items,
        gathered: &mut GatheredRepeats,
        intake: &dyn Intake,
    ) -> Result<Option<String>, Failure> {
        let texts = items.texts()?;
        let missing = gathered.missing();
        let request = |at: &ItemRepeat| {
            let request = self.terms.request(&texts[at.item], self.seed, at.repeat);
            request.map_err(Failure::unable)
        };
        let requests: Vec<Request> = missing.iter().map(request).collect::<Result<_, _>>()?;
        let asked = requests.clone();
        let mut not_asked = None;
        let mut repaired = BTreeMap::new();
        let mut hear = |position: usize, told: Told| {
            let first: Option<Cost> = repaired.remove(&position);
            let cost = told.cost + first.unwrap_or_default();
            match self.hear(told, &asked[position], first.is_none()) {
                Heard::Answer(answer) => gathered.keep(missing[position], answer, cost, intake)?,
                Heard::NotAsked(why) => not_asked = Some(why),
                Heard::Further(further) => {
                    repaired.insert(position, cost);
                    return Ok(Some(further));
                }
            }
            Ok::<_, Failure>(None)
        };
        let (cache, stopping) = (intake.cache(), || intake.stopping());
        match intake.batch() {
            None => self.client.ask_all(requests, cache, &stopping, &mut hear)?,
            Some(batch) => {
                let refused = |why: NoBatch| Failure::unable(why.to_string());
                self.client.check_batch().map_err(refused)?;
                let requests = missing.iter().copied().zip(requests).collect();
                self.client
                    .ask_in_batch(requests, cache, batch, &mut hear)?;
            }
        }
        Ok(not_asked)
    }
}

/// What was said about each item so far.
struct GatheredRepeats {
    repeats: u32,
    said: Vec<BTreeMap<u32, ItemAnswer>>,
    classes: usize,
}

impl GatheredRepeats {
    /// What earlier runs kept of items that were not asked about as often as they are to be.
    fn of(terms: &AskingTerms, items: usize, intake: &dyn Intake) -> GatheredRepeats {
        let known = |item: usize| {
            let repeats = 0..terms.repeats;
            let known = repeats.filter_map(|one| Some((one, intake.known_repeat(item, one)?)));
            known.collect()
        };
        let several = terms.repeats > 1;
        let said = (0..items).map(|item| {
            if several {
                known(item)
            } else {
                BTreeMap::new()
            }
        });
        GatheredRepeats {
            repeats: terms.repeats,
            said: said.collect(),
            classes: terms.choices().map_or(0, |choices| choices.classes.len()),
        }
    }

    fn missing(&self) -> Vec<ItemRepeat> {
        let all = self.said.iter().enumerate().flat_map(|(item, said)| {
            let absent = (0..self.repeats).filter(|repeat| !said.contains_key(repeat));
            absent.map(move |repeat| ItemRepeat { item, repeat })
        });
        all.collect()
    }

    /// Keeps one answer; the item's is there when all of them are.
    fn keep(
        &mut self,
        at: ItemRepeat,
        answer: ItemAnswer,
        cost: Cost,
        intake: &dyn Intake,
    ) -> Result<(), Failure> {
        if self.repeats == 1 {
            return intake.keep(at.item, answer, cost);
        }
        intake.keep_repeat(at.item, at.repeat, &answer, cost)?;
        let said = &mut self.said[at.item];
        said.insert(at.repeat, answer);
        match said.len() == self.repeats as usize {
            true => self.finish(at.item, intake),
            false => Ok(()),
        }
    }

    fn finish(&self, item: usize, intake: &dyn Intake) -> Result<(), Failure> {
        let together = repeats::together(self.said[item].values(), self.classes);
        intake.keep(item, together, Cost::default())
    }

    /// Items of which earlier runs kept every answer, and were ended before they put them together.
    fn finish_known(&self, intake: &dyn Intake) -> Result<(), Failure> {
        let whole = |said: &BTreeMap<u32, ItemAnswer>| said.len() == self.repeats as usize;
        let known = self.said.iter().enumerate().filter(|(_, said)| whole(said));
        known
            .into_iter()
            .try_for_each(|(item, _)| self.finish(item, intake))
    }
}

/// The kind of absence that a reply that is none stands for.
pub(crate) fn absence(no: NoAnswer) -> Absence {
    let kind = match no.kind {
        NoAnswerKind::Refused => AbsenceKind::Refused,
        NoAnswerKind::CutOff => AbsenceKind::CutOff,
        NoAnswerKind::Empty => AbsenceKind::Empty,
        NoAnswerKind::Unparsable => AbsenceKind::Unparsable,
        NoAnswerKind::TooLong => AbsenceKind::TooLong,
        NoAnswerKind::Error | NoAnswerKind::NotAsked => AbsenceKind::Failed,
    };
    Absence::new(kind, no.why)
}

impl Fitted for AskedModel {
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

impl ItemByItem for AskedModel {
    fn bounds_its_waiting(&self) -> bool {
        true
    }

    fn form(&self, _question: Question) -> ItemForm {
        self.terms.form()
    }

    fn answer_items(
        &self,
        question: Question,
        items: &Items,
        intake: &dyn Intake,
    ) -> Result<(), Failure> {
        let answers = self.terms.question();
        if question != answers {
            let why = format!("answers {answers}, was asked for {question}");
            return Err(Failure::unable(why));
        }
        let mut gathered = GatheredRepeats::of(&self.terms, items.len(), intake);
        gathered.finish_known(intake)?;
        let not_asked = self.ask_missing(items, &mut gathered, intake)?;
        unless_stopping(not_asked, intake)
    }
}
