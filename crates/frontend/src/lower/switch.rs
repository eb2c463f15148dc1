//! `switch`: one edge per label, and one for "no label matches".

use super::function::{FunctionCx, Jump};
use crate::clang::ast::{self, NodeId};
use gainsay_ir::gc::{BinaryOp, Block, Expr, Loc, Next, Origin, Outcome};
use gainsay_ir::types::{BOOL, Type};

/// A switch whose body is being lowered.
pub(super) struct Switch {
    value: Expr,
    signed: bool,
    /// For a condition of enum type: the mask of the bits that count, and the values of the enum.
    enumerators: Option<(u128, Vec<u128>)>,
    cases: Vec<Case>,
    default: Option<(Block, Loc)>,
}

struct Case {
    low: u128,
    high: Option<u128>,
    target: Block,
    loc: Loc,
}

impl Switch {
    /// Does every value of the enum have a label?
    fn is_exhaustive(&self) -> bool {
        let Some((mask, values)) = &self.enumerators else { return false };
        let is_listed =
            |value: &u128| self.cases.iter().any(|case| case.high.is_none() && case.low & mask == *value);
        !values.is_empty() && values.iter().all(is_listed)
    }
}

impl FunctionCx<'_> {
    pub(super) fn switch_stmt(&mut self, condition: NodeId, body: NodeId) {
        let value = self.value(condition);
        self.at(condition);
        let value = self.hold(value);
        let loc = self.loc;
        let dispatch = self.block();
        let after = self.new_block();
        let signed = self.unit.is_signed(self.unit.type_of(condition));
        let enumerators = self.enumerators(condition);
        self.switches.push(Switch { value, signed, enumerators, cases: Vec::new(), default: None });
        self.breaks.push(Jump { target: after, cleanups: self.cleanups.len() });
        self.current = None;
        self.stmt(body);
        self.goto(after);
        self.breaks.pop();
        let switch = self.switches.pop().expect("pushed above");
        self.current = Some(dispatch);
        self.loc = loc;
        self.dispatch(switch, after);
        self.current = Some(after);
    }

    pub(super) fn case_label(&mut self, low: NodeId, high: Option<NodeId>) {
        let target = self.new_block();
        self.enter_block(target);
        let low = self.unit.constant(low);
        let high_value = high.map(|high| self.unit.constant(high));
        let loc = self.loc;
        let switch = self.switches.last_mut().expect("clang rejects a stray case");
        match (low, high_value) {
            (Some(low), None) => switch.cases.push(Case { low, high: None, target, loc }),
            (Some(low), Some(Some(high))) => switch.cases.push(Case { low, high: Some(high), target, loc }),
            _ => self.give_up = Some("case label without a value".to_owned()),
        }
    }

    pub(super) fn default_label(&mut self) {
        let target = self.new_block();
        self.enter_block(target);
        let loc = self.loc;
        let switch = self.switches.last_mut().expect("clang rejects a stray default");
        switch.default = Some((target, loc));
    }

    fn dispatch(&mut self, switch: Switch, after: Block) {
        let condition = self.new_condition();
        let here = self.loc;
        let mut edges = smallvec::SmallVec::new();
        let mut none_matches = None;
        for case in &switch.cases {
            self.loc = case.loc;
            let guard = self.matches(&switch, case);
            edges.push(self.edge(condition, Origin::Switch, Outcome::Case, guard, case.target));
            let negated = self.not(guard);
            none_matches = Some(match none_matches {
                None => negated,
                Some(others) => self.binary(BinaryOp::And, others, negated),
            });
        }
        let otherwise = match none_matches {
            Some(guard) => guard,
            None => self.constant(BOOL, 1),
        };
        self.loc = here;
        edges.push(match switch.default {
            Some((target, loc)) => {
                self.loc = loc;
                self.edge(condition, Origin::Switch, Outcome::Default, otherwise, target)
            }
            None => {
                let outcome =
                    if switch.is_exhaustive() { Outcome::Exhausted } else { Outcome::MissingDefault };
                self.edge(condition, Origin::Switch, outcome, otherwise, after)
            }
        });
        self.loc = here;
        self.end(Next::Goto(edges));
    }

    /// The values of the enum type that the condition has before promotion.
    fn enumerators(&self, condition: NodeId) -> Option<(u128, Vec<u128>)> {
        let mut node = condition;
        loop {
            node = match self.unit.expr(node) {
                ast::Expr::Transparent(inner) => inner,
                ast::Expr::Cast { explicit: false, operand, .. } => operand,
                _ => break,
            };
        }
        let bits = self.unit.size_of(self.unit.type_of(condition))? * 8;
        let mask = gainsay_ir::eval::mask(u16::try_from(bits).ok()?);
        let constants = self.unit.enumerators(self.unit.type_of(node))?;
        Some((
            mask,
            constants.iter().map(|&constant| self.unit.enum_value(constant) as u128 & mask).collect(),
        ))
    }

    fn matches(&mut self, switch: &Switch, case: &Case) -> Expr {
        let Type::Int(bits) = self.ty(switch.value) else { return self.constant(BOOL, 1) };
        let low = self.int(bits, case.low);
        let Some(high) = case.high else {
            return self.binary(BinaryOp::Eq, switch.value, low);
        };
        let high = self.int(bits, high);
        let le = if switch.signed { BinaryOp::SLe } else { BinaryOp::ULe };
        let above = self.binary(le, low, switch.value);
        let below = self.binary(le, switch.value, high);
        self.binary(BinaryOp::And, above, below)
    }
}
