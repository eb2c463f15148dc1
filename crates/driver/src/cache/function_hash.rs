//! A hash of everything about a function that the analyses see: its text, and what its unit says of the names in it. The
//! numbers of symbols and classes are left out, so that an edit of one function does not change the hashes of others.

use super::{Hash, Hasher};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use gainsay_ir::gc::{
    Access, CallBase, Callee, Class, ClassData, CmdKind, ExprData, Function, InitPart, Symbol, SymbolData,
    SymbolKind, Unit,
};
use gainsay_ir::passes::segments::heads;
use gainsay_ir::print;
use std::collections::BTreeSet;

pub(super) struct FunctionHashes<'a> {
    unit: &'a Unit,
    /// Each with everything that its initialiser refers to.
    symbols: PrimaryMap<Symbol, Hash>,
    /// All alias classes, if "anything" is not among them: then loops are cut class by class.
    classes: Option<Hash>,
}

impl<'a> FunctionHashes<'a> {
    pub(super) fn new(unit: &'a Unit) -> FunctionHashes<'a> {
        let mut refers: SecondaryMap<Symbol, Vec<Symbol>> = SecondaryMap::new();
        for (symbol, data) in &unit.symbols {
            refers[symbol] = referred(data);
        }
        let own: PrimaryMap<Symbol, Hash> = unit.symbols.values().map(|data| symbol(unit, data)).collect();
        let symbols = unit.symbols.keys().map(|symbol| with_references(symbol, &own, &refers)).collect();
        FunctionHashes { unit, symbols, classes: all_classes(unit) }
    }

    /// The hash of a function as it is analysed.
    pub(super) fn hash(&self, f: &Function) -> Hash {
        let mut hasher = Hasher::new("function");
        hasher.part(format!("{:?}", self.unit.target).as_bytes());
        hasher.part(print::function(self.unit, f).as_bytes());
        if let Some(classes) = self.classes.filter(|_| !heads(f).is_empty()) {
            hasher.part(&classes);
        }
        let (symbols, classes) = mentioned(f);
        // In the order of their numbers, which choices of the analyses may depend on.
        for symbol in symbols {
            hasher.part(&self.symbols[symbol]);
        }
        for class in classes {
            hasher.part(&class_text(&self.unit.classes[class]));
        }
        hasher.finish()
    }
}

fn all_classes(unit: &Unit) -> Option<Hash> {
    let anything = ClassData { ty: None, field: None };
    if unit.classes.values().any(|data| *data == anything) {
        return None;
    }
    let mut hasher = Hasher::new("classes");
    for data in unit.classes.values() {
        hasher.part(&class_text(data));
    }
    Some(hasher.finish())
}

fn class_text(data: &ClassData) -> Vec<u8> {
    format!("{data:?}").into_bytes()
}

/// The hash of a symbol without the numbers of others.
fn symbol(unit: &Unit, data: &SymbolData) -> Hash {
    let mut hasher = Hasher::new("symbol");
    hasher.part(data.name.as_bytes()).part(format!("{:?}", data.linkage).as_bytes());
    match &data.kind {
        SymbolKind::Function(facts) => {
            hasher.part(format!("{facts:?}").as_bytes());
        }
        SymbolKind::Object(facts) => {
            let flags = (facts.held, facts.reached, facts.system);
            let data =
                ((facts.size, facts.declared), facts.align, facts.constant, flags, facts.init.is_some());
            hasher.part(format!("{data:?}").as_bytes());
            for (offset, part) in facts.init.iter().flat_map(|init| &init.parts) {
                hasher.part(&offset.to_le_bytes());
                match part {
                    InitPart::Bytes(bytes) => hasher.part(b"bytes").part(bytes),
                    InitPart::Address(symbol, plus) => {
                        hasher.part(unit.symbols[*symbol].name.as_bytes()).part(&plus.to_le_bytes())
                    }
                };
            }
        }
    }
    hasher.finish()
}

fn referred(data: &SymbolData) -> Vec<Symbol> {
    let SymbolKind::Object(facts) = &data.kind else { return Vec::new() };
    let parts = facts.init.iter().flat_map(|init| &init.parts);
    parts
        .filter_map(|(_, part)| match part {
            InitPart::Address(symbol, _) => Some(*symbol),
            InitPart::Bytes(_) => None,
        })
        .collect()
}

fn with_references(
    symbol: Symbol,
    own: &PrimaryMap<Symbol, Hash>,
    refers: &SecondaryMap<Symbol, Vec<Symbol>>,
) -> Hash {
    if refers[symbol].is_empty() {
        return own[symbol];
    }
    let mut reached = BTreeSet::from([symbol]);
    let mut work = vec![symbol];
    while let Some(symbol) = work.pop() {
        work.extend(refers[symbol].iter().filter(|&&other| reached.insert(other)));
    }
    let mut hasher = Hasher::new("symbols");
    hasher.part(&own[symbol]);
    reached.iter().for_each(|&symbol| {
        hasher.part(&own[symbol]);
    });
    hasher.finish()
}

/// The symbols that the function names, and its classes.
fn mentioned(f: &Function) -> (BTreeSet<Symbol>, BTreeSet<Class>) {
    let mut symbols = BTreeSet::from([f.symbol]);
    let mut classes = BTreeSet::new();
    for expr in f.exprs.values() {
        if let ExprData::SymbolAddr(symbol) = expr {
            symbols.insert(*symbol);
        }
    }
    for cmd in f.blocks.values().flat_map(|block| &block.cmds) {
        match &cmd.kind {
            CmdKind::Call(call) => {
                if let Callee::Symbol(symbol) = call.callee {
                    symbols.insert(symbol);
                }
                for write in call.writes.iter().flatten() {
                    classes.insert(write.class);
                    if let CallBase::Symbol(symbol) = write.base {
                        symbols.insert(symbol);
                    }
                }
            }
            CmdKind::Load { access: Access { class, .. }, .. }
            | CmdKind::Store { access: Access { class, .. }, .. } => {
                classes.insert(*class);
            }
            _ => {}
        }
    }
    (symbols, classes)
}
