//! The budget for queries about loops, and the range of budgets for which a function would make the same
//! queries.
//!
//! The functions of a unit share one budget, in order. The range lets the cache reuse a function's result
//! although the functions before it have changed (docs/decisions/014-loop-budget.md).

use serde::{Deserialize, Serialize};

/// Effort that the functions of a unit share, in order.
#[derive(Clone, Debug)]
pub struct LoopBudget {
    remaining: u64,
    function_use: LoopBudgetUse,
}

/// How one function used the budget: for any remaining amount from `least` to `most` it makes the same
/// queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopBudgetUse {
    least: u64,
    most: u64,
    spent: u64,
}

impl LoopBudget {
    pub(super) fn new(remaining: u64) -> LoopBudget {
        LoopBudget { remaining, function_use: LoopBudgetUse::NONE }
    }

    /// Starts the account of another function.
    pub fn begin(&mut self) {
        self.function_use = LoopBudgetUse::NONE;
    }

    /// The use since [`LoopBudget::begin`].
    pub fn used(&self) -> LoopBudgetUse {
        self.function_use
    }

    /// Whether a function with that recorded use would use the budget in the same way at this point.
    pub fn allows(&self, known: &LoopBudgetUse) -> bool {
        (known.least..=known.most).contains(&self.remaining)
    }

    /// Deducts what a function with that recorded use spent.
    pub fn repeat(&mut self, known: &LoopBudgetUse) {
        self.remaining = self.remaining.saturating_sub(known.spent);
    }

    pub(super) fn affords(&mut self, cost: u64) -> bool {
        // Relative to the amount at the start of the function.
        let needed = cost.saturating_add(self.function_use.spent);
        let is_enough = self.remaining >= cost;
        if is_enough {
            self.function_use.least = self.function_use.least.max(needed);
        } else {
            self.function_use.most = self.function_use.most.min(needed.saturating_sub(1));
        }
        is_enough
    }

    /// Deducts the cost, down to zero.
    pub(super) fn pay(&mut self, cost: u64) {
        self.affords(cost);
        self.remaining = self.remaining.saturating_sub(cost);
        self.function_use.spent = self.function_use.spent.saturating_add(cost);
    }
}

impl LoopBudgetUse {
    const NONE: LoopBudgetUse = LoopBudgetUse { least: 0, most: u64::MAX, spent: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_questions() {
        let function = |loop_budget: &mut LoopBudget| {
            loop_budget.begin();
            let could_pay = loop_budget.remaining >= 30;
            loop_budget.pay(30);
            let mut asked = 0;
            while asked < 3 && loop_budget.affords(100) {
                loop_budget.pay(100);
                asked += 1;
            }
            (could_pay, asked)
        };
        for remaining in [0, 29, 30, 129, 130, 250, 329, 330, 1_000] {
            let mut first = LoopBudget::new(remaining);
            let asked = function(&mut first);
            for other in [0, 29, 30, 31, 129, 130, 229, 230, 329, 330, 331, 5_000] {
                let (mut again, mut known) = (LoopBudget::new(other), LoopBudget::new(other));
                let same = known.allows(&first.used());
                assert_eq!(same, function(&mut again) == asked, "{remaining} {other}");
                if same {
                    known.repeat(&first.used());
                    assert_eq!(known.remaining, again.remaining);
                }
            }
        }
    }
}
