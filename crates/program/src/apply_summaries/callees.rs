//! Summaries resolved for one unit: its symbols instead of the names of globals, its alias classes.

use crate::summary::{Base, ExitContents, GlobalName, Summary};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use gainsay_ir::gc::{
    Access, Call, CallBase, CallWrite, Callee, Class, ClassData, Linkage, Symbol, SymbolData, SymbolKind,
    Unit,
};
use std::collections::{BTreeMap, HashMap};

/// The summaries of the functions that a unit calls.
pub struct CalleeSummaries<'a> {
    known: SecondaryMap<Symbol, Option<ResolvedSummary<'a>>>,
    /// Single calls, by the symbol of the function and the number of the call in it.
    sites: BTreeMap<(u32, u32), ResolvedSummary<'a>>,
}

#[derive(Clone)]
pub(super) struct ResolvedSummary<'a> {
    pub(super) summary: &'a Summary,
    /// [`CallBase::Argument`] means the parameter of that number, whether or not a call has it.
    pub(super) writes: Option<Vec<CallWrite>>,
    /// The exit state. Facts that become stores come first.
    pub(super) exit_state: Vec<CallExitFact>,
}

#[derive(Clone)]
pub(super) struct CallExitFact {
    /// An argument or a symbol.
    pub(super) base: CallBase,
    pub(super) offset: i64,
    pub(super) access: Access,
    pub(super) contents: ExitContents,
}

/// What is needed to resolve the names in summaries.
pub struct UnitNames<'a> {
    /// The identity of the unit; see [`GlobalName`].
    pub unit: &'a str,
    /// May a pointer to the global exist? If not, only units that can name it see a write to it.
    pub is_exposed: &'a dyn Fn(&GlobalName) -> bool,
}

impl<'a> CalleeSummaries<'a> {
    /// Adds the classes to the unit that the summaries name and that it does not have.
    ///
    /// `lookup` must give the summary of the function that a call of the symbol calls, with parameters and result of
    /// the types that this unit declares, or nothing. `sites`: of single calls, by the symbol of the function and the
    /// number of the call among all calls of it, with parameters and result of the types at the call.
    pub fn of(
        unit: &mut Unit,
        names: &UnitNames,
        lookup: &dyn Fn(Symbol) -> Option<&'a Summary>,
        sites: &'a BTreeMap<(u32, u32), Summary>,
    ) -> CalleeSummaries<'a> {
        let Unit { symbols, classes, .. } = unit;
        let by_name = symbols.iter().map(|(symbol, data)| (&*data.name, symbol)).collect();
        let mut resolver = Resolver { names, symbols, by_name, numbers: numbers(classes), classes };
        let mut known: SecondaryMap<Symbol, Option<ResolvedSummary>> = SecondaryMap::new();
        for (symbol, data) in symbols.iter() {
            // A weak function may be replaced by another one.
            let is_fixed = data.linkage != Linkage::Weak && matches!(data.kind, SymbolKind::Function(_));
            if let Some(summary) = lookup(symbol).filter(|_| is_fixed) {
                known[symbol] = Some(resolver.resolve(summary));
            }
        }
        let sites = sites.iter().map(|(&site, summary)| (site, resolver.resolve(summary))).collect();
        CalleeSummaries { known, sites }
    }

    /// The summary for the call of that number in the function.
    pub(super) fn get(&self, function: Symbol, number: u32, call: &Call) -> Option<&ResolvedSummary<'a>> {
        let by_name = match call.callee {
            Callee::Symbol(symbol) => self.known[symbol].as_ref(),
            Callee::Pointer(_) => None,
        };
        by_name.or_else(|| self.sites.get(&(function.as_u32(), number)))
    }
}

fn numbers(classes: &PrimaryMap<Class, ClassData>) -> HashMap<ClassData, Class> {
    classes.iter().map(|(class, data)| (data.clone(), class)).collect()
}

struct Resolver<'u> {
    names: &'u UnitNames<'u>,
    symbols: &'u PrimaryMap<Symbol, SymbolData>,
    by_name: HashMap<&'u str, Symbol>,
    classes: &'u mut PrimaryMap<Class, ClassData>,
    numbers: HashMap<ClassData, Class>,
}

impl Resolver<'_> {
    fn resolve<'a>(&mut self, summary: &'a Summary) -> ResolvedSummary<'a> {
        ResolvedSummary { summary, writes: self.writes(summary), exit_state: self.exit_state(summary) }
    }

    fn writes(&mut self, summary: &Summary) -> Option<Vec<CallWrite>> {
        let mut writes = Vec::new();
        for write in summary.writes.as_ref()? {
            if let Some(base) = self.base(&write.base) {
                writes.push(CallWrite { base, class: self.class(&write.class) });
            }
        }
        writes.sort();
        writes.dedup();
        Some(writes)
    }

    fn exit_state(&mut self, summary: &Summary) -> Vec<CallExitFact> {
        let mut facts = Vec::new();
        for one in &summary.exit_state {
            let base = match &one.at.base {
                Base::Param(param) => CallBase::Argument(*param),
                Base::Global(name) => match self.symbol(name) {
                    Some(symbol) => CallBase::Symbol(symbol),
                    None => continue,
                },
                Base::Errno | Base::Anywhere | Base::Outside => continue,
            };
            // The class of the write in the summary, so that the store meets nothing that the call does not write.
            let class = self.class(&one.at.class);
            let access = Access { ty: one.ty, class, volatile: false };
            facts.push(CallExitFact { base, offset: one.offset, access, contents: one.contents });
        }
        // A store would invalidate what was assumed before it.
        facts.sort_by_key(|fact| fact.contents == ExitContents::NotNull);
        facts
    }

    fn class(&mut self, data: &ClassData) -> Class {
        if let Some(&class) = self.numbers.get(data) {
            return class;
        }
        let class = self.classes.push(data.clone());
        self.numbers.insert(data.clone(), class);
        class
    }

    /// `None` if no code of this unit can see the write.
    fn base(&self, base: &Base) -> Option<CallBase> {
        match base {
            Base::Param(i) => Some(CallBase::Argument(*i)),
            Base::Errno => Some(CallBase::Errno),
            Base::Anywhere => Some(CallBase::Anywhere),
            Base::Outside => Some(CallBase::Outside),
            Base::Global(name) => match self.symbol(name) {
                Some(symbol) => Some(CallBase::Symbol(symbol)),
                None => (self.names.is_exposed)(name).then_some(CallBase::Anywhere),
            },
        }
    }

    /// The object of this unit that has the name.
    fn symbol(&self, name: &GlobalName) -> Option<Symbol> {
        let symbol = *self.by_name.get(&*name.name)?;
        let data = &self.symbols[symbol];
        let is_it = match &name.unit {
            Some(unit) => data.linkage == Linkage::Internal && unit == self.names.unit,
            None => data.linkage != Linkage::Internal,
        };
        (is_it && matches!(data.kind, SymbolKind::Object(_))).then_some(symbol)
    }
}
