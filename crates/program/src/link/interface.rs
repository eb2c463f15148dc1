//! The interface of a unit: what the rest of the program must know of it.

use super::hints::NullTests;
use super::null_tests::null_tests;
use crate::body_facts::{
    AbstractValue, BodyFacts, CallTarget, Cell, FunctionOrigin, PointerSource, body_facts,
};
use crate::input_paths;
use crate::precondition::{InputPath, ProgramPlace};
use crate::summary::GlobalName;
use gainsay_ir::gc::{
    self, BinaryOp, Callee, ClassData, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Held, InitPart,
    Linkage, Loc, Next, Symbol, SymbolData, Unit,
};
use gainsay_ir::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Symbols and classes are given by their numbers in the unit; only those that are needed are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The identity of the unit.
    pub unit: String,
    pub pointer_bits: u16,
    pub symbols: BTreeMap<u32, SymbolEntry>,
    pub classes: BTreeMap<u32, ClassData>,
    /// By symbol, in order of definition.
    pub functions: Vec<(u32, BodyFacts)>,
    /// Functions of the library that the unit uses as values, likewise: see [`Interface::add_library`].
    pub library: Vec<(u32, BodyFacts)>,
    /// The input paths of each function, if preconditions are inferred: see [`Interface::find_input_paths`].
    pub input_paths: Option<Vec<Vec<InputPath>>>,
    /// Where each function is defined.
    pub function_places: Vec<ProgramPlace>,
    /// Functions that are defined here and could not be read.
    pub given_up: Vec<u32>,
    /// All that the unit holds was read.
    pub is_whole: bool,
    /// Static objects whose address is never taken.
    pub hidden_objects: Vec<u32>,
    /// Further static objects whose address goes only where body facts track it.
    pub tracked_objects: Vec<u32>,
    /// Objects of other linkage whose address the unit uses other than to access them.
    pub exposed_objects: Vec<u32>,
    /// Names of functions that it takes for the library's, in order.
    pub library_names: Vec<String>,
    /// Names that it may define without a definition in C, in order.
    pub also_defines: Vec<String>,
    /// Words of assembly in it, in order: names of symbols among them.
    pub assembly_words: Vec<String>,
    /// Functions that return a pointer: does the unit test it?
    pub result_tests: BTreeMap<u32, NullTests>,
    /// The same for allocations.
    pub allocations: NullTests,
    /// Where calls stand that pass NULL as such: by number of the function and of the call in it.
    pub null_calls: BTreeMap<(u32, u32), CallPlace>,
}

/// The file is an absolute path, until it is shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallPlace {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolEntry {
    pub name: String,
    pub linkage: Linkage,
    pub kind: SymbolKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SymbolKind {
    Function {
        params: Vec<Type>,
        result: Option<Type>,
        /// Its address is used other than to call it.
        is_pointed_at: bool,
        is_system: bool,
        takes_functions: bool,
        takes_opaque: bool,
        is_variadic: bool,
        /// Code other than C may call it (`__attribute__((used))`).
        is_used: bool,
        is_library: bool,
    },
    Object {
        is_constant: bool,
        is_system: bool,
        is_defined: bool,
        /// By its declaration it cannot be a symbol of the linker.
        is_bounded: bool,
        /// The linker or assembly may use it.
        is_placed: bool,
        /// If the unit defines it and its initialiser is known: the functions in it, by offset.
        pointers: Option<Vec<(u64, u32)>>,
    },
}

impl Interface {
    /// `functions`: those of the unit with their models applied. `given_up`: names of functions whose definition could
    /// not be read. `place`: where a position of a function is, by the number of the function.
    pub fn new(
        identity: &str,
        unit: &Unit,
        functions: &[Function],
        given_up: &[&str],
        place: &dyn Fn(usize, Loc) -> Option<CallPlace>,
    ) -> Interface {
        let (result_tests, allocations) = null_tests(functions.iter());
        let functions: Vec<(Symbol, &Function, BodyFacts)> =
            functions.iter().map(|f| (f.symbol, f, body_facts(unit, f))).collect();
        let uses = Uses::new(unit, functions.iter().map(|one| one.1));
        let lost: Vec<u32> = unit
            .symbols
            .iter()
            .filter(|(_, data)| matches!(data.kind, gc::SymbolKind::Function(_)))
            .filter(|(_, data)| given_up.contains(&data.name.as_str()))
            .map(|(symbol, _)| symbol.as_u32())
            .collect();
        let (mut symbols, mut classes) = (BTreeSet::new(), BTreeSet::new());
        for (symbol, _, body_facts) in &functions {
            symbols.insert(symbol.as_u32());
            named(body_facts, &mut symbols, &mut classes);
        }
        symbols.extend(&lost);
        symbols.extend(&uses.pointed_at);
        symbols.extend(uses.tables(unit));
        symbols.extend(objects(unit, |linkage| linkage != Linkage::Internal));
        let null_calls = null_calls(functions.iter().map(|(_, _, body_facts)| body_facts), place);
        // A function that could not be read may write anything.
        let is_known = given_up.is_empty() && !unit.assembly.names_anything;
        let entry = |symbol: u32| (symbol, uses.entry(unit, Symbol::from_u32(symbol)));
        let name = |symbol: Symbol| unit.symbols[symbol].name.clone();
        let home = |symbol: Symbol| ProgramPlace { function: name(symbol), ..ProgramPlace::default() };
        Interface {
            library: Vec::new(),
            input_paths: None,
            function_places: functions.iter().map(|(symbol, ..)| home(*symbol)).collect(),
            unit: identity.to_owned(),
            pointer_bits: unit.target.pointer_bits,
            symbols: symbols.into_iter().map(entry).collect(),
            classes: classes
                .into_iter()
                .map(|class| (class, unit.classes[gc::Class::from_u32(class)].clone()))
                .collect(),
            functions: functions
                .into_iter()
                .map(|(symbol, _, body_facts)| (symbol.as_u32(), body_facts))
                .collect(),
            given_up: lost,
            is_whole: is_known,
            hidden_objects: if is_known { uses.hidden(unit) } else { Vec::new() },
            tracked_objects: if is_known { uses.tracked(unit) } else { Vec::new() },
            exposed_objects: uses.exposed(unit),
            library_names: library_names(unit),
            also_defines: unit.assembly.defines.clone(),
            assembly_words: unit.assembly.words.clone(),
            result_tests,
            allocations,
            null_calls,
        }
    }

    /// For the unit and functions of [`Interface::new`]. This costs more than all the rest. [`Interface::locate`] adds the
    /// positions.
    pub fn find_input_paths(&mut self, unit: &Unit, functions: &[Function]) {
        self.input_paths = Some(functions.iter().map(|f| input_paths(&self.unit, unit, f)).collect());
    }

    /// `place` gives file, line and column of a place in the function of that number, or of its name.
    pub fn locate(&mut self, place: &dyn Fn(usize, Option<gc::Loc>) -> Option<(String, u32, u32)>) {
        let fill = |at: &mut ProgramPlace, function: &str, place: Option<(String, u32, u32)>| {
            let (file, line, column) = place.unwrap_or_default();
            *at = ProgramPlace { function: function.to_owned(), file, line, column };
        };
        let mut paths = self.input_paths.iter_mut().flatten();
        for (number, home) in self.function_places.iter_mut().enumerate() {
            let name = home.function.clone();
            fill(home, &name, place(number, None));
            for path in paths.next().into_iter().flatten() {
                fill(&mut path.place, &name, place(number, Some(path.loc)));
            }
        }
    }

    pub fn global_name(&self, entry: &SymbolEntry) -> GlobalName {
        let unit = (entry.linkage == Linkage::Internal).then(|| self.unit.clone());
        GlobalName { unit, name: entry.name.clone() }
    }
}

fn null_calls<'a>(
    body_facts: impl Iterator<Item = &'a BodyFacts>,
    place: &dyn Fn(usize, Loc) -> Option<CallPlace>,
) -> BTreeMap<(u32, u32), CallPlace> {
    let mut places = BTreeMap::new();
    for (function, body_facts) in body_facts.enumerate() {
        for (call, site) in body_facts.calls.iter().enumerate() {
            if site.args.iter().any(|arg| (arg.ty, arg.value) == (Type::Ptr, AbstractValue::Const(0)))
                && let Some(place) = place(function, site.loc)
            {
                places.insert((function as u32, call as u32), place);
            }
        }
    }
    places
}

/// The symbols and classes that body facts mention.
pub(super) fn named(body_facts: &BodyFacts, symbols: &mut BTreeSet<u32>, classes: &mut BTreeSet<u32>) {
    let mut add = |source: &PointerSource| {
        if let PointerSource::Symbol(symbol) = source {
            symbols.insert(*symbol);
        }
    };
    let effects = &body_facts.effects;
    effects.writes.iter().for_each(|(source, _)| add(source));
    for site in &body_facts.calls {
        site.args.iter().flat_map(|arg| &arg.sources).for_each(&mut add);
    }
    let mut follow = |origin: &FunctionOrigin| {
        if let FunctionOrigin::Function(symbol) | FunctionOrigin::Cell(Cell { object: symbol, .. }) = origin {
            symbols.insert(*symbol);
        }
    };
    for site in &body_facts.calls {
        site.args.iter().flat_map(|arg| &arg.origins).for_each(&mut follow);
        match &site.callee {
            CallTarget::Symbol(symbol) => follow(&FunctionOrigin::Function(*symbol)),
            CallTarget::Pointer(origins) => origins.iter().for_each(&mut follow),
        }
    }
    effects.lost_functions.iter().chain(&effects.returned_functions).for_each(&mut follow);
    for (cell, origin) in &effects.stored_functions {
        follow(&FunctionOrigin::Cell(*cell));
        follow(origin);
    }
    classes.extend(effects.writes.iter().filter_map(|(_, class)| *class));
    symbols.extend(effects.writes_beyond.iter().map(|(symbol, _)| *symbol));
}

/// How the unit uses its symbols.
struct Uses {
    /// Functions whose address is used other than to call them.
    pointed_at: BTreeSet<u32>,
    /// Objects whose address is used other than to read or write them.
    exposed: BTreeSet<u32>,
    /// Those of them whose address body facts do not track.
    lost: BTreeSet<u32>,
}

/// Symbols whose address is used, as far as it was looked.
#[derive(Default)]
struct AddressUses {
    /// Other than to call, read or write there.
    exposed: BTreeSet<Symbol>,
    /// Where body facts do not track it.
    lost: BTreeSet<Symbol>,
}

impl Uses {
    fn new<'a>(unit: &Unit, functions: impl Iterator<Item = &'a Function>) -> Uses {
        let mut uses = AddressUses::default();
        for f in functions {
            let is_opaque = |cmd: &Cmd| matches!(cmd.kind, CmdKind::Clobber(Clobber::Escaped));
            let is_opaque = f.blocks.values().flat_map(|data| &data.cmds).any(is_opaque);
            for data in f.blocks.values() {
                data.cmds.iter().for_each(|cmd| uses.command(f, cmd));
                if let Next::Return(Some(value)) = data.next {
                    uses.expose(f, value);
                }
                if is_opaque {
                    let exprs = data.cmds.iter().flat_map(Cmd::exprs);
                    exprs.for_each(|expr| collect(f, expr, &mut uses.lost));
                }
            }
        }
        for data in unit.symbols.values() {
            if let gc::SymbolKind::Object(facts) = &data.kind {
                let parts = facts.init.iter().flat_map(|init| &init.parts);
                for (_, part) in parts {
                    if let InitPart::Address(symbol, _) = part {
                        uses.exposed.insert(*symbol);
                        uses.lost.insert(*symbol);
                    }
                }
            }
        }
        let is_function = |symbol: &Symbol| matches!(unit.symbols[*symbol].kind, gc::SymbolKind::Function(_));
        let (functions, objects): (Vec<Symbol>, Vec<Symbol>) =
            uses.exposed.into_iter().partition(is_function);
        let numbers = |symbols: Vec<Symbol>| symbols.into_iter().map(|symbol| symbol.as_u32()).collect();
        let lost = uses.lost.into_iter().collect();
        Uses { pointed_at: numbers(functions), exposed: numbers(objects), lost: numbers(lost) }
    }

    fn hidden(&self, unit: &Unit) -> Vec<u32> {
        static_objects(unit).filter(|symbol| !self.exposed.contains(symbol)).collect()
    }

    fn exposed(&self, unit: &Unit) -> Vec<u32> {
        let others = objects(unit, |linkage| linkage != Linkage::Internal);
        others.filter(|symbol| self.exposed.contains(symbol)).collect()
    }

    fn tracked(&self, unit: &Unit) -> Vec<u32> {
        let is_tracked = |symbol: &u32| self.exposed.contains(symbol) && !self.lost.contains(symbol);
        static_objects(unit).filter(is_tracked).collect()
    }

    /// Objects that functions are in from the start.
    fn tables(&self, unit: &Unit) -> impl Iterator<Item = u32> {
        let holds_function = |(_, data): &(Symbol, &SymbolData)| match &data.kind {
            gc::SymbolKind::Object(facts) => {
                let mut parts = facts.init.iter().flat_map(|init| &init.parts);
                parts.any(|(_, part)| match part {
                    InitPart::Address(symbol, _) => self.pointed_at.contains(&symbol.as_u32()),
                    InitPart::Bytes(_) => false,
                })
            }
            gc::SymbolKind::Function(_) => false,
        };
        unit.symbols.iter().filter(holds_function).map(|(symbol, _)| symbol.as_u32())
    }

    fn entry(&self, unit: &Unit, symbol: Symbol) -> SymbolEntry {
        let data = &unit.symbols[symbol];
        let kind = match &data.kind {
            gc::SymbolKind::Function(facts) => SymbolKind::Function {
                params: facts.params.clone(),
                result: facts.result,
                is_pointed_at: self.pointed_at.contains(&symbol.as_u32()),
                is_system: facts.system,
                takes_functions: facts.takes_functions,
                takes_opaque: facts.takes_opaque,
                is_variadic: facts.variadic,
                is_used: facts.used,
                is_library: facts.library,
            },
            gc::SymbolKind::Object(facts) => {
                let function = |(offset, part): &(u64, InitPart)| match part {
                    InitPart::Address(symbol, _) if self.pointed_at.contains(&symbol.as_u32()) => {
                        Some((*offset, symbol.as_u32()))
                    }
                    _ => None,
                };
                SymbolKind::Object {
                    is_constant: facts.constant,
                    is_system: facts.system,
                    is_defined: facts.size.is_some() || facts.init.is_some(),
                    is_bounded: facts.size.is_some() || facts.declared == u64::MAX,
                    is_placed: facts.held == Held::Placed,
                    pointers: facts
                        .init
                        .as_ref()
                        .map(|init| init.parts.iter().filter_map(function).collect()),
                }
            }
        };
        SymbolEntry { name: data.name.clone(), linkage: data.linkage, kind }
    }
}

fn library_names(unit: &Unit) -> Vec<String> {
    let has_body = unit.defined();
    let is_one = |(symbol, data): &(Symbol, &SymbolData)| {
        let is_library = matches!(&data.kind, gc::SymbolKind::Function(facts) if facts.library);
        is_library && data.linkage != Linkage::Internal && !has_body.contains(*symbol)
    };
    let names = unit.symbols.iter().filter(is_one).map(|(_, data)| data.name.clone());
    names.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Those that only C code uses.
fn static_objects(unit: &Unit) -> impl Iterator<Item = u32> {
    let is_placed = |symbol: &u32| match &unit.symbols[Symbol::from_u32(*symbol)].kind {
        gc::SymbolKind::Object(facts) => facts.held == Held::Placed,
        gc::SymbolKind::Function(_) => false,
    };
    objects(unit, |linkage| linkage == Linkage::Internal).filter(move |symbol| !is_placed(symbol))
}

fn objects(unit: &Unit, has_linkage: impl Fn(Linkage) -> bool) -> impl Iterator<Item = u32> {
    let is_one = move |(_, data): &(Symbol, &SymbolData)| {
        has_linkage(data.linkage) && matches!(data.kind, gc::SymbolKind::Object(_))
    };
    unit.symbols.iter().filter(is_one).map(|(symbol, _)| symbol.as_u32())
}

impl AddressUses {
    fn command(&mut self, f: &Function, cmd: &Cmd) {
        match &cmd.kind {
            CmdKind::Load { addr, .. } => self.accessed(f, *addr),
            CmdKind::Store { addr, value, .. } => {
                self.accessed(f, *addr);
                self.expose(f, *value);
            }
            CmdKind::Copy { dst, src, len } => {
                self.accessed(f, *dst);
                self.accessed(f, *src);
                self.lose(f, *len);
            }
            CmdKind::Fill { dst, byte, len } => {
                self.accessed(f, *dst);
                self.lose(f, *byte);
                self.lose(f, *len);
            }
            CmdKind::Clobber(Clobber::Range { addr, len }) => {
                self.accessed(f, *addr);
                self.lose(f, *len);
            }
            // Conditions do not expose an address.
            CmdKind::Assume(_) | CmdKind::Assert(..) => {}
            CmdKind::Assign(..) | CmdKind::Free(_) => {
                cmd.exprs().into_iter().for_each(|expr| self.expose(f, expr));
            }
            CmdKind::Call(call) => {
                call.args.iter().for_each(|&arg| self.expose(f, arg));
                if let Callee::Pointer(pointer) = call.callee {
                    self.lose(f, pointer);
                }
            }
            _ => cmd.exprs().into_iter().for_each(|expr| self.lose(f, expr)),
        }
    }

    fn expose(&mut self, f: &Function, expr: Expr) {
        collect(f, expr, &mut self.exposed);
    }

    fn lose(&mut self, f: &Function, expr: Expr) {
        self.expose(f, expr);
        collect(f, expr, &mut self.lost);
    }

    /// The symbol that the address of an access starts from is not exposed by it.
    fn accessed(&mut self, f: &Function, addr: Expr) {
        let mut base = addr;
        while let ExprData::Binary(BinaryOp::PtrAdd, pointer, offset) = f.exprs[base] {
            self.lose(f, offset);
            base = pointer;
        }
        if !matches!(f.exprs[base], ExprData::SymbolAddr(_)) {
            self.expose(f, base);
        }
    }
}

fn collect(f: &Function, expr: Expr, uses: &mut BTreeSet<Symbol>) {
    let mut stack = vec![expr];
    let mut seen = BTreeSet::new();
    while let Some(expr) = stack.pop() {
        match f.exprs[expr] {
            ExprData::SymbolAddr(symbol) => {
                uses.insert(symbol);
            }
            ExprData::Const(..) | ExprData::Var(_) => {}
            ref data => {
                if seen.insert(expr) {
                    stack.extend(data.operands());
                }
            }
        }
    }
}
