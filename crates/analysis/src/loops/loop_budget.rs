//! What questions about loops may cost, and for which contents of the purse a function would have come out the same.

use serde::{Deserialize, Serialize};

/// An effort that the functions of a unit share, in order.
#[derive(Clone, Debug)]
pub struct LoopBudget {
    left: u64,
    use_: Use,
}

/// How one function used the purse: for any contents from `least` to `most` it asks the same questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    least: u64,
    most: u64,
    spent: u64,
}

impl LoopBudget {
    pub(super) fn new(left: u64) -> LoopBudget {
        LoopBudget { left, use_: Use::NONE }
    }

    /// Another function begins.
    pub fn begin(&mut self) {
        self.use_ = Use::NONE;
    }

    /// How it was used since [`LoopBudget::begin`].
    pub fn used(&self) -> Use {
        self.use_
    }

    /// Would a function that used it so use it so now?
    pub fn allows(&self, known: &Use) -> bool {
        (known.least..=known.most).contains(&self.left)
    }

    /// Pays what such a function paid.
    pub fn repeat(&mut self, known: &Use) {
        self.left = self.left.saturating_sub(known.spent);
    }

    pub(super) fn affords(&mut self, cost: u64) -> bool {
        // In terms of what there was when the function began.
        let needed = cost.saturating_add(self.use_.spent);
        let is_enough = self.left >= cost;
        if is_enough {
            self.use_.least = self.use_.least.max(needed);
        } else {
            self.use_.most = self.use_.most.min(needed.saturating_sub(1));
        }
        is_enough
    }

    /// Pays as much as there is.
    pub(super) fn pay(&mut self, cost: u64) {
        self.affords(cost);
        self.left = self.left.saturating_sub(cost);
        self.use_.spent = self.use_.spent.saturating_add(cost);
    }
}

impl Use {
    const NONE: Use = Use { least: 0, most: u64::MAX, spent: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_questions() {
        let function = |loop_budget: &mut LoopBudget| {
            loop_budget.begin();
            let could_pay = loop_budget.left >= 30;
            loop_budget.pay(30);
            let mut asked = 0;
            while asked < 3 && loop_budget.affords(100) {
                loop_budget.pay(100);
                asked += 1;
            }
            (could_pay, asked)
        };
        for left in [0, 29, 30, 129, 130, 250, 329, 330, 1_000] {
            let mut first = LoopBudget::new(left);
            let asked = function(&mut first);
            for other in [0, 29, 30, 31, 129, 130, 229, 230, 329, 330, 331, 5_000] {
                let (mut again, mut known) = (LoopBudget::new(other), LoopBudget::new(other));
                let same = known.allows(&first.used());
                assert_eq!(same, function(&mut again) == asked, "{left} {other}");
                if same {
                    known.repeat(&first.used());
                    assert_eq!(known.left, again.left);
                }
            }
        }
    }
}
