//! Removes parts without events from body facts. The ends that can be reached and what holds there stay the same.

use super::{BodyFacts, Event, Part, PartEnd};
use crate::limits::MAX_CONDENSE_ROUNDS;
use cranelift_entity::EntityRef;
use gainsay_ir::graph::{self, Graph, Node};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub(super) fn condense(mut body_facts: BodyFacts) -> BodyFacts {
    let mut parts = reachable(std::mem::take(&mut body_facts.parts));
    // Each round removes something; larger body facts are as correct.
    for _ in 0..MAX_CONDENSE_ROUNDS {
        let mut changed = false;
        share_ends(&mut parts, &mut changed);
        for at in 0..parts.len() {
            changed |= shorten(&mut parts, at);
        }
        changed |= join_chains(&mut parts);
        if !changed {
            break;
        }
        parts = reachable(parts);
    }
    body_facts.parts = parts;
    body_facts
}

fn successors(parts: &[Part]) -> Graph<Node> {
    parts.iter().map(|part| part.targets().iter().map(|&target| Node::from_u32(target)).collect()).collect()
}

/// The parts that the entry reaches, in reverse postorder.
fn reachable(parts: Vec<Part>) -> Vec<Part> {
    let order = graph::reverse_postorder(&successors(&parts));
    let mut number = vec![0; parts.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old.index()] = new as u32;
    }
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    let mut kept: Vec<Part> = order.iter().filter_map(|&old| parts[old.index()].take()).collect();
    for part in &mut kept {
        if let PartEnd::Goto(targets) = &mut part.end {
            targets.iter_mut().for_each(|target| *target = number[*target as usize]);
        }
    }
    kept
}

/// Equal ends at which nothing happens are one.
fn share_ends(parts: &mut [Part], changed: &mut bool) {
    let mut first: FxHashMap<&PartEnd, u32> = FxHashMap::default();
    let mut same: Vec<u32> = (0..parts.len() as u32).collect();
    for (at, part) in parts.iter().enumerate() {
        if part.events.is_empty() && !matches!(part.end, PartEnd::Goto(_)) {
            same[at] = *first.entry(&part.end).or_insert(at as u32);
        }
    }
    for part in parts {
        if let PartEnd::Goto(targets) = &mut part.end {
            for target in targets {
                *changed |= same[*target as usize] != *target;
                *target = same[*target as usize];
            }
        }
    }
}

/// Goes directly to where empty parts lead.
fn shorten(parts: &mut [Part], at: usize) -> bool {
    let PartEnd::Goto(before) = &parts[at].end else { return false };
    let mut targets: SmallVec<[u32; 8]> = SmallVec::new();
    let mut add = |target: u32| {
        if !targets.contains(&target) {
            targets.push(target);
        }
    };
    for &target in before {
        let next = &parts[target as usize];
        match &next.end {
            // A self-loop stays: an endless loop is an end.
            PartEnd::Goto(further)
                if next.events.is_empty()
                    && target as usize != at
                    && *further != [target]
                    && further.len() <= 2 =>
            {
                further.iter().for_each(|&further| add(further));
            }
            _ => add(target),
        }
    }
    // A cycle without events can be dropped unless it is the only successor.
    if parts[at].events.is_empty() && targets.len() > 1 {
        targets.retain(|target| *target as usize != at);
    }
    if let Some(end) = after_conditions(parts, &targets) {
        targets.clear();
        targets.push(end);
    }
    let PartEnd::Goto(before) = &mut parts[at].end else { return false };
    let changed = **before != *targets && (before.len() > targets.len() || is_new(before, &targets));
    if changed {
        *before = targets.to_vec();
    }
    changed
}

/// Do the lists differ as sets?
fn is_new(before: &[u32], after: &[u32]) -> bool {
    before.iter().any(|target| !after.contains(target)) || after.iter().any(|target| !before.contains(target))
}

/// The part after a branch whose targets only assume conditions and then join there.
fn after_conditions(parts: &[Part], targets: &[u32]) -> Option<u32> {
    let after = |&target: &u32| {
        let part = &parts[target as usize];
        match part.end {
            PartEnd::Goto(ref next)
                if next.len() == 1 && part.events.iter().all(|event| matches!(event, Event::Assume(_))) =>
            {
                Some(next[0])
            }
            _ => None,
        }
    };
    let first = after(targets.first()?)?;
    let all = targets.len() > 1 && targets.iter().all(|target| after(target) == Some(first));
    (all && !targets.contains(&first)).then_some(first)
}

/// Joins a part with its only predecessor if it is the only successor of that.
fn join_chains(parts: &mut [Part]) -> bool {
    let predecessors = graph::predecessors(&successors(parts));
    let mut changed = false;
    for at in 0..parts.len() {
        while let PartEnd::Goto(targets) = &parts[at].end
            && let [next] = **targets
            && next != 0
            && next as usize != at
            && predecessors[Node::from_u32(next)].len() == 1
        {
            let next = &mut parts[next as usize];
            let (events, end) =
                (std::mem::take(&mut next.events), std::mem::replace(&mut next.end, PartEnd::Raise));
            parts[at].events.extend(events);
            parts[at].end = end;
            changed = true;
        }
    }
    changed
}

impl Part {
    pub fn targets(&self) -> &[u32] {
        match &self.end {
            PartEnd::Goto(targets) => targets,
            PartEnd::Return(_) | PartEnd::Raise | PartEnd::Error => &[],
        }
    }
}
