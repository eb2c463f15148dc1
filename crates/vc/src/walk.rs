//! The *walk* variant: the conditions along a single path, one after the other.
//!
//! It uses the encoder of the whole function with every join resolved to the edge that was taken, so what is possible along a
//! walk is possible in the function.

use super::address::Base;
use super::control_flow::Event;
use super::{AliasCase, Encoder, Options, Statement};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, Expr, Function, Var};
use gainsay_term::{Term, TermPool};

/// What a run encounters in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A fact about an object, on every path.
    Always(Term),
    /// It goes on only if this holds, which is the value of the expression.
    Holds(Term, Expr),
    /// It may end here, and acceptably.
    MayEnd,
}

pub struct Walk<'a> {
    encoder: Encoder<'a>,
    /// How many facts were handed out.
    n_facts: usize,
}

impl<'a> Walk<'a> {
    /// `options` live with the caller; those for questions about statements mean nothing here.
    pub fn new(unit: &'a gc::Unit, function: &'a Function, options: &'a Options) -> Walk<'a> {
        debug_assert!(options.must_pass_blocks.is_none(), "a walk contains more than the must-pass blocks");
        let mut encoder = Encoder::new(unit, function, options);
        encoder.route = Some(Default::default());
        Walk { encoder, n_facts: 0 }
    }

    /// A walk that shares the pool of another encoding of the function. Named values are the same in both, so queries may mix
    /// their terms.
    pub fn with_pool(
        unit: &'a gc::Unit,
        function: &'a Function,
        options: &'a Options,
        pool: TermPool,
    ) -> Walk<'a> {
        let mut walk = Walk::new(unit, function, options);
        // Numbered unknowns must not collide; there are fewer of them than terms.
        walk.encoder.n_unknowns = pool.len() as u32;
        walk.encoder.pool = pool;
        walk.encoder.never = walk.encoder.pool.bool(false);
        walk.encoder.passed = walk.encoder.pool.bool(true);
        walk.encoder.ended = walk.encoder.never;
        walk
    }

    pub fn pool(&self) -> &TermPool {
        &self.encoder.pool
    }

    /// Starts another path, which may share a prefix with the last one. Results that depend on the path are forgotten.
    pub fn change_path(&mut self) {
        self.encoder.round += 1;
        self.encoder.forget_resolved_loads();
    }

    /// Enters a block and appends its steps, in order.
    pub fn enter(&mut self, block: Block, from: Option<Block>, steps: &mut Vec<Step>) {
        if let Some(route) = &mut self.encoder.route {
            route[block] = from;
        }
        let data = &self.encoder.function.blocks[block];
        for phi in &data.phis {
            self.encoder.phi(block, phi);
        }
        for (index, cmd) in data.cmds.iter().enumerate() {
            if self.encoder.options.checks_are_events && matches!(cmd.kind, CmdKind::Assert(..)) {
                continue;
            }
            let event = self.encoder.command(Statement { block, index: index as u32 }, cmd);
            steps.extend(self.encoder.facts[self.n_facts..].iter().map(|&fact| Step::Always(fact)));
            self.n_facts = self.encoder.facts.len();
            match event {
                Event::Nothing => {}
                Event::Holds(holds) => steps.extend(cmd.condition().map(|expr| Step::Holds(holds, expr))),
                Event::MayEnd => steps.push(Step::MayEnd),
            }
        }
    }

    /// The value of an expression of the block just entered.
    pub fn value(&mut self, expr: Expr) -> Term {
        self.encoder.expr(expr)
    }

    /// The value of a variable on this path.
    pub fn variable(&mut self, var: Var) -> Term {
        self.encoder.var(var)
    }

    /// The addresses of the objects met so far, each with its size in bytes if that is known, in the order of their terms.
    pub fn objects(&self) -> Vec<(Term, Option<Term>)> {
        self.encoder.objects()
    }

    /// The alias cases that the terms depend on, in the order of their conditions.
    pub fn alias_cases(&self, terms: &[Term]) -> Vec<AliasCase> {
        let terms = self.pool().subterms(terms);
        let mut cases: Vec<AliasCase> =
            terms.iter().filter_map(|term| self.encoder.alias_cases.get(term)).copied().collect();
        cases.sort_by_key(|case| case.same);
        cases
    }

    /// The objects, or pointers to them, whose contents at entry are among the terms, in order.
    pub fn found_in(&self, inputs: &[Term]) -> Vec<Term> {
        let contents = self.encoder.contents.iter();
        let mut bases: Vec<Term> = contents
            .filter(|(_, value)| inputs.contains(value))
            .map(|(&(_, addr, _), _)| self.encoder.position(addr).base)
            .collect();
        bases.sort();
        bases.dedup();
        bases
    }

    /// The object that a pointer points into, or its base pointer.
    pub fn object_of(&self, pointer: Term) -> Term {
        self.encoder.position(pointer).base
    }

    /// Is it the address of an object that never changes?
    pub fn is_constant(&self, pointer: Term) -> bool {
        self.encoder.is_constant(pointer)
    }

    /// Is it the address of a global object?
    pub fn is_global(&self, base: Term) -> bool {
        matches!(self.encoder.base_of(base), Some(Base::Symbol(_)))
    }

    /// Facts about inputs among the values whose addresses may be equal.
    pub fn same_contents(&mut self, values: &[Term]) -> Vec<Term> {
        self.encoder.same_contents(values)
    }

    /// Are the terms exact: functions of inputs and results of calls, without approximations?
    pub fn is_exact(&self, terms: &[Term]) -> bool {
        let pool = self.pool();
        !pool.subterms(terms).iter().any(|&term| pool.is_approximation(term))
    }

    /// The pool, to build further conditions over the values.
    pub fn pool_mut(&mut self) -> &mut TermPool {
        &mut self.encoder.pool
    }
}
