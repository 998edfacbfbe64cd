//! The client: asks a server, again where that may help, and tells what came of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duress_core::cost::Cost;
use serde_json::{Map, Value};
use ureq::Agent;

use crate::address::Address;
use crate::back_off;
use crate::cache;
use crate::exchange::{self, Answer, Broken, BrokenKind};
use crate::limits::Limits;
use crate::pace::Pace;
use crate::reply::{NoAnswer, NoAnswerKind, Reply, beginning};
use crate::request::Request;
use crate::secret::{NoSecret, Secrets};
use crate::spending::Spending;
use crate::status::{Verdict, judge};
use crate::wire::Wire;
use crate::workers::{Task, Workers};

/// How long anybody sleeps at most before looking whether to go on.
const NAP: Duration = Duration::from_millis(50);

/// How often a server that is not ready is asked whether it is.
const POLL: Duration = Duration::from_millis(500);

/// Which server is asked, and how.
#[derive(Clone, Debug)]
pub struct Server {
    /// The format it speaks.
    pub wire: Wire,
    /// Where it is.
    pub address: Address,
    /// The environment variable with its key.
    pub key_env: Option<String>,
    /// Further headers; `env:NAME` stands for a variable.
    pub headers: Vec<(String, String)>,
    /// Further keys of every body; `env:NAME` stands for a variable.
    pub extra: Map<String, Value>,
    /// What the client keeps to.
    pub limits: Limits,
}

/// What came of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The reply, or why there is none.
    pub answer: Result<Reply, NoAnswer>,
    /// What it cost; nothing where the reply was kept before.
    pub cost: Cost,
}

impl Told {
    /// What came of it, with the tokens that the server counted.
    pub(crate) fn with_tokens(answer: Result<Reply, NoAnswer>, mut cost: Cost) -> Told {
        if let Ok(reply) = &answer {
            cost.input_tokens = reply.usage.input;
            cost.output_tokens = reply.usage.output;
        }
        Told { answer, cost }
    }
}

/// Asks one server. Whoever shares it shares its requests in flight, its pace and its budget.
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    workers: Workers,
}

impl Client {
    /// A client; reads the secrets that the server is to be told.
    pub fn new(server: &Server) -> Result<Client, NoSecret> {
        let mut secrets = Secrets::default();
        let key = match &server.key_env {
            Some(name) => Some(secrets.read(name)?),
            None => None,
        };
        let named = server.wire.headers(key.as_deref()).into_iter();
        let mut headers: Vec<(String, String)> =
            named.map(|(name, value)| (name.into(), value)).collect();
        for (name, value) in &server.headers {
            headers.push((name.clone(), secrets.resolve(value)?));
        }
        let mut sent = Map::new();
        for (key, value) in &server.extra {
            sent.insert(key.clone(), secrets.resolve_json(value)?);
        }
        let limits = server.limits.clone();
        let shared = Shared {
            wire: server.wire,
            address: server.address.clone(),
            agent: exchange::agent(&limits, &server.address),
            headers,
            secrets,
            extra_named: server.extra.clone(),
            extra_sent: sent,
            pace: Pace::new(limits.in_flight),
            spending: Spending::new(limits.budget, limits.prices),
            requests: AtomicU64::new(0),
            health: Mutex::default(),
            limits,
        };
        Ok(Client {
            workers: Workers::new(server.limits.in_flight),
            shared: Arc::new(shared),
        })
    }

    /// Sends all of `requests` and hands over what comes of each as it comes, with its position; what
    /// `hear` returns is asked further about the same position. Once `stopping`, nobody else is
    /// asked, and what is in flight is waited for.
    ///
    /// # Errors
    /// What `hear` failed with; nobody else is asked then either.
    pub fn ask_all<E>(
        &self,
        requests: Vec<impl Into<Request>>,
        cache: Option<&Path>,
        stopping: &dyn Fn() -> bool,
        hear: &mut dyn FnMut(usize, Told) -> Result<Option<Request>, E>,
    ) -> Result<(), E> {
        let (send, receive) = channel();
        let asking = Asking {
            shared: Arc::clone(&self.shared),
            cache: cache.map(Path::to_path_buf),
            cancelled: Arc::default(),
            send,
        };
        let mut left = requests.len();
        let tasks = requests.into_iter().enumerate();
        self.workers
            .push_back(tasks.map(|(position, request)| asking.task(position, request.into())));
        let mut failed = None;
        while left > 0 {
            if stopping() {
                asking.cancelled.store(true, Ordering::Relaxed);
            }
            let (position, told) = match receive.recv_timeout(NAP) {
                Ok(come) => come,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            left -= 1;
            match hear(position, told) {
                Ok(Some(further)) if failed.is_none() => {
                    left += 1;
                    self.workers.push_front(asking.task(position, further));
                }
                Ok(_) => {}
                Err(error) => {
                    asking.cancelled.store(true, Ordering::Relaxed);
                    failed.get_or_insert(error);
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Why nobody is asked any more, if that is so.
    pub fn given_up(&self) -> Option<String> {
        self.shared.health().given_up.clone()
    }

    /// How many requests may be in flight now.
    pub fn in_flight_now(&self) -> usize {
        self.shared.pace.limit()
    }
}

/// What the tasks of one asking share.
struct Asking {
    shared: Arc<Shared>,
    cache: Option<PathBuf>,
    cancelled: Arc<AtomicBool>,
    send: Sender<(usize, Told)>,
}

impl Asking {
    fn task(&self, position: usize, request: Request) -> Task {
        let shared = Arc::clone(&self.shared);
        let cache = self.cache.clone();
        let cancelled = Arc::clone(&self.cancelled);
        let send = self.send.clone();
        Box::new(move || {
            let ask = || shared.ask(&request, cache.as_deref(), &cancelled);
            let told = catch_unwind(AssertUnwindSafe(ask)).unwrap_or_else(|_| Told {
                answer: Err(NoAnswer::new(NoAnswerKind::Error, "the client crashed")),
                cost: Cost::default(),
            });
            // Nobody listens any more when the run has ended.
            let _ = send.send((position, told));
        })
    }
}

/// What all threads of a client share.
pub(crate) struct Shared {
    pub(crate) wire: Wire,
    pub(crate) address: Address,
    agent: Agent,
    headers: Vec<(String, String)>,
    secrets: Secrets,
    /// Further keys of bodies, with secrets as their names: what a cache knows.
    pub(crate) extra_named: Map<String, Value>,
    /// The same with secrets as their values: what is sent.
    pub(crate) extra_sent: Map<String, Value>,
    limits: Limits,
    pace: Pace,
    pub(crate) spending: Spending,
    requests: AtomicU64,
    health: Mutex<Health>,
}

/// How the server is doing.
#[derive(Default)]
struct Health {
    /// Whether it has ever answered.
    ready: bool,
    /// Since when it is waited for.
    waiting_since: Option<Instant>,
    failures_in_a_row: u32,
    given_up: Option<String>,
}

/// A request as it is sent, and where its reply is kept.
pub(crate) struct Sent<'a> {
    pub(crate) request: &'a Request,
    url: String,
    pub(crate) body: String,
    key: Option<(&'a Path, blake3::Hash)>,
}

/// What one try came to.
pub(crate) enum Try {
    Over(Result<Reply, NoAnswer>),
    Again(Option<Duration>, String),
    /// The server is not ready: this was no try.
    NotReady(String),
}

impl Shared {
    fn ask(&self, request: &Request, cache: Option<&Path>, cancelled: &AtomicBool) -> Told {
        let sent = match self.unless_kept(request, cache) {
            Ok(sent) => sent,
            Err(kept) => return *kept,
        };
        let mut cost = Cost::default();
        let answer = self.ask_until_over(&sent, cancelled, &mut cost);
        Told::with_tokens(answer, cost)
    }

    /// A request as it is sent; an `Err` is what was said to it before.
    pub(crate) fn unless_kept<'a>(
        &self,
        request: &'a Request,
        cache: Option<&'a Path>,
    ) -> Result<Sent<'a>, Box<Told>> {
        let url = self.address.join(self.wire.path(request));
        let key = cache.map(|folder| {
            let named = self.wire.body(request, &self.extra_named);
            (folder, cache::key(&url, &named, request.repeat()))
        });
        if let Some(reply) = key.and_then(|(folder, key)| cache::find(folder, key)) {
            return Err(Box::new(Told {
                answer: self.wire.read(request, &reply),
                cost: Cost::default(),
            }));
        }
        Ok(Sent {
            body: self.wire.body(request, &self.extra_sent).to_string(),
            request,
            url,
            key,
        })
    }

    fn ask_until_over(
        &self,
        sent: &Sent<'_>,
        cancelled: &AtomicBool,
        cost: &mut Cost,
    ) -> Result<Reply, NoAnswer> {
        let mut failed = 0;
        loop {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            let (asked_wait, why) = match self.try_once(sent, cancelled, cost)? {
                Try::Over(answer) => return self.note(answer),
                Try::NotReady(why) => {
                    self.wait_until_ready(why, cancelled)?;
                    continue;
                }
                Try::Again(wait, why) => (wait, why),
            };
            failed += 1;
            if failed > self.limits.retries {
                let tried = if failed > 1 {
                    format!(" (asked {failed} times)")
                } else {
                    String::new()
                };
                return self.note(Err(NoAnswer::new(NoAnswerKind::Error, why + &tried)));
            }
            let jitter = back_off::jitter(number, failed);
            match back_off::wait(&self.limits, failed, asked_wait, jitter) {
                Some(wait) => self.sleep(wait, cancelled),
                None => {
                    let asks = asked_wait.unwrap_or_default().as_secs();
                    let why = format!("{why} (the server asks to wait {asks} s)");
                    return self.note(Err(NoAnswer::new(NoAnswerKind::Error, why)));
                }
            }
        }
    }

    /// Sends the request once. An `Err` means that it was not sent.
    fn try_once(
        &self,
        sent: &Sent<'_>,
        cancelled: &AtomicBool,
        cost: &mut Cost,
    ) -> Result<Try, NoAnswer> {
        let not_asked = |why: String| NoAnswer::new(NoAnswerKind::NotAsked, why);
        let stopped = || cancelled.load(Ordering::Relaxed) || self.health().given_up.is_some();
        let in_flight = self.pace.enter(&stopped).ok_or_else(|| {
            let given_up = self.health().given_up.clone();
            not_asked(given_up.unwrap_or_else(|| "the run was stopped".into()))
        })?;
        self.spending.take_request().map_err(not_asked)?;
        let begun = Instant::now();
        let come = exchange::post(
            &self.agent,
            &sent.url,
            &self.headers,
            sent.body.as_bytes(),
            self.limits.reply_bytes,
        );
        drop(in_flight);
        let came = match come {
            Ok(answer) => self.read(&answer, sent),
            Err(broken) => self.mend(broken),
        };
        if matches!(came, Try::NotReady(_)) {
            self.spending.give_request_back();
        } else {
            cost.requests += 1;
            cost.seconds += begun.elapsed().as_secs_f64();
        }
        Ok(came)
    }

    pub(crate) fn read(&self, answer: &Answer, sent: &Sent<'_>) -> Try {
        match judge(answer, &sent.url, &self.secrets) {
            Verdict::Read => self.read_reply(answer, sent),
            Verdict::SlowDown(wait, why) => {
                self.pace
                    .slow_down(wait.filter(|wait| *wait <= self.limits.longest_wait));
                Try::Again(wait, why)
            }
            Verdict::NotReady(_, why) if !self.health().ready => Try::NotReady(why),
            Verdict::NotReady(wait, why) => {
                self.pace.slow_down(None);
                Try::Again(wait, why)
            }
            Verdict::Again(wait, why) => Try::Again(wait, why),
            Verdict::Final(no) => Try::Over(Err(no)),
        }
    }

    fn read_reply(&self, answer: &Answer, sent: &Sent<'_>) -> Try {
        let Ok(mut json) = serde_json::from_slice::<Value>(&answer.body) else {
            let text = String::from_utf8_lossy(&answer.body);
            let shown = beginning(&self.secrets.strike(text), 200);
            return Try::Again(None, format!("what came is no JSON: {shown:?}"));
        };
        self.secrets.strike_json(&mut json);
        let reply = self.wire.read(sent.request, &json);
        if let Ok(reply) = &reply {
            self.spending.count(reply.usage);
            self.pace.went_well();
            if let Some((folder, key)) = sent.key {
                // A cache that cannot be written saves nothing, and loses nothing either.
                let _ = cache::keep(folder, key, &json);
            }
        }
        Try::Over(reply)
    }

    fn mend(&self, broken: Broken) -> Try {
        let why = self.secrets.strike(broken.why).into_owned();
        let end = |kind, why| Try::Over(Err(NoAnswer::new(kind, why)));
        match broken.kind {
            BrokenKind::Unreachable if !self.health().ready => Try::NotReady(why),
            BrokenKind::Unreachable | BrokenKind::TimedOut | BrokenKind::Connection => {
                Try::Again(None, why)
            }
            BrokenKind::TooLarge => end(NoAnswerKind::Unparsable, why),
            BrokenKind::Unusable => end(NoAnswerKind::Error, why),
        }
    }

    /// Waits a little for a server that has not answered yet, unless it has been waited for enough.
    fn wait_until_ready(&self, why: String, cancelled: &AtomicBool) -> Result<(), NoAnswer> {
        let since = *self.health().waiting_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.limits.wait_ready {
            let seconds = self.limits.wait_ready.as_secs_f64();
            let why = format!("the server was not ready within {seconds} s: {why}");
            self.health().given_up.get_or_insert_with(|| why.clone());
            return Err(NoAnswer::new(NoAnswerKind::Error, why));
        }
        let left = self.limits.wait_ready.saturating_sub(since.elapsed());
        self.pace.slow_down(Some(POLL.min(left)));
        self.sleep(POLL.min(left), cancelled);
        Ok(())
    }

    /// Notes how it went: failures in a row mean that going on is of no use.
    fn note(&self, answer: Result<Reply, NoAnswer>) -> Result<Reply, NoAnswer> {
        let mut health = self.health();
        match &answer {
            Err(no) if no.kind == NoAnswerKind::Error => {
                health.failures_in_a_row += 1;
                if health.failures_in_a_row >= self.limits.failures_in_a_row {
                    let times = health.failures_in_a_row;
                    let why = format!("given up after {times} failures in a row: {}", no.why);
                    health.given_up.get_or_insert(why);
                }
            }
            _ => {
                health.ready = true;
                health.failures_in_a_row = 0;
            }
        }
        drop(health);
        answer
    }

    /// Sleeps, but not longer than the run goes on.
    fn sleep(&self, wait: Duration, cancelled: &AtomicBool) {
        let end = Instant::now() + wait;
        while !cancelled.load(Ordering::Relaxed) && self.health().given_up.is_none() {
            match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return,
                left => std::thread::sleep(left.min(NAP)),
            }
        }
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
