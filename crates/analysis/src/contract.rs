//! Contradictions in annotations: a precondition that no call meets, a postcondition that no return ensures, a behavior
//! that never applies, an invariant that makes code dead (docs/rules/contradictory-contract.md).

use crate::explain::{Core, Subject};
use gainsay_ir::check::Check;
use gainsay_ir::gc::Origin;
use gainsay_ir::passive::{CmdKind, Function};
use gainsay_vc::Statement;

/// Do the annotations contradict each other or the code?
pub(crate) fn is_contradictory(function: &Function, subject: Subject, core: &Core) -> bool {
    match subject {
        Subject::Boundary(..) => false,
        // No run: the function cannot be called, or no return ensures the postcondition.
        Subject::Entry(_) => {
            let all = || core.before.iter().chain(&core.after);
            let mut failures = all().filter(|&&statement| assertion(function, statement).is_some());
            let only_annotations =
                all().all(|&statement| is_annotation(function, statement)) && all().next().is_some();
            only_annotations
                || core.after.iter().any(|&statement| is_asserted_annotation(function, statement))
                    && failures.all(|&statement| is_asserted_annotation(function, statement))
        }
        Subject::Edge(block) => {
            let is_behavior =
                function.blocks[block].branch.is_some_and(|branch| branch.origin == Origin::Behavior);
            let before = core.before.iter().any(|&statement| is_asserted_annotation(function, statement));
            let fails = core.after.iter().any(|&statement| assertion(function, statement).is_some());
            is_behavior || before && !fails
        }
    }
}

/// The place of the finding: the dead edge, or the last annotation.
pub(crate) fn place(function: &Function, subject: Subject, core: &Core) -> Statement {
    let own = Statement { block: subject.block(), index: 0 };
    if matches!(subject, Subject::Edge(_)) {
        return own;
    }
    let mut all = core.before.iter().chain(&core.after).rev();
    all.find(|&&statement| is_annotation(function, statement)).copied().unwrap_or(own)
}

pub(crate) fn message(
    function: &Function,
    name: &str,
    subject: Subject,
    core: &Core,
    at: impl Fn(Statement) -> String,
) -> String {
    let asserted = core
        .before
        .iter()
        .chain(&core.after)
        .rev()
        .find(|&&statement| is_asserted_annotation(function, statement));
    let check = asserted.and_then(|&statement| assertion(function, statement));
    match (subject, check) {
        (Subject::Edge(block), _)
            if function.blocks[block].branch.is_some_and(|branch| branch.origin == Origin::Behavior) =>
        {
            format!("no call of `{name}` that keeps its contract meets this behavior")
        }
        (Subject::Edge(_), _) => {
            let place = asserted.map(|&statement| at(statement)).unwrap_or_default();
            format!("no run comes here: the annotation{place} excludes it")
        }
        (_, Some(Check::Postcondition)) => format!("no run of `{name}` can ensure this"),
        (_, Some(check)) => format!("no run of `{name}` can pass this: {}", check.fails()),
        (_, None) => format!("nobody can call `{name}`: what it requires contradicts itself"),
    }
}

fn assertion(function: &Function, statement: Statement) -> Option<Check> {
    match function.blocks[statement.block].cmds.get(statement.index as usize)?.kind {
        CmdKind::Assert(check, _) => Some(check),
        _ => None,
    }
}

/// An annotation that is asserted.
fn is_asserted_annotation(function: &Function, statement: Statement) -> bool {
    use Check::*;
    let check = assertion(function, statement);
    matches!(check, Some(Postcondition | Invariant | Annotation | Behaviors))
}

/// The condition of a branch is at the start of its edge; every other assumption comes from an annotation.
fn is_annotation(function: &Function, statement: Statement) -> bool {
    let data = &function.blocks[statement.block];
    let is_edge = statement.index == 0 && data.branch.is_some_and(|branch| branch.origin != Origin::Behavior);
    match data.cmds.get(statement.index as usize).map(|cmd| &cmd.kind) {
        Some(CmdKind::Assume(_)) => !is_edge,
        Some(CmdKind::Assert(..)) => is_asserted_annotation(function, statement),
        _ => false,
    }
}
