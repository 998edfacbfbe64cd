//! The client of a subject: made when it is first needed, and shared by all that is fitted, so that
//! they keep to one number of requests under way and one budget.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use duress_core::subject::{AtOnce, Failure, FailureKind};
use duress_endpoint::client::{Client, Server};
use duress_endpoint::secret::NoSecret;

/// Cells that are asked about at the same time: enough to keep all requests under way, and few
/// enough to be in memory.
const CELLS_AT_ONCE: usize = 16;

/// A server, and the client that asks it once somebody does.
pub(crate) struct LazyClient {
    pub(crate) server: Server,
    client: Mutex<Option<Arc<Client>>>,
}

impl LazyClient {
    pub(crate) fn new(server: Server) -> LazyClient {
        LazyClient {
            server,
            client: Mutex::default(),
        }
    }

    pub(crate) fn get(&self) -> Result<Arc<Client>, Failure> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*client {
            return Ok(Arc::clone(client));
        }
        // Once the variable is set, running again asks.
        let unset = |none: NoSecret| Failure::new(FailureKind::NotAsked, none.to_string());
        let made = Client::new(&self.server).map_err(unset)?;
        Ok(Arc::clone(client.insert(Arc::new(made))))
    }

    /// How many cells may be asked about at once.
    pub(crate) fn at_once(&self) -> AtOnce {
        let most = NonZero::new(self.server.limits.in_flight.min(CELLS_AT_ONCE));
        AtOnce::Elsewhere(most.unwrap_or(NonZero::<usize>::MIN))
    }

    /// That a run needs a variable that is not set.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let unset = |name: &String| std::env::var_os(name).is_none();
        let unset = self.server.key_env.iter().filter(|name| unset(name));
        unset
            .map(|name| format!("the environment variable {name} is not set, and a run needs it"))
            .collect()
    }
}

/// The seed that a checkpoint of a model behind an address is.
pub(crate) fn seed_in_checkpoint(checkpoint: &[u8]) -> Result<u32, Failure> {
    let seed = std::str::from_utf8(checkpoint)
        .ok()
        .and_then(|text| text.parse().ok());
    seed.ok_or_else(|| Failure::unable("the checkpoint cannot be read: it is no seed"))
}
