//! Hand-written summaries.

use gainsay_ir::gc::{ClassData, Field};
use gainsay_ir::types::Type;
use gainsay_program::summary::{
    Atom, AtomOp, Base, GlobalName, ParamFacts, ResultFacts, Returns, Summary, Write,
};

/// The callee may be passed NULL, and neither frees nor retains the pointer.
pub(crate) const NOT_RETAINED: ParamFacts =
    ParamFacts { nonnull: false, may_be_freed: false, may_escape: false };

/// Returns, writes nothing, keeps nothing.
pub(crate) fn pure() -> Summary {
    Summary {
        returns: Returns::Surely,
        writes: Some(Vec::new()),
        params: vec![NOT_RETAINED; 2],
        ..Summary::top()
    }
}

pub(crate) fn writing(base: Base, class: ClassData) -> Summary {
    Summary { writes: Some(vec![Write { base, class }]), ..pure() }
}

pub(crate) fn keeping() -> Summary {
    let kept = ParamFacts { may_escape: true, ..NOT_RETAINED };
    Summary { params: vec![kept; 2], ..pure() }
}

pub(crate) fn freeing() -> Summary {
    let freed = ParamFacts { may_be_freed: true, ..NOT_RETAINED };
    Summary { params: vec![freed; 2], ..pure() }
}

/// Of the first parameter.
pub(crate) fn nonnull(returns: Returns) -> Summary {
    let params = vec![ParamFacts { nonnull: true, ..NOT_RETAINED }];
    Summary { returns, params, ..pure() }
}

/// Does not return if the first argument is this.
pub(crate) fn leaving(returns: Returns, value: u128) -> Summary {
    let atom = Atom { param: 0, op: AtomOp::Eq, value };
    Summary { returns, leaves_if: vec![vec![atom]], ..pure() }
}

pub(crate) fn giving(result: ResultFacts) -> Summary {
    Summary { result, ..pure() }
}

pub(crate) fn ranging(least: i128, most: i128) -> Summary {
    giving(ResultFacts { range: Some((least, most)), ..ResultFacts::default() })
}

pub(crate) fn global(unit: Option<&str>, name: &str) -> Base {
    Base::Global(GlobalName { unit: unit.map(str::to_owned), name: name.to_owned() })
}

pub(crate) fn int() -> ClassData {
    ClassData { ty: Some(Type::Int(32)), field: None }
}

/// Characters, members of unions, copies of records.
pub(crate) fn any() -> ClassData {
    ClassData { ty: None, field: None }
}

pub(crate) fn field(name: &str, offset: u64) -> ClassData {
    let field = Field { record: "r".into(), name: name.into(), offset };
    ClassData { ty: Some(Type::Int(32)), field: Some(field) }
}
