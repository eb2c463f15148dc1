//! Lowers one function: parameters, locals, and the state in which statements are lowered.

use super::contract::{Contracts, Frame, LoopNotes, Note, Old};
use super::symbols::Symbols;
use super::types::{is_void, value_type};
use super::{Annotations, FunctionMetadata, Options, doubt, initialised};
use crate::clang::ast::{AttrKind, DeclId, DeclSet, NodeId, Type, TypeId, Unit};
use cranelift_entity::PrimaryMap;
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{self, Block, CmdKind, Expr, Function, Loc, LocalObject, Next, Object, Var, VarData};
use gainsay_ir::passes::prune::prune;
use gainsay_ir::source_map::{Raw, Span, Spans};
use gainsay_ir::types;
use rustc_hash::FxHashMap;

/// Where a local is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    Var(Var),
    Object(Object),
    /// A variable-length array; the variable holds its address.
    Dynamic(Var),
}

/// Locals by declaration. A declaration belongs to one function, so one table serves all functions of a unit.
pub(super) struct Locals(Vec<Option<Local>>);

impl Locals {
    pub(super) fn new(unit: &Unit) -> Locals {
        Locals(vec![None; unit.n_decls()])
    }
}

/// Targets of `break` and `continue`, and the number of cleanups pending there.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    pub(super) target: Block,
    pub(super) cleanups: usize,
}

pub(super) struct FunctionCx<'a> {
    pub(super) unit: &'a Unit,
    pub(super) options: &'a Options,
    pub(super) symbols: &'a mut Symbols,
    address_taken: &'a DeclSet,
    pub(super) contracts: &'a Contracts,
    locals: &'a mut Locals,
    pub(super) function: Function,
    pub(super) expr_types: PrimaryMap<Expr, types::Type>,
    pub(super) spans: Spans,
    pub(super) gaps: Vec<(Gap, Loc)>,
    pub(super) loc: Loc,
    last_node: Option<NodeId>,
    pub(super) current: Option<Block>,
    pub(super) n_temps: u32,
    pub(super) n_conditions: u32,
    names: FxHashMap<String, u32>,
    pub(super) breaks: Vec<Jump>,
    pub(super) continues: Vec<Jump>,
    pub(super) switches: Vec<super::switch::Switch>,
    labels: FxHashMap<DeclId, Block>,
    /// Blocks that end in a computed goto to any label of the function.
    pub(super) computed_gotos: Vec<Block>,
    /// Variables in scope that have a cleanup function.
    pub(super) cleanups: Vec<(DeclId, DeclId)>,
    pub(super) opaque: FxHashMap<NodeId, Expr>,
    pub(super) vla_counts: FxHashMap<NodeId, Var>,
    /// Address for an aggregate result.
    pub(super) result_address: Option<Var>,
    pub(super) result_ty: TypeId,
    pub(super) decl: DeclId,
    /// Variables in scope, in order.
    pub(super) scope: Vec<DeclId>,
    /// Annotations of statements that have not been lowered yet.
    pub(super) notes: Vec<Note>,
    pub(super) loop_notes: LoopNotes,
    /// Start of the loop that is lowered next, if it can be annotated.
    pub(super) loop_at: Option<Raw>,
    pub(super) loops: Vec<super::LoopPlace>,
    /// Where invariants of [`super::Help`] are asserted: the loop, and the index.
    pub(super) found: Vec<(Loc, Raw, usize)>,
    /// Values of `\old` operands and of arguments.
    pub(super) olds: Vec<Old>,
    pub(super) passed: Vec<super::contract::Passed>,
    pub(super) frames: Vec<Frame>,
    pub(super) problems: Vec<(Raw, String)>,
    /// Clauses to be proved that are not supported.
    pub(super) unproved: Vec<(Check, Loc)>,
    pub(super) admitted: Vec<Loc>,
    /// Functions whose contracts were used.
    pub(super) relies_on: Vec<String>,
    /// Number of loops, and of loops with a variant.
    pub(super) n_loops: (u32, u32),
    /// Set if the function cannot be lowered.
    pub(super) give_up: Option<String>,
}

pub(super) fn lower(
    unit: &Unit,
    options: &Options,
    symbols: &mut Symbols,
    address_taken: &DeclSet,
    contracts: &Contracts,
    locals: &mut Locals,
    decl: DeclId,
) -> Result<(Function, FunctionMetadata), String> {
    if unit.has_errors_inside(decl) {
        return Err("clang reports an error inside the function".to_owned());
    }
    let Some(body) = unit.init(decl) else {
        return Err("clang gives no body".to_owned());
    };
    if let Some(reason) = doubt::reason(unit, decl, body) {
        return Err(reason);
    }
    let function_ty = unit.decl_type(decl);
    let Type::Function { result, params, .. } = unit.ty(function_ty) else {
        return Err("clang gives no function type".to_owned());
    };
    let mut spans = Spans::new();
    let loc = spans.push(unit.decl_span(decl));
    let function = Function {
        symbol: symbols.symbol(unit, decl),
        params: Vec::new(),
        result: value_type(unit, result),
        vars: Default::default(),
        objects: Default::default(),
        exprs: Default::default(),
        blocks: Default::default(),
    };
    let has_contract = contracts.speak_of(decl);
    let options = Options { signed_overflow: options.signed_overflow || has_contract, ..*options };
    let mut cx = FunctionCx {
        unit,
        options: &options,
        symbols,
        address_taken,
        contracts,
        locals,
        function,
        expr_types: PrimaryMap::new(),
        spans,
        gaps: Vec::new(),
        loc,
        last_node: None,
        current: None,
        n_temps: 0,
        n_conditions: 0,
        names: FxHashMap::default(),
        breaks: Vec::new(),
        continues: Vec::new(),
        switches: Vec::new(),
        labels: FxHashMap::default(),
        computed_gotos: Vec::new(),
        cleanups: Vec::new(),
        opaque: FxHashMap::default(),
        vla_counts: FxHashMap::default(),
        result_address: None,
        result_ty: result,
        decl,
        scope: Vec::new(),
        notes: Vec::new(),
        loop_notes: LoopNotes::default(),
        loop_at: None,
        loops: Vec::new(),
        found: Vec::new(),
        olds: Vec::new(),
        passed: Vec::new(),
        frames: Vec::new(),
        problems: Vec::new(),
        unproved: Vec::new(),
        admitted: Vec::new(),
        relies_on: Vec::new(),
        n_loops: (0, 0),
        give_up: None,
    };
    cx.block();
    cx.parameters(params);
    cx.assume_preconditions();
    cx.stmt(body);
    cx.fall_off_the_end(decl);
    cx.end_computed_gotos();
    cx.annotations_left_over();
    if let Some(reason) = cx.give_up {
        return Err(reason);
    }
    let mut function = prune(cx.function);
    initialised::drop_evident_checks(&mut function);
    let annotations = Annotations {
        has_contract,
        problems: cx.problems,
        unproved: cx.unproved,
        admitted: cx.admitted,
        relies_on: cx.relies_on,
        loops: cx.loops,
        found: cx.found,
        loops_without_variant: cx.n_loops.0 - cx.n_loops.1,
    };
    Ok((
        function,
        FunctionMetadata { span: unit.decl_span(decl), spans: cx.spans, gaps: cx.gaps, annotations },
    ))
}

impl FunctionCx<'_> {
    pub(super) fn pointer_bits(&self) -> u16 {
        self.unit.target.pointer_bits
    }

    /// Sets the location of the following commands.
    pub(super) fn at(&mut self, node: NodeId) {
        if self.last_node != Some(node) {
            self.last_node = Some(node);
            self.loc = self.spans.push(self.unit.span(node));
        }
    }

    pub(super) fn gap(&mut self, gap: Gap) {
        self.gaps.push((gap, self.loc));
    }

    /// A name that is not yet used in the function.
    pub(super) fn unique_name(&mut self, name: &str) -> String {
        let name = if name.is_empty() { "unnamed" } else { name };
        match self.names.get_mut(name) {
            None => {
                self.names.insert(name.to_owned(), 1);
                name.to_owned()
            }
            Some(n) => {
                *n += 1;
                // Temporaries have names like `t.2`, so a second `t` needs another form.
                format!("{name}.v{n}")
            }
        }
    }

    pub(super) fn label(&mut self, label: DeclId) -> Block {
        if let Some(&block) = self.labels.get(&label) {
            return block;
        }
        let block = self.new_block();
        self.labels.insert(label, block);
        block
    }

    pub(super) fn local(&self, decl: DeclId) -> Option<Local> {
        self.locals.0[decl.0 as usize]
    }

    pub(super) fn set_local(&mut self, decl: DeclId, local: Local) {
        self.locals.0[decl.0 as usize] = Some(local);
    }

    /// Type of the variable if it can be kept outside memory.
    fn register_type(&self, decl: DeclId) -> Option<types::Type> {
        let ty = self.unit.decl_type(decl);
        let in_memory = self.address_taken.contains(decl)
            || self.unit.is_volatile(ty)
            || matches!(self.unit.ty(ty), Type::Atomic(_))
            || self.unit.has_attr(decl, AttrKind::Cleanup);
        if in_memory { None } else { value_type(self.unit, ty) }
    }

    /// Creates the storage of a local of constant size.
    pub(super) fn declare(&mut self, decl: DeclId) -> Local {
        self.scope.push(decl);
        let name = self.unique_name(self.unit.name(decl));
        let local = match self.register_type(decl) {
            Some(ty) => Local::Var(self.function.vars.push(VarData { name, ty, written_by_user: true })),
            None => {
                let ty = self.unit.decl_type(decl);
                let size = self.unit.size_of(ty).unwrap_or(0);
                let align = self.unit.align_of(ty);
                Local::Object(self.function.objects.push(LocalObject {
                    name,
                    size,
                    align,
                    written_by_user: true,
                }))
            }
        };
        self.set_local(decl, local);
        local
    }

    fn parameters(&mut self, passed_types: &[TypeId]) {
        if self.function.result.is_none() && !is_void(self.unit, self.result_ty) {
            let name = self.unique_name("result.arg");
            let var = self.function.vars.push(VarData { name, ty: types::Type::Ptr, written_by_user: false });
            self.function.params.push(var);
            self.result_address = Some(var);
        }
        for (i, &param) in self.unit.members(self.decl).iter().enumerate() {
            // A K&R definition receives promoted arguments: the function type says how they are passed, the parameter
            // what they become.
            let passed = passed_types.get(i).copied().unwrap_or(self.unit.decl_type(param));
            self.parameter(param, value_type(self.unit, passed).unwrap_or(types::Type::Ptr));
        }
        for &param in self.unit.members(self.decl) {
            self.hold_vla_counts(self.unit.type_before_decay(param));
        }
    }

    fn parameter(&mut self, param: DeclId, passed: types::Type) {
        let ty = self.unit.decl_type(param);
        let declared = value_type(self.unit, ty);
        if self.register_type(param) == Some(passed) {
            let Local::Var(var) = self.declare(param) else { return };
            self.function.params.push(var);
            return;
        }
        let local = self.declare(param);
        let name = format!("{}.arg", self.unit.name(param));
        let name = self.unique_name(&name);
        let var = self.function.vars.push(VarData { name, ty: passed, written_by_user: false });
        self.function.params.push(var);
        let value = self.read(var);
        match (local, declared) {
            (Local::Object(object), None) => {
                self.emit(CmdKind::EnterObject(object));
                let dst = self.address_of(object);
                let len = self.word(self.unit.size_of(ty).unwrap_or(0));
                self.emit(CmdKind::Copy { dst, src: value, len });
            }
            (Local::Object(object), Some(declared)) => {
                self.emit(CmdKind::EnterObject(object));
                let value = self.demote(value, declared);
                let addr = self.address_of(object);
                let access = self.plain_access(ty, declared);
                self.emit(CmdKind::Store { addr, value, access });
            }
            (Local::Var(var), Some(declared)) => {
                let value = self.demote(value, declared);
                self.assign(var, value);
            }
            _ => {}
        }
    }

    /// Undoes the default argument promotions of a K&R definition.
    fn demote(&mut self, value: Expr, to: types::Type) -> Expr {
        match (self.ty(value), to) {
            (types::Type::Int(_), types::Type::Int(bits)) => self.resize(value, false, bits),
            (types::Type::Float(from), types::Type::Float(kind)) if from != kind => {
                self.cast(gc::CastOp::FloatToFloat, to, value)
            }
            _ => value,
        }
    }

    fn end_computed_gotos(&mut self) {
        let mut targets: Vec<Block> = self.labels.values().copied().collect();
        targets.sort();
        if self.computed_gotos.is_empty() {
            return;
        }
        // A single block fans out, so the number of edges is linear in the number of labels.
        let fan = self.new_block();
        self.function.blocks[fan].next = Next::Goto(targets.into_iter().collect());
        for &block in &self.computed_gotos {
            self.function.blocks[block].next = Next::Goto(smallvec::smallvec![fan]);
        }
    }

    /// Handles control reaching the closing brace.
    fn fall_off_the_end(&mut self, decl: DeclId) {
        if self.current.is_none() {
            return;
        }
        let span = self.unit.decl_span(decl);
        self.loc = self.spans.push(Span { at: span.end, begin: span.end, end: span.end });
        if self.unit.is_noreturn(decl) {
            self.unreachable(Check::NoreturnReturns);
            return;
        }
        let value = match self.function.result {
            None => None,
            Some(ty) if self.unit.name(decl) == "main" => Some(self.constant(ty, 0)),
            // Undefined only if the caller uses the value, so any value is sound.
            Some(ty) => Some(self.indeterminate(ty)),
        };
        self.assert_postconditions(value);
        self.end(Next::Return(value));
    }
}
