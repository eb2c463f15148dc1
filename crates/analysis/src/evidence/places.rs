//! Case splits of pointer analysis (evidence-based-analysis, section 5): does a store alias a later load?
//!
//! The split is made by the analysis, not by the program: for either outcome, the loaded value is the same
//! function of the inputs. So an outcome that does not testify cannot help the implication, unlike a loop
//! that is not entered (docs/decisions/027-evidence-case-splits.md). The declaration of two pointer
//! parameters testifies that they do not always point to the same object.

use super::predicates::PathPredicate;
use super::search::PathSearcher;
use super::settings::Evidence;
use super::suspects::unknowns;
use crate::limits::EVIDENCE_ALIASES;
use gainsay_ir::passive::Var;
use gainsay_ir::types::Type;
use gainsay_term::Term;
use gainsay_vc::AliasCase;

/// One outcome of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alias {
    pub(super) is_same: bool,
    /// The parameters that the two addresses are computed from, if there is one for each and they differ.
    pub(super) parameters: Option<(Var, Var)>,
}

impl PathSearcher<'_> {
    /// The outcomes to judge the path with: no aliasing wherever that testifies; then, one at a time, some
    /// splits as aliased.
    pub(super) fn cases(
        &mut self,
        predicates: &[PathPredicate],
        negated_goal: Term,
    ) -> Vec<Vec<PathPredicate>> {
        let terms: Vec<Term> = predicates.iter().map(|predicate| predicate.term).collect();
        let places = self.walk.alias_cases(&terms);
        let mut cases = vec![self.case(&places, None)];
        if self.graph.settings.alias == Evidence::Admissible {
            let meetings = self.walk.alias_cases(&[negated_goal]);
            for meeting in meetings.into_iter().take(EVIDENCE_ALIASES) {
                cases.push(self.case(&places, Some(meeting.same)));
            }
            // One of the outcomes holds, and each testifies; this is weaker than a fixed outcome and still
            // admissible.
            cases.extend((!places.is_empty()).then(Vec::new));
        }
        cases
    }

    /// No aliasing except `meeting`; outcomes that do not testify are left open.
    fn case(&mut self, places: &[AliasCase], meeting: Option<Term>) -> Vec<PathPredicate> {
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
            case.push(PathPredicate::of_places(places.store, Alias { is_same, parameters }, term, evidence));
        }
        case
    }

    /// The parameter that an address is computed from, if it is the only pointer parameter in it.
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
