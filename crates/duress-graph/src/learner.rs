//! Learners: a way from windows to a graph, made a subject that can be fitted, asked and kept.

use duress_core::answer::{Answers, GraphAnswer};
use duress_core::data::{InputKind, Items, Windows};
use duress_core::fitting::FitKeeper;
use duress_core::graph::Graph;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, Failure, FailureKind, Fitted, Learns, Lesson, Subject,
};

/// A structure learner that learns from the windows alone and gives the same graph for the same
/// seed.
///
/// What it has learnt is a graph; it is the same whatever windows it is then asked about.
pub struct StructureLearner {
    learn: Box<LearnGraph>,
}

/// What a learner does with windows, telling how far it is.
type LearnGraph =
    dyn Fn(&Windows, Seed, &dyn FitKeeper) -> Result<GraphAnswer, Failure> + Send + Sync;

impl StructureLearner {
    /// A learner from what it does with windows.
    pub fn new(
        learn: impl Fn(&Windows, Seed) -> Result<GraphAnswer, Failure> + Send + Sync + 'static,
    ) -> StructureLearner {
        StructureLearner {
            learn: Box::new(move |windows, seed, _| learn(windows, seed)),
        }
    }

    /// A learner that takes long: it tells how far it is, and keeps what is half done.
    pub fn resumable(
        learn: impl Fn(&Windows, Seed, &dyn FitKeeper) -> Result<GraphAnswer, Failure>
        + Send
        + Sync
        + 'static,
    ) -> StructureLearner {
        StructureLearner {
            learn: Box::new(learn),
        }
    }
}

impl Subject for StructureLearner {
    fn abilities(&self) -> Abilities {
        Abilities {
            accepts: InputKind::Windows,
            answers: vec![Question::Graph],
            learns: Learns::Items,
            gradients: false,
            reproducible: true,
            batch_tolerance: 0.0,
            at_once: AtOnce::Any,
        }
    }

    fn fit(&self, lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        let windows = lesson.items().windows()?;
        if windows.is_empty() {
            return Err(Failure::unable("there is no window to learn from"));
        }
        Ok(Box::new(LearntGraph {
            answer: (self.learn)(windows, seed, lesson.keeper())?,
        }))
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let unreadable =
            |why: String| Failure::new(FailureKind::Crashed, format!("not a checkpoint: {why}"));
        let kept: GraphAnswer =
            serde_json::from_slice(checkpoint).map_err(|e| unreadable(e.to_string()))?;
        let edges = kept.graph.edges().iter().copied();
        let graph = Graph::new(kept.graph.variables().to_vec(), edges).map_err(unreadable)?;
        let answer = GraphAnswer { graph, ..kept };
        match Answers::Graph(answer.clone()).validate(0) {
            Err(why) => Err(unreadable(why)),
            Ok(()) => Ok(Box::new(LearntGraph { answer })),
        }
    }
}

struct LearntGraph {
    answer: GraphAnswer,
}

impl Fitted for LearntGraph {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Graph {
            return Err(Failure::unable(format!(
                "a structure learner answers graph, not {question}"
            )));
        }
        let learnt = self.answer.graph.variables();
        let asked = items.windows()?.variables();
        if learnt != asked {
            return Err(Failure::unable(format!(
                "learnt about {}, asked about {}",
                learnt.join(", "),
                asked.join(", ")
            )));
        }
        Ok(Answers::Graph(self.answer.clone()))
    }

    fn checkpoint(&self) -> Vec<u8> {
        serde_json::to_vec(&self.answer)
            .unwrap_or_else(|why| unreachable!("names and finite numbers can be written: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_checkpoint_is_refused_with_a_reason() {
        let learner = StructureLearner::new(|_: &Windows, _| Err(Failure::unable("never asked")));
        for broken in [
            "",
            "{}",
            r#"{"graph":{"variables":["a"],"edges":[[0,7]]},"scores":[0.0],"rule":""}"#,
            r#"{"graph":{"variables":["a"],"edges":[]},"scores":[],"rule":""}"#,
        ] {
            let failure = learner.restore(broken.as_bytes()).err().expect("refused");
            assert!(failure.why.starts_with("not a checkpoint: "), "{failure}");
        }
    }
}
