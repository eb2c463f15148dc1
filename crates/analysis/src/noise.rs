//! Which true contradictions would a programmer shrug at? (design.md, section 5)

mod configured;

use crate::calls::{all_left, is_about_outcome, is_shown_by_callee};
use crate::edges::{above, dominators, variables};
use crate::explain::{Core, Subject, is_constant, is_written_by_user, reachable};
use crate::source::Source;
use crate::witness::can_end;
use cranelift_entity::EntitySet;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Access, BinaryOp, Origin, Outcome};
use gainsay_ir::passive::{
    Block, BlockData, Cmd, CmdKind, Definition, Effect, Expr, ExprData, Function, Next, Sort, Var, VarOf,
};
use gainsay_ir::types::Type;
use gainsay_report::noise::Noise;
use gainsay_vc::Statement;

/// What can be told before anybody asks why.
pub(crate) fn at_first_sight(
    function: &Function,
    source: &dyn Source,
    edge: Block,
    can_end: &EntitySet<Block>,
) -> Option<Noise> {
    if is_behavior(function, edge) {
        return None;
    }
    let cmd = function.blocks[edge].cmds.first()?;
    let CmdKind::Assume(condition) = cmd.kind else { return None };
    // `x ? a : b` or `x && y` with an argument of the macro as `x`: the choice itself is the macro's.
    let is_operand = function.blocks[edge]
        .branch
        .is_some_and(|branch| matches!(branch.origin, Origin::Conditional | Origin::And | Origin::Or));
    if source.is_in_macro_definition(cmd.loc) || is_operand && source.is_macro_argument(cmd.loc) {
        return Some(Noise::Macro);
    }
    if is_constant(function, condition) {
        return Some(if source.is_one_token(cmd.loc) { Noise::Trivial } else { Noise::Config });
    }
    if configured::is_where_compiler_decides(function, edge) {
        return Some(Noise::Config);
    }
    (!can_end.contains(edge) && !returns_forbidden(function, edge)).then_some(Noise::AssertionOnly)
}

/// The same for what cannot be told before it is explained: a boundary value, and a function that always fails.
pub(crate) fn once_explained(
    function: &Function,
    source: &dyn Source,
    subject: Subject,
    can_end: &EntitySet<Block>,
) -> Option<Noise> {
    match subject {
        Subject::Entry(entry) => (!can_end.contains(entry)).then_some(Noise::AssertionOnly),
        Subject::Boundary(edge, _) => at_first_sight(function, source, edge, can_end),
        Subject::Edge(_) => None,
    }
}

/// Does the way lead to the end of a function that must not return? That is no assertion but a mistake.
fn returns_forbidden(function: &Function, edge: Block) -> bool {
    reachable(function, edge).iter().any(|block| {
        let is_end = |cmd: &Cmd| matches!(cmd.kind, CmdKind::Assert(Check::NoreturnReturns, _));
        function.blocks[block].cmds.iter().any(is_end)
    })
}

/// What the reason shows.
pub(crate) fn by_reason(
    function: &Function,
    source: &dyn Source,
    subject: Subject,
    core: &Core,
) -> Option<Noise> {
    let Subject::Edge(edge) = subject else { return None };
    if is_behavior(function, edge) {
        return None;
    }
    let data = &function.blocks[edge];
    let (branch, CmdKind::Assume(condition)) = (data.branch?, &data.cmds.first()?.kind) else { return None };
    if configured::rests_on_compiler(function, core) {
        return Some(Noise::Config);
    }
    let rests_on_check = rests_on_check(function, core);
    if guards_release(function, edge, *condition) {
        return Some(Noise::Defensive);
    }
    if branch.outcome.is_without_label()
        || core.after.iter().any(|&statement| crashes_on_purpose(function, statement))
    {
        let is_missing = branch.outcome.is_without_label();
        return Some(if is_missing { Noise::Defensive } else { Noise::AssertionOnly });
    }
    if core.after.iter().chain(&core.before).any(|&statement| indexes_one_element(function, statement)) {
        return Some(Noise::Config);
    }
    if is_search(function, edge, *condition, core) {
        return Some(Noise::Defensive);
    }
    if asserts_below(function, source, core)
        || asserts_only(function, source, edge, core)
        || is_asserted_before(function, source, edge, core)
    {
        return Some(Noise::AssertionOnly);
    }
    let is_last_resort = match (branch.origin, branch.outcome) {
        (_, Outcome::Default) => true,
        (Origin::ElseIf, Outcome::False) => is_last_else(function, edge),
        _ => false,
    };
    if is_last_resort && core.after.is_empty() && !core.needs_end {
        return Some(Noise::Defensive);
    }
    if rests_on_check {
        return None;
    }
    // To test the result of a function that, as it is today, always succeeds is prudence.
    if core.before.iter().any(|&statement| is_about_outcome(function, statement)) {
        return Some(Noise::Defensive);
    }
    if releases_only(function, edge, *condition) {
        return Some(Noise::Defensive);
    }
    if !returns(function, edge) {
        return Some(Noise::AssertionOnly);
    }
    if is_allocated_on_stack(function, *condition) {
        return Some(Noise::Defensive);
    }
    let only_chooses = branch.origin == Origin::Conditional && has_no_effect(function, edge);
    (only_chooses || holds_no_code(function, edge)).then_some(Noise::Redundant)
}

/// Does no further `else if` follow?
fn is_last_else(function: &Function, edge: Block) -> bool {
    let mut block = edge;
    while let [target] = function.blocks[block].next.targets() {
        block = *target;
    }
    let is_cascade = |target: &Block| {
        function.blocks[*target].branch.is_some_and(|branch| branch.origin == Origin::ElseIf)
    };
    !function.blocks[block].next.targets().iter().any(is_cascade)
}

/// Does the edge lead to a place that others lead to as well, with nothing but values computed on the way?
fn has_no_effect(function: &Function, edge: Block) -> bool {
    let mut block = edge;
    loop {
        let data = &function.blocks[block];
        if data.cmds.iter().any(|cmd| matches!(cmd.kind, CmdKind::Update { .. })) {
            return false;
        }
        match data.next.targets() {
            [target] if predecessors(function, *target) > 1 => return true,
            [target] => block = *target,
            _ => return false,
        }
    }
}

/// `p = alloca(n); if (!p)`
fn is_allocated_on_stack(function: &Function, condition: Expr) -> bool {
    variables(function, &[condition]).into_iter().any(|var| match function.vars[var].definition {
        Definition::Fresh(block, index) => matches!(
            function.blocks[block].cmds.get(index as usize).map(|cmd| &cmd.kind),
            Some(CmdKind::Update { effect: Effect::Alloca { .. }, .. })
        ),
        _ => false,
    })
}

/// May it be prudence to test what a callee, as it is today, always leaves in memory?
pub(crate) fn may_be_prudence(function: &Function, subject: Subject, core: &Core) -> bool {
    matches!(subject, Subject::Edge(edge) if !is_behavior(function, edge)) && !rests_on_check(function, core)
}

/// Does the condition look, as far as classes tell, at what a callee left in memory?
pub(crate) fn reads_left(unit: &gc::Unit, function: &Function, edge: Block) -> bool {
    let Some(CmdKind::Assume(condition)) = function.blocks[edge].cmds.first().map(|cmd| &cmd.kind) else {
        return false;
    };
    let class = |access: Access| &unit.classes[access.class];
    let left: Vec<Access> = all_left(function)
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
            && left.iter().any(|left| !class(*left).is_apart(class(read)))
        {
            return true;
        }
        stack.extend(function.exprs[expr].operands());
    }
    false
}

/// What the assignments behind the contradiction show.
pub(crate) fn by_definitions(
    function: &Function,
    source: &dyn Source,
    subject: Subject,
    core: &Core,
) -> Option<Noise> {
    let Subject::Edge(edge) = subject else { return None };
    let CmdKind::Assume(condition) = function.blocks[edge].cmds.first()?.kind else { return None };
    if configured::rests_on_compiler(function, core) {
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
    // What a library model knows is no statement of the program; what a function of the program shows is one.
    let is_branch = |statement: &&Statement| function.blocks[statement.block].branch.is_some();
    let is_written =
        |statement: &&Statement| is_branch(statement) || is_shown_by_callee(function, **statement);
    let is_alone = core.before.iter().filter(is_written).count() <= 1;
    let first = core.before.iter().chain(&core.definitions).min().copied();
    let config = is_alone && core.definitions.is_empty() && depends_on_machine(function, condition)
        || is_alone && undoes_conversion(function, condition)
        || is_alone && core.definitions.is_empty() && has_configured_type(function, source, edge, condition)
        || reaches_limit(function, condition)
        || first.is_some_and(|first| is_tested_conditionally(function, source, first, edge, condition))
        || core
            .definitions
            .iter()
            .any(|&statement| is_changed_in_other_configuration(function, source, statement, edge));
    let is_decided_elsewhere = |statement: &Statement| {
        statement.block != edge && is_branch(&statement) && source.is_conditional(loc(statement))
    };
    let config = config
        || core.before.iter().any(is_decided_elsewhere)
        || core.definitions.iter().any(|&statement| is_macro_constant(function, source, statement));
    config.then_some(Noise::Config)
}

/// `n = LIMIT;`
fn is_macro_constant(function: &Function, source: &dyn Source, definition: Statement) -> bool {
    let cmd = &function.blocks[definition.block].cmds[definition.index as usize];
    match cmd.kind {
        CmdKind::Define(_, value) => is_constant(function, value) && source.takes_macro_value(cmd.loc),
        _ => false,
    }
}

/// The run fails in an assertion that stands below the branch or below a further one: the program itself says that
/// nobody comes there. (An assertion that every run meets contradicts the branch.)
fn asserts_below(function: &Function, source: &dyn Source, core: &Core) -> bool {
    let command = |statement: &Statement| {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        cmd.map(|cmd| &cmd.kind)
    };
    let is_assumed = |statement: &&Statement| matches!(command(statement), Some(CmdKind::Assume(_)));
    let mut failures = core.after.iter().filter(|statement| !is_assumed(statement)).peekable();
    let Some(&&first) = failures.peek() else { return false };
    if !failures.all(|failure| matches!(command(failure), None | Some(CmdKind::Assert(Check::Assertion, _))))
    {
        return false;
    }
    // A branch of the source around it, other than those that the assertion itself is made of.
    let dominators = dominators(function);
    let is_branch = |block: Block| {
        let data = &function.blocks[block];
        data.branch.is_some() && !data.cmds.first().is_some_and(|cmd| source.is_in_macro(cmd.loc))
    };
    let is_nested = above(&dominators, first.block).any(is_branch);
    let on_the_way = core.after.iter().filter(is_assumed).any(|statement| is_branch(statement.block));
    is_nested || on_the_way
}

/// `assert(p); if (!p) return;`: a second line of defence where assertions are compiled out. And `assert(a || b)`: its
/// own conditions are no branches of the program.
fn asserts_only(function: &Function, source: &dyn Source, edge: Block, core: &Core) -> bool {
    let mut checks = core.before.iter().chain(&core.after).filter_map(|statement| {
        match function.blocks[statement.block].cmds.get(statement.index as usize).map(|cmd| &cmd.kind) {
            Some(CmdKind::Assert(check, _)) => Some(*check),
            _ => None,
        }
    });
    let is_part = function.blocks[edge].cmds.first().is_some_and(|cmd| source.is_in_macro(cmd.loc));
    let is_late = core.after.is_empty() && !core.needs_end;
    let mut n_checks = 0;
    let only_asserts = checks.all(|check| {
        n_checks += 1;
        check == Check::Assertion
    });
    let aborts = core
        .after
        .iter()
        .any(|statement| function.blocks[statement.block].cmds.len() <= statement.index as usize);
    only_asserts && (n_checks > 0 && (is_late || is_part) || aborts && is_part)
}

/// An array of one element and an index that varies: a table that is longer in another configuration, or the last member
/// of a record that is allocated with more.
fn indexes_one_element(function: &Function, statement: Statement) -> bool {
    let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
    match cmd.map(|cmd| &cmd.kind) {
        Some(CmdKind::Assert(Check::Bounds, holds)) => match function.exprs[*holds] {
            ExprData::Binary(BinaryOp::ULt, index, extent) => {
                matches!(function.exprs[extent], ExprData::Const(_, 1)) && !is_constant(function, index)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The same where an assertion is a branch of a macro that does not return.
fn is_asserted_before(function: &Function, source: &dyn Source, edge: Block, core: &Core) -> bool {
    let can_end = can_end(function);
    let is_assertion = |block: Block| {
        let data = &function.blocks[block];
        let other = |(other, data): (Block, &BlockData)| {
            let same = data.branch.zip(function.blocks[block].branch);
            other != block
                && same.is_some_and(|(a, b)| a.condition == b.condition)
                && !can_end.contains(other)
        };
        data.cmds.first().is_some_and(|cmd| source.is_in_macro(cmd.loc)) && function.blocks.iter().any(other)
    };
    let mut others = core.before.iter().filter(|statement| statement.block != edge).peekable();
    core.after.is_empty()
        && !core.needs_end
        && others.peek().is_some()
        && others.all(|statement| is_assertion(statement.block))
}

/// `for (p = list; p; p = p->next) if (...) break;` and then `p->x`: the author knows that something is found.
fn is_search(function: &Function, edge: Block, condition: Expr, core: &Core) -> bool {
    let is_null_test = matches!(function.exprs[condition], ExprData::Binary(BinaryOp::Eq, _, b)
        if matches!(function.exprs[b], ExprData::Const(Type::Ptr, 0)));
    let leaves_loop = function.blocks[edge].branch.is_some_and(|branch| {
        branch.outcome == Outcome::False && matches!(branch.origin, Origin::LoopEntry | Origin::And)
    });
    let fails_on_null = core.after.iter().any(|statement| {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        matches!(
            cmd.map(|cmd| &cmd.kind),
            None | Some(CmdKind::Assert(Check::NullDereference | Check::CalleeFails | Check::Assertion, _))
        )
    });
    // Only a cut loop forgets a pointer of the user's.
    let runs_along = variables(function, &[condition]).into_iter().any(|var| {
        is_written_by_user(function, var) && matches!(function.vars[var].definition, Definition::Fresh(..))
    });
    is_null_test && fails_on_null && leaves_loop && runs_along
}

/// Can control come from the edge to the end of the function, rather than only to `exit` and its like?
fn returns(function: &Function, edge: Block) -> bool {
    reachable(function, edge).iter().any(|block| matches!(function.blocks[block].next, Next::Return { .. }))
}

/// `*(int *)NULL = 0`: nobody writes that by mistake.
fn crashes_on_purpose(function: &Function, statement: Statement) -> bool {
    let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
    match cmd.map(|cmd| &cmd.kind) {
        Some(CmdKind::Assert(Check::NullDereference, holds)) => is_constant(function, *holds),
        _ => false,
    }
}

fn rests_on_check(function: &Function, core: &Core) -> bool {
    let is_check = |statement: &Statement| {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assert(..)))
    };
    !core.after.is_empty() || core.needs_end || core.before.iter().any(is_check)
}

/// `n = (int)m; if (n != m)`: it cannot fail where the types are equally wide.
fn undoes_conversion(function: &Function, condition: Expr) -> bool {
    match function.exprs[condition] {
        ExprData::Binary(BinaryOp::Ne, a, b) => !is_constant(function, a) && !is_constant(function, b),
        _ => false,
    }
}

/// `n < 0` where the type of `n` has a name of its own, and may be signed elsewhere.
fn has_configured_type(function: &Function, source: &dyn Source, edge: Block, condition: Expr) -> bool {
    let Some(cmd) = function.blocks[edge].cmds.first() else { return false };
    variables(function, &[condition]).into_iter().any(|var| match function.vars[var].of {
        VarOf::Source(variable) if function.sources[variable].is_written_by_user() => {
            source.has_configured_type(&function.sources[variable].name, cmd.loc)
        }
        _ => false,
    })
}

/// Does the configuration decide about a use of a tested variable, between the first statement that matters and the
/// test?
fn is_tested_conditionally(
    function: &Function,
    source: &dyn Source,
    first: Statement,
    edge: Block,
    condition: Expr,
) -> bool {
    let (Some(from), Some(to)) =
        (function.blocks[first.block].cmds.get(first.index as usize), function.blocks[edge].cmds.first())
    else {
        return false;
    };
    variables(function, &[condition]).into_iter().any(|var| match function.vars[var].of {
        VarOf::Source(variable) if function.sources[variable].is_written_by_user() => {
            let name = &function.sources[variable].name;
            let plain = name.split('.').next().unwrap_or(name);
            source.is_mentioned_conditionally(plain, from.loc, to.loc)
        }
        _ => false,
    })
}

/// A comparison with the largest numbers there are, such as SIZE_MAX.
fn reaches_limit(function: &Function, condition: Expr) -> bool {
    let is_relation = matches!(
        function.exprs[condition],
        ExprData::Binary(BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe, ..)
    );
    let mut stack: Vec<Expr> = function.exprs[condition].operands().to_vec();
    while let Some(expr) = stack.pop() {
        match function.exprs[expr] {
            // All ones, or the largest signed number, or next to them.
            ExprData::Const(Type::Int(bits), value) if bits >= 32 => {
                let ones = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
                if value >= ones - 1 && is_unsigned(function, condition)
                    || value == ones >> 1
                    || value == (ones >> 1) - 1
                {
                    return is_relation;
                }
            }
            data => stack.extend(data.operands()),
        }
    }
    false
}

fn is_unsigned(function: &Function, condition: Expr) -> bool {
    matches!(function.exprs[condition], ExprData::Binary(BinaryOp::ULt | BinaryOp::ULe, ..))
}

/// Does the configuration decide how the variable is set, or whether it is changed before the test?
fn is_changed_in_other_configuration(
    function: &Function,
    source: &dyn Source,
    definition: Statement,
    edge: Block,
) -> bool {
    let cmd = &function.blocks[definition.block].cmds[definition.index as usize];
    let (CmdKind::Define(var, _), Some(test)) = (&cmd.kind, function.blocks[edge].cmds.first()) else {
        return false;
    };
    let VarOf::Source(variable) = function.vars[*var].of else { return false };
    let name = &function.sources[variable].name;
    let plain = name.split('.').next().unwrap_or(name);
    source.is_conditional(cmd.loc) || source.is_mentioned_conditionally(plain, cmd.loc, test.loc)
}

/// A clause of a contract is written for its own sake.
fn is_behavior(function: &Function, edge: Block) -> bool {
    function.blocks[edge].branch.is_some_and(|branch| branch.origin == Origin::Behavior)
}

/// The edge goes straight to a place that other ways lead to as well.
pub(crate) fn holds_no_code(function: &Function, edge: Block) -> bool {
    let mut block = edge;
    loop {
        let data = &function.blocks[block];
        if data.cmds.len() > usize::from(block == edge) {
            return false;
        }
        let [target] = data.next.targets() else { return false };
        if predecessors(function, *target) > 1 {
            return true;
        }
        block = *target;
    }
}

fn predecessors(function: &Function, block: Block) -> usize {
    function.blocks.values().filter(|data| data.next.targets().contains(&block)).count()
}

/// `if (p) free(p);`, perhaps with more: the test keeps the release from something that is not there.
fn guards_release(function: &Function, edge: Block, condition: Expr) -> bool {
    let ExprData::Binary(BinaryOp::Eq, _, _) = function.exprs[condition] else { return false };
    if !holds_no_code(function, edge) {
        return false;
    }
    let Some(branch) = function.blocks[edge].branch else { return false };
    let is_other = |block: &Block| {
        *block != edge && function.blocks[*block].branch.is_some_and(|b| b.condition == branch.condition)
    };
    let Some(other) = function.blocks.keys().find(is_other) else { return false };
    let tested = variables(function, &[condition]);
    let dominators = dominators(function);
    function.blocks.iter().any(|(block, data)| {
        let is_below = || block == other || above(&dominators, block).any(|above| above == other);
        data.cmds.iter().any(|cmd| match &cmd.kind {
            CmdKind::Update { effect: Effect::Free { pointer }, .. } => {
                variables(function, &[*pointer]).iter().any(|var| tested.contains(var)) && is_below()
            }
            CmdKind::Update { effect: Effect::Call(call), .. } => {
                call.result.is_none()
                    && call.args.len() == 1
                    && variables(function, &call.args).iter().any(|var| tested.contains(var))
                    && is_below()
            }
            _ => false,
        })
    })
}

/// `if (fd != -1) close(fd);` where there is nothing to close: all that is dead is the release of what was tested.
fn releases_only(function: &Function, edge: Block, condition: Expr) -> bool {
    let tested = variables(function, &[condition]);
    let mut block = edge;
    let mut releases = 0;
    loop {
        let data = &function.blocks[block];
        for cmd in &data.cmds[usize::from(block == edge)..] {
            let given: &[Expr] = match &cmd.kind {
                CmdKind::Update { effect: Effect::Free { pointer }, .. } => &[*pointer],
                CmdKind::Update { effect: Effect::Call(call), .. } if call.args.len() == 1 => &call.args,
                CmdKind::Assert(..)
                | CmdKind::Assume(_)
                | CmdKind::Define(..)
                | CmdKind::Update { effect: Effect::ClobberErrno, .. } => continue,
                CmdKind::Update { effect: Effect::Store { .. }, .. } if releases > 0 => continue,
                _ => return false,
            };
            if !variables(function, given).iter().any(|var| tested.contains(var)) {
                return false;
            }
            releases += 1;
        }
        match data.next.targets() {
            [target] if predecessors(function, *target) > 1 => return releases == 1,
            [target] => block = *target,
            _ => return false,
        }
    }
}

/// Does another machine or configuration decide otherwise, although no variable does?
fn depends_on_machine(function: &Function, condition: Expr) -> bool {
    exceeds_wide_type(function, condition) || {
        let operands = function.exprs[condition].operands();
        let stripped: Vec<Expr> = operands.iter().map(|&operand| without_casts(function, operand)).collect();
        // `x == (long)x`, and flags that do not exist here: `x & O_BINARY`.
        matches!(stripped[..], [a, b] if a == b || function.exprs[a] == function.exprs[b])
            || stripped.iter().any(|&operand| match function.exprs[operand] {
                ExprData::Binary(BinaryOp::And, a, b) => {
                    [a, b].iter().any(|&side| matches!(function.exprs[side], ExprData::Const(_, 0)))
                }
                _ => false,
            })
    }
}

fn without_casts(function: &Function, mut expr: Expr) -> Expr {
    while let ExprData::Cast(_, _, of) = function.exprs[expr] {
        expr = of;
    }
    expr
}

/// Is a variable of a type whose width depends on the machine compared with a number other than zero?
fn exceeds_wide_type(function: &Function, condition: Expr) -> bool {
    let operands = function.exprs[condition].operands();
    let number = operands
        .iter()
        .any(|&operand| matches!(function.exprs[operand], ExprData::Const(_, value) if value != 0));
    number && operands.iter().any(|&operand| is_wide(function, operand))
}

fn is_wide(function: &Function, expr: Expr) -> bool {
    let width = |ty: Type| matches!(ty, Type::Int(bits) if bits >= 32);
    match function.exprs[expr] {
        ExprData::Cast(_, _, of) => is_wide(function, of),
        ExprData::Load(_, access, _) => width(access.ty),
        ExprData::Var(var) => match temporary(function, var) {
            Some(value) => is_wide(function, value),
            None => matches!(function.vars[var].sort, Sort::Value(ty) if width(ty)),
        },
        _ => false,
    }
}

/// What a variable that nobody wrote stands for.
fn temporary(function: &Function, var: Var) -> Option<Expr> {
    match function.vars[var].definition {
        Definition::Command(block, index) if !is_written_by_user(function, var) => {
            match function.blocks[block].cmds[index as usize].kind {
                CmdKind::Define(_, value) => Some(value),
                _ => None,
            }
        }
        _ => None,
    }
}
