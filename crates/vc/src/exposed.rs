//! Exposed local objects: those that unknown pointers may point to.
//!
//! An object whose address is only used to access it cannot be changed by a call or through an unknown pointer. It is exposed
//! if its address is stored, passed, joined with another or converted to a number, and also if pointer variables are havocked
//! (a cut loop): a havocked one may hold any address that a variable ever held. A call that does not retain an address may
//! change the object during the call only.

use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::gc::{BinaryOp, CastOp, Object, is_kept};
use gainsay_ir::passive::{CmdKind, Definition, Effect, Expr, ExprData, Function, Next, Var, VarOf};
use gainsay_ir::table::table;
use gainsay_ir::types::Type;
use rustc_hash::FxHashMap;

pub(super) struct Exposed {
    objects: EntitySet<Object>,
    /// The objects that arguments point into, if the call does not retain them.
    passed: FxHashMap<Expr, Object>,
    /// A heap block may be moved or stay (`realloc`), so two heap pointers may be equal.
    pub(super) moves_blocks: bool,
}

impl Exposed {
    pub(super) fn contains(&self, object: Object) -> bool {
        self.objects.contains(object)
    }

    /// Is the argument an address in the object, of a call that does not retain it?
    pub(super) fn is_passed(&self, argument: Expr, object: Object) -> bool {
        self.passed.get(&argument) == Some(&object)
    }
}

/// The object that an expression is an address into; `None` while not looked at.
type Followed = SecondaryMap<Expr, Option<Option<Object>>>;

pub(super) fn exposed_objects(function: &Function) -> Exposed {
    let mut exposed = Exposed {
        objects: EntitySet::new(),
        passed: FxHashMap::default(),
        moves_blocks: moves_blocks(function),
    };
    if !function.exprs.values().any(|data| matches!(data, ExprData::ObjectAddr(_))) {
        return exposed;
    }
    let mut passed = FxHashMap::default();
    let mut of_expr: Followed = table(function.exprs.len());
    let mut of_var: SecondaryMap<Var, Option<Object>> = table(function.vars.len());
    let forgets = forgets_pointers(function);
    let mut expose = |object: Option<Object>| {
        if let Some(object) = object {
            exposed.objects.insert(object);
        }
    };
    for data in function.blocks.values() {
        for phi in &data.phis {
            for &(_, source) in &phi.sources {
                expose(of_var[source]);
            }
        }
        for cmd in &data.cmds {
            match &cmd.kind {
                CmdKind::Define(var, value) => {
                    follow(function, &mut of_expr, &of_var, *value, &mut expose);
                    of_var[*var] = of_expr[*value].flatten();
                    if forgets {
                        expose(of_var[*var]);
                    }
                }
                CmdKind::Assume(e) | CmdKind::Assert(_, e) => {
                    follow(function, &mut of_expr, &of_var, *e, &mut expose);
                }
                CmdKind::Update { effect, .. } => {
                    for e in effect.exprs() {
                        follow(function, &mut of_expr, &of_var, e, &mut expose);
                    }
                    match effect {
                        Effect::Store { value, .. } => expose(of_expr[*value].flatten()),
                        Effect::Call(call) => {
                            for (i, &arg) in call.args.iter().enumerate() {
                                let object = of_expr[arg].flatten();
                                if is_kept(call.keeps, i) {
                                    expose(object);
                                } else {
                                    passed.extend(object.map(|object| (arg, object)));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        if let Next::Return { value: Some(value), .. } = data.next {
            follow(function, &mut of_expr, &of_var, value, &mut expose);
            expose(of_expr[value].flatten());
        }
    }
    exposed.passed = passed;
    exposed
}

/// Is a block freed only where another pointer is not the same, as realloc does?
fn moves_blocks(function: &Function) -> bool {
    function.blocks.values().flat_map(|data| &data.cmds).any(|cmd| match &cmd.kind {
        CmdKind::Update { effect: Effect::Free { pointer }, .. } => {
            matches!(function.exprs[*pointer], ExprData::Ite(..))
        }
        _ => false,
    })
}

/// Is there a havocked pointer variable of the source?
fn forgets_pointers(function: &Function) -> bool {
    function.vars.values().any(|var| match (var.of, var.definition) {
        (VarOf::Source(source), Definition::Fresh(..)) => {
            let source = &function.sources[source];
            source.ty == Type::Ptr && source.is_written_by_user()
        }
        _ => false,
    })
}

/// Find the object that each part of the expression is an address into.
fn follow(
    function: &Function,
    of_expr: &mut Followed,
    of_var: &SecondaryMap<Var, Option<Object>>,
    root: Expr,
    expose: &mut impl FnMut(Option<Object>),
) {
    if of_expr[root].is_some() {
        return;
    }
    let mut stack = vec![root];
    while let Some(&expr) = stack.last() {
        let data = function.exprs[expr];
        let waiting = stack.len();
        data.for_each_operand(|operand| {
            if of_expr[operand].is_none() {
                stack.push(operand);
            }
        });
        if stack.len() > waiting {
            continue;
        }
        stack.pop();
        let object = match data {
            ExprData::ObjectAddr(object) => Some(object),
            ExprData::Var(var) => of_var[var],
            ExprData::Binary(BinaryOp::PtrAdd, base, _) => of_expr[base].flatten(),
            ExprData::Cast(CastOp::PtrToInt | CastOp::IntToPtr, _, of) => {
                expose(of_expr[of].flatten());
                None
            }
            ExprData::Ite(_, a, b) => {
                expose(of_expr[a].flatten());
                expose(of_expr[b].flatten());
                None
            }
            _ => None,
        };
        of_expr[expr] = Some(object);
    }
}
