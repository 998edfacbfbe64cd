//! The threads that wait for servers: as many as requests may be in flight, started when they are
//! needed, shared by all who ask.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Enough for TLS and JSON, and little enough for hundreds of threads.
const STACK: usize = 512 << 10;

pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// Threads, and the tasks they take in order.
pub(crate) struct Workers {
    queue: Arc<TaskQueue>,
    most: usize,
}

#[derive(Default)]
struct TaskQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    tasks: VecDeque<Task>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Workers {
    pub(crate) fn new(most: usize) -> Workers {
        Workers {
            queue: Arc::default(),
            most: most.max(1),
        }
    }

    /// Adds tasks behind all others.
    pub(crate) fn push_back(&self, tasks: impl IntoIterator<Item = Task>) {
        self.queue.state().tasks.extend(tasks);
        self.staff();
    }

    /// Adds a task before all others.
    pub(crate) fn push_front(&self, task: Task) {
        self.queue.state().tasks.push_front(task);
        self.staff();
    }

    /// Wakes threads for what is there, and starts more where that is not enough.
    fn staff(&self) {
        let mut state = self.queue.state();
        let wanted = state.tasks.len().saturating_sub(state.idle);
        for _ in 0..wanted.min(self.most - state.threads) {
            let queue = Arc::clone(&self.queue);
            let named = thread::Builder::new().name("endpoint".into());
            match named.stack_size(STACK).spawn(move || queue.work()) {
                Ok(_) => state.threads += 1,
                Err(_) => break,
            }
        }
        let nobody = state.threads == 0;
        drop(state);
        self.queue.changed.notify_all();
        if nobody {
            // No thread could be had: whoever asks does the work.
            while let Some(task) = self.queue.take() {
                task();
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.queue.state().closed = true;
        self.queue.changed.notify_all();
    }
}

impl TaskQueue {
    fn work(&self) {
        let mut state = self.state();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                drop(state);
                task();
                state = self.state();
            } else if state.closed {
                return;
            } else {
                state.idle += 1;
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    fn take(&self) -> Option<Task> {
        self.state().tasks.pop_front()
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
