//! Control-flow graphs as numbers: orders, predecessors, dominators and strongly connected components.
//! Nothing here recurses, so graphs may be as deep as they like.

use smallvec::SmallVec;

/// The neighbours of a node. Most have one or two.
pub type Nodes = SmallVec<[u32; 4]>;

/// Successors of each node; the entry is node 0.
pub type Successors = Vec<Nodes>;

/// Nodes that the entry reaches, each before its successors except along edges that close a cycle.
pub fn reverse_postorder(successors: &[Nodes]) -> Vec<u32> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack: Vec<(u32, usize)> = Vec::new();
    if !successors.is_empty() {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((node, next)) = stack.last_mut() {
        // The last successor first: reversing the order at the end puts the first successor first.
        let targets = &successors[*node as usize];
        match targets.len().checked_sub(*next + 1).map(|index| targets[index]) {
            Some(target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[target as usize], true) {
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

/// Predecessors of each node, each once.
pub fn predecessors(successors: &[Nodes]) -> Vec<Nodes> {
    let mut predecessors: Vec<Nodes> = vec![Nodes::new(); successors.len()];
    for (node, targets) in successors.iter().enumerate() {
        for &target in targets {
            // Edges of one node are added together, so a repeated one is last.
            let known = &mut predecessors[target as usize];
            if known.last() != Some(&(node as u32)) {
                known.push(node as u32);
            }
        }
    }
    predecessors
}

/// Immediate dominators of an acyclic graph whose nodes are numbered in topological order; the entry is
/// its own (Cooper, Harvey and Kennedy: one round suffices without cycles).
pub fn dominators(predecessors: &[Nodes]) -> Vec<u32> {
    let mut dominators = vec![0u32; predecessors.len()];
    for (node, preds) in predecessors.iter().enumerate().skip(1) {
        let mut common = preds.first().copied().unwrap_or(0);
        for &pred in preds.iter().skip(1) {
            let mut other = pred;
            while common != other {
                if common > other {
                    common = dominators[common as usize];
                } else {
                    other = dominators[other as usize];
                }
            }
        }
        dominators[node] = common;
    }
    dominators
}

/// The cyclic components of the part of a graph that `region` lists (Tarjan): more than one node, or a
/// node that is its own successor.
pub fn cycles(successors: &[Nodes], region: &[u32], scratch: &mut Scratch) -> Vec<Vec<u32>> {
    scratch.begin(successors.len(), region);
    let mut components = Vec::new();
    for &root in region {
        if scratch.index[root as usize] != Scratch::UNSEEN {
            continue;
        }
        scratch.visit(root);
        while let Some(&(node, next)) = scratch.calls.last() {
            let node = node as usize;
            if let Some(&target) = successors[node].get(next) {
                if let Some(call) = scratch.calls.last_mut() {
                    call.1 += 1;
                }
                let target = target as usize;
                if scratch.region_of[target] != scratch.region {
                    continue;
                }
                if scratch.index[target] == Scratch::UNSEEN {
                    scratch.visit(target as u32);
                } else if scratch.on_stack[target] {
                    scratch.low[node] = scratch.low[node].min(scratch.index[target]);
                }
                continue;
            }
            scratch.calls.pop();
            if let Some(&(caller, _)) = scratch.calls.last() {
                let low = scratch.low[node];
                let caller = &mut scratch.low[caller as usize];
                *caller = (*caller).min(low);
            }
            if scratch.low[node] == scratch.index[node] {
                let component = scratch.pop_component(node as u32);
                if component.len() > 1 || successors[node].contains(&(node as u32)) {
                    components.push(component);
                }
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
    stack: Vec<u32>,
    calls: Vec<(u32, usize)>,
    count: u32,
}

impl Scratch {
    const UNSEEN: u32 = u32::MAX;

    fn begin(&mut self, nodes: usize, region: &[u32]) {
        self.region += 1;
        self.count = 0;
        self.region_of.resize(nodes, 0);
        self.index.resize(nodes, Self::UNSEEN);
        self.low.resize(nodes, 0);
        self.on_stack.resize(nodes, false);
        for &node in region {
            self.region_of[node as usize] = self.region;
            self.index[node as usize] = Self::UNSEEN;
        }
    }

    fn visit(&mut self, node: u32) {
        self.index[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.count += 1;
        self.on_stack[node as usize] = true;
        self.stack.push(node);
        self.calls.push((node, 0));
    }

    fn pop_component(&mut self, root: u32) -> Vec<u32> {
        let start = self.stack.iter().rposition(|&node| node == root).unwrap_or(0);
        let component = self.stack.split_off(start);
        for &node in &component {
            self.on_stack[node as usize] = false;
        }
        component
    }
}
