//! The unit's table of functions, globals and string literals, filled on first use.

use super::types::{function_type, value_type};
use super::{Lowered, constant};
use crate::clang::ast::{AttrKind, DeclId, Expr, NodeId, Type, TypeId, Unit};
use cranelift_entity::PrimaryMap;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{
    Assembly, Class, ClassData, FunctionFacts, Held, Init, InitPart, Linkage, ObjectFacts, Symbol,
    SymbolData, SymbolKind,
};
use gainsay_ir::source_map::Span;
use gainsay_ir::types;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub(super) struct Symbols {
    pub(super) data: PrimaryMap<Symbol, SymbolData>,
    pub(super) classes: PrimaryMap<Class, ClassData>,
    pub(super) gaps: Vec<(Gap, Span)>,
    /// By declaration id.
    by_decl: Vec<Option<Symbol>>,
    /// Objects whose initialiser has not been evaluated yet.
    uninitialised: Vec<(Symbol, DeclId)>,
    strings: FxHashMap<NodeId, Symbol>,
    literals: FxHashMap<NodeId, Symbol>,
    class_ids: FxHashMap<ClassData, Class>,
    /// Cache: parameters of equal types reach the same.
    leads_to: FxHashMap<TypeId, LeadsTo>,
    names: FxHashSet<String>,
    /// Functions and variables that have another linker name.
    exported: FxHashSet<String>,
    /// Words in assembly, among them the symbols that it uses.
    assembly: BTreeSet<String>,
    /// Names that the unit may define other than in C.
    defines: BTreeSet<String>,
}

impl Symbols {
    pub(super) fn new(unit: &Unit) -> Symbols {
        // Names with external linkage are reserved before static locals get theirs.
        let names = unit.functions().chain(unit.globals()).filter(|&decl| !unit.has_internal_linkage(decl));
        let names = names.map(|decl| linker_name(unit, decl)).collect();
        let alias = |decl| unit.attrs(decl).find(|attr| attr.kind == AttrKind::Alias);
        let shared = unit.decls().filter(|&decl| !unit.has_internal_linkage(decl));
        let exported = shared.filter_map(alias).map(|attr| attr.text.to_owned()).collect();
        Symbols {
            exported,
            assembly: unit.assembly_words(),
            defines: unit.names_defined_otherwise(),
            data: PrimaryMap::new(),
            classes: PrimaryMap::new(),
            gaps: Vec::new(),
            by_decl: vec![None; unit.n_decls()],
            uninitialised: Vec::new(),
            strings: FxHashMap::default(),
            literals: FxHashMap::default(),
            class_ids: FxHashMap::default(),
            leads_to: FxHashMap::default(),
            names,
        }
    }

    pub(super) fn class(&mut self, data: ClassData) -> Class {
        if let Some(&class) = self.class_ids.get(&data) {
            return class;
        }
        let class = self.classes.push(data.clone());
        self.class_ids.insert(data, class);
        class
    }

    /// The symbol of a function or of a variable with static storage.
    pub(super) fn symbol(&mut self, unit: &Unit, decl: DeclId) -> Symbol {
        if let Some(symbol) = self.by_decl[decl.0 as usize] {
            return symbol;
        }
        if let Some(target) = aliased(unit, decl) {
            let symbol = self.symbol(unit, target);
            self.by_decl[decl.0 as usize] = Some(symbol);
            return symbol;
        }
        // Weak first: a static weakref may be NULL as well. An object that other units know by another name is treated
        // like a weak one, because this unit does not show all of its uses.
        let is_exported = self.exported.contains(&linker_name(unit, decl));
        let linkage = if unit.has_attr(decl, AttrKind::Weak) || is_exported {
            Linkage::Weak
        } else if unit.has_internal_linkage(decl) {
            Linkage::Internal
        } else {
            Linkage::External
        };
        let name = self.unique_name(linker_name(unit, decl), linkage);
        let kind = if unit.is_function(decl) {
            let params = self.params_lead_to(unit, unit.decl_type(decl));
            SymbolKind::Function(FunctionFacts {
                system: unit.is_system(decl),
                library: self.is_library(unit, decl, &name),
                used: self.has_other_users(unit, decl),
                takes_functions: params.functions,
                takes_opaque: params.opaque,
                ..function_facts(unit, decl)
            })
        } else {
            let facts = object_facts(unit, unit.decl_type(decl));
            let is_placed = self.is_placed(unit, decl);
            SymbolKind::Object(ObjectFacts {
                system: unit.is_system(decl),
                size: facts.size.filter(|_| unit.is_defined(decl)),
                declared: if unit.is_defined(decl) { 0 } else { declared(unit, unit.decl_type(decl)) },
                held: if is_placed { Held::Placed } else { facts.held },
                constant: facts.constant && linkage != Linkage::Weak && !is_placed,
                ..facts
            })
        };
        let is_object = matches!(kind, SymbolKind::Object(_));
        let symbol = self.data.push(SymbolData { name, linkage, kind });
        self.by_decl[decl.0 as usize] = Some(symbol);
        if is_object && unit.is_defined(decl) {
            self.uninitialised.push((symbol, decl));
        }
        symbol
    }

    /// Does the linker place the variable, or may assembly use it? An object without bytes of its own marks a position.
    pub(super) fn is_placed(&self, unit: &Unit, decl: DeclId) -> bool {
        let is_mark = unit.is_defined(decl) && unit.size_of(unit.decl_type(decl)) == Some(0);
        let by_attribute =
            [AttrKind::Section, AttrKind::AsmLabel].iter().any(|&kind| unit.has_attr(decl, kind));
        is_mark || by_attribute || self.has_other_users(unit, decl)
    }

    /// `name` is the linker name.
    fn is_library(&self, unit: &Unit, decl: DeclId, name: &String) -> bool {
        let is_own = unit.library.without.contains(name) || self.defines.contains(name);
        unit.is_library(decl) && !is_own
    }

    /// May code other than C use it?
    fn has_other_users(&self, unit: &Unit, decl: DeclId) -> bool {
        unit.has_attr(decl, AttrKind::Used) || self.assembly.contains(&linker_name(unit, decl))
    }

    fn params_lead_to(&mut self, unit: &Unit, function: TypeId) -> LeadsTo {
        let ty = function_type(unit, function).map(|ty| unit.ty(ty));
        let Some(Type::Function { params, has_prototype: true, .. }) = ty else {
            return LeadsTo { functions: true, opaque: true };
        };
        let mut found = LeadsTo::default();
        for &param in params {
            let one = *self.leads_to.entry(param).or_insert_with(|| leads_to(unit, param));
            found.functions |= one.functions;
            found.opaque |= one.opaque;
        }
        found
    }

    /// The object of a string literal. The compiler may merge equal literals.
    pub(super) fn string(&mut self, unit: &Unit, node: NodeId, bytes: &[u8], size: u64) -> Symbol {
        if let Some(&symbol) = self.strings.get(&node) {
            return symbol;
        }
        let mut bytes = bytes.to_vec();
        if unit.target.big_endian
            && let Expr::String { char_bytes, .. } = unit.expr(node)
        {
            // clang stores wide characters in host byte order.
            bytes.chunks_mut(usize::from(char_bytes).max(1)).for_each(<[u8]>::reverse);
        }
        let parts = if bytes.is_empty() { vec![] } else { vec![(0, InitPart::Bytes(bytes))] };
        let facts = ObjectFacts {
            size: Some(size),
            declared: 0,
            align: 1,
            constant: true,
            held: Held::Anywhere,
            reached: false,
            system: false,
            init: Some(Init { parts }),
        };
        let name = self.unique_name(format!(".str.{}", self.strings.len()), Linkage::Internal);
        let symbol =
            self.data.push(SymbolData { name, linkage: Linkage::Internal, kind: SymbolKind::Object(facts) });
        self.strings.insert(node, symbol);
        symbol
    }

    /// The object of a compound literal at file scope.
    pub(super) fn literal(&mut self, unit: &Unit, node: NodeId, init: NodeId) -> Symbol {
        if let Some(&symbol) = self.literals.get(&node) {
            return symbol;
        }
        let ty = unit.type_of(node);
        let name = self.unique_name(format!(".literal.{}", self.literals.len()), Linkage::Internal);
        let kind = SymbolKind::Object(object_facts(unit, ty));
        let symbol = self.data.push(SymbolData { name, linkage: Linkage::Internal, kind });
        self.literals.insert(node, symbol);
        let contents = constant::initialiser(unit, self, ty, Some(init));
        self.set_init(symbol, contents, unit.span(node));
        symbol
    }

    /// Evaluates the initialisers, which may add symbols, and moves the tables to the unit.
    pub(super) fn finish(mut self, unit: &Unit, lowered: &mut Lowered) {
        while let Some((symbol, decl)) = self.uninitialised.pop() {
            let contents = constant::initialiser(unit, &mut self, unit.decl_type(decl), unit.init(decl));
            self.set_init(symbol, contents, unit.decl_span(decl));
            let size = unit
                .init(decl)
                .and_then(|i| constant::size_with_flexible_array(unit, unit.decl_type(decl), i));
            if let (SymbolKind::Object(facts), Some(size)) = (&mut self.data[symbol].kind, size) {
                facts.size = Some(size);
            }
        }
        lowered.unit.assembly = Assembly {
            names_anything: unit.assembly_names_anything(),
            words: self.assembly.into_iter().collect(),
            defines: self.defines.into_iter().collect(),
        };
        lowered.unit.symbols = self.data;
        lowered.unit.classes = self.classes;
        lowered.gaps = self.gaps;
    }

    fn set_init(&mut self, symbol: Symbol, init: Option<Init>, span: Span) {
        if init.is_none() {
            self.gaps.push((Gap::Initialiser, span));
        }
        if let SymbolKind::Object(facts) = &mut self.data[symbol].kind {
            facts.init = init;
        }
    }

    /// Internal names may repeat (static locals of several functions); later ones are numbered.
    fn unique_name(&mut self, name: String, linkage: Linkage) -> String {
        if self.names.insert(name.clone()) || linkage != Linkage::Internal {
            return name;
        }
        let mut n = 2;
        loop {
            let candidate = format!("{name}.{n}");
            if self.names.insert(candidate.clone()) {
                return candidate;
            }
            n += 1;
        }
    }
}

/// The declaration that one with the `alias` attribute is another name of, if both can share a symbol.
///
/// A weak alias of a function may be replaced by another unit's function, so it stays a separate symbol.
fn aliased(unit: &Unit, decl: DeclId) -> Option<DeclId> {
    let attr = unit.attrs(decl).find(|attr| attr.kind == AttrKind::Alias)?;
    let is_target = |&other: &DeclId| other != decl && linker_name(unit, other) == attr.text;
    if !unit.is_function(decl) {
        return unit.globals().find(is_target).filter(|&target| unit.is_defined(target));
    }
    let target = unit.functions().find(is_target)?;
    let same = function_facts(unit, target) == function_facts(unit, decl);
    (same && !unit.has_attr(decl, AttrKind::Weak)).then_some(target)
}

fn linker_name(unit: &Unit, decl: DeclId) -> String {
    let label = unit.attrs(decl).find(|attr| attr.kind == AttrKind::AsmLabel);
    match label {
        Some(attr) => attr.text.trim_start_matches('\u{1}').to_owned(),
        None => unit.name(decl).to_owned(),
    }
}

fn object_facts(unit: &Unit, ty: TypeId) -> ObjectFacts {
    ObjectFacts {
        size: unit.size_of(ty),
        declared: 0,
        align: unit.align_of(ty),
        constant: is_constant(unit, ty),
        held: Held::Anywhere,
        reached: false,
        system: false,
        init: None,
    }
}

/// Number of bytes that belong to an object, by a declaration that is not a definition. Linker symbols are declared as
/// a character, a record, or an array of unknown length, zero or one (`extern char end;`): only the bytes of that type
/// count. A longer array is an ordinary object.
fn declared(unit: &Unit, ty: TypeId) -> u64 {
    match unit.ty(ty) {
        Type::Array { count, .. } if count > 1 => u64::MAX,
        _ => unit.size_of(ty).unwrap_or(0),
    }
}

fn is_constant(unit: &Unit, ty: TypeId) -> bool {
    match unit.ty(ty) {
        Type::Array { elem, .. } | Type::IncompleteArray(elem) if !unit.is_const(ty) => {
            is_constant(unit, elem)
        }
        _ => unit.is_const(ty) && !unit.is_volatile(ty),
    }
}

/// Parameters as the IR passes them: a hidden pointer for an aggregate result, aggregates by address.
pub(super) fn function_facts(unit: &Unit, decl: DeclId) -> FunctionFacts {
    let ty = function_type(unit, unit.decl_type(decl)).expect("a function has a function type");
    let mut facts = signature(unit, ty);
    facts.noreturn = unit.is_noreturn(decl);
    let hidden = facts.params.len() - unit.members(decl).len().min(facts.params.len());
    for attr in unit.attrs(decl) {
        match attr.kind {
            AttrKind::ReturnsNonNull => facts.returns_nonnull = true,
            AttrKind::Malloc => facts.allocates = true,
            AttrKind::NonNull if attr.args.is_empty() => {
                for (i, _) in facts.params.iter().enumerate().filter(|(_, ty)| **ty == types::Type::Ptr) {
                    facts.nonnull |= bit(i);
                }
            }
            AttrKind::NonNull => {
                for &arg in attr.args {
                    facts.nonnull |= bit(arg as usize + hidden);
                }
            }
            _ => {}
        }
    }
    facts
}

/// The signature of a function type, without the attributes of declarations.
pub(super) fn signature(unit: &Unit, ty: TypeId) -> FunctionFacts {
    let Type::Function { result, params, variadic, has_prototype } = unit.ty(ty) else {
        return FunctionFacts { variadic: true, ..Default::default() };
    };
    let mut facts = FunctionFacts { variadic: variadic || !has_prototype, ..Default::default() };
    facts.noreturn = unit.is_noreturn_type(ty);
    match value_type(unit, result) {
        Some(ty) => facts.result = Some(ty),
        None if super::types::is_void(unit, result) => {}
        None => facts.params.push(types::Type::Ptr),
    }
    facts.returns_bool = super::types::is_bool(unit, result);
    for &param in params {
        let number = facts.params.len();
        if super::types::is_bool(unit, param) {
            facts.bools |= bit(number);
        }
        if matches!(unit.ty(param), Type::Pointer(inner) if unit.size_of(inner) == Some(1)) {
            facts.texts |= bit(number);
        }
        facts.params.push(value_type(unit, param).unwrap_or(types::Type::Ptr));
    }
    facts
}

/// What is reachable from a value, by its type.
#[derive(Clone, Copy, Default)]
struct LeadsTo {
    /// Addresses of functions.
    functions: bool,
    /// Memory of unknown type.
    opaque: bool,
}

fn leads_to(unit: &Unit, value: TypeId) -> LeadsTo {
    let mut found = LeadsTo::default();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut work = vec![value];
    while let Some(ty) = work.pop() {
        match unit.ty(ty) {
            Type::Function { .. } => found.functions = true,
            Type::Void => found.opaque = true,
            Type::Pointer(inner)
            | Type::Array { elem: inner, .. }
            | Type::IncompleteArray(inner)
            | Type::VariableArray { elem: inner, .. }
            | Type::Atomic(inner) => work.push(inner),
            Type::Record(record) if !unit.is_complete(record) => found.opaque = true,
            Type::Record(record) if seen.insert(record.0) => {
                work.extend(unit.members(record).iter().map(|&field| unit.decl_type(field)));
            }
            _ => {}
        }
    }
    found
}

fn bit(i: usize) -> u64 {
    if i < 64 { 1 << i } else { 0 }
}
