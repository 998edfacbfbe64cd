//! Batches: requests that go out in files and replies that come back in files, for services that
//! answer many at a time, later, and for less.

/// One of the times that an item is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemRepeat {
    /// The position of the item among those asked about.
    pub item: usize,
    /// Which of several times, from 0.
    pub repeat: u32,
}

/// What a request in a batch is about: with the cell it belongs to, that is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchKey {
    /// The item, and the time it is asked about.
    pub about: ItemRepeat,
    /// Whether it is sent because the reply to the first could not be read.
    pub repair: bool,
}

/// A request as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRequest {
    /// What it is about.
    pub key: BatchKey,
    /// The server it is meant for.
    pub server: String,
    /// The model: a file has the requests to one.
    pub model: String,
    /// Where it is posted, under the server's address; a file has one such place, too.
    pub path: String,
    /// Its body, as JSON.
    pub body: String,
}

/// What has become of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchReply {
    /// A reply, or an error.
    Came {
        /// As of HTTP.
        status: u16,
        /// As JSON.
        body: String,
        /// Whether what it cost was counted when an earlier run was told.
        counted: bool,
    },
    /// It stands in a file whose replies have not come; in words.
    Waiting(String),
    /// It stands in no file, or its replies came without it: it is to be written.
    Missing,
}

/// Files through which requests go out and replies come back.
///
/// ```
/// use duress_core::batch::{Batch, BatchKey, BatchReply, BatchRequest, ItemRepeat};
///
/// /// A folder to which nothing has come back.
/// struct Empty;
///
/// impl Batch for Empty {
///     fn find(&self, _key: BatchKey) -> BatchReply {
///         BatchReply::Missing
///     }
///
///     fn write(&self, request: BatchRequest) -> String {
///         format!("it goes to {}", request.model)
///     }
/// }
///
/// let about = ItemRepeat { item: 0, repeat: 0 };
/// let key = BatchKey { about, repair: false };
/// assert_eq!(Empty.find(key), BatchReply::Missing);
/// ```
pub trait Batch: Sync {
    /// The reply to a request, where it has come.
    fn find(&self, key: BatchKey) -> BatchReply;

    /// Puts a request into the next file; returns where that is, in words.
    fn write(&self, request: BatchRequest) -> String;
}
