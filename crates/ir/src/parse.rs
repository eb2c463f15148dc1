//! Reads the text form that `print` writes. One command per line; `;` starts a comment.
//!
//! Expressions are read without recursion: their depth is limited by memory only.

use crate::check::Check;
use crate::gc::*;
use crate::lex::{Cursor, Result};
use crate::syntax::{self, ORIGINS, OUTCOMES, value_of};
use crate::types::{Target, Type};
use cranelift_entity::{EntityRef, PrimaryMap};
use smallvec::SmallVec;
use std::collections::HashMap;

pub use crate::lex::ParseError;

mod declaration;
mod expression;

/// Reads a unit: target, symbols and functions in any order, the target first.
pub fn unit(text: &str) -> std::result::Result<Unit, ParseError> {
    unit_for(Target { pointer_bits: 64, big_endian: false, null_is_valid: false }, text)
}

/// Reads a unit that may leave the target open.
pub fn unit_for(target: Target, text: &str) -> Result<Unit> {
    let mut unit = Unit {
        target,
        symbols: PrimaryMap::new(),
        classes: PrimaryMap::new(),
        assembly: Assembly::default(),
        functions: Vec::new(),
    };
    let functions = declaration::declarations(&mut unit, text)?;
    let mut names = Names::of(&unit);
    for position in functions {
        let mut cursor = Cursor::new(text);
        cursor.go_to(position);
        let f = FunctionParser::new(&mut unit, &mut names, cursor).function()?.0;
        unit.functions.push(f);
    }
    Ok(unit)
}

/// Reads one function. Its symbol and classes are added to the unit where they are new; all other symbols
/// must be declared.
pub fn function(unit: &mut Unit, text: &str) -> std::result::Result<Function, ParseError> {
    let mut names = Names::of(unit);
    declaration::declare_function(unit, &mut names, &mut Cursor::new(text))?;
    let (f, mut cursor) = FunctionParser::new(unit, &mut names, Cursor::new(text)).function()?;
    if !cursor.at_end() {
        return cursor.error("the text should end after the function");
    }
    Ok(f)
}

/// Symbols and classes of the unit by what the text calls them.
struct Names {
    symbols: HashMap<String, Symbol>,
    classes: HashMap<ClassData, Class>,
}

impl Names {
    fn of(unit: &Unit) -> Names {
        Names {
            symbols: unit.symbols.iter().map(|(symbol, data)| (data.name.clone(), symbol)).collect(),
            classes: unit.classes.iter().map(|(class, data)| (data.clone(), class)).collect(),
        }
    }
}

fn ty(cursor: &mut Cursor, target: Target) -> Result<Type> {
    let start = cursor.position();
    match cursor.word().and_then(|name| type_of_name(name, target)) {
        Some(ty) => Ok(ty),
        None => {
            cursor.error_at(start, "expected a type: bool, i8 ... i128, word, ptr, f16, f32, f64, f80, f128")
        }
    }
}

/// `word` is the integer of a pointer's width.
fn type_of_name(name: &str, target: Target) -> Option<Type> {
    if name == "word" { Some(Type::Int(target.pointer_bits)) } else { syntax::type_from_word(name) }
}

#[derive(Clone, Copy)]
enum Local {
    Var(Var),
    Object(Object),
}

struct FunctionParser<'a, 'u> {
    unit: &'u mut Unit,
    names: &'u mut Names,
    cursor: Cursor<'a>,
    locals: HashMap<String, Local>,
    labels: HashMap<u32, Block>,
    f: Function,
    /// Operations of the current expression whose operands are not complete.
    pending: Vec<expression::Pending>,
}

impl<'a, 'u> FunctionParser<'a, 'u> {
    fn new(unit: &'u mut Unit, names: &'u mut Names, cursor: Cursor<'a>) -> Self {
        let f = Function {
            symbol: Symbol::new(0),
            params: Vec::new(),
            result: None,
            vars: PrimaryMap::new(),
            objects: PrimaryMap::new(),
            exprs: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
        };
        let (locals, labels) = (HashMap::new(), HashMap::new());
        FunctionParser { unit, names, cursor, locals, labels, f, pending: Vec::new() }
    }

    fn function(mut self) -> Result<(Function, Cursor<'a>)> {
        self.cursor.skip_lines();
        self.cursor.expect_word("func")?;
        self.f.symbol = self.symbol()?;
        self.params()?;
        if self.cursor.eat("->") {
            self.f.result = Some(self.ty()?);
        }
        self.cursor.expect("{")?;
        self.cursor.line_end()?;
        self.local_declarations()?;
        let body = self.cursor.position();
        self.label_all_blocks()?;
        self.cursor.go_to(body);
        while !self.cursor.eat("}") {
            self.block()?;
        }
        if self.f.blocks.is_empty() {
            return self.cursor.error("a function needs a block");
        }
        Ok((self.f, self.cursor))
    }

    fn ty(&mut self) -> Result<Type> {
        ty(&mut self.cursor, self.unit.target)
    }

    fn params(&mut self) -> Result<()> {
        self.cursor.expect("(")?;
        if self.cursor.eat(")") {
            return Ok(());
        }
        loop {
            let is_temp = self.cursor.eat_word("tmp");
            let param = self.declare_var(is_temp)?;
            self.f.params.push(param);
            if !self.cursor.eat(",") {
                return self.cursor.expect(")");
            }
        }
    }

    fn local_declarations(&mut self) -> Result<()> {
        loop {
            match self.cursor.peek_word() {
                Some(word @ ("var" | "tmp")) => {
                    self.cursor.expect_word(word)?;
                    self.declare_var(word == "tmp")?;
                }
                Some(word @ ("obj" | "tmpobj")) => {
                    self.cursor.expect_word(word)?;
                    self.declare_object(word == "obj")?;
                }
                _ => return Ok(()),
            }
            self.cursor.line_end()?;
        }
    }

    fn declare_var(&mut self, is_temp: bool) -> Result<Var> {
        let start = self.cursor.position();
        let name = self.cursor.name()?.into_owned();
        self.cursor.expect(":")?;
        let ty = self.ty()?;
        let kind = if is_temp { self.temp_kind()? } else { VarKind::Source };
        let var = self.f.vars.push(VarData { name: name.clone(), ty, kind });
        self.declare(name, Local::Var(var), start)?;
        Ok(var)
    }

    fn temp_kind(&mut self) -> Result<VarKind> {
        let start = self.cursor.position();
        match self.cursor.dashed_word() {
            "" => Ok(VarKind::Temp),
            "of-text" => Ok(VarKind::OfText(self.cursor.number()?)),
            "is-set" => Ok(VarKind::ElementIsSet(self.cursor.name()?.into_owned())),
            word => match syntax::value_of(syntax::VAR_KINDS, word) {
                Some(kind) => Ok(kind),
                None => self.cursor.error_at(start, format!("no kind of variable is called `{word}`")),
            },
        }
    }

    fn declare_object(&mut self, written_by_user: bool) -> Result<()> {
        let start = self.cursor.position();
        let name = self.cursor.name()?.into_owned();
        self.cursor.expect(":")?;
        let size = self.cursor.number()?;
        self.cursor.expect_word("align")?;
        let align = self.cursor.number()?;
        let object = self.f.objects.push(LocalObject { name: name.clone(), size, align, written_by_user });
        self.declare(name, Local::Object(object), start)
    }

    fn declare(&mut self, name: String, local: Local, start: usize) -> Result<()> {
        match self.locals.insert(name, local) {
            None => Ok(()),
            Some(_) => self.cursor.error_at(start, "this name is declared twice"),
        }
    }

    /// Gives every label its block before any `goto` is read.
    fn label_all_blocks(&mut self) -> Result<()> {
        while self.cursor.peek() != Some(b'}') {
            let start = self.cursor.position();
            if let Some(label) = self.label() {
                let block = Block::new(self.labels.len());
                if self.labels.insert(label, block).is_some() {
                    return self.cursor.error_at(start, format!("block b{label} is defined twice"));
                }
            }
            self.cursor.skip_rest_of_line();
            if self.cursor.at_end() {
                return self.cursor.error("the function is not closed by `}`");
            }
        }
        Ok(())
    }

    /// `b12:` at the cursor.
    fn label(&mut self) -> Option<u32> {
        let start = self.cursor.position();
        let label = self.cursor.word().and_then(block_number).filter(|_| self.cursor.eat(":"));
        if label.is_none() {
            self.cursor.go_to(start);
        }
        label
    }

    fn block(&mut self) -> Result<()> {
        if self.label().is_none() {
            return self.cursor.error("expected a block: `b0:`");
        }
        let branch = if self.cursor.eat("[") { Some(self.branch()?) } else { None };
        self.cursor.line_end()?;
        let mut cmds = Vec::new();
        let next = loop {
            if let Some(next) = self.next()? {
                break next;
            }
            let kind = self.cmd()?;
            let loc = if self.cursor.eat("!") { self.cursor.number()? } else { 0 };
            cmds.push(Cmd { kind, loc: Loc::from_u32(loc) });
            self.cursor.line_end()?;
        };
        self.cursor.line_end()?;
        self.f.blocks.push(BlockData { branch, cmds, next });
        Ok(())
    }

    fn branch(&mut self) -> Result<Branch> {
        let start = self.cursor.position();
        let (origin, outcome) = (self.cursor.dashed_word(), self.cursor.dashed_word());
        let Some(origin) = value_of(ORIGINS, origin) else {
            return self.cursor.error_at(start, format!("unknown origin `{origin}` of a branch"));
        };
        let Some(outcome) = value_of(OUTCOMES, outcome) else {
            return self.cursor.error_at(start, format!("unknown outcome `{outcome}` of a branch"));
        };
        let condition = self.cursor.number()?;
        self.cursor.expect("]")?;
        Ok(Branch { condition, origin, outcome })
    }

    /// The end of a block, or `None` where a command stands.
    fn next(&mut self) -> Result<Option<Next>> {
        let Some(word @ ("goto" | "return" | "raise" | "error")) = self.cursor.peek_word() else {
            return Ok(None);
        };
        self.cursor.expect_word(word)?;
        Ok(Some(match word {
            "goto" => Next::Goto(self.targets()?),
            "return" if self.cursor.at_line_end() => Next::Return(None),
            "return" => Next::Return(Some(self.expr()?)),
            "raise" => Next::Raise,
            _ => Next::Error,
        }))
    }

    fn targets(&mut self) -> Result<SmallVec<[Block; 2]>> {
        let mut targets = SmallVec::new();
        loop {
            let start = self.cursor.position();
            let Some(label) = self.cursor.word().and_then(block_number) else {
                return self.cursor.error_at(start, "expected a block: `b0`");
            };
            let Some(&block) = self.labels.get(&label) else {
                return self.cursor.error_at(start, format!("there is no block b{label}"));
            };
            targets.push(block);
            if !self.cursor.eat(",") {
                return Ok(targets);
            }
        }
    }

    fn cmd(&mut self) -> Result<CmdKind> {
        let Some(word) = self.cursor.peek_word().filter(|word| syntax::is_reserved(word)) else {
            let dst = self.var()?;
            self.cursor.expect("=")?;
            return self.value_of_var(dst);
        };
        let start = self.cursor.position();
        self.cursor.expect_word(word)?;
        Ok(match word {
            "havoc" => CmdKind::Havoc(self.var()?),
            "enter" if self.cursor.eat("&") => CmdKind::EnterObject(self.object()?),
            "enter" => CmdKind::Enter(self.var()?),
            "assume" => CmdKind::Assume(self.expr()?),
            "assert" => {
                let name = self.cursor.dashed_word();
                let Some(check) = Check::from_name(name) else {
                    return self.cursor.error(format!("unknown check `{name}`"));
                };
                CmdKind::Assert(check, self.expr()?)
            }
            "store" => {
                let access = self.access()?;
                let [addr, value] = self.list()?;
                CmdKind::Store { addr, value, access }
            }
            "copy" => {
                let [dst, src, len] = self.list()?;
                CmdKind::Copy { dst, src, len }
            }
            "fill" => {
                let [dst, byte, len] = self.list()?;
                CmdKind::Fill { dst, byte, len }
            }
            "free" => CmdKind::Free(self.expr()?),
            "clobber" => CmdKind::Clobber(self.clobber()?),
            "call" => self.call(None)?,
            _ => return self.cursor.error_at(start, format!("`{word}` does not begin a command")),
        })
    }

    /// What follows `x =`.
    fn value_of_var(&mut self, dst: Var) -> Result<CmdKind> {
        if self.cursor.eat_word("load") {
            let access = self.access()?;
            return Ok(CmdKind::Load { dst, addr: self.expr()?, access });
        }
        if self.cursor.eat_word("alloca") {
            return Ok(CmdKind::Alloca { dst, size: self.expr()? });
        }
        if self.cursor.eat_word("allocate") {
            let unset = self.cursor.eat_word("unset");
            return Ok(CmdKind::Allocate { dst, size: self.expr()?, unset });
        }
        if self.cursor.eat_word("call") {
            return self.call(Some(dst));
        }
        Ok(CmdKind::Assign(dst, self.expr()?))
    }

    fn clobber(&mut self) -> Result<Clobber> {
        if self.cursor.eat_word("escaped") {
            return Ok(Clobber::Escaped);
        }
        if self.cursor.eat_word("errno") {
            return Ok(Clobber::Errno);
        }
        if self.cursor.eat_word("range") {
            let [addr, len] = self.list()?;
            return Ok(Clobber::Range { addr, len });
        }
        let mut classes = Vec::new();
        while self.cursor.peek() == Some(b'#') {
            classes.push(self.class()?);
            if !self.cursor.eat(",") {
                break;
            }
        }
        Ok(Clobber::Classes(classes))
    }

    fn call(&mut self, dst: Option<Var>) -> Result<CmdKind> {
        let returns = self.cursor.eat_word("returns");
        let callee =
            if self.cursor.eat("*") { Callee::Pointer(self.expr()?) } else { Callee::Symbol(self.symbol()?) };
        self.cursor.expect("(")?;
        let mut args = Vec::new();
        if !self.cursor.eat(")") {
            loop {
                args.push(self.expr()?);
                if !self.cursor.eat(",") {
                    break;
                }
            }
            self.cursor.expect(")")?;
        }
        let writes = if self.cursor.eat_word("writes") { Some(self.writes()?) } else { None };
        let keeps = if self.cursor.eat_word("keeps") { self.keeps(args.len())? } else { KEEPS_ALL };
        Ok(CmdKind::Call(Box::new(Call { dst, callee, args, returns, writes, keeps })))
    }

    /// `(argument 0 #i32, @g #any, anywhere #ptr)`
    fn writes(&mut self) -> Result<Vec<CallWrite>> {
        let mut writes = Vec::new();
        self.cursor.expect("(")?;
        while !self.cursor.eat(")") {
            if !writes.is_empty() {
                self.cursor.expect(",")?;
            }
            let base = if self.cursor.eat_word("argument") {
                CallBase::Argument(self.cursor.number()?)
            } else if self.cursor.eat_word("errno") {
                CallBase::Errno
            } else if self.cursor.eat_word("anywhere") {
                CallBase::Anywhere
            } else if self.cursor.eat_word("outside") {
                CallBase::Outside
            } else {
                CallBase::Symbol(self.symbol()?)
            };
            writes.push(CallWrite { base, class: self.class()? });
        }
        Ok(writes)
    }

    /// `(0, 2)`: the numbers of arguments.
    fn keeps(&mut self, arguments: usize) -> Result<u64> {
        let mut keeps = KEEPS_ALL.checked_shl(arguments as u32).unwrap_or(0);
        let mut is_first = true;
        self.cursor.expect("(")?;
        while !self.cursor.eat(")") {
            if !std::mem::take(&mut is_first) {
                self.cursor.expect(",")?;
            }
            let start = self.cursor.position();
            let argument: u32 = self.cursor.number()?;
            if argument as usize >= arguments.min(64) {
                return self.cursor.error_at(start, "the call has no such argument");
            }
            keeps |= 1 << argument;
        }
        Ok(keeps)
    }

    fn access(&mut self) -> Result<Access> {
        let ty = self.ty()?;
        let class = self.class()?;
        Ok(Access { ty, class, volatile: self.cursor.eat_word("volatile") })
    }

    fn class(&mut self) -> Result<Class> {
        self.cursor.expect("#")?;
        let start = self.cursor.position();
        let first = self.cursor.part_name()?;
        let field = if self.cursor.eat(".") {
            let name = self.cursor.part_name()?.into_owned();
            self.cursor.expect("@")?;
            let offset = self.cursor.number()?;
            self.cursor.expect("/")?;
            Some(Field { record: first.into_owned(), name, offset })
        } else {
            self.cursor.go_to(start);
            None
        };
        let ty = if self.cursor.eat_word("any") { None } else { Some(self.ty()?) };
        let data = ClassData { ty, field };
        if let Some(&class) = self.names.classes.get(&data) {
            return Ok(class);
        }
        let class = self.unit.classes.push(data.clone());
        self.names.classes.insert(data, class);
        Ok(class)
    }

    fn symbol(&mut self) -> Result<Symbol> {
        self.cursor.expect("@")?;
        let start = self.cursor.position();
        let name = self.cursor.name()?;
        match self.names.symbols.get(name.as_ref()) {
            Some(&symbol) => Ok(symbol),
            None => self.cursor.error_at(start, format!("the symbol `{name}` is not declared")),
        }
    }

    fn var(&mut self) -> Result<Var> {
        let start = self.cursor.position();
        let name = self.cursor.name()?;
        match self.locals.get(name.as_ref()) {
            Some(&Local::Var(var)) => Ok(var),
            _ => self.cursor.error_at(start, format!("there is no variable `{name}`")),
        }
    }

    fn object(&mut self) -> Result<Object> {
        let start = self.cursor.position();
        let name = self.cursor.name()?;
        match self.locals.get(name.as_ref()) {
            Some(&Local::Object(object)) => Ok(object),
            _ => self.cursor.error_at(start, format!("there is no object `{name}`")),
        }
    }

    /// Exactly N expressions.
    fn list<const N: usize>(&mut self) -> Result<[Expr; N]> {
        let mut exprs = [Expr::new(0); N];
        for (i, expr) in exprs.iter_mut().enumerate() {
            if i > 0 {
                self.cursor.expect(",")?;
            }
            *expr = self.expr()?;
        }
        Ok(exprs)
    }
}

fn block_number(word: &str) -> Option<u32> {
    word.strip_prefix('b')?.parse().ok()
}
