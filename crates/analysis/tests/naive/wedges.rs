//! Figures 3 and 6: the wedges of a statement, each with the part of the statement that it is about.

use crate::syntax::{Comparison, Expr, Instruction, Path, Predicate, Statement, below};

/// A statement whose runs are those that pass a part of the original.
pub struct Wedge {
    /// The part.
    pub at: Path,
    pub kind: Kind,
    pub statement: Statement,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Kind {
    /// `C[i]`, `C[skip]` or `C[raise]` of Figure 3: the part is an instruction, skip or raise.
    Leaf,
    /// `C[s1]` or `C[s2]` of the choice `s1 [] s2`: the wedge of section 3.1, of which every choice has two. Figure 3
    /// contains it only for branches that are a leaf; for others it descends to the leaves.
    Branch,
    /// `C[assume P' ; s']` of Figure 6, for the branch `assume P ; s'`; here is `P'`.
    Boundary(Predicate),
}

/// `C ::= hole | C ; s | s ; C | C ! s | s ! C` (Figure 2): what is around the hole, outermost first.
#[derive(Clone, Default)]
struct Context(Vec<Frame>);

#[derive(Clone)]
enum Frame {
    /// `hole ; s`
    Before(Statement),
    /// `s ; hole`
    After(Statement),
    /// `hole ! s`
    Guarded(Statement),
    /// `s ! hole`
    Handling(Statement),
}

impl Context {
    /// `C[frame]`, where the frame has the new hole.
    fn with(&self, frame: Frame) -> Context {
        Context(self.0.iter().cloned().chain([frame]).collect())
    }

    /// `C[s]`
    fn fill(&self, s: &Statement) -> Statement {
        self.0.iter().rev().fold(s.clone(), |inner, frame| match frame.clone() {
            Frame::Before(next) => inner.then(next),
            Frame::After(first) => first.then(inner),
            Frame::Guarded(handler) => inner.handled_by(handler),
            Frame::Handling(first) => first.handled_by(inner),
        })
    }
}

/// `wedges(hole, s)`
pub fn wedges(s: &Statement) -> Vec<Wedge> {
    let mut found = Vec::new();
    wedges_in(&Context::default(), s, &[], &mut found);
    found
}

/// `wedges(C, s)` of Figure 3 with the extension of Figure 6; `at` is the path of `s` in the original.
fn wedges_in(c: &Context, s: &Statement, at: &[usize], found: &mut Vec<Wedge>) {
    let diverge = Statement::diverge;
    match s {
        Statement::Do(_) | Statement::Skip | Statement::Raise => {
            found.push(Wedge { at: at.to_vec(), kind: Kind::Leaf, statement: c.fill(s) });
        }
        Statement::Seq(s1, s2) => {
            wedges_in(&c.with(Frame::Before((**s2).clone())), s1, &below(at, 0), found);
            let s1_ends = (**s1).clone().handled_by(diverge());
            wedges_in(&c.with(Frame::After(s1_ends)), s2, &below(at, 1), found);
        }
        Statement::Handle(s1, s2) => {
            wedges_in(&c.with(Frame::Guarded((**s2).clone())), s1, &below(at, 0), found);
            let s1_raises = (**s1).clone().then(diverge());
            wedges_in(&c.with(Frame::Handling(s1_raises)), s2, &below(at, 1), found);
        }
        Statement::Choice(s1, s2) => {
            for (child, branch) in [s1, s2].into_iter().enumerate() {
                let at = below(at, child);
                found.push(Wedge { at: at.clone(), kind: Kind::Branch, statement: c.fill(branch) });
                boundary_wedge(c, branch, &at, found);
                wedges_in(c, branch, &at, found);
            }
        }
        Statement::Loop(body) => {
            let before = s.clone().handled_by(diverge());
            let c = c.with(Frame::After(before)).with(Frame::Before(s.clone()));
            wedges_in(&c, body, &below(at, 0), found);
        }
    }
}

/// `bwedge(C, s)` of Figure 6.
fn boundary_wedge(c: &Context, s: &Statement, at: &[usize], found: &mut Vec<Wedge>) {
    if let Statement::Seq(first, rest) = s
        && let Statement::Do(Instruction::Assume(p)) = &**first
        && let Some(p) = boundary_condition(p)
    {
        let statement = c.fill(&Statement::assume(p.clone()).then((**rest).clone()));
        found.push(Wedge { at: at.to_vec(), kind: Kind::Boundary(p), statement });
    }
}

/// `bcond(P)` of Figure 6.
fn boundary_condition(p: &Predicate) -> Option<Predicate> {
    let Predicate::Compare(comparison, e1, e2) = p else { return None };
    let one = Box::new(Expr::Const(1));
    let e2 = match comparison {
        Comparison::Lt => Expr::Sub(Box::new(e2.clone()), one),
        Comparison::Gt => Expr::Add(Box::new(e2.clone()), one),
        Comparison::Le | Comparison::Ge => e2.clone(),
        Comparison::Eq | Comparison::Ne => return None,
    };
    Some(Predicate::Compare(Comparison::Eq, e1.clone(), e2))
}
