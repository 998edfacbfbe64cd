//! What every dataset must pass.

use std::collections::HashSet;

use crate::data::Source;
use crate::seed::Seed;

/// A dataset has unique ids (by construction), does not depend on when it is loaded, and varies
/// with the seed if it says so.
pub fn check_source(source: &dyn Source) {
    let load = |seed| {
        source
            .load(Seed::new(seed))
            .unwrap_or_else(|problem| panic!("{problem}"))
    };
    let first = load(1);
    let again = load(1);
    let other = load(2);
    assert_eq!(
        first.test(),
        again.test(),
        "the same seed must give the same items"
    );
    assert_eq!(
        first.fit(),
        again.fit(),
        "the same seed must give the same items"
    );
    assert_eq!(
        first.test() != other.test(),
        source.varies(),
        "a dataset must say whether it varies with the seed"
    );
    assert_eq!(
        first.test().items().inputs().kind(),
        source.kind(),
        "a dataset must say what its items look like"
    );
    let ids: HashSet<&str> = first.test().items().ids().iter().collect();
    assert_eq!(ids.len(), first.test().items().len(), "ids must be unique");
}
