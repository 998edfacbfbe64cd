//! One exchange: a request goes out once, and what comes back is a status with a body, or a reason.

use std::io::Read;

use ureq::Agent;
use ureq::unversioned::transport::{Connector, DefaultConnector};

use crate::address::Address;
use crate::idle_bound::IdleBound;
use crate::kept_addresses::KeptAddresses;
use crate::limits::Limits;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let value = self.headers.get(name)?.to_str().ok()?;
        Some(value.to_string())
    }
}

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) kind: BrokenKind,
    pub(crate) why: String,
}

/// What broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenKind {
    /// Nobody listens there.
    Unreachable,
    /// It took longer than it may.
    TimedOut,
    /// The reply is larger than it may be: asking again would bring the same.
    TooLarge,
    /// The address or the certificate cannot be used: asking again would bring the same.
    Unusable,
    /// The connection broke, or what came is no HTTP.
    Connection,
}

/// What sends requests; connections are kept and used again.
pub(crate) fn agent(limits: &Limits, address: &Address) -> Agent {
    let builder = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent("duress")
        .timeout_resolve(Some(limits.connect))
        .timeout_connect(Some(limits.connect))
        .timeout_recv_response(Some(limits.first_byte))
        .timeout_global(Some(limits.whole))
        .max_idle_connections(limits.in_flight)
        .max_idle_connections_per_host(limits.in_flight);
    let config = match address.is_loopback() {
        true => builder.proxy(None).build(),
        false => builder.build(),
    };
    let connector = DefaultConnector::default().chain(IdleBound { idle: limits.idle });
    Agent::with_parts(config, connector, KeptAddresses::default())
}

/// Sends a body and reads what comes back.
pub(crate) fn post(
    agent: &Agent,
    url: &str,
    headers: &[(String, String)],
    body: &[u8],
    most: u64,
) -> Result<Answer, Broken> {
    let mut request = agent.post(url).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let mut response = request.send(body).map_err(|error| broken(&error))?;
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let mut body = Vec::new();
    let reader = response.body_mut().with_config().limit(u64::MAX).reader();
    let read = reader.take(most + 1).read_to_end(&mut body);
    read.map_err(|error| broken(&ureq::Error::from(error)))?;
    if body.len() as u64 > most {
        return Err(Broken {
            kind: BrokenKind::TooLarge,
            why: format!("the reply is larger than {most} bytes"),
        });
    }
    Ok(Answer {
        status,
        headers,
        body,
    })
}

fn broken(error: &ureq::Error) -> Broken {
    let kind = match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            BrokenKind::Unreachable
        }
        ureq::Error::Timeout(_) => BrokenKind::TimedOut,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => BrokenKind::Unreachable,
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
            BrokenKind::Unreachable
        }
        ureq::Error::Http(_)
        | ureq::Error::BadUri(_)
        | ureq::Error::InvalidProxyUrl
        | ureq::Error::Tls(_)
        | ureq::Error::Pem(_)
        | ureq::Error::Rustls(_) => BrokenKind::Unusable,
        _ => BrokenKind::Connection,
    };
    Broken {
        kind,
        why: error.to_string(),
    }
}
