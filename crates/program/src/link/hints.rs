//! Hints: what the program suggests about the functions that a unit calls and defines. No facts: only `beliefs` reads them.

use super::{CallPlace, Callees, FunctionId, Program, SymbolKind};
use crate::body_facts::AbstractValue;
use crate::limits::MAX_NAMED_CALLERS;
use crate::models::{Locking, Models};
use crate::summary::{CanFail, Summary};
use gainsay_ir::gc::{self, Linkage, Unit};
use gainsay_ir::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// By the numbers of symbols in the unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// Of functions that the unit calls: the checks in them that can fail.
    pub can_fail: BTreeMap<u32, Vec<CanFail>>,
    /// Of functions that return a pointer: how the program treats it.
    pub results: BTreeMap<u32, ResultUse>,
    /// The same for the results of `malloc` and other allocators.
    pub allocations: NullTests,
    /// Of functions that the unit defines.
    pub callers: BTreeMap<u32, Callers>,
    /// Of functions of the library: what they do to which argument.
    pub locking: BTreeMap<u32, (Locking, u8)>,
}

impl Hints {
    /// A unit that creates recursive locks may lock one twice, so it gets no hints about locks.
    pub fn add_locking(&mut self, unit: &Unit, models: &Models) {
        if unit.symbols.values().any(|symbol| symbol.name == "pthread_mutexattr_settype") {
            return;
        }
        for (symbol, data) in &unit.symbols {
            let is_meant =
                matches!(&data.kind, gc::SymbolKind::Function(facts) if models.is_meant(&data.name, facts));
            let locking = models.locking(&data.name).filter(|_| is_meant);
            self.locking.extend(locking.map(|locking| (symbol.as_u32(), locking)));
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultUse {
    pub tested: NullTests,
    /// The body is known and may return NULL.
    pub may_return_null: bool,
}

/// Calls whose result is used: how many, and how many of them test it for NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NullTests {
    pub calls: u32,
    pub tested: u32,
}

impl NullTests {
    pub(super) fn add(&mut self, other: NullTests) {
        self.calls += other.calls;
        self.tested += other.tested;
    }
}

/// The calls of a function that were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callers {
    pub calls: u32,
    /// There may be calls that were not seen: through pointers, or from outside.
    pub may_be_others: bool,
    pub params: Vec<PassedValues>,
}

/// What calls pass for one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedValues {
    /// Calls that pass the address of an object, or a number other than zero.
    pub never_zero: u32,
    /// Calls that pass NULL or zero as such, and the first of them.
    pub zero: u32,
    pub zero_from: Vec<Caller>,
}

/// The function that makes the call, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    pub function: String,
    pub place: Option<CallPlace>,
}

/// Of all functions, in the order of [`Program::functions`].
pub struct AllCallers(Vec<Callers>);

impl AllCallers {
    /// Replaces file names by those shown to users.
    pub fn show_files(&mut self, shown: &dyn Fn(&str) -> String) {
        let passed = self.0.iter_mut().flat_map(|callers| &mut callers.params);
        for place in
            passed.flat_map(|passed| &mut passed.zero_from).filter_map(|caller| caller.place.as_mut())
        {
            place.file = shown(&place.file);
        }
    }
}

impl Program {
    pub fn callers(&self) -> AllCallers {
        let mut callers: Vec<Callers> = self.functions.iter().map(|_| Callers::default()).collect();
        for function in &self.functions {
            for definition in &function.definitions {
                let body_facts = self.body_facts(definition);
                let places = &self.units[definition.unit].null_calls;
                for (call, (site, callees)) in body_facts.calls.iter().zip(&definition.calls).enumerate() {
                    let Callees::Known(ids) = callees else { continue };
                    let is_certain = ids.len() == 1;
                    let place = places.get(&(definition.function as u32, call as u32)).cloned();
                    let caller = Caller { function: function.name.name.clone(), place };
                    for &id in ids {
                        let values = site.args.iter().map(|arg| (arg.ty, arg.value));
                        callers[id].add(&caller, is_certain, values);
                    }
                }
            }
        }
        for unit in &self.units {
            for entry in unit.symbols.values() {
                let SymbolKind::Function { is_pointed_at, .. } = entry.kind else { continue };
                if let Some(id) = self.find(&unit.global_name(entry)) {
                    callers[id].may_be_others |= is_pointed_at || entry.linkage != Linkage::Internal;
                }
            }
        }
        AllCallers(callers)
    }

    /// `summaries`: one for each of [`Program::functions`].
    pub fn hints_for(&self, summaries: &[Summary], callers: &AllCallers, unit: usize) -> Hints {
        let interface = &self.units[unit];
        let mut hints = Hints::default();
        for unit in &self.units {
            hints.allocations.add(unit.allocations);
        }
        let by_name = self.result_tests();
        for (&symbol, entry) in &interface.symbols {
            let name = interface.global_name(entry);
            let id: Option<FunctionId> = self.find(&name);
            let can_fail = id.map(|id| &summaries[id].can_fail).filter(|can_fail| !can_fail.is_empty());
            if let Some(can_fail) = can_fail {
                hints.can_fail.insert(symbol, can_fail.clone());
            }
            if matches!(entry.kind, SymbolKind::Function { result: Some(Type::Ptr), .. }) {
                let tested = by_name.get(&name).copied().unwrap_or_default();
                let may_return_null = id.is_some_and(|id| summaries[id].may_return_null);
                hints.results.insert(symbol, ResultUse { tested, may_return_null });
            }
        }
        for (symbol, _) in &interface.functions {
            let id = interface.symbols.get(symbol).and_then(|entry| self.find(&interface.global_name(entry)));
            if let Some(id) = id {
                let mut callers = callers.0[id].clone();
                // Only a tested parameter can have a redundant test. Places of other callers would only invalidate the cache.
                for (i, passed) in callers.params.iter_mut().enumerate() {
                    if !summaries[id].null_tested.contains(&(i as u32)) {
                        passed.zero_from.iter_mut().for_each(|caller| caller.place = None);
                    }
                }
                hints.callers.insert(*symbol, callers);
            }
        }
        hints
    }

    fn result_tests(&self) -> BTreeMap<crate::summary::GlobalName, NullTests> {
        let mut by_name: BTreeMap<_, NullTests> = BTreeMap::new();
        for unit in &self.units {
            for (symbol, &tested) in &unit.result_tests {
                if let Some(entry) = unit.symbols.get(symbol) {
                    by_name.entry(unit.global_name(entry)).or_default().add(tested);
                }
            }
        }
        by_name
    }
}

impl Callers {
    fn add(&mut self, from: &Caller, is_certain: bool, values: impl Iterator<Item = (Type, AbstractValue)>) {
        self.calls += 1;
        for (i, (_, value)) in values.enumerate() {
            if self.params.len() <= i {
                self.params.push(PassedValues::default());
            }
            let passed = &mut self.params[i];
            match value {
                AbstractValue::Const(0) if is_certain => {
                    passed.zero += 1;
                    if passed.zero_from.len() < MAX_NAMED_CALLERS {
                        passed.zero_from.push(from.clone());
                    }
                }
                AbstractValue::Address => passed.never_zero += 1,
                AbstractValue::Const(number) if number != 0 => passed.never_zero += 1,
                AbstractValue::Range(low, high) if low > 0 || high < 0 => passed.never_zero += 1,
                _ => {}
            }
        }
    }
}
