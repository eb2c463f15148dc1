//! Figure 4: weakest preconditions with a postcondition for going wrong.

use crate::store::{Set, Stores};
use crate::syntax::{Instruction, Predicate, Program, Statement};

/// Which solution of `P = N and wp(s, P, X, W)` is the weakest precondition of `s*`.
///
/// The paper writes lfp. Under implication that is the strongest solution: it holds only where the loop is sure
/// to end, so nothing after a loop that may run forever is found fatal, and `havoc(targets(s)) ; s`
/// would not over-approximate `s*` (section 3.4), since it always ends. Theorems 1 and 3, and the loop
/// approximation, are about runs that end; they are exact for the weakest solution. Both are kept, and both are
/// compared with runs of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixpoint {
    /// As in Figure 4.
    Least,
    /// Least in the order in which the weaker predicate is the smaller one.
    Weakest,
}

/// `N`, `X` and `W`: what must hold after ending normally, after raising, and where an assertion fails.
#[derive(Clone, Debug)]
pub struct Post {
    pub normal: Set,
    pub raised: Set,
    pub wrong: Set,
}

pub struct Calculus<'a> {
    pub program: &'a Program,
    pub fixpoint: Fixpoint,
}

impl Calculus<'_> {
    /// `wp(s, N, X, W)`
    pub fn wp(&self, s: &Statement, post: &Post) -> Set {
        match s {
            Statement::Do(instruction) => self.instruction(instruction, post),
            Statement::Skip => post.normal.clone(),
            Statement::Raise => post.raised.clone(),
            Statement::Seq(s1, s2) => {
                let normal = self.wp(s2, post);
                self.wp(s1, &Post { normal, ..post.clone() })
            }
            Statement::Choice(s1, s2) => self.wp(s1, post).and(&self.wp(s2, post)),
            Statement::Handle(s1, s2) => {
                let raised = self.wp(s2, post);
                self.wp(s1, &Post { raised, ..post.clone() })
            }
            Statement::Loop(body) => self.solution(body, post),
        }
    }

    fn instruction(&self, instruction: &Instruction, post: &Post) -> Set {
        let stores = self.stores();
        match instruction {
            Instruction::Assign(x, e) => {
                stores.set(|store| post.normal.contains(stores.with(store, *x, e.value(&stores, store))))
            }
            Instruction::Havoc(x) => stores.set(|store| {
                stores.values().all(|value| post.normal.contains(stores.with(store, *x, value)))
            }),
            Instruction::Assert(p) => {
                let p = self.set(p);
                p.and(&post.normal).or(&post.wrong.but_not(&p))
            }
            Instruction::Assume(p) => stores.every().but_not(&self.set(p)).or(&post.normal),
            Instruction::Call(callee) => self.wp(&self.program.meaning_of_call(*callee), post),
        }
    }

    /// The solution of `P = N and wp(body, P, X, W)`, by iteration.
    fn solution(&self, body: &Statement, post: &Post) -> Set {
        let mut p = match self.fixpoint {
            Fixpoint::Least => self.stores().none(),
            Fixpoint::Weakest => self.stores().every(),
        };
        loop {
            let next = post.normal.and(&self.wp(body, &Post { normal: p.clone(), ..post.clone() }));
            if next == p {
                return p;
            }
            p = next;
        }
    }

    /// The failure condition of section 3.2, `wp(s, false, false, true)`: where it holds no run of `s` ends well.
    pub fn failure_condition(&self, s: &Statement) -> Set {
        let stores = self.stores();
        self.wp(s, &Post { normal: stores.none(), raised: stores.none(), wrong: stores.every() })
    }

    /// A statement is found not to be terminable if its failure condition is valid (Theorem 2).
    pub fn is_terminable(&self, s: &Statement) -> bool {
        !self.failure_condition(s).is_valid()
    }

    /// Section 3.3: is `P => wp(s, N, X, false)` valid, so that the function meets its specification?
    pub fn is_verified(&self, function: usize) -> bool {
        let function = &self.program.functions[function];
        let (normal, raised) = (self.set(&function.ensures), self.set(&function.raises));
        let post = Post { normal, raised, wrong: self.stores().none() };
        self.set(&function.requires).implies(&self.wp(&function.body, &post))
    }

    pub fn set(&self, predicate: &Predicate) -> Set {
        let stores = self.stores();
        stores.set(|store| predicate.holds(&stores, store))
    }

    fn stores(&self) -> Stores {
        self.program.stores()
    }
}
