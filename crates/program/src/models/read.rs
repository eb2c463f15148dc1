//! Reads a file of models.
//!
//! Functions are in the text form of guarded commands. All other lines are `kind attribute... @name...`, or
//! `like @f @g...`: calls of `g` mean what calls of `f` mean, whatever further arguments there are.

use super::{Gives, Kind, Line, Locking, Model, Models, Prototype, RECORDS, Sort};
use gainsay_ir::gc::{Callee, CmdKind, Function, Next, Unit};
use gainsay_ir::lex::{Cursor, Result};
use gainsay_ir::syntax::value_of;
use gainsay_ir::types::Target;
use gainsay_ir::{parse, verify};

const KINDS: &[(&str, Kind)] = &[
    ("reads", Kind::Reads),
    ("returns", Kind::Returns),
    ("unknown", Kind::Unknown),
    ("raise", Kind::Raise),
    ("error", Kind::Error),
    ("assertion", Kind::Assertion),
];

const SORTS: &[(&str, Sort)] = &[("int", Sort::Int), ("ptr", Sort::Ptr), ("float", Sort::Float)];

pub(super) fn read(models: &mut Models, text: &str, target: Target) -> Result<()> {
    let unit = functions(models, text, target)?;
    models.units.push(unit);
    let mut cursor = Cursor::new(text);
    while !cursor.at_end() {
        match cursor.peek_word() {
            Some("func") => skip_function(&mut cursor)?,
            Some("function") => cursor.skip_rest_of_line(),
            Some("prototype") => prototype(models, &mut cursor)?,
            Some("like") => {
                cursor.expect_word("like")?;
                let model = existing(models, &mut cursor)?;
                add_all(models, &mut cursor, model)?;
            }
            Some(word) => {
                let Some(kind) = value_of(KINDS, word) else {
                    return cursor.error(format!("`{word}` does not begin a model"));
                };
                cursor.expect_word(word)?;
                let line = line(&mut cursor, kind)?;
                add_all(models, &mut cursor, Model::Line(line))?;
            }
            None => return cursor.error("expected a model"),
        }
        cursor.line_end()?;
    }
    Ok(())
}

/// Reads the functions alone: all other lines become empty, so that places stay right.
fn functions(models: &mut Models, text: &str, target: Target) -> Result<Unit> {
    let mut cursor = Cursor::new(text);
    let mut starts = Vec::new();
    let mut alone = String::new();
    while !cursor.at_end() {
        let start = cursor.position();
        alone.extend(text[alone.len()..start].chars().map(blank));
        match cursor.peek_word() {
            Some("func") => {
                starts.push(start);
                skip_function(&mut cursor)?;
            }
            Some("function") => cursor.skip_rest_of_line(),
            _ => {
                cursor.skip_rest_of_line();
                alone.extend(text[start..cursor.position()].chars().map(blank));
            }
        }
        alone.push_str(&text[alone.len()..cursor.position()]);
    }
    let unit = parse::unit_for(target, &alone)?;
    for (function, (f, &start)) in unit.functions.iter().zip(&starts).enumerate() {
        if let Err(message) = usable(&unit, f) {
            return cursor.error_at(start, message);
        }
        let model = Model::Body { unit: models.units.len(), function, takes_more: false };
        let name = &unit.symbols[f.symbol].name;
        if models.by_name.insert(name.clone(), model).is_some() {
            return cursor.error_at(start, format!("`{name}` has two models"));
        }
    }
    Ok(unit)
}

/// A blank of the same length in bytes, so that positions agree. Other than ASCII stands in comments only.
fn blank(c: char) -> char {
    if c == '\n' || !c.is_ascii() { c } else { ' ' }
}

fn skip_function(cursor: &mut Cursor) -> Result<()> {
    while cursor.peek() != Some(b'}') {
        cursor.skip_rest_of_line();
        if cursor.at_end() {
            return cursor.error("the function is not closed by `}`");
        }
    }
    cursor.expect("}")
}

/// Can the commands stand in for a call?
fn usable(unit: &Unit, f: &Function) -> std::result::Result<(), String> {
    if let Err(errors) = verify::verify(unit, f) {
        return Err(errors[0].to_string());
    }
    let mut blocks = f.blocks.values();
    let (Some(block), None) = (blocks.next(), blocks.next()) else {
        return Err("a model has one block".to_owned());
    };
    if !matches!(block.next, Next::Return(_)) || !f.objects.is_empty() {
        return Err("a model ends in return and has no objects".to_owned());
    }
    for cmd in &block.cmds {
        let allowed = match &cmd.kind {
            CmdKind::Load { .. } | CmdKind::Store { .. } | CmdKind::EnterObject(_) => false,
            CmdKind::Call(call) => call.callee == Callee::Symbol(f.symbol),
            _ => true,
        };
        if !allowed {
            return Err("a model may neither load nor store nor call another function".to_owned());
        }
        if cmd.assigned().is_some_and(|var| f.params.contains(&var)) {
            return Err("a model may not assign its parameters".to_owned());
        }
    }
    Ok(())
}

fn existing(models: &Models, cursor: &mut Cursor) -> Result<Model> {
    cursor.expect("@")?;
    let start = cursor.position();
    let name = cursor.name()?;
    match models.by_name.get(name.as_ref()) {
        Some(&Model::Body { unit, function, .. }) => Ok(Model::Body { unit, function, takes_more: true }),
        Some(&model) => Ok(model),
        None => cursor.error_at(start, format!("`{name}` has no model above")),
    }
}

/// `prototype (ptr, int) -> int @name...`; further parameters, `...`, are not listed.
fn prototype(models: &mut Models, cursor: &mut Cursor) -> Result<()> {
    cursor.expect_word("prototype")?;
    cursor.expect("(")?;
    let mut params = Vec::new();
    while !cursor.eat(")") {
        params.push(sort(cursor)?);
        if !cursor.eat(",") {
            cursor.expect(")")?;
            break;
        }
    }
    let result = if cursor.eat("->") { Some(sort(cursor)?) } else { None };
    let prototype = Prototype { params, result };
    while !cursor.at_line_end() {
        cursor.expect("@")?;
        let start = cursor.position();
        let name = cursor.name()?.into_owned();
        if models.prototypes.insert(name.clone(), prototype.clone()).is_some() {
            return cursor.error_at(start, format!("`{name}` has two prototypes"));
        }
    }
    Ok(())
}

fn sort(cursor: &mut Cursor) -> Result<Sort> {
    let start = cursor.position();
    match cursor.word().and_then(|word| value_of(SORTS, word)) {
        Some(sort) => Ok(sort),
        None => cursor.error_at(start, "expected `int`, `ptr` or `float`"),
    }
}

/// The names up to the end of the line get the model.
fn add_all(models: &mut Models, cursor: &mut Cursor, model: Model) -> Result<()> {
    loop {
        cursor.expect("@")?;
        let start = cursor.position();
        let name = cursor.name()?.into_owned();
        if models.by_name.insert(name.clone(), model).is_some() {
            return cursor.error_at(start, format!("`{name}` has two models"));
        }
        if cursor.at_line_end() {
            return Ok(());
        }
    }
}

fn line(cursor: &mut Cursor, kind: Kind) -> Result<Line> {
    let mut line = Line {
        kind,
        nonnull: 0,
        live: 0,
        writes: 0,
        errno: false,
        stdio: false,
        chars: false,
        syncs: false,
        records: 0,
        frees: 0,
        keeps: 0,
        format: None,
        gives: Gives::Anything,
        locking: None,
        exits: None,
        text: None,
    };
    let start = cursor.position();
    loop {
        let at = cursor.position();
        let Some(word) = cursor.word() else { break };
        match word {
            "nonnull" => line.nonnull = arguments(cursor)?,
            "live" => line.live = arguments(cursor)?,
            "writes" => line.writes = arguments(cursor)?,
            "errno" => line.errno = true,
            "stdio" => line.stdio = true,
            "chars" => line.chars = true,
            "syncs" => line.syncs = true,
            "records" => line.records = records(cursor)?,
            "frees" => line.frees = arguments(cursor)?,
            "keeps" => line.keeps = arguments(cursor)?,
            "format" => line.format = Some(one_argument(cursor)?),
            "gives" => line.gives = gives(cursor)?,
            "locks" => line.locking = Some((Locking::Locks, one_argument(cursor)?)),
            "exits" => line.exits = Some(one_argument(cursor)?),
            "text" => line.text = Some(one_argument(cursor)?),
            "unlocks" => line.locking = Some((Locking::Unlocks, one_argument(cursor)?)),
            _ => return cursor.error_at(at, format!("unknown attribute `{word}`")),
        }
    }
    let says_effects = line.writes != 0
        || line.frees != 0
        || line.keeps != 0
        || line.records != 0
        || line.errno
        || line.stdio
        || line.chars
        || line.syncs
        || line.exits.is_some()
        || line.format.is_some();
    let fits = match kind {
        Kind::Reads => line.keeps == 0 || line.frees == 0,
        Kind::Returns | Kind::Unknown => {
            !says_effects && matches!(line.gives, Gives::Anything | Gives::Nonnull | Gives::Natural)
        }
        Kind::Raise | Kind::Error | Kind::Assertion => !says_effects && line.gives == Gives::Anything,
    };
    if fits { Ok(line) } else { cursor.error_at(start, "only `reads` can say what is written and given") }
}

fn gives(cursor: &mut Cursor) -> Result<Gives> {
    cursor.expect("(")?;
    let start = cursor.position();
    let gives = match cursor.word() {
        None => Gives::Argument(argument(cursor)?),
        Some("within") => Gives::Within(argument(cursor)?),
        Some("fresh") => Gives::Fresh,
        Some("nonnull") => Gives::Nonnull,
        Some("natural") => Gives::Natural,
        Some(word) => return cursor.error_at(start, format!("unknown result `{word}`")),
    };
    cursor.expect(")")?;
    Ok(gives)
}

fn records(cursor: &mut Cursor) -> Result<u16> {
    let mut bits = 0;
    cursor.expect("(")?;
    loop {
        let start = cursor.position();
        let name = cursor.name()?;
        match RECORDS.iter().position(|record| *record == name) {
            Some(number) => bits |= 1 << number,
            None => return cursor.error_at(start, format!("unknown record `{name}`")),
        }
        if !cursor.eat(",") {
            cursor.expect(")")?;
            return Ok(bits);
        }
    }
}

/// Numbers of arguments; `2...` is this one and all that follow.
fn arguments(cursor: &mut Cursor) -> Result<u64> {
    let mut bits = 0;
    cursor.expect("(")?;
    loop {
        let first = argument(cursor)?;
        bits |= if cursor.eat("...") { u64::MAX << first } else { 1 << first };
        if !cursor.eat(",") {
            cursor.expect(")")?;
            return Ok(bits);
        }
    }
}

fn one_argument(cursor: &mut Cursor) -> Result<u8> {
    cursor.expect("(")?;
    let number = argument(cursor)?;
    cursor.expect(")")?;
    Ok(number)
}

fn argument(cursor: &mut Cursor) -> Result<u8> {
    match cursor.number()? {
        argument @ 0..64 => Ok(argument),
        _ => cursor.error("only the first 64 arguments can be named"),
    }
}
