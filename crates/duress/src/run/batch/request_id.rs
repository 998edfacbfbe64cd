//! What a request is called in files: by what it is about, and by how often it was written.

use std::fmt;

/// What a request is called in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestId {
    pub(super) name: String,
    /// Which of the times it is written, from 1.
    pub(super) attempt: u32,
}

/// What stands before the number of all times but the first.
const ATTEMPT: &str = "-try-";

impl RequestId {
    pub(super) fn parse(id: &str) -> RequestId {
        let again = id.rsplit_once(ATTEMPT).and_then(|(name, number)| {
            let attempt = number.parse().ok().filter(|attempt| *attempt > 1)?;
            let name = name.into();
            Some(RequestId { name, attempt })
        });
        let again = again.filter(|again| again.to_string() == id);
        again.unwrap_or_else(|| RequestId {
            name: id.into(),
            attempt: 1,
        })
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attempt {
            1 => f.write_str(&self.name),
            attempt => write!(f, "{}{ATTEMPT}{attempt}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_by_its_name_and_the_times_it_was_written() {
        let check = |id: &str, name: &str, attempt: u32| {
            let read = RequestId::parse(id);
            assert_eq!((read.name.as_str(), read.attempt), (name, attempt));
            assert_eq!(read.to_string(), id);
        };
        check("cell-item-0", "cell-item-0", 1);
        check("cell-item-0-repair-try-2", "cell-item-0-repair", 2);
        check("mine-try-1", "mine-try-1", 1);
        check("mine-try-02", "mine-try-02", 1);
        check("mine-try-soon", "mine-try-soon", 1);
    }
}
