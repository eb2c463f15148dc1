//! Graph algorithms: orders, predecessors, dominators and strongly connected components.
//!
//! They work on any entity, so a block stays a block. Nothing here recurses, so graphs may be arbitrarily deep.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use smallvec::SmallVec;

/// The neighbours of a node. Most have one or two.
pub type Nodes<N> = SmallVec<[N; 4]>;

/// The successors, or the predecessors, of each node. The entry of a control-flow graph is its first node.
pub type Graph<N> = PrimaryMap<N, Nodes<N>>;

/// A node of a graph whose nodes have no entity of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);
entity_impl!(Node, "n");

/// Nodes that the entry reaches, each before its successors except along edges that close a cycle. Of several
/// successors, the first comes first.
pub fn reverse_postorder<N: EntityRef>(successors: &Graph<N>) -> Vec<N> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack: Vec<(N, usize)> = Vec::new();
    if let Some(entry) = successors.keys().next() {
        seen[entry.index()] = true;
        stack.push((entry, 0));
    }
    while let Some((node, next)) = stack.last_mut() {
        // The last successor first: reversing the order at the end puts the first successor first.
        let targets = &successors[*node];
        match targets.len().checked_sub(*next + 1).map(|index| targets[index]) {
            Some(target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[target.index()], true) {
                    stack.push((target, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Where each node stands in an order; `u32::MAX` for nodes that are not in it.
pub fn positions<N: EntityRef>(order: &[N]) -> SecondaryMap<N, u32> {
    let mut positions = SecondaryMap::with_default(u32::MAX);
    for (at, &node) in order.iter().enumerate() {
        positions[node] = at as u32;
    }
    positions
}

/// Predecessors of each node, each once.
pub fn predecessors<N: EntityRef>(successors: &Graph<N>) -> Graph<N> {
    let mut predecessors: Graph<N> = successors.iter().map(|_| Nodes::new()).collect();
    for (node, targets) in successors {
        for &target in targets {
            // Edges of one node are added together, so a repeated one is last.
            let known = &mut predecessors[target];
            if known.last() != Some(&node) {
                known.push(node);
            }
        }
    }
    predecessors
}

/// Immediate dominators of an acyclic graph whose nodes are numbered in topological order and reached from the entry,
/// which has none (Cooper, Harvey and Kennedy: one round suffices without cycles).
pub fn dominators<N: EntityRef + Ord>(predecessors: &Graph<N>) -> SecondaryMap<N, Option<N>> {
    let mut dominators: SecondaryMap<N, Option<N>> = crate::table::table(predecessors.len());
    for (node, preds) in predecessors {
        let mut common = preds.first().copied();
        for &pred in preds.iter().skip(1) {
            let mut other = Some(pred);
            while let (Some(a), Some(b)) = (common, other) {
                // The higher number is never above the lower.
                match a.cmp(&b) {
                    std::cmp::Ordering::Equal => break,
                    std::cmp::Ordering::Greater => common = dominators[a],
                    std::cmp::Ordering::Less => other = dominators[b],
                }
            }
        }
        dominators[node] = common;
    }
    dominators
}

/// The strongly connected components, each after all that it leads to.
pub fn components<N: EntityRef>(successors: &Graph<N>) -> Vec<Vec<N>> {
    let all: Vec<N> = successors.keys().collect();
    strongly_connected(successors, &all, &mut Scratch::default())
}

/// The cyclic components of the part of a graph that `region` lists: more than one node, or a node that is its own
/// successor.
pub fn cycles<N: EntityRef>(successors: &Graph<N>, region: &[N], scratch: &mut Scratch) -> Vec<Vec<N>> {
    let mut components = strongly_connected(successors, region, scratch);
    components.retain(|component| match component[..] {
        [node] => successors[node].contains(&node),
        _ => true,
    });
    components
}

/// Tarjan's algorithm.
fn strongly_connected<N: EntityRef>(
    successors: &Graph<N>,
    region: &[N],
    scratch: &mut Scratch,
) -> Vec<Vec<N>> {
    scratch.begin(successors.len(), region.iter().map(|node| node.index()));
    let mut components = Vec::new();
    for root in region {
        if scratch.index[root.index()] != Scratch::UNSEEN {
            continue;
        }
        scratch.visit(root.index());
        while let Some(&(node, next)) = scratch.calls.last() {
            if let Some(target) = successors[N::new(node)].get(next) {
                if let Some(call) = scratch.calls.last_mut() {
                    call.1 += 1;
                }
                let target = target.index();
                if scratch.region_of[target] != scratch.region {
                    continue;
                }
                if scratch.index[target] == Scratch::UNSEEN {
                    scratch.visit(target);
                } else if scratch.on_stack[target] {
                    scratch.low[node] = scratch.low[node].min(scratch.index[target]);
                }
                continue;
            }
            scratch.calls.pop();
            if let Some(&(caller, _)) = scratch.calls.last() {
                scratch.low[caller] = scratch.low[caller].min(scratch.low[node]);
            }
            if scratch.low[node] == scratch.index[node] {
                components.push(scratch.pop_component(node).into_iter().map(N::new).collect());
            }
        }
    }
    components
}

/// Tables of `cycles`, kept between calls so that a call costs as much as its region.
#[derive(Default)]
pub struct Scratch {
    region: u32,
    region_of: Vec<u32>,
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    calls: Vec<(usize, usize)>,
    count: u32,
}

impl Scratch {
    // not a limit: mark of a node that was not visited
    const UNSEEN: u32 = u32::MAX;

    fn begin(&mut self, nodes: usize, region: impl Iterator<Item = usize>) {
        self.region += 1;
        self.count = 0;
        self.region_of.resize(nodes, 0);
        self.index.resize(nodes, Self::UNSEEN);
        self.low.resize(nodes, 0);
        self.on_stack.resize(nodes, false);
        for node in region {
            self.region_of[node] = self.region;
            self.index[node] = Self::UNSEEN;
        }
    }

    fn visit(&mut self, node: usize) {
        self.index[node] = self.count;
        self.low[node] = self.count;
        self.count += 1;
        self.on_stack[node] = true;
        self.stack.push(node);
        self.calls.push((node, 0));
    }

    fn pop_component(&mut self, root: usize) -> Vec<usize> {
        let start = self.stack.iter().rposition(|&node| node == root).unwrap_or(0);
        let component = self.stack.split_off(start);
        for &node in &component {
            self.on_stack[node] = false;
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(successors: &[&[usize]]) -> Graph<Node> {
        successors.iter().map(|targets| targets.iter().map(|&target| Node::new(target)).collect()).collect()
    }

    fn numbers(nodes: &[Node]) -> Vec<usize> {
        nodes.iter().map(|node| node.index()).collect()
    }

    #[test]
    fn the_order_follows_the_first_successor_first() {
        let successors = graph(&[&[2, 1], &[3], &[3], &[0], &[3]]);
        assert_eq!(numbers(&reverse_postorder(&successors)), [0, 2, 1, 3]);
    }

    #[test]
    fn a_join_is_dominated_by_the_branch_above_it() {
        let successors = graph(&[&[1], &[2, 3], &[4], &[4, 5], &[5], &[]]);
        let dominators = dominators(&predecessors(&successors));
        let closest: Vec<Option<usize>> =
            successors.keys().map(|node| dominators[node].map(|node| node.index())).collect();
        assert_eq!(closest, [None, Some(0), Some(1), Some(1), Some(1), Some(1)]);
    }

    #[test]
    fn a_component_comes_after_all_that_it_leads_to() {
        let successors = graph(&[&[1], &[2, 3], &[1], &[], &[4, 0]]);
        let found: Vec<Vec<usize>> = components(&successors).iter().map(|nodes| numbers(nodes)).collect();
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
        let all: Vec<Node> = successors.keys().collect();
        let cyclic = cycles(&successors, &all, &mut Scratch::default());
        assert_eq!(cyclic.iter().map(|nodes| numbers(nodes)).collect::<Vec<_>>(), [vec![1, 2], vec![4]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let last = 99_999;
        let successors: Graph<Node> =
            (0..=last).map(|i| (i < last).then(|| Node::new(i + 1)).into_iter().collect()).collect();
        assert_eq!(components(&successors).len(), 100_000);
    }
}
