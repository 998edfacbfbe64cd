//! A request: what is sent to a server, whatever the wire format.

use crate::chat::Chat;

/// What a server is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// To go on with a chat.
    Chat(Chat),
    /// How alike texts are.
    Comparison(Comparison),
    /// How well the tokens of texts match.
    TokenMatch(TokenMatch),
}

/// A text and others it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The model, as the server knows it.
    pub model: String,
    /// Who compares.
    pub by: ComparisonMethod,
    /// The text; for a reranker, the query.
    pub text: String,
    /// What it is compared with; for a reranker, the documents.
    pub with: Vec<String>,
}

/// The tokens of a text and of others it is matched with. Servers give an embedding for each input,
/// so each token is an input of its own: embeddings of tokens by themselves, not in their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMatch {
    /// The model, as the server knows it.
    pub model: String,
    /// The tokens of the text.
    pub text: Vec<String>,
    /// Those of each text it is matched with.
    pub with: Vec<Vec<String>>,
}

/// Who compares two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonMethod {
    /// The cosine of their embeddings, from -1 to 1.
    Embeddings,
    /// A reranker: its score as it comes, which has no bounds.
    Rerank,
}

impl Request {
    /// The model that is asked, as the server knows it.
    pub(crate) fn model(&self) -> &str {
        match self {
            Request::Chat(chat) => &chat.model,
            Request::Comparison(asked) => &asked.model,
            Request::TokenMatch(asked) => &asked.model,
        }
    }

    /// Which of several askings of the same this is; part of what a cache knows it by.
    pub(crate) fn repeat(&self) -> u32 {
        match self {
            Request::Chat(chat) => chat.repeat,
            Request::Comparison(_) | Request::TokenMatch(_) => 0,
        }
    }
}

impl From<Chat> for Request {
    fn from(chat: Chat) -> Request {
        Request::Chat(chat)
    }
}
