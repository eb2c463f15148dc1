//! What a function is to the analyses, as a hash: its text, and what its unit says of the names in it. Numbers of symbols
//! and classes do not count, so that an edit of one function leaves the others what they are.

use super::{Hash, Hasher};
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use gainsay_ir::gc::{
    Access, Callee, Class, ClassData, CmdKind, ExprData, Function, InitPart, Symbol, SymbolData, SymbolKind,
    Unit,
};
use gainsay_ir::print;

pub(super) struct Texts<'a> {
    unit: &'a Unit,
    symbols: PrimaryMap<Symbol, Hash>,
    /// What initialisers refer to.
    refers: SecondaryMap<Symbol, Vec<Symbol>>,
    /// What decides about every function of the unit.
    common: Hash,
}

impl<'a> Texts<'a> {
    pub(super) fn new(unit: &'a Unit) -> Texts<'a> {
        let mut refers: SecondaryMap<Symbol, Vec<Symbol>> = SecondaryMap::new();
        for (symbol, data) in &unit.symbols {
            refers[symbol] = referred(data);
        }
        let symbols = unit.symbols.values().map(|data| symbol(unit, data)).collect();
        Texts { unit, symbols, refers, common: common(unit) }
    }

    /// Of a function as it is analysed.
    pub(super) fn hash(&self, f: &Function) -> Hash {
        let mut hasher = Hasher::new("function");
        hasher.part(&self.common).part(print::function(self.unit, f).as_bytes());
        let mut symbols = EntitySet::new();
        let mut classes = EntitySet::new();
        let mut work = mentioned(f, &mut classes);
        while let Some(symbol) = work.pop() {
            if symbols.insert(symbol) {
                work.extend(&self.refers[symbol]);
            }
        }
        // In the order of their numbers, which some choice may depend on.
        for symbol in symbols.keys() {
            hasher.part(&self.symbols[symbol]);
        }
        for class in classes.keys() {
            hasher.part(&class_text(&self.unit.classes[class]));
        }
        hasher.finish()
    }
}

/// The target; and all classes, where "anything" is not one of them and loops are cut class by class.
fn common(unit: &Unit) -> Hash {
    let mut hasher = Hasher::new("unit");
    hasher.part(format!("{:?}", unit.target).as_bytes());
    let anything = ClassData { ty: None, field: None };
    if !unit.classes.values().any(|data| *data == anything) {
        for data in unit.classes.values() {
            hasher.part(&class_text(data));
        }
    }
    hasher.finish()
}

fn class_text(data: &ClassData) -> Vec<u8> {
    format!("{data:?}").into_bytes()
}

/// A symbol without the numbers of others.
fn symbol(unit: &Unit, data: &SymbolData) -> Hash {
    let mut hasher = Hasher::new("symbol");
    hasher.part(data.name.as_bytes()).part(format!("{:?}", data.linkage).as_bytes());
    match &data.kind {
        SymbolKind::Function(facts) => {
            hasher.part(format!("{facts:?}").as_bytes());
        }
        SymbolKind::Object(facts) => {
            let known = (facts.size, facts.align, facts.constant, facts.init.is_some());
            hasher.part(format!("{known:?}").as_bytes());
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

/// The symbols that the function names; and its classes.
fn mentioned(f: &Function, classes: &mut EntitySet<Class>) -> Vec<Symbol> {
    let mut symbols = vec![f.symbol];
    for expr in f.exprs.values() {
        if let ExprData::SymbolAddr(symbol) = expr {
            symbols.push(*symbol);
        }
    }
    for cmd in f.blocks.values().flat_map(|block| &block.cmds) {
        match &cmd.kind {
            CmdKind::Call(call) => {
                if let Callee::Symbol(symbol) = call.callee {
                    symbols.push(symbol);
                }
            }
            CmdKind::Load { access: Access { class, .. }, .. }
            | CmdKind::Store { access: Access { class, .. }, .. } => {
                classes.insert(*class);
            }
            _ => {}
        }
    }
    symbols
}
