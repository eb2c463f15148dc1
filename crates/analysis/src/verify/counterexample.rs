//! Writes the inputs of a run as C: objects with their contents, and the arguments of the call.

use crate::limits::{COUNTEREXAMPLE_NEAR, COUNTEREXAMPLE_SMALL_INPUT};
use gainsay_ir::gc;
use gainsay_ir::types::Type;
use gainsay_solver::Session;
use gainsay_term::{Sort, Term, Value};
use gainsay_vc::Vc;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A parameter as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamDeclaration {
    pub name: String,
    /// The type as C spells it.
    pub spelling: String,
    /// Width of an integer parameter.
    pub bits: u16,
    pub signed: bool,
}

/// Inputs of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// Definitions of objects, one per line.
    pub objects: Vec<String>,
    /// Assignments to make before the call.
    pub stores: Vec<String>,
    /// The arguments as C expressions.
    pub arguments: Vec<String>,
    /// Readable inputs: `n = 3`, `a = {1, 2, 3}`.
    pub shown: Vec<String>,
}

impl Counterexample {
    /// A `main` function that makes the call.
    pub fn harness(&self, function: &str) -> String {
        let mut text = String::new();
        for object in &self.objects {
            let _ = writeln!(text, "{object}");
        }
        let _ = writeln!(text, "int main(void) {{");
        for store in &self.stores {
            let _ = writeln!(text, "    {store}");
        }
        let _ = writeln!(text, "    {function}({});\n    return 0;\n}}", self.arguments.join(", "));
        text
    }
}

/// A contiguous range of accessible bytes.
struct InputObject {
    start: u128,
    size: u128,
    /// Type and value by offset.
    cells: BTreeMap<u128, (Type, u128)>,
}

/// The condition that all inputs other than addresses are small numbers.
pub(super) fn small(vc: &mut Vc, params: &[ParamDeclaration]) -> Term {
    let is_number = |param: &ParamDeclaration| !is_pointer(param);
    let numbers =
        vc.exact.params.iter().zip(params).filter(|(_, param)| is_number(param)).map(|(&term, _)| term);
    let cells = vc.exact.cells.iter().filter(|cell| cell.ty != Type::Ptr).map(|cell| cell.value);
    let all: Vec<Term> = numbers.chain(cells).collect();
    let mut small = Vec::new();
    for term in all {
        if let Sort::BitVec(width) = vc.pool.sort(term)
            && width >= 8
        {
            let (by, most) = (
                vc.pool.bits(width, COUNTEREXAMPLE_SMALL_INPUT),
                vc.pool.bits(width, 2 * COUNTEREXAMPLE_SMALL_INPUT + 1),
            );
            let above = vc.pool.bv_add(term, by);
            small.push(vc.pool.bv_ult(above, most));
        }
    }
    vc.pool.all(&small)
}

fn is_pointer(param: &ParamDeclaration) -> bool {
    param.spelling.contains('*') || param.spelling.contains('[')
}

/// The inputs that the solver's model describes.
pub(super) fn read(
    session: &mut Session,
    unit: &gc::Unit,
    vc: &Vc,
    params: &[ParamDeclaration],
) -> Result<Counterexample, String> {
    let exact = &vc.exact;
    let mut terms: Vec<Term> = exact.params.clone();
    terms.extend(exact.cells.iter().flat_map(|cell| [cell.addr, cell.value]));
    terms.extend(exact.ranges.iter().flatten());
    let values = session
        .values(&vc.pool, &terms)
        .map_err(|reason| format!("the solver gives no values ({reason:?})"))?;
    let bits = |value: &Value| match value {
        Value::Bits { value, .. } => *value,
        Value::Bool(value) => u128::from(*value),
        Value::Array(_) => 0,
    };
    let values: Vec<u128> = values.iter().map(bits).collect();
    let (of_params, rest) = values.split_at(exact.params.len());
    let (of_cells, of_ranges) = rest.split_at(2 * exact.cells.len());
    let mut objects = merged(of_ranges)?;
    for (cell, values) in exact.cells.iter().zip(of_cells.chunks(2)) {
        let bytes = u128::from(cell.ty.bytes(unit.target.pointer_bits));
        // A value read outside all objects has no effect: the run fails before, or only the contract mentions
        // it.
        let Some(object) =
            objects.iter_mut().find(|o| o.start <= values[0] && values[0] + bytes <= o.start + o.size)
        else {
            continue;
        };
        let offset = values[0] - object.start;
        if let Some(&(ty, value)) = object.cells.get(&offset)
            && (ty, value) != (cell.ty, values[1])
        {
            return Err("one place is read in two ways".into());
        }
        object.cells.insert(offset, (cell.ty, values[1]));
    }
    if params.len() != of_params.len() {
        return Err("a parameter is passed in a way that C does not show".into());
    }
    Ok(written(&objects, params, of_params, unit.target.pointer_bits))
}

/// Merges overlapping valid ranges into objects.
fn merged(ranges: &[u128]) -> Result<Vec<InputObject>, String> {
    let mut spans: Vec<(u128, u128)> = ranges
        .chunks(3)
        .filter(|range| range[2] == 1 && range[1] > 0)
        .map(|range| (range[0], range[0] + range[1]))
        .collect();
    spans.sort();
    let mut merged: Vec<(u128, u128)> = Vec::new();
    for (start, end) in spans {
        match merged.last_mut() {
            Some(last) if start < last.1 => {
                if end > last.1 && start > last.0 {
                    return Err("objects overlap in a way that only a larger object explains".into());
                }
                last.1 = last.1.max(end);
            }
            _ => merged.push((start, end)),
        }
    }
    let object =
        |(start, end): (u128, u128)| InputObject { start, size: end - start, cells: BTreeMap::new() };
    Ok(merged.into_iter().map(object).collect())
}

fn written(
    objects: &[InputObject],
    params: &[ParamDeclaration],
    values: &[u128],
    pointer_bits: u16,
) -> Counterexample {
    let mut out = Counterexample::default();
    let pointer = |value: u128| -> String {
        if value == 0 {
            return "0".into();
        }
        match objects.iter().position(|o| o.start <= value && value <= o.start + o.size) {
            Some(i) if objects[i].start == value => format!("(void *)object{i}"),
            Some(i) => format!("(void *)((char *)object{i} + {})", value - objects[i].start),
            // Before an object, such as `a` if only `a[8]` and `a[9]` are accessible.
            None => {
                match objects.iter().position(|o| value < o.start && o.start - value <= COUNTEREXAMPLE_NEAR) {
                    Some(i) => format!("(void *)((char *)object{i} - {})", objects[i].start - value),
                    None => format!("(void *){value:#x}"),
                }
            }
        }
    };
    let mut contents = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        let first = object.cells.values().next().map(|(ty, _)| *ty);
        let element = first.filter(|ty| matches!(ty, Type::Int(8 | 16 | 32 | 64)));
        let bytes = element.map_or(1, |ty| u128::from(ty.bytes(pointer_bits)));
        let is_uniform =
            object.cells.iter().all(|(offset, (ty, _))| Some(*ty) == element && offset % bytes == 0)
                && object.size % bytes == 0;
        if let (Some(Type::Int(width)), true) = (element, is_uniform) {
            let ty = match width {
                8 => "signed char",
                16 => "short",
                32 => "int",
                _ => "long long",
            };
            let at = |n: u128| object.cells.get(&(n * bytes)).map_or(0, |&(_, value)| signed(value, width));
            let all: Vec<String> = (0..object.size / bytes).map(|n| at(n).to_string()).collect();
            contents.push(format!("{{{}}}", all.join(", ")));
            out.objects.push(format!("static {ty} object{i}[{}] = {{{}}};", all.len(), all.join(", ")));
            continue;
        }
        out.objects.push(format!("static _Alignas(16) char object{i}[{}];", object.size));
        let mut parts = Vec::new();
        for (offset, (ty, value)) in &object.cells {
            let (ty, value) = match ty {
                Type::Ptr => ("void *".to_owned(), pointer(*value)),
                Type::Int(width @ (8 | 16 | 32 | 64)) => {
                    (format!("__INT{width}_TYPE__ "), signed(*value, *width).to_string())
                }
                // Floats and unusual widths are left zero.
                _ => continue,
            };
            parts.push(format!("+{offset}: {value}"));
            out.stores.push(format!("*({ty}*)(object{i} + {offset}) = {value};"));
        }
        contents.push(format!("{{{}}}", parts.join(", ")));
    }
    for (param, &value) in params.iter().zip(values) {
        let is_pointer = is_pointer(param);
        let argument = if is_pointer {
            pointer(value)
        } else {
            if param.signed { signed(value, param.bits).to_string() } else { format!("{value}u") }
        };
        let object = objects.iter().position(|o| is_pointer && o.start == value);
        let shown = match object {
            Some(i) => contents[i].clone(),
            None if is_pointer && value == 0 => "NULL".into(),
            None => argument.trim_end_matches('u').to_owned(),
        };
        out.shown.push(format!("{} = {shown}", param.name));
        out.arguments.push(argument);
    }
    out
}

fn signed(value: u128, width: u16) -> i128 {
    if width >= 128 {
        return value.cast_signed();
    }
    let shift = 128 - u32::from(width);
    (value << shift).cast_signed() >> shift
}
