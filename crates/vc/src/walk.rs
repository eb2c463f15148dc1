//! One way through a function: the conditions that a run along it meets, one after the other.
//!
//! It is the same encoding as the whole function's, with every join resolved to the edge that was taken, so what is
//! possible along a way is possible in the function.

use super::address::Base;
use super::{Encoder, Event, Meeting, Options, Statement};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, Expr, Function, Var};
use gainsay_term::{Node, Term, TermPool};

/// How the names of unknowns begin that stand for something that is not encoded: contents that may have been overwritten,
/// operations that are not interpreted.
const FORGOTTEN: [&str; 3] = ["lost!", "float!", "bit!"];

/// Is it an unknown that stands for something that is not encoded?
pub fn is_forgotten(pool: &TermPool, term: Term) -> bool {
    match pool.node(term) {
        Node::Var(number) => FORGOTTEN.iter().any(|prefix| pool.name(number).starts_with(prefix)),
        _ => false,
    }
}

/// What a run meets in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A fact about an object, whatever the way.
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
        debug_assert!(options.must_pass_blocks.is_none(), "a way is more than its spine");
        let mut encoder = Encoder::new(unit, function, options);
        encoder.route = Some(Default::default());
        Walk { encoder, n_facts: 0 }
    }

    /// The same with the terms of another encoding of the function: what has a name has the same name in both, and may be
    /// asked about together.
    pub fn beside(
        unit: &'a gc::Unit,
        function: &'a Function,
        options: &'a Options,
        pool: TermPool,
    ) -> Walk<'a> {
        let mut walk = Walk::new(unit, function, options);
        // Unknowns without a name of their own are others here; there are fewer of them than terms.
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

    /// Another way begins, here or at a block of the last one: what was encoded there may not hold here.
    pub fn turn(&mut self) {
        self.encoder.round += 1;
        self.encoder.forget_resolved_loads();
    }

    /// Goes into a block; gives what is met there, in order.
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

    /// The value that a variable has on this way.
    pub fn variable(&mut self, var: Var) -> Term {
        self.encoder.var(var)
    }

    /// The addresses of the objects met so far, each with its size in bytes if that is known, in the order of their terms.
    pub fn objects(&self) -> Vec<(Term, Option<Term>)> {
        self.encoder.objects()
    }

    /// Where the terms depend on whether a store and a load meet, in the order of the conditions' terms.
    pub fn places(&self, terms: &[Term]) -> Vec<Meeting> {
        let terms = self.pool().subterms(terms);
        let mut places: Vec<Meeting> =
            terms.iter().filter_map(|term| self.encoder.places.get(term)).copied().collect();
        places.sort_by_key(|places| places.same);
        places
    }

    /// The objects, or pointers to them, that inputs among the terms were found in when the function began, in order.
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

    /// The object that a pointer points into, or the pointer that tells which.
    pub fn object_of(&self, pointer: Term) -> Term {
        self.encoder.position(pointer).base
    }

    /// Is it the address of an object that never changes?
    pub fn is_constant(&self, pointer: Term) -> bool {
        self.encoder.is_constant(pointer)
    }

    /// Is it the address of an object that is no function's own?
    pub fn is_global(&self, base: Term) -> bool {
        matches!(self.encoder.base_of(base), Some(Base::Symbol(_)))
    }

    /// What holds of inputs among the values because two addresses may be one.
    pub fn same_contents(&mut self, values: &[Term]) -> Vec<Term> {
        self.encoder.same_contents(values)
    }

    /// Is the term exact: made of nothing but inputs, results of calls, and what the commands do with them? Otherwise
    /// something in it was forgotten.
    pub fn is_exact(&self, terms: &[Term]) -> bool {
        let pool = self.pool();
        !pool.subterms(terms).iter().any(|&term| is_forgotten(pool, term))
    }

    /// The place to build further conditions over the values.
    pub fn pool_mut(&mut self) -> &mut TermPool {
        &mut self.encoder.pool
    }
}
