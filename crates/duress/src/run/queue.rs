//! The queue of tasks: hands out the next one that can begin, and knows when there will be no more.
//!
//! Tasks lie in batches that take the same turns, so that a long row of questions to a subject that
//! is busy is passed over in one step, and other work is found behind it.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use duress_core::subject::Fitted;
use duress_stats::parallel::{Budget, Spare};

use super::turn::{Ticket, TurnChance, Turns, TurnsOf};
use super::work::{Job, JobGroup};

/// How long a thread sleeps at most before it looks again whether the run was stopped.
const NAP: Duration = Duration::from_millis(50);

/// Something a thread can take up.
pub(super) enum Task {
    /// A subject or rater that is not ready, with the jobs that wait for it.
    Prepare(JobGroup),
    /// A job whose subject or rater is ready, or needs no preparation.
    Ask(Job, Option<Arc<dyn Fitted>>),
}

/// Tasks that take the same turns.
pub(super) struct Batch {
    pub(super) tasks: VecDeque<Task>,
    /// The turns they take; none where any number may be begun at once.
    pub(super) turns: Option<TurnsOf>,
    /// Whether they keep a core of this machine busy, and so need a thread of the budget.
    pub(super) computes: bool,
}

/// A task that begins, or will not.
pub(super) enum Next {
    /// It begins: with its turn, and a thread of the budget if it needs one.
    Begin(Task, Turn, Option<Spare>),
    /// It does not: its subject is still busy with questions whose time is long over.
    GiveUp(Task),
}

/// What the threads share.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// How long a subject that is late is waited for.
    patience: Duration,
}

struct State {
    /// None of them is empty.
    batches: VecDeque<Batch>,
    /// Tasks that were handed out and are not done: they may bring new ones.
    running: usize,
    turns: Turns,
    /// The ledger could not be written: nothing more is begun.
    broken: Option<io::Error>,
}

/// What the first batch that can go on is to do, or what to wait for.
enum Choice {
    Begin(usize, Option<Spare>),
    GiveUp(usize),
    /// A task lacks nothing but a thread of the budget.
    WaitForThread,
    /// Whatever is there waits for a turn, or for what is running.
    WaitForChange,
}

impl Queue {
    pub(super) fn new(batches: Vec<Batch>, patience: Duration) -> Arc<Queue> {
        let state = State {
            batches: batches
                .into_iter()
                .filter(|batch| !batch.tasks.is_empty())
                .collect(),
            running: 0,
            turns: Turns::default(),
            broken: None,
        };
        let queue = Queue {
            state: Mutex::new(state),
            changed: Condvar::new(),
            patience,
        };
        Arc::new(queue)
    }

    /// Puts tasks before all others.
    pub(super) fn push_front(&self, batch: Batch) {
        if !batch.tasks.is_empty() {
            self.state().batches.push_front(batch);
            self.changed.notify_all();
        }
    }

    /// The next task, once one can begin; `None` when there will be no more.
    pub(super) fn next(self: &Arc<Queue>, budget: &Budget, stop: &AtomicBool) -> Option<Next> {
        let mut state = self.state();
        loop {
            if state.broken.is_some() || stop.load(Ordering::Relaxed) {
                return None;
            }
            if state.batches.is_empty() && state.running == 0 {
                return None;
            }
            match state.choose(self.patience, budget) {
                Choice::Begin(position, thread) => {
                    let (task, turns) = state.hand_out(position)?;
                    let ticket = turns.map(|turns| state.turns.take(turns));
                    let queue = Arc::clone(self);
                    return Some(Next::Begin(task, Turn { queue, ticket }, thread));
                }
                Choice::GiveUp(position) => {
                    let (task, _) = state.hand_out(position)?;
                    return Some(Next::GiveUp(task));
                }
                Choice::WaitForThread => {
                    drop(state);
                    budget.wait(NAP);
                    state = self.state();
                }
                Choice::WaitForChange => {
                    let changed = self.changed.wait_timeout(state, NAP);
                    state = changed.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Takes note that a task which was handed out is done, well or not.
    pub(super) fn done(&self, how: io::Result<()>) {
        let mut state = self.state();
        state.running -= 1;
        if let Err(error) = how {
            state.broken.get_or_insert(error);
        }
        self.changed.notify_all();
    }

    /// Takes note that the ledger could not be written: nothing more is begun.
    pub(super) fn give_up(&self, error: io::Error) {
        self.state().broken.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Takes note that the time of a turn is over.
    pub(super) fn late(&self, ticket: Option<Ticket>) {
        if let Some(ticket) = ticket {
            self.state().turns.late(ticket);
        }
    }

    /// Why nothing more was begun, if that was the ledger's fault.
    pub(super) fn broken(&self) -> Option<io::Error> {
        self.state().broken.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn choose(&self, patience: Duration, budget: &Budget) -> Choice {
        let mut otherwise = Choice::WaitForChange;
        for (position, batch) in self.batches.iter().enumerate() {
            let chance = match batch.turns {
                Some(turns) => self.turns.chance(turns, patience),
                None => TurnChance::Free,
            };
            match chance {
                TurnChance::Taken => continue,
                TurnChance::GivenUp => return Choice::GiveUp(position),
                TurnChance::Free if !batch.computes => return Choice::Begin(position, None),
                TurnChance::Free => {}
            }
            let thread = budget.spare(1);
            if thread.threads() == 1 {
                return Choice::Begin(position, Some(thread));
            }
            otherwise = Choice::WaitForThread;
        }
        otherwise
    }

    fn hand_out(&mut self, position: usize) -> Option<(Task, Option<TurnsOf>)> {
        let batch = self.batches.get_mut(position)?;
        let task = batch.tasks.pop_front()?;
        let turns = batch.turns;
        if batch.tasks.is_empty() {
            self.batches.remove(position);
        }
        self.running += 1;
        Some((task, turns))
    }
}

/// A turn, or the right to go without one; given back when it is dropped.
pub(super) struct Turn {
    queue: Arc<Queue>,
    ticket: Option<Ticket>,
}

impl Turn {
    /// What names it after it has been handed on.
    pub(super) fn ticket(&self) -> Option<Ticket> {
        self.ticket
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.queue.state().turns.give_back(ticket);
            self.queue.changed.notify_all();
        }
    }
}
