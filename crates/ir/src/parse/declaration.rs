//! Declarations of a unit: target, symbols, and the headings of functions.

use super::{Names, ty};
use crate::gc::{
    Assembly, FunctionFacts, Held, Init, InitPart, Linkage, ObjectFacts, Symbol, SymbolData, SymbolKind, Unit,
};
use crate::lex::{Cursor, Result};
use crate::syntax::{LINKAGES, value_of};
use crate::types::Target;
use cranelift_entity::EntityRef;

/// An address in an initialiser, whose symbol may be declared further down.
struct Address {
    object: Symbol,
    part: usize,
    target: String,
    position: usize,
}

/// Reads everything but the bodies of functions; gives the places where functions start.
pub(super) fn declarations(unit: &mut Unit, text: &str) -> Result<Vec<usize>> {
    let mut names = Names::of(unit);
    let mut cursor = Cursor::new(text);
    let mut addresses = Vec::new();
    let mut functions = Vec::new();
    while !cursor.at_end() {
        match cursor.peek_word() {
            Some("target") => unit.target = target(&mut cursor)?,
            Some("assembly") => unit.assembly = assembly(&mut cursor)?,
            Some("function") => {
                let start = cursor.position();
                let data = function_symbol(&mut cursor, unit.target)?;
                add(unit, &mut names, data, &cursor, start)?;
            }
            Some("object") => {
                let start = cursor.position();
                let object = Symbol::new(unit.symbols.len());
                let data = object_symbol(&mut cursor, object, &mut addresses)?;
                add(unit, &mut names, data, &cursor, start)?;
            }
            Some("func") => {
                functions.push(cursor.position());
                while cursor.peek() != Some(b'}') {
                    cursor.skip_rest_of_line();
                    if cursor.at_end() {
                        return cursor.error("the function is not closed by `}`");
                    }
                }
                cursor.expect("}")?;
            }
            _ => return cursor.error("expected `target`, `assembly`, `object`, `function` or `func`"),
        }
        cursor.line_end()?;
    }
    for &position in &functions {
        cursor.go_to(position);
        declare_function(unit, &mut names, &mut cursor)?;
    }
    for address in addresses {
        let Some(&target) = names.symbols.get(&address.target) else {
            let message = format!("the symbol `{}` is not declared", address.target);
            return cursor.error_at(address.position, message);
        };
        if let SymbolKind::Object(ObjectFacts { init: Some(init), .. }) =
            &mut unit.symbols[address.object].kind
            && let InitPart::Address(symbol, _) = &mut init.parts[address.part].1
        {
            *symbol = target;
        }
    }
    Ok(functions)
}

/// Declares the function whose heading stands at the cursor, unless a `function` line already did.
pub(super) fn declare_function(unit: &mut Unit, names: &mut Names, cursor: &mut Cursor) -> Result<()> {
    cursor.skip_lines();
    let start = cursor.position();
    cursor.expect_word("func")?;
    cursor.expect("@")?;
    let name = cursor.name()?.into_owned();
    if names.symbols.contains_key(&name) {
        return Ok(());
    }
    cursor.expect("(")?;
    let mut facts = FunctionFacts::default();
    if !cursor.eat(")") {
        loop {
            cursor.eat_word("tmp");
            cursor.name()?;
            cursor.expect(":")?;
            facts.params.push(ty(cursor, unit.target)?);
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.expect(")")?;
    }
    if cursor.eat("->") {
        facts.result = Some(ty(cursor, unit.target)?);
    }
    let data = SymbolData { name, linkage: Linkage::External, kind: SymbolKind::Function(facts) };
    add(unit, names, data, cursor, start)
}

fn add(unit: &mut Unit, names: &mut Names, data: SymbolData, cursor: &Cursor, start: usize) -> Result<()> {
    let name = data.name.clone();
    let symbol = unit.symbols.push(data);
    match names.symbols.insert(name, symbol) {
        None => Ok(()),
        Some(_) => cursor.error_at(start, "this symbol is declared twice"),
    }
}

fn target(cursor: &mut Cursor) -> Result<Target> {
    cursor.expect_word("target")?;
    cursor.expect("ptr")?;
    let pointer_bits = cursor.number()?;
    if !matches!(pointer_bits, 16 | 32 | 64) {
        return cursor.error("a pointer has 16, 32 or 64 bits");
    }
    let big_endian = match cursor.word() {
        Some("little") => false,
        Some("big") => true,
        _ => return cursor.error("expected `little` or `big`"),
    };
    Ok(Target { pointer_bits, big_endian, null_is_valid: cursor.eat_word("null") })
}

fn assembly(cursor: &mut Cursor) -> Result<Assembly> {
    cursor.expect_word("assembly")?;
    let names_anything = cursor.eat_word("anything");
    let words = words(cursor)?;
    let defines = if cursor.eat_word("defines") { self::words(cursor)? } else { Vec::new() };
    Ok(Assembly { names_anything, words, defines })
}

fn words(cursor: &mut Cursor) -> Result<Vec<String>> {
    let mut words = Vec::new();
    while cursor.eat("@") {
        words.push(cursor.name()?.into_owned());
    }
    Ok(words)
}

fn linkage(cursor: &mut Cursor) -> Result<Linkage> {
    match cursor.word().and_then(|word| value_of(LINKAGES, word)) {
        Some(linkage) => Ok(linkage),
        None => cursor.error("expected `external`, `weak` or `internal`"),
    }
}

fn function_symbol(cursor: &mut Cursor, target: Target) -> Result<SymbolData> {
    cursor.expect_word("function")?;
    cursor.expect("@")?;
    let name = cursor.name()?.into_owned();
    let mut facts = FunctionFacts::default();
    cursor.expect("(")?;
    if !cursor.eat(")") {
        loop {
            if cursor.eat("...") {
                facts.variadic = true;
                break;
            }
            facts.params.push(ty(cursor, target)?);
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.expect(")")?;
    }
    if cursor.eat("->") {
        facts.result = Some(ty(cursor, target)?);
    }
    let linkage = linkage(cursor)?;
    while let Some(word) = cursor.word() {
        match word {
            "noreturn" => facts.noreturn = true,
            "returns_nonnull" => facts.returns_nonnull = true,
            "allocates" => facts.allocates = true,
            "system" => facts.system = true,
            "library" => facts.library = true,
            "used" => facts.used = true,
            "takes_functions" => facts.takes_functions = true,
            "takes_opaque" => facts.takes_opaque = true,
            "returns_bool" => facts.returns_bool = true,
            "nonnull" => facts.nonnull = parameters(cursor)?,
            "bools" => facts.bools = parameters(cursor)?,
            "texts" => facts.texts = parameters(cursor)?,
            _ => return cursor.error(format!("unknown attribute `{word}`")),
        }
    }
    Ok(SymbolData { name, linkage, kind: SymbolKind::Function(facts) })
}

/// Numbers of parameters, as bits.
fn parameters(cursor: &mut Cursor) -> Result<u64> {
    let mut bits = 0;
    cursor.expect("(")?;
    loop {
        let bit: u32 = cursor.number()?;
        if bit >= u64::BITS {
            return cursor.error("only the first 64 parameters can be named");
        }
        bits |= 1 << bit;
        if !cursor.eat(",") {
            cursor.expect(")")?;
            return Ok(bits);
        }
    }
}

fn object_symbol(cursor: &mut Cursor, object: Symbol, addresses: &mut Vec<Address>) -> Result<SymbolData> {
    cursor.expect_word("object")?;
    cursor.expect("@")?;
    let name = cursor.name()?.into_owned();
    cursor.expect_word("size")?;
    let is_declared = cursor.eat("?");
    let number = if is_declared && !cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        0
    } else {
        cursor.number()?
    };
    let (size, declared) = if is_declared { (None, number) } else { (Some(number), 0) };
    cursor.expect_word("align")?;
    let align = cursor.number()?;
    let constant = cursor.eat_word("const");
    let held = if cursor.eat_word("placed") {
        Held::Placed
    } else if cursor.eat_word("hidden") {
        Held::Nowhere
    } else if cursor.eat_word("unretained") {
        Held::Unretained
    } else {
        Held::Anywhere
    };
    let reached = cursor.eat_word("reached");
    let system = cursor.eat_word("system");
    let linkage = linkage(cursor)?;
    let init = if cursor.eat("{") { Some(init(cursor, object, addresses)?) } else { None };
    let facts = ObjectFacts { size, declared, align, constant, held, reached, system, init };
    Ok(SymbolData { name, linkage, kind: SymbolKind::Object(facts) })
}

fn init(cursor: &mut Cursor, object: Symbol, addresses: &mut Vec<Address>) -> Result<Init> {
    let mut init = Init::default();
    loop {
        cursor.skip_lines();
        if cursor.eat("}") {
            return Ok(init);
        }
        let offset = cursor.number()?;
        cursor.expect(":")?;
        let part = if cursor.eat("@") {
            let position = cursor.position();
            let target = cursor.name()?.into_owned();
            addresses.push(Address { object, part: init.parts.len(), target, position });
            InitPart::Address(object, signed(cursor)?)
        } else {
            InitPart::Bytes(cursor.quoted()?)
        };
        init.parts.push((offset, part));
        cursor.skip_lines();
        if !cursor.eat(",") {
            cursor.expect("}")?;
            return Ok(init);
        }
    }
}

/// `+4`, `-4` or nothing.
fn signed(cursor: &mut Cursor) -> Result<i64> {
    let sign = if cursor.eat("+") {
        1
    } else if cursor.eat("-") {
        -1
    } else {
        return Ok(0);
    };
    match i64::try_from(sign * i128::from(cursor.number::<u64>()?)) {
        Ok(plus) => Ok(plus),
        Err(_) => cursor.error("the offset is too large"),
    }
}
