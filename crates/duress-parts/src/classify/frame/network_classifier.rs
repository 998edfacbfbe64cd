//! A network that answers: what every subject that is a network of ours does alike.

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Images, Items};
use duress_core::explanation::AskedExplanation;
use duress_core::question::Question;
use duress_core::subject::{Differentiable, Explainer, Failure, Fitted};
use duress_nn::compiled::Compiled;
use duress_nn::network::Network;

use crate::shared::frame::explaining::Explaining;

/// A network that is ready to answer, and what it can be taken up from.
pub(crate) struct Classifier {
    compiled: Compiled,
    checkpoint: Vec<u8>,
    remarks: Vec<String>,
}

impl Classifier {
    pub(crate) fn new(network: Network, checkpoint: Vec<u8>) -> Classifier {
        Classifier {
            compiled: Compiled::new(network),
            checkpoint,
            remarks: Vec::new(),
        }
    }

    /// The same, with what a reader should know about how it was read.
    pub(crate) fn with_remarks(self, remarks: Vec<String>) -> Classifier {
        Classifier { remarks, ..self }
    }

    fn network(&self) -> &Network {
        self.compiled.network()
    }

    fn fitting<'a>(&self, items: &'a Items) -> Result<&'a Images, Failure> {
        let images = items.images()?;
        if images.shape() != self.network().input() {
            return Err(Failure::unable(format!(
                "takes images of {:?} (channels, height, width), is asked about images of {:?}",
                self.network().input(),
                images.shape()
            )));
        }
        Ok(images)
    }
}

impl Fitted for Classifier {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if question != Question::Classes {
            return Err(Failure::unable(format!(
                "answers with classes, was asked for {question}"
            )));
        }
        let logits = self.compiled.logits(self.fitting(items)?.pixels());
        let said = Said::Logits(logits.into_iter().map(f64::from).collect());
        Ok(Answers::Classes(ClassAnswers::new(
            self.network().classes().to_vec(),
            said,
        )))
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.checkpoint.clone()
    }

    fn differentiable(&self) -> Option<&dyn Differentiable> {
        Some(&self.compiled)
    }

    fn explainer(&self) -> Option<&dyn Explainer> {
        Some(self)
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }
}

impl Explainer for Classifier {
    fn explain(
        &self,
        asked: AskedExplanation,
        items: &Items,
        towards: &[u32],
    ) -> Result<Answers, Failure> {
        self.fitting(items)?;
        let explaining = Explaining {
            slopes: &self.compiled,
            network: Some(self.network()),
        };
        explaining.explain(asked, items, towards)
    }
}
