//! What `reach` reports about: from decided edges to subjects.

use super::Edges;
use super::formula::entry;
use crate::edges::{above, boundaries};
use crate::explain::Subject;
use crate::judge::Judge;
use crate::noise;
use gainsay_report::noise::Noise;

/// The subjects to report, each with its noise class if that is known without an explanation.
pub(super) fn subjects(judge: &Judge, decided: &Edges) -> Vec<(Subject, Option<Noise>)> {
    let function = judge.function;
    if decided.never_ends {
        // Only the core shows what to report.
        return vec![(Subject::Entry(entry(function)), None)];
    }
    let mut subjects = Vec::new();
    for &edge in &decided.impossible {
        let is_dominated = above(judge.dominators(), edge).any(|block| decided.impossible.contains(&block));
        let class = if is_dominated { Some(Noise::Dominated) } else { noise::at_first_sight(judge, edge) };
        subjects.push((Subject::Edge(edge), class));
    }
    if decided.impossible_boundaries.is_empty() {
        return subjects;
    }
    let boundaries = boundaries(function);
    for &edge in &decided.impossible_boundaries {
        // Only the core shows whether there is anything to report.
        if let Some(boundary) = boundaries[edge] {
            subjects.push((Subject::Boundary(edge, boundary), None));
        }
    }
    subjects
}
