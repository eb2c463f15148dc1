//! What the analyses of one function share: the function in two forms, the solver sessions, the settings, and the
//! results so far.

use crate::boundary::Bodies;
use crate::evidence::EvidenceInputs;
use crate::judge::Judge;
use crate::loops::{LoopBudget, Loops};
use crate::reach::Edges;
use gainsay_ir::gc;
use gainsay_program::link::Hints;
use gainsay_report::finding::Finding;
use gainsay_report::loops::Asked;
use gainsay_solver::Session;
use serde::{Deserialize, Serialize};

/// Parts of an analysis whose time is measured separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Passes,
    Witness,
    Solver,
    Explain,
    Confirm,
    Horn,
    Beliefs,
    Evidence,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Passes => "passes",
            Stage::Witness => "witness",
            Stage::Solver => "solver",
            Stage::Explain => "explain",
            Stage::Confirm => "confirm",
            Stage::Horn => "horn",
            Stage::Beliefs => "beliefs",
            Stage::Evidence => "evidence",
        }
    }
}

/// The sessions and settings that the caller passes in.
pub struct Tools<'a> {
    pub first: &'a mut Session,
    /// Of a different make than the first.
    pub second: &'a mut Session,
    /// Give reasons for findings in macro definitions as well. Classes, rules and messages do not depend on it.
    pub explains_macros: bool,
    pub loops: Loops,
    /// The settings of `evidence`, if it runs.
    pub evidence: Option<EvidenceInputs<'a>>,
    /// The functions of the unit, prepared for analysis.
    pub bodies: &'a Bodies<'a>,
    /// The remaining effort for questions about loops, shared by the functions of a unit.
    pub loop_budget: &'a mut LoopBudget,
    /// What the program suggests, if `beliefs` runs.
    pub beliefs: Option<&'a Hints>,
    /// Called at the start of each stage.
    pub begin: &'a mut dyn FnMut(Stage),
}

/// The counts of one function, apart from its findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub is_inconsistent: bool,
    /// Edges without an answer.
    pub undecided: u64,
    /// Questions of `beliefs` without an answer.
    pub beliefs_undecided: u64,
    /// Hidden findings whose reasons were not computed; see [`Tools::explains_macros`].
    pub unexplained: u64,
    /// Boundary values that always fail and for which no run was found.
    pub boundary_unconfirmed: u64,
    /// The result depends on other functions of the unit, not only on the function's own text.
    pub needs_unit: bool,
    /// Questions about loops.
    pub loops: Asked,
    /// The function was too large for `evidence`.
    pub is_too_large: bool,
}

/// The context of one function.
pub(crate) struct Cx<'a> {
    pub(crate) tools: Tools<'a>,
    /// The function with its loops, pruned.
    pub(crate) f: &'a gc::Function,
    /// The passive form of `f`.
    pub(crate) judge: &'a Judge<'a>,
    /// The answers of `reach` about the edges of the passive form.
    pub(crate) edges: Edges,
    /// The findings of the steps before. A later analysis that finds the same adds its name there.
    pub(crate) findings: Vec<Finding>,
    pub(crate) tally: Tally,
}

impl<'a> Cx<'a> {
    pub(crate) fn new<'t: 'a>(tools: Tools<'t>, f: &'a gc::Function, judge: &'a Judge<'a>) -> Cx<'a> {
        // Field by field, because a mutable `dyn` reference gets a shorter lifetime only on its own.
        let Tools { first, second, explains_macros, loops, evidence, bodies, loop_budget, beliefs, begin } =
            tools;
        let tools =
            Tools { first, second, explains_macros, loops, evidence, bodies, loop_budget, beliefs, begin };
        let (edges, findings, tally) = (Edges::default(), Vec::new(), Tally::default());
        Cx { tools, f, judge, edges, findings, tally }
    }

    pub(crate) fn begin(&mut self, stage: Stage) {
        (self.tools.begin)(stage);
    }

    /// Runs an analysis and keeps its findings.
    pub(crate) fn add(&mut self, find: fn(&mut Cx<'a>) -> Vec<Finding>) {
        let found = find(self);
        self.findings.extend(found);
    }
}
