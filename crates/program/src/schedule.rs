//! The order in which functions are summarised: callees first, functions that call each other together, several at once.

use cranelift_entity::EntityRef;
use gainsay_ir::graph::{self, Graph, Node};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, PoisonError};

/// Does the work for every component of the graph, on several threads. A component is started when all its successors are
/// done.
pub fn for_each_component(
    successors: &[Vec<usize>],
    threads: NonZeroUsize,
    work: &(impl Fn(&[usize]) + Sync),
) {
    let components = components(successors);
    if threads.get() == 1 {
        components.iter().for_each(|component| work(component));
        return;
    }
    let queue = Queue::new(successors, &components);
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(components.len()) {
            scope.spawn(|| {
                while let Some(next) = queue.next() {
                    // Also after a panic, so that no thread waits for ever.
                    let _done = CompletionGuard { queue: &queue, component: next };
                    work(&components[next]);
                }
            });
        }
    });
}

/// The components whose work can begin.
struct Queue {
    /// The components that wait for each.
    users: Vec<Vec<usize>>,
    state: Mutex<QueueState>,
    changed: Condvar,
}

struct QueueState {
    /// The first is taken next, as with one thread.
    ready: BTreeSet<usize>,
    /// For how many others each one still waits.
    awaited: Vec<usize>,
    /// Components whose work has not ended.
    unfinished: usize,
}

impl Queue {
    fn new(successors: &[Vec<usize>], components: &[Vec<usize>]) -> Queue {
        let mut of = vec![0; successors.len()];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|&node| of[node] = number);
        }
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
        let mut awaited = vec![0; components.len()];
        for (number, component) in components.iter().enumerate() {
            let targets = component.iter().flat_map(|&node| &successors[node]).map(|&target| of[target]);
            let others: BTreeSet<usize> = targets.filter(|&other| other != number).collect();
            awaited[number] = others.len();
            others.into_iter().for_each(|other| users[other].push(number));
        }
        let ready = (0..components.len()).filter(|&number| awaited[number] == 0).collect();
        let state = QueueState { ready, awaited, unfinished: components.len() };
        Queue { users, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until there is something to do; `None` if there will be nothing more.
    fn next(&self) -> Option<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(next) = state.ready.pop_first() {
                return Some(next);
            }
            if state.unfinished == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct CompletionGuard<'a> {
    queue: &'a Queue,
    component: usize,
}

impl Drop for CompletionGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.unfinished -= 1;
        for &user in &self.queue.users[self.component] {
            state.awaited[user] -= 1;
            if state.awaited[user] == 0 {
                state.ready.insert(user);
            }
        }
        drop(state);
        self.queue.changed.notify_all();
    }
}

/// The strongly connected components of a graph, each after all that it leads to. The order is a function of the numbers
/// alone.
pub(crate) fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let nodes = |targets: &Vec<usize>| targets.iter().map(|&target| Node::new(target)).collect();
    let graph: Graph<Node> = successors.iter().map(nodes).collect();
    let mut components: Vec<Vec<usize>> = graph::components(&graph)
        .iter()
        .map(|component| component.iter().map(|node| node.index()).collect())
        .collect();
    components.iter_mut().for_each(|component| component.sort());
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::SeqCst;

    #[test]
    fn callees_come_first() {
        let calls = vec![vec![1], vec![2, 3], vec![1], vec![], vec![4, 0]];
        assert_eq!(components(&calls), [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn on_several_threads_callees_are_done_before_their_callers_begin() {
        // Layers of functions that call three of the layer below, and a few that call each other.
        let calls: Vec<Vec<usize>> = (0..600usize)
            .map(|i| match i {
                0..20 => vec![(i + 1) % 20],
                _ => (0..3).map(|k| (i * 7 + k * 5) % (i / 20 * 20)).collect(),
            })
            .collect();
        for threads in [1, 2, 7] {
            let done: Vec<AtomicBool> = calls.iter().map(|_| AtomicBool::new(false)).collect();
            for_each_component(&calls, NonZeroUsize::new(threads).unwrap(), &|component| {
                for &node in component {
                    let outside = calls[node].iter().filter(|target| !component.contains(target));
                    assert!(outside.into_iter().all(|&target| done[target].load(SeqCst)), "{node}");
                }
                for &node in component {
                    assert!(!done[node].swap(true, SeqCst), "{node} twice");
                }
            });
            assert!(done.iter().all(|done| done.load(SeqCst)));
        }
    }
}
