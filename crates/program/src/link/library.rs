//! Functions of the library as values: `do_malloc = malloc`. A call through the pointer does what the model says of a call by
//! name, so each such function gets a body that makes this call.

use super::interface::named;
use super::{Interface, SymbolKind};
use crate::apply_models;
use crate::apply_models::LibraryClasses;
use crate::body_facts::body_facts;
use crate::models::Models;
use cranelift_entity::{EntitySet, PrimaryMap};
use gainsay_ir::gc::{
    BlockData, Call, Callee, Class, Cmd, CmdKind, ExprData, Function, Linkage, Loc, Next, Symbol, Unit,
    VarData, VarKind,
};
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

impl Interface {
    /// Of the same unit: the library's functions whose address it takes. May add classes of memory to the unit.
    pub fn add_library(&mut self, unit: &mut Unit, models: &Models) {
        let mut has_body = EntitySet::new();
        let defined = self.functions.iter().map(|(symbol, _)| symbol).chain(&self.given_up);
        has_body.extend(defined.map(|&symbol| Symbol::from_u32(symbol)));
        let mut values = Vec::new();
        for (&number, entry) in &self.symbols {
            if let SymbolKind::Function {
                params,
                result,
                is_pointed_at: true,
                is_variadic: false,
                is_library: true,
                ..
            } = &entry.kind
                && entry.linkage == Linkage::External
                && !has_body.contains(Symbol::from_u32(number))
                && models.knows(&entry.name)
            {
                values.push(forwarding(Symbol::from_u32(number), params, *result));
            }
        }
        if values.is_empty() {
            return;
        }
        let library = LibraryClasses::of(unit);
        for f in values {
            let symbol = f.symbol.as_u32();
            let body_facts = body_facts(unit, &apply_models(unit, &library, models, &has_body, f));
            let mut classes = BTreeSet::new();
            named(&body_facts, &mut BTreeSet::new(), &mut classes);
            let data = |class: u32| (class, unit.classes[Class::from_u32(class)].clone());
            self.classes.extend(classes.into_iter().map(data));
            self.library.push((symbol, body_facts));
        }
    }
}

/// Gives back what the function of the symbol gives for the same arguments.
fn forwarding(symbol: Symbol, params: &[Type], result: Option<Type>) -> Function {
    let mut f = Function {
        symbol,
        params: Vec::new(),
        result,
        vars: PrimaryMap::new(),
        objects: PrimaryMap::new(),
        exprs: PrimaryMap::new(),
        blocks: PrimaryMap::new(),
    };
    let mut args = Vec::new();
    for (i, &ty) in params.iter().enumerate() {
        let param = f.vars.push(VarData { name: format!("p{i}"), ty, kind: VarKind::Temp });
        f.params.push(param);
        args.push(f.exprs.push(ExprData::Var(param)));
    }
    let dst = result.map(|ty| f.vars.push(VarData { name: "r".to_owned(), ty, kind: VarKind::Temp }));
    let call = Call::unknown(dst, Callee::Symbol(symbol), args);
    let given = dst.map(|dst| f.exprs.push(ExprData::Var(dst)));
    let cmd = Cmd { kind: CmdKind::Call(Box::new(call)), loc: Loc::from_u32(0) };
    f.blocks.push(BlockData { branch: None, cmds: vec![cmd], next: Next::Return(given) });
    f
}
