//! Noise classes: true contradictions that are not worth a report (docs/noise/; universal-reachability, section 6.3.2).

mod assertions;
mod compiler;
mod configuration;
mod defensive;

use crate::calls::{exit_state_stores, is_about_outcome, is_shown_by_callee};
use crate::context::Cx;
use crate::edges::variables;
use crate::explain::{Core, Subject, is_constant, needed_definitions, needs_exit_states};
use crate::judge::Judge;
use gainsay_ir::gc::{Access, Origin, Outcome};
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Function};
use gainsay_report::noise::Noise;
use gainsay_vc::Statement;

/// The class of an explained subject. Adds the definitions that the contradiction needs to the core.
pub(crate) fn classify(cx: &mut Cx, subject: Subject, core: &mut Core) -> Option<Noise> {
    let judge = cx.judge;
    let class = once_explained(judge, subject)
        .or_else(|| by_reason(judge, subject, core))
        .or_else(|| tests_exit_state(cx, subject, core).then_some(Noise::Defensive));
    core.definitions = needed_definitions(cx.tools.first, judge, subject, core);
    class.or_else(|| by_definitions(judge, subject, core))
}

/// Does the contradiction rest on the exit state of a callee? To test that is prudent: its body may change.
fn tests_exit_state(cx: &mut Cx, subject: Subject, core: &Core) -> bool {
    may_be_defensive(cx.judge.function, subject, core)
        && needs_exit_states(cx.tools.first, cx.judge, subject, core)
}

/// The class of an impossible edge, as far as no explanation is needed.
pub(crate) fn at_first_sight(judge: &Judge, edge: Block) -> Option<Noise> {
    let (function, source) = (judge.function, judge.source);
    if is_behavior(function, edge) {
        return None;
    }
    let cmd = function.blocks[edge].cmds.first()?;
    let CmdKind::Assume(condition) = cmd.kind else { return None };
    // `x ? a : b` or `x && y` where `x` is an argument of the macro: the choice belongs to the macro.
    let is_operand = function.blocks[edge]
        .branch
        .is_some_and(|branch| matches!(branch.origin, Origin::Conditional | Origin::And | Origin::Or));
    if source.is_in_macro_definition(cmd.loc) || is_operand && source.is_macro_argument(cmd.loc) {
        return Some(Noise::Macro);
    }
    if is_constant(function, condition) {
        return Some(if source.is_one_token(cmd.loc) { Noise::Trivial } else { Noise::Config });
    }
    if compiler::is_where_compiler_decides(judge, edge) {
        return Some(Noise::Config);
    }
    (!judge.can_end().contains(edge) && !assertions::returns_forbidden(function, edge))
        .then_some(Noise::AssertionOnly)
}

/// [`at_first_sight`] for subjects that are worth it only once they are explained: a boundary value, and a function that
/// always fails.
fn once_explained(judge: &Judge, subject: Subject) -> Option<Noise> {
    match subject {
        Subject::Entry(entry) => (!judge.can_end().contains(entry)).then_some(Noise::AssertionOnly),
        Subject::Boundary(edge, _) => at_first_sight(judge, edge),
        Subject::Edge(_) => None,
    }
}

/// The class that the statements of the core show.
pub(crate) fn by_reason(judge: &Judge, subject: Subject, core: &Core) -> Option<Noise> {
    let function = judge.function;
    let Subject::Edge(edge) = subject else { return None };
    if is_behavior(function, edge) {
        return None;
    }
    let data = &function.blocks[edge];
    let (branch, CmdKind::Assume(condition)) = (data.branch?, &data.cmds.first()?.kind) else { return None };
    if compiler::rests_on_compiler(function, core) {
        return Some(Noise::Config);
    }
    if defensive::guards_release(judge, edge, *condition) {
        return Some(Noise::Defensive);
    }
    if branch.outcome.is_without_label()
        || core.after.iter().any(|&statement| assertions::crashes_on_purpose(function, statement))
    {
        let is_missing = branch.outcome.is_without_label();
        return Some(if is_missing { Noise::Defensive } else { Noise::AssertionOnly });
    }
    if core
        .after
        .iter()
        .chain(&core.before)
        .any(|&statement| configuration::indexes_one_element(function, statement))
    {
        return Some(Noise::Config);
    }
    if defensive::is_search(function, edge, *condition, core) {
        return Some(Noise::Defensive);
    }
    if assertions::asserts_below(judge, core)
        || assertions::asserts_only(judge, edge, core)
        || assertions::is_asserted_before(judge, edge, core)
    {
        return Some(Noise::AssertionOnly);
    }
    let is_last_resort = match (branch.origin, branch.outcome) {
        (_, Outcome::Default) => true,
        (Origin::ElseIf, Outcome::False) => defensive::is_last_else(function, edge),
        _ => false,
    };
    if is_last_resort && core.after.is_empty() && !core.needs_end {
        return Some(Noise::Defensive);
    }
    if rests_on_check(function, core) {
        return None;
    }
    // To test the result of a function that always succeeds is prudent: its body may change.
    if core.before.iter().any(|&statement| is_about_outcome(function, statement)) {
        return Some(Noise::Defensive);
    }
    if defensive::releases_only(function, edge, *condition) {
        return Some(Noise::Defensive);
    }
    if !assertions::returns(function, edge) {
        return Some(Noise::AssertionOnly);
    }
    if defensive::is_allocated_on_stack(function, *condition) {
        return Some(Noise::Defensive);
    }
    let only_chooses = branch.origin == Origin::Conditional && defensive::has_no_effect(function, edge);
    (only_chooses || defensive::holds_no_code(function, edge)).then_some(Noise::Redundant)
}

/// May the edge be prudent because it tests the exit state of a callee?
pub(crate) fn may_be_defensive(function: &Function, subject: Subject, core: &Core) -> bool {
    matches!(subject, Subject::Edge(edge) if !is_behavior(function, edge)) && !rests_on_check(function, core)
}

/// Does the condition read what may be part of the exit state of a callee, as far as alias classes tell?
pub(crate) fn reads_exit_state(judge: &Judge, edge: Block) -> bool {
    let (unit, function) = (judge.unit, judge.function);
    let Some(CmdKind::Assume(condition)) = function.blocks[edge].cmds.first().map(|cmd| &cmd.kind) else {
        return false;
    };
    let class = |access: Access| &unit.classes[access.class];
    let stored: Vec<Access> = exit_state_stores(function)
        .into_iter()
        .filter_map(|store| match function.blocks[store.block].cmds[store.index as usize].kind {
            CmdKind::Update { effect: Effect::Store { access, .. }, .. } => Some(access),
            _ => None,
        })
        .collect();
    let vars = variables(function, &[*condition]);
    let values = vars.into_iter().filter_map(|var| match function.vars[var].definition {
        Definition::Command(block, index) => match function.blocks[block].cmds[index as usize].kind {
            CmdKind::Define(_, value) => Some(value),
            _ => None,
        },
        _ => None,
    });
    let mut stack: Vec<Expr> = values.chain([*condition]).collect();
    while let Some(expr) = stack.pop() {
        if let ExprData::Load(_, read, _) = function.exprs[expr]
            && stored.iter().any(|stored| !class(*stored).is_apart(class(read)))
        {
            return true;
        }
        stack.extend(function.exprs[expr].operands());
    }
    false
}

/// The class that the definitions of the core show.
pub(crate) fn by_definitions(judge: &Judge, subject: Subject, core: &Core) -> Option<Noise> {
    let (function, source) = (judge.function, judge.source);
    let Subject::Edge(edge) = subject else { return None };
    let CmdKind::Assume(condition) = function.blocks[edge].cmds.first()?.kind else { return None };
    if compiler::rests_on_compiler(function, core) {
        return Some(Noise::Config);
    }
    if rests_on_check(function, core) || is_behavior(function, edge) {
        return None;
    }
    let loc = |statement: &Statement| function.blocks[statement.block].cmds[statement.index as usize].loc;
    let in_macro = |statement: &Statement| source.is_in_macro_definition(loc(statement));
    if core.before.iter().chain(&core.definitions).any(in_macro) {
        return Some(Noise::Macro);
    }
    // A fact from a library model is no statement of the program; a fact from a body of the program is one.
    let is_branch = |statement: &&Statement| function.blocks[statement.block].branch.is_some();
    let is_written =
        |statement: &&Statement| is_branch(statement) || is_shown_by_callee(function, **statement);
    let is_alone = core.before.iter().filter(is_written).count() <= 1;
    let first = core.before.iter().chain(&core.definitions).min().copied();
    let config = is_alone
        && core.definitions.is_empty()
        && configuration::depends_on_machine(function, condition)
        || is_alone && configuration::undoes_conversion(function, condition)
        || is_alone
            && core.definitions.is_empty()
            && configuration::has_configured_type(judge, edge, condition)
        || configuration::reaches_limit(function, condition)
        || first.is_some_and(|first| configuration::is_tested_conditionally(judge, first, edge, condition))
        || core
            .definitions
            .iter()
            .any(|&statement| configuration::is_changed_in_other_configuration(judge, statement, edge));
    let is_decided_elsewhere = |statement: &Statement| {
        statement.block != edge && is_branch(&statement) && source.is_conditional(loc(statement))
    };
    let config = config
        || core.before.iter().any(is_decided_elsewhere)
        || core.definitions.iter().any(|&statement| configuration::is_macro_constant(judge, statement));
    config.then_some(Noise::Config)
}

fn rests_on_check(function: &Function, core: &Core) -> bool {
    let is_check = |statement: &Statement| matches!(command(function, *statement), Some(CmdKind::Assert(..)));
    !core.after.is_empty() || core.needs_end || core.before.iter().any(is_check)
}

/// Is the edge a behavior of a contract? Such clauses are never noise.
fn is_behavior(function: &Function, edge: Block) -> bool {
    function.blocks[edge].branch.is_some_and(|branch| branch.origin == Origin::Behavior)
}

fn command(function: &Function, statement: Statement) -> Option<&CmdKind> {
    function.blocks[statement.block].cmds.get(statement.index as usize).map(|cmd| &cmd.kind)
}
