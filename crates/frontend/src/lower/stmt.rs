//! Statements.

use super::function::{FunctionCx, Jump, Local};
use super::place::Place;
use super::types::{is_variable_array, value_type};
use crate::clang::ast::{self, AttrKind, DeclId, NodeId, Stmt};
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{CmdKind, Expr, Next, Origin};

impl FunctionCx<'_> {
    pub(super) fn stmt(&mut self, id: NodeId) {
        match self.unit.stmt(id) {
            Stmt::Null => {}
            Stmt::Compound(stmts) => self.compound(id, stmts),
            Stmt::Decl(decls) => {
                for &decl in decls {
                    self.at(id);
                    self.declaration(decl);
                }
            }
            Stmt::If { condition, then, otherwise } => self.if_stmt(Origin::If, condition, then, otherwise),
            Stmt::While { condition, body } => self.while_stmt(condition, body),
            Stmt::Do { body, condition } => self.do_stmt(body, condition),
            Stmt::For { init, condition, increment, body } => self.for_stmt(init, condition, increment, body),
            Stmt::Switch { condition, body } => self.switch_stmt(condition, body),
            Stmt::Case { low, high, body } => {
                self.at(id);
                self.case_label(low, high);
                if let Some(body) = body {
                    self.stmt(body);
                }
            }
            Stmt::Default(body) => {
                self.at(id);
                self.default_label();
                if let Some(body) = body {
                    self.stmt(body);
                }
            }
            Stmt::Label { label, body } => {
                let block = self.label(label);
                self.enter_block(block);
                if let Some(body) = body {
                    self.stmt(body);
                }
            }
            Stmt::Goto(label) => {
                self.at(id);
                self.jump_to_label(label);
            }
            Stmt::IndirectGoto(target) => {
                self.at(id);
                self.gap(Gap::ComputedGoto);
                self.effects(target);
                let block = self.block();
                self.computed_gotos.push(block);
                self.current = None;
            }
            Stmt::Break => {
                self.at(id);
                let jump = self.breaks.last().copied();
                self.jump(jump);
            }
            Stmt::Continue => {
                self.at(id);
                let jump = self.continues.last().copied();
                self.jump(jump);
            }
            Stmt::Return(value) => self.return_stmt(id, value),
            Stmt::Asm(asm) => {
                self.at(id);
                self.asm(asm);
            }
            Stmt::Attributed(inner) => self.stmt(inner),
            Stmt::Expr => self.effects(id),
            Stmt::Other(name) => self.give_up = Some(format!("statement not supported: {name}")),
        }
    }

    fn compound(&mut self, id: NodeId, stmts: &[NodeId]) {
        let outer = self.cleanups.len();
        let visible = self.scope.len();
        let span = self.unit.span(id);
        let mut after = span.begin;
        for &stmt in stmts {
            self.annotations_before(stmt, after);
            self.stmt(stmt);
            after = self.unit.span(stmt).end;
        }
        self.annotations_at_end(after, span.end);
        self.leave_scope(outer);
        self.scope.truncate(visible);
    }

    /// The value of a statement expression's last statement, if there is one.
    pub(super) fn compound_value(&mut self, id: NodeId) -> Option<Expr> {
        let Stmt::Compound(stmts) = self.unit.stmt(id) else { return None };
        let outer = self.cleanups.len();
        let (&last, rest) = stmts.split_last()?;
        for &stmt in rest {
            self.stmt(stmt);
        }
        // Held, because later commands may change the variables it was read from.
        let value = self.last_value(last).map(|value| self.hold(value));
        self.leave_scope(outer);
        value
    }

    fn last_value(&mut self, id: NodeId) -> Option<Expr> {
        match self.unit.stmt(id) {
            Stmt::Label { label, body } => {
                let block = self.label(label);
                self.enter_block(block);
                body.and_then(|body| self.last_value(body))
            }
            Stmt::Attributed(inner) => self.last_value(inner),
            Stmt::Expr => {
                let ty = self.unit.type_of(id);
                if value_type(self.unit, ty).is_some() {
                    Some(self.value(id))
                } else if super::types::is_void(self.unit, ty) {
                    self.effects(id);
                    None
                } else {
                    let value = self.aggregate(id);
                    let copy = self.fresh(ty, "value");
                    self.copy(copy, value, ty);
                    Some(copy)
                }
            }
            _ => {
                self.stmt(id);
                None
            }
        }
    }

    fn if_stmt(&mut self, origin: Origin, condition: NodeId, then: NodeId, otherwise: Option<NodeId>) {
        let then_block = self.new_block();
        let after = self.new_block();
        let else_block = if otherwise.is_some() { self.new_block() } else { after };
        self.condition(condition, origin, then_block, else_block);
        self.current = Some(then_block);
        self.stmt(then);
        self.goto(after);
        if let Some(otherwise) = otherwise {
            self.current = Some(else_block);
            match self.unit.stmt(otherwise) {
                Stmt::If { condition, then, otherwise } => {
                    self.if_stmt(Origin::ElseIf, condition, then, otherwise);
                }
                _ => self.stmt(otherwise),
            }
            self.goto(after);
        }
        self.current = Some(after);
    }

    fn while_stmt(&mut self, condition: NodeId, body: NodeId) {
        let head = self.new_block();
        let body_block = self.new_block();
        let after = self.new_block();
        let mut it = self.before_loop(head);
        let again = if it.is_annotated() { self.new_block() } else { head };
        self.enter_block(head);
        self.at_head(&mut it);
        self.condition(condition, Origin::LoopEntry, body_block, after);
        self.current = Some(body_block);
        self.loop_body(body, after, again);
        if again != head {
            self.enter_block(again);
            self.after_iteration(&it);
        }
        self.goto(head);
        self.current = Some(after);
        self.end_loop(it);
    }

    fn do_stmt(&mut self, body: NodeId, condition: NodeId) {
        let body_block = self.new_block();
        let test = self.new_block();
        let after = self.new_block();
        let mut it = self.before_loop(body_block);
        self.enter_block(body_block);
        self.at_head(&mut it);
        self.loop_body(body, after, test);
        self.enter_block(test);
        let again = if it.is_annotated() { self.new_block() } else { body_block };
        self.condition(condition, Origin::LoopAgain, again, after);
        if again != body_block {
            self.current = Some(again);
            self.after_iteration(&it);
            self.goto(body_block);
        }
        self.current = Some(after);
        self.end_loop(it);
    }

    fn for_stmt(
        &mut self,
        init: Option<NodeId>,
        condition: Option<NodeId>,
        increment: Option<NodeId>,
        body: NodeId,
    ) {
        let outer = self.cleanups.len();
        let visible = self.scope.len();
        if let Some(init) = init {
            self.stmt(init);
        }
        let head = self.new_block();
        let body_block = self.new_block();
        let step = self.new_block();
        let after = self.new_block();
        let mut it = self.before_loop(head);
        self.enter_block(head);
        self.at_head(&mut it);
        match condition {
            Some(condition) => self.condition(condition, Origin::LoopEntry, body_block, after),
            None => self.goto(body_block),
        }
        self.current = Some(body_block);
        self.loop_body(body, after, step);
        self.enter_block(step);
        if let Some(increment) = increment {
            self.effects(increment);
        }
        self.after_iteration(&it);
        self.goto(head);
        self.current = Some(after);
        self.end_loop(it);
        self.leave_scope(outer);
        self.scope.truncate(visible);
    }

    fn loop_body(
        &mut self,
        body: NodeId,
        on_break: gainsay_ir::gc::Block,
        on_continue: gainsay_ir::gc::Block,
    ) {
        let cleanups = self.cleanups.len();
        self.breaks.push(Jump { target: on_break, cleanups });
        self.continues.push(Jump { target: on_continue, cleanups });
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
    }

    fn jump(&mut self, jump: Option<Jump>) {
        match jump {
            Some(jump) => {
                self.run_cleanups(jump.cleanups);
                self.goto(jump.target);
            }
            // `while (({ break; 1; }))`: clang and gcc disagree on the loop that it leaves.
            None => self.give_up = Some("break or continue in the condition of a loop".to_owned()),
        }
    }

    fn jump_to_label(&mut self, label: DeclId) {
        // The scopes that the jump leaves are not computed: each cleanup may run or not.
        for i in (0..self.cleanups.len()).rev() {
            let after = self.new_block();
            self.maybe(after);
            self.run_cleanup(i);
            self.enter_block(after);
        }
        let target = self.label(label);
        self.goto(target);
    }

    fn return_stmt(&mut self, id: NodeId, value: Option<NodeId>) {
        let result = match (value, self.result_address) {
            (Some(value), Some(address)) => {
                let src = self.aggregate(value);
                self.at(id);
                let dst = self.read(address);
                let len = self.word(self.unit.size_of(self.result_ty).unwrap_or(0));
                self.emit(CmdKind::Copy { dst, src, len });
                None
            }
            (Some(value), None) if self.function.result.is_some() => Some(self.value(value)),
            (Some(value), None) => {
                self.effects(value);
                None
            }
            (None, _) => None,
        };
        self.at(id);
        if self.unit.is_noreturn(self.decl) {
            self.unreachable(Check::NoreturnReturns);
            return;
        }
        // `return;` in a function with a result is legal as long as the result is not used.
        let result = match (result, self.function.result) {
            (None, Some(ty)) => Some(self.indeterminate(ty)),
            (result, _) => result,
        };
        let result = if self.cleanups.is_empty() { result } else { result.map(|result| self.hold(result)) };
        self.run_cleanups(0);
        self.assert_postconditions(result);
        self.end(Next::Return(result));
    }

    fn declaration(&mut self, decl: DeclId) {
        let ty = self.unit.decl_type(decl);
        if !self.unit.is_variable(decl) {
            // A typedef or tag may name a variable-length type, whose size is fixed here.
            self.hold_vla_counts(ty);
            return;
        }
        if self.unit.is_static_storage(decl) {
            return;
        }
        self.hold_vla_counts(ty);
        if is_variable_array(self.unit, ty) {
            self.declare_variable_array(decl, ty);
            return;
        }
        let local = match self.local(decl) {
            Some(local) => local,
            None => self.declare(decl),
        };
        let init = self.unit.init(decl);
        match local {
            Local::Object(object) => {
                self.emit(CmdKind::EnterObject(object));
                if let Some(init) = init {
                    let address = self.address_of(object);
                    self.initialise(address, ty, init);
                }
            }
            Local::Var(var) => {
                if init.is_none() && self.unit.has_attr(decl, AttrKind::AsmLabel) {
                    // A variable bound to a machine register may hold anything.
                    self.emit(CmdKind::Havoc(var));
                } else if init.is_none_or(|init| self.reads_itself(init, decl)) {
                    // `int x = x;` is an idiom for "leave it uninitialised and do not warn".
                    self.emit(CmdKind::Enter(var));
                } else if let Some(init) = init {
                    let value = self.value(init);
                    self.assign(var, value);
                }
            }
            Local::Dynamic(_) => {}
        }
        if let Some(attr) = self.unit.attrs(decl).find(|attr| attr.kind == AttrKind::Cleanup) {
            let function = attr.args.first().map(|&id| DeclId(id));
            match function {
                Some(function) => self.cleanups.push((decl, function)),
                None => self.give_up = Some("cleanup attribute without a known function".to_owned()),
            }
        }
    }

    pub(super) fn reads_itself(&self, init: NodeId, decl: DeclId) -> bool {
        match self.unit.expr(init) {
            ast::Expr::Transparent(inner) | ast::Expr::Cast { operand: inner, .. } => {
                self.reads_itself(inner, decl)
            }
            ast::Expr::DeclRef(other) => other == decl,
            _ => false,
        }
    }

    /// Leaves the scopes opened since there were `outer` pending cleanups.
    fn leave_scope(&mut self, outer: usize) {
        if self.current.is_some() {
            self.run_cleanups(outer);
        }
        self.cleanups.truncate(outer);
    }

    /// Calls the cleanup functions of the scopes that a jump leaves, innermost first.
    fn run_cleanups(&mut self, outer: usize) {
        for i in (outer..self.cleanups.len()).rev() {
            self.run_cleanup(i);
        }
    }

    fn run_cleanup(&mut self, i: usize) {
        let (variable, function) = self.cleanups[i];
        if let Some(Local::Object(object)) = self.local(variable) {
            let address = self.address_of(object);
            self.call_by_name(function, vec![address]);
        }
    }

    /// The run may end acceptably here.
    pub(super) fn may_raise(&mut self) {
        let gone = self.new_block();
        self.maybe(gone);
        let here = self.current;
        self.current = Some(gone);
        self.end(Next::Raise);
        self.current = here;
    }

    /// Inline assembly may write its outputs, do anything with its inputs, not return, and jump to any of its labels
    /// (`asm goto`). An empty text is only a compiler barrier.
    fn asm(&mut self, asm: ast::Asm) {
        let mut known = Vec::new();
        for &input in asm.inputs {
            if self.unit.is_lvalue(input) {
                let place = self.place(input);
                if !matches!(place, Place::Var(_)) {
                    known.push(self.address(place));
                }
            } else {
                known.extend(self.value_or_address(input));
            }
        }
        if !asm.text.trim().is_empty() {
            self.gap(Gap::InlineAsm);
            self.anything_may_happen(known);
            if asm.volatile || asm.outputs.is_empty() {
                // It may be a system call that does not return.
                self.may_raise();
            }
        } else if asm.clobbers_memory {
            self.anything_may_happen(known);
        }
        for &output in asm.outputs {
            let place = self.place(output);
            self.havoc_place(&place);
        }
        for &label in asm.labels {
            let on = self.new_block();
            self.maybe(on);
            self.jump_to_label(label);
            self.current = Some(on);
        }
    }
}
