//! Chooses whether each bit-vector is read as a signed or an unsigned number. Values that are added, compared or chosen
//! together are read alike, by majority of the operators that distinguish. Any choice is correct; a good one saves
//! conversions.

use super::{Piece, System};
use gainsay_term::{BinaryOp, CompareOp, Node, Term, TermPool};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Signed,
    Unsigned,
}

/// Of the arguments of every point, and of the terms of every piece.
#[derive(Clone, Debug)]
pub struct Readings {
    pub(super) arguments: Vec<Vec<Reading>>,
    /// By piece and index of the term, where it occurs in a clause.
    pub(super) terms: Vec<BTreeMap<Term, Reading>>,
}

impl Readings {
    pub fn of(system: &System) -> Readings {
        let mut groups = Groups::default();
        let arguments: Vec<Vec<usize>> = system
            .points
            .iter()
            .map(|point| point.arguments.iter().map(|_| groups.new_member()).collect())
            .collect();
        let mut members: Vec<BTreeMap<Term, usize>> = Vec::new();
        for piece in &system.pieces {
            let mut of_piece = BTreeMap::new();
            for term in piece.pool.subterms(&roots(piece)) {
                of_piece.insert(term, groups.new_member());
            }
            let member = |term: Term| (!piece.pool.is_constant(term)).then(|| of_piece[&term]);
            for &term in of_piece.keys() {
                groups.node(&piece.pool, term, &member);
            }
            if let Some(point) = piece.from {
                for (&argument, &term) in arguments[point].iter().zip(&piece.before) {
                    groups.join(Some(argument), of_piece.get(&term).copied());
                }
            }
            for step in &piece.steps {
                for (&argument, &term) in arguments[step.to].iter().zip(&step.after) {
                    if of_piece.contains_key(&term) {
                        groups.join(Some(argument), member(term));
                    }
                }
            }
            members.push(of_piece);
        }
        let arguments = arguments
            .into_iter()
            .map(|point| point.into_iter().map(|member| groups.reading(member)).collect())
            .collect();
        let terms = members
            .into_iter()
            .map(|piece| piece.into_iter().map(|(term, member)| (term, groups.reading(member))).collect())
            .collect();
        Readings { arguments, terms }
    }
}

/// The terms that a piece consists of.
fn roots(piece: &Piece) -> Vec<Term> {
    let mut roots = piece.before.clone();
    roots.push(piece.ended);
    roots.extend(&piece.taken);
    for step in &piece.steps {
        roots.push(step.when);
        roots.extend(&step.after);
    }
    roots
}

/// Union-find with votes: positive for signed.
#[derive(Default)]
struct Groups {
    parents: Vec<usize>,
    votes: Vec<i64>,
}

impl Groups {
    fn new_member(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.votes.push(0);
        self.parents.len() - 1
    }

    fn root(&mut self, mut member: usize) -> usize {
        while self.parents[member] != member {
            self.parents[member] = self.parents[self.parents[member]];
            member = self.parents[member];
        }
        member
    }

    fn join(&mut self, a: Option<usize>, b: Option<usize>) {
        let (Some(a), Some(b)) = (a, b) else { return };
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents[b] = a;
            self.votes[a] += self.votes[b];
        }
    }

    fn vote(&mut self, member: Option<usize>, votes: i64) {
        if let Some(member) = member {
            let root = self.root(member);
            self.votes[root] += votes;
        }
    }

    fn reading(&mut self, member: usize) -> Reading {
        let root = self.root(member);
        if self.votes[root] >= 0 { Reading::Signed } else { Reading::Unsigned }
    }

    fn node(&mut self, pool: &TermPool, term: Term, member: &impl Fn(Term) -> Option<usize>) {
        let result = member(term);
        match pool.node(term) {
            Node::Ite(_, a, b) if pool.width(a) > 0 => {
                self.join(result, member(a));
                self.join(result, member(b));
            }
            Node::Eq(a, b) if pool.width(a) > 0 => self.join(member(a), member(b)),
            Node::Neg(a) | Node::BvNot(a) => self.join(result, member(a)),
            Node::Compare(op, a, b) => {
                self.join(member(a), member(b));
                let votes = match op {
                    CompareOp::SLt => 2,
                    CompareOp::ULt => -2,
                };
                self.vote(member(a).or(member(b)), votes);
            }
            Node::Binary(op, a, b) => {
                if !matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
                    self.join(result, member(b));
                }
                self.join(result, member(a));
                let votes = match op {
                    BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr => 2,
                    BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr => -2,
                    _ => 0,
                };
                self.vote(result, votes);
            }
            Node::SignExtend { of, .. } => {
                self.vote(member(of), 2);
                self.vote(result, 2);
            }
            Node::ZeroExtend { of, .. } => self.vote(member(of), -2),
            _ => {}
        }
    }
}
