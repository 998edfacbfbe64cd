//! The address of a server, as a study may give it.

use std::fmt;

/// Where a server answers: `http` or `https`, a host, perhaps a port and a path; no password, no
/// query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    base: String,
    host: String,
}

/// What is wrong with an address. None of them repeats it: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadAddress {
    /// It begins with neither `http://` nor `https://`.
    Scheme,
    /// It names no host.
    Host,
    /// It holds a user or a password.
    Password,
    /// It holds a query, a fragment, or characters that an address cannot have.
    Rest,
}

impl Address {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Address, BadAddress> {
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .ok_or(BadAddress::Scheme)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(BadAddress::Password);
        }
        let odd = |c: char| c.is_whitespace() || c.is_control() || "?#\\\"<>{}".contains(c);
        if rest.contains(odd) {
            return Err(BadAddress::Rest);
        }
        let host = host_of(authority).ok_or(BadAddress::Host)?;
        Ok(Address {
            base: text.trim_end_matches('/').into(),
            host: host.into(),
        })
    }

    /// The address of something under this one.
    pub fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// Whether it is this machine, which no proxy stands before.
    pub fn is_loopback(&self) -> bool {
        let number: Option<std::net::IpAddr> = self.host.trim_matches(['[', ']']).parse().ok();
        self.host == "localhost" || number.is_some_and(|number| number.is_loopback())
    }
}

/// The host of `host`, `host:port` or `[::1]:port`.
fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')?;
            (&authority[..end + 2], rest[end + 1..].strip_prefix(':'))
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let valid = port.is_none_or(|port| port.parse::<u16>().is_ok());
    (!host.is_empty() && valid).then_some(host)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadAddress::Scheme => "it begins with neither http:// nor https://",
            BadAddress::Host => "it names no host, or a port that is none",
            BadAddress::Password => "it holds a user or a password",
            BadAddress::Rest => "it holds a query, a fragment or a character that no address has",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_joined() {
        let address = Address::parse("http://127.0.0.1:8080/v1/").unwrap();
        assert_eq!(
            address.join("chat/completions"),
            "http://127.0.0.1:8080/v1/chat/completions"
        );
        assert!(address.is_loopback());
        assert!(Address::parse("http://[::1]:80").unwrap().is_loopback());
        assert!(
            !Address::parse("https://example.org/v1")
                .unwrap()
                .is_loopback()
        );
    }

    #[test]
    fn what_is_no_address_or_holds_a_password_is_refused() {
        let check = |text: &str, expected| {
            assert_eq!(Address::parse(text).unwrap_err(), expected, "{text}");
        };
        check("example.org", BadAddress::Scheme);
        check("ftp://example.org", BadAddress::Scheme);
        check("http://", BadAddress::Host);
        check("http://:8080/v1", BadAddress::Host);
        check("http://host:port/v1", BadAddress::Host);
        check("https://user:password@example.org/v1", BadAddress::Password);
        check("https://example.org/v1?key=1", BadAddress::Rest);
        check("https://example.org/v 1", BadAddress::Rest);
    }
}
