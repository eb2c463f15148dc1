//! Case splits of pointer analysis (papers/evidence-based-analysis, section 5): does a store meet a later load?
//!
//! The split is made by the analysis, not by the program: whichever outcome a path stands for, what the load finds is
//! the same function of the inputs. So an outcome that does not testify cannot help the implication, unlike a loop that
//! is not entered. The declaration of two parameters testifies that they do not always point to the same place.

use super::search::Searcher;
use super::settings::Evidence;
use super::suspects::unknowns;
use crate::evidence::judge_path::Predicate;
use gainsay_ir::passive::Var;
use gainsay_ir::types::Type;
use gainsay_term::Term;
use gainsay_vc::AliasCase;

/// Stores that are taken, one after the other, for one that meets the load.
const MOST_MEETINGS: usize = 2;

/// An outcome of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alias {
    pub(super) is_same: bool,
    /// The parameters whose places they are, where each is of one and they are two.
    pub(super) parameters: Option<(Var, Var)>,
}

impl Searcher<'_> {
    /// Which outcomes the path is tried with: apart wherever that testifies; then each of some splits as one place.
    pub(super) fn cases(&mut self, predicates: &[Predicate], denied: Term) -> Vec<Vec<Predicate>> {
        let terms: Vec<Term> = predicates.iter().map(|predicate| predicate.term).collect();
        let places = self.walk.alias_cases(&terms);
        let mut cases = vec![self.case(&places, None)];
        if self.graph.settings.alias == Evidence::Admissible {
            let meetings = self.walk.alias_cases(&[denied]);
            for meeting in meetings.into_iter().take(MOST_MEETINGS) {
                cases.push(self.case(&places, Some(meeting.same)));
            }
            // Some outcome is possible, and whichever it is testifies: more than an outcome that does not.
            cases.extend((!places.is_empty()).then(Vec::new));
        }
        cases
    }

    /// All places are apart but one pair; what does not testify is left open.
    fn case(&mut self, places: &[AliasCase], meeting: Option<Term>) -> Vec<Predicate> {
        let mut case = Vec::new();
        for places in places {
            let is_same = Some(places.same) == meeting;
            let parameters = self.parameter(places.written).zip(self.parameter(places.read));
            let parameters = parameters.filter(|(written, read)| written != read);
            let settings = self.graph.settings;
            let evidence = match (is_same, parameters) {
                (true, _) => settings.alias,
                (false, Some(_)) => settings.parameters_apart,
                (false, None) => settings.apart,
            };
            if evidence == Evidence::Inadmissible {
                continue;
            }
            let term = if is_same { places.same } else { self.walk.pool_mut().not(places.same) };
            case.push(Predicate::of_places(places.store, Alias { is_same, parameters }, term, evidence));
        }
        case
    }

    /// The parameter that an address was computed from, if it is the only pointer among them.
    fn parameter(&mut self, address: Term) -> Option<Var> {
        let about = unknowns(self.walk.pool(), &[address]);
        let function = self.function;
        let is_pointer = |&var: &Var| function.source(var).is_some_and(|source| source.ty == Type::Ptr);
        let mut params = Vec::new();
        for param in function.params.iter().copied().filter(is_pointer) {
            if about.contains(&self.walk.variable(param)) {
                params.push(param);
            }
        }
        match params.as_slice() {
            [param] => Some(*param),
            _ => None,
        }
    }
}
