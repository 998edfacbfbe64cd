//! Addresses of hosts, kept for a while: looking one up takes a thread, and would be done for every
//! request, also where a connection is there already and no address is needed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How long an address is taken for the same: hosts move, and seldom.
const KEPT: Duration = Duration::from_secs(30);

/// Looks hosts up, and remembers where they are.
#[derive(Debug, Default)]
pub(crate) struct KeptAddresses {
    lookup: DefaultResolver,
    known: Mutex<HashMap<String, KnownAddress>>,
}

#[derive(Debug)]
struct KnownAddress {
    addresses: ResolvedSocketAddrs,
    since: Instant,
}

impl KeptAddresses {
    fn known(&self, host: &str) -> Option<ResolvedSocketAddrs> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(host)?;
        (found.since.elapsed() < KEPT).then(|| found.addresses.clone())
    }
}

impl Resolver for KeptAddresses {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        // The scheme decides the port where the address has none.
        let host = format!("{:?} {:?}", uri.scheme(), uri.authority());
        if let Some(addresses) = self.known(&host) {
            return Ok(addresses);
        }
        let addresses = self.lookup.resolve(uri, config, timeout)?;
        let found = KnownAddress {
            addresses: addresses.clone(),
            since: Instant::now(),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(host, found);
        Ok(addresses)
    }
}
