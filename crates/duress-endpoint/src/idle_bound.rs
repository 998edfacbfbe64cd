//! A bound on how long nothing may come once a reply has begun: what HTTP's other time-outs leave
//! out.

use std::time::Duration;

use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Bounds every connection that is made.
#[derive(Debug)]
pub(crate) struct IdleBound {
    pub(crate) idle: Duration,
}

impl<In: Transport> Connector<In> for IdleBound {
    type Out = BoundTransport<In>;

    fn connect(
        &self,
        _details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        Ok(chained.map(|inner| BoundTransport {
            inner,
            idle: self.idle,
            begun: false,
        }))
    }
}

/// A connection that gives up when a reply stops half-way.
#[derive(Debug)]
pub(crate) struct BoundTransport<T> {
    inner: T,
    idle: Duration,
    /// Whether something of the reply has come.
    begun: bool,
}

impl<T: Transport> Transport for BoundTransport<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.begun = false;
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, mut timeout: NextTimeout) -> Result<bool, ureq::Error> {
        let idle = self.idle.into();
        if self.begun && idle < timeout.after {
            timeout.after = idle;
            timeout.reason = ureq::Timeout::PerRead;
        }
        let come = self.inner.await_input(timeout)?;
        self.begun |= come;
        Ok(come)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
