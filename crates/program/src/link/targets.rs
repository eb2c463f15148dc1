//! The targets of calls through pointers: an inclusion-based analysis (Andersen's) of the addresses of functions over the whole
//! program (decision 020).
//!
//! Nodes are parameters, results and the words of followed objects; the `FunctionOrigin`s in body facts are the constraints. A
//! function is *lost* if it is stored through a pointer, passed to unknown code, converted to a number, or known to the linker
//! (callers of a library are not read): it may be called from anywhere with any arguments, and a value from there may be any
//! function. If its *address* went there, code outside of the program can call it without knowing its name (`outside`). So a
//! call is resolved only if every address that can reach it was tracked from where it was taken. All sets are least fixed
//! points: a finite chain of assignments and calls brings an address to where it is called.

use super::followed_objects::FollowedObjects;
use super::outside::known_to_system;
use super::{Callees, Definition, FunctionId, Program, SymbolEntry, SymbolKind};
use crate::body_facts::{CallSite, CallTarget, FunctionOrigin};
use std::collections::BTreeSet;

type Node = usize;

/// Functions that may be called from anywhere with any arguments.
// not a limit: number of a node
const LOST: Node = 0;

/// Addresses that are no longer tracked. They are lost as well.
// not a limit: number of a node
const UNTRACKED: Node = 1;

/// What each call of the definitions calls, in the order of [`Program::functions`]; and which functions code outside of the
/// program can call.
pub(super) fn targets(program: &Program) -> (Vec<Vec<Vec<Callees>>>, BTreeSet<FunctionId>) {
    let known_to_system = known_to_system(program);
    let mut solver = PointsToSolver::new(program, FollowedObjects::new(program));
    solver.begin(&known_to_system);
    solver.solve();
    let of_definition = |(id, at): (FunctionId, usize)| -> Vec<Callees> {
        let calls = 0..program.body_facts(&program.functions[id].definitions[at]).calls.len();
        calls.map(|call| solver.callees(id, at, call)).collect()
    };
    let definitions = program.functions.iter().map(|function| 0..function.definitions.len());
    let calls =
        definitions.enumerate().map(|(id, all)| all.map(|at| of_definition((id, at))).collect()).collect();
    let mut called_back: BTreeSet<FunctionId> =
        solver.sets[UNTRACKED].functions.union(&known_to_system).copied().collect();
    let is_used_by_others = |&id: &FunctionId| program.functions[id].is_open || has_other_users(program, id);
    called_back.extend((0..program.functions.len()).filter(is_used_by_others));
    (calls, called_back)
}

#[derive(Default)]
struct NodeSet {
    functions: BTreeSet<FunctionId>,
    anything: bool,
    /// Not yet propagated.
    new: Vec<FunctionId>,
    is_queued: bool,
    successors: BTreeSet<Node>,
    /// Calls through pointers of this node.
    calls: Vec<PointerCall>,
}

#[derive(Clone, Copy)]
struct PointerCall {
    id: FunctionId,
    definition: usize,
    call: usize,
}

struct PointsToSolver<'a> {
    program: &'a Program,
    objects: FollowedObjects,
    sets: Vec<NodeSet>,
    /// The first parameter of each function; its result is behind the last one.
    params: Vec<Node>,
    /// By function and definition, the node of the first call's result; for a call through a pointer, the pointer is in
    /// the node behind it.
    calls: Vec<Vec<Node>>,
    work: Vec<Node>,
}

impl<'a> PointsToSolver<'a> {
    fn new(program: &'a Program, objects: FollowedObjects) -> PointsToSolver<'a> {
        let mut next = UNTRACKED + 1;
        let mut take = |count: usize| {
            next += count;
            next - count
        };
        let params = (0..program.functions.len()).map(|id| take(arity(program, id) + 1)).collect();
        let of_function = |function: &super::ProgramFunction| {
            let calls = function.definitions.iter().map(|one| program.body_facts(one).calls.len());
            calls.map(|calls| take(2 * calls)).collect()
        };
        let calls = program.functions.iter().map(of_function).collect();
        let count = take(0) + objects.nodes();
        let sets = std::iter::repeat_with(NodeSet::default).take(count).collect();
        PointsToSolver { program, objects, sets, params, calls, work: Vec::new() }
    }

    fn param(&self, id: FunctionId, number: usize) -> Node {
        self.params[id] + number
    }

    fn result(&self, id: FunctionId) -> Node {
        self.params[id] + arity(self.program, id)
    }

    fn call_result(&self, call: PointerCall) -> Node {
        self.calls[call.id][call.definition] + 2 * call.call
    }

    fn object_node(&self, node: usize) -> Node {
        self.sets.len() - self.objects.nodes() + node
    }

    /// All constraints that need no other.
    fn begin(&mut self, known_to_system: &BTreeSet<FunctionId>) {
        self.flow(UNTRACKED, LOST);
        for (from, to) in self.objects.flows() {
            self.flow(self.object_node(from), self.object_node(to));
        }
        for (unit, function, to) in self.objects.initial(self.program) {
            let to = to.map_or(UNTRACKED, |node| self.object_node(node));
            self.add_origin(unit, None, FunctionOrigin::Function(function), to);
        }
        for id in 0..self.program.functions.len() {
            if known_to_system.contains(&id) || is_known_outside(self.program, id) {
                self.add(LOST, id);
            }
            for definition in 0..self.program.functions[id].definitions.len() {
                self.definition(id, definition);
            }
        }
    }

    fn definition(&mut self, id: FunctionId, number: usize) {
        let program = self.program;
        let definition = &program.functions[id].definitions[number];
        let (unit, body_facts) = (definition.unit, program.body_facts(definition));
        let context = Some((id, number));
        for &(cell, origin) in &body_facts.effects.stored_functions {
            let to =
                self.objects.written(program, unit, cell).map_or(UNTRACKED, |node| self.object_node(node));
            self.add_origin(unit, context, origin, to);
        }
        for &origin in &body_facts.effects.lost_functions {
            self.add_origin(unit, context, origin, UNTRACKED);
        }
        for &origin in &body_facts.effects.returned_functions {
            self.add_origin(unit, context, origin, self.result(id));
        }
        for (number_of_call, site) in body_facts.calls.iter().enumerate() {
            let call = PointerCall { id, definition: number, call: number_of_call };
            if site.is_listed {
                self.unknown_call(call);
            }
            match &site.callee {
                CallTarget::Symbol(_) => match program.called_by_name(unit, site) {
                    Some(callee) => self.link(call, callee),
                    None => self.unknown_call(call),
                },
                CallTarget::Pointer(origins) => {
                    let pointer = self.call_result(call) + 1;
                    self.sets[pointer].calls.push(call);
                    for &origin in origins {
                        self.add_origin(unit, context, origin, pointer);
                    }
                }
            }
        }
    }

    /// What the origin stands for, in a definition or in an initialiser, may come to the node.
    fn add_origin(
        &mut self,
        unit: usize,
        context: Option<(FunctionId, usize)>,
        origin: FunctionOrigin,
        to: Node,
    ) {
        match (origin, context) {
            (FunctionOrigin::Function(symbol), _) => {
                let (at, unit) = (unit, &self.program.units[unit]);
                let entry = unit.symbols.get(&symbol);
                let library = |name: &str| self.program.library.get(name).copied();
                let find =
                    |entry: &SymbolEntry| self.program.resolve(at, entry).or_else(|| library(&entry.name));
                match entry.and_then(find) {
                    Some(id) => self.add(to, id),
                    None => self.add_anything(to),
                }
            }
            (FunctionOrigin::Param(number), Some((id, _))) => self.flow(self.param(id, number as usize), to),
            (FunctionOrigin::Call(call), Some((id, definition))) => {
                self.flow(self.call_result(PointerCall { id, definition, call: call as usize }), to);
            }
            (FunctionOrigin::Cell(cell), _) => match self.objects.read(self.program, unit, cell) {
                Some(node) => self.flow(self.object_node(node), to),
                None => self.add_anything(to),
            },
            (FunctionOrigin::Anything | FunctionOrigin::Param(_) | FunctionOrigin::Call(_), _) => {
                self.add_anything(to)
            }
        }
    }

    fn site(&self, call: PointerCall) -> (usize, &'a CallSite) {
        let definition: &'a Definition = &self.program.functions[call.id].definitions[call.definition];
        (definition.unit, &self.program.body_facts(definition).calls[call.call])
    }

    fn argument(&mut self, call: PointerCall, number: usize, to: Node) {
        let (unit, site) = self.site(call);
        for &origin in &site.args[number].origins {
            self.add_origin(unit, Some((call.id, call.definition)), origin, to);
        }
    }

    /// The call may call the function.
    fn link(&mut self, call: PointerCall, callee: FunctionId) {
        let (_, site) = self.site(call);
        if self.program.functions[callee].is_open || !self.program.fits(callee, site) {
            self.add(LOST, callee);
            self.unknown_call(call);
            return;
        }
        let arity = arity(self.program, callee);
        for number in 0..site.args.len() {
            // Further arguments are found by `va_arg`.
            let to = if number < arity { self.param(callee, number) } else { UNTRACKED };
            self.argument(call, number, to);
        }
        self.flow(self.result(callee), self.call_result(call));
    }

    fn unknown_call(&mut self, call: PointerCall) {
        let (_, site) = self.site(call);
        for number in 0..site.args.len() {
            self.argument(call, number, UNTRACKED);
        }
        self.add_anything(self.call_result(call));
    }

    fn flow(&mut self, from: Node, to: Node) {
        if from == to || !self.sets[from].successors.insert(to) {
            return;
        }
        let known: Vec<FunctionId> = self.sets[from].functions.iter().copied().collect();
        known.into_iter().for_each(|id| self.add(to, id));
        if self.sets[from].anything {
            self.add_anything(to);
        }
    }

    fn add(&mut self, node: Node, id: FunctionId) {
        if self.sets[node].functions.insert(id) {
            self.sets[node].new.push(id);
            self.enqueue(node);
        }
    }

    fn add_anything(&mut self, node: Node) {
        // These nodes stand for unknown code themselves.
        if node != LOST && node != UNTRACKED && !std::mem::replace(&mut self.sets[node].anything, true) {
            self.enqueue(node);
        }
    }

    fn enqueue(&mut self, node: Node) {
        if !std::mem::replace(&mut self.sets[node].is_queued, true) {
            self.work.push(node);
        }
    }

    fn solve(&mut self) {
        while let Some(node) = self.work.pop() {
            self.sets[node].is_queued = false;
            let new = std::mem::take(&mut self.sets[node].new);
            let anything = self.sets[node].anything;
            for to in self.sets[node].successors.clone() {
                new.iter().for_each(|&id| self.add(to, id));
                if anything {
                    self.add_anything(to);
                }
            }
            for call in self.sets[node].calls.clone() {
                new.iter().for_each(|&id| self.link(call, id));
                if anything {
                    self.unknown_call(call);
                }
            }
            if anything && !self.sets[node].calls.is_empty() && self.program.is_closed {
                // Such a call may call everything that code outside can call.
                self.flow(node, UNTRACKED);
            }
            if node == LOST {
                new.iter().for_each(|&id| self.lose(id));
            }
        }
    }

    /// Unknown code may call the function.
    fn lose(&mut self, id: FunctionId) {
        for number in 0..arity(self.program, id) {
            self.add_anything(self.param(id, number));
        }
        self.flow(self.result(id), UNTRACKED);
    }

    fn callees(&self, id: FunctionId, definition: usize, call: usize) -> Callees {
        let call = PointerCall { id, definition, call };
        let (unit, site) = self.site(call);
        let fits = |&id: &FunctionId| self.program.fits(id, site);
        match site.callee {
            CallTarget::Symbol(_) => match self.program.called_by_name(unit, site).filter(fits) {
                Some(callee) => Callees::Known(vec![callee]),
                None if self.is_outside(unit, site) => Callees::Outside,
                None => Callees::Unknown,
            },
            CallTarget::Pointer(_) => {
                let set = &self.sets[self.call_result(call) + 1];
                // An empty set: no assignment of the pointer was seen.
                let is_known = !set.anything && !set.functions.is_empty() && set.functions.iter().all(fits);
                if is_known {
                    Callees::Known(set.functions.iter().copied().collect())
                } else if self.program.is_closed && (set.anything || set.functions.is_empty()) {
                    Callees::Outside
                } else {
                    Callees::Unknown
                }
            }
        }
    }

    fn is_outside(&self, unit: usize, site: &CallSite) -> bool {
        let CallTarget::Symbol(symbol) = site.callee else { return false };
        let unit = &self.program.units[unit];
        let entry = unit.symbols.get(&symbol);
        entry.is_some_and(|entry| {
            self.program.find(&unit.global_name(entry)).is_none() && self.program.is_outside(entry)
        })
    }
}

fn arity(program: &Program, id: FunctionId) -> usize {
    let definitions = program.functions[id].definitions.iter();
    definitions.map(|definition| program.body_facts(definition).params.len()).max().unwrap_or(0)
}

/// May code that was not read call the function?
fn is_known_outside(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    let mut definitions = function.definitions.iter();
    let is_known_by_name = !program.is_closed || function.is_library || function.name.name == "main";
    function.name.unit.is_none() && is_known_by_name
        || function.is_open
        || has_other_users(program, id)
        || definitions.any(|definition| !program.units[definition.unit].is_whole)
}

/// May code other than C call the function?
fn has_other_users(program: &Program, id: FunctionId) -> bool {
    let is_used = |definition: &Definition| {
        let unit = &program.units[definition.unit];
        let entry = unit.functions.get(definition.function).and_then(|(symbol, _)| unit.symbols.get(symbol));
        entry.is_some_and(|entry| matches!(entry.kind, SymbolKind::Function { is_used: true, .. }))
    };
    let function = &program.functions[id];
    program.named_in_assembly(&function.name) || function.definitions.iter().any(is_used)
}
