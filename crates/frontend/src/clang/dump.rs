//! Prints the AST as text, for `gainsay dump --stage=ast`.

use crate::clang::ast::Unit;
use crate::clang::raw::{
    AttrKind, BinaryOp, CastKind, Decl, DeclKind, NodeKind, TypeKind, UnaryOp, decl_flag, node_flag,
    type_flag,
};
use crate::limits;
use gainsay_ir::source_map::{Place, Raw};
use std::fmt::{Display, Write};

const NODE_FLAGS: [(u32, &str); 12] = [
    (node_flag::LVALUE, "lvalue"),
    (node_flag::EXPLICIT, "explicit"),
    (node_flag::ARROW, "arrow"),
    (node_flag::BITFIELD, "bit-field"),
    (node_flag::ERRORS, "errors"),
    (node_flag::FILLER, "filler"),
    (node_flag::FILE_SCOPE, "file-scope"),
    (node_flag::ALL_ENUM_CASES, "all-enum-cases"),
    (node_flag::BUILTIN, "builtin"),
    (node_flag::ASM_VOLATILE, "volatile"),
    (node_flag::ASM_GOTO, "goto"),
    (node_flag::ASM_MEMORY, "clobbers-memory"),
];

const DECL_FLAGS: [(u32, &str); 20] = [
    (decl_flag::DEFINED, "defined"),
    (decl_flag::STATIC, "static"),
    (decl_flag::EXTERN, "extern"),
    (decl_flag::INLINE, "inline"),
    (decl_flag::NORETURN, "noreturn"),
    (decl_flag::SYSTEM, "system"),
    (decl_flag::INVALID, "invalid"),
    (decl_flag::IMPLICIT, "implicit"),
    (decl_flag::VARIADIC, "variadic"),
    (decl_flag::BITFIELD, "bit-field"),
    (decl_flag::GLOBAL, "global"),
    (decl_flag::STATIC_LOCAL, "static-local"),
    (decl_flag::TLS, "thread-local"),
    (decl_flag::INTERNAL, "internal"),
    (decl_flag::COMPLETE, "complete"),
    (decl_flag::FLEXIBLE, "flexible"),
    (decl_flag::ANONYMOUS, "anonymous"),
    (decl_flag::UNION, "union"),
    (decl_flag::BUILTIN, "builtin"),
    (decl_flag::ERRORS_INSIDE, "errors-inside"),
];

const TYPE_FLAGS: [(u32, &str); 1] = [(type_flag::MAY_ALIAS, "may-alias")];

/// Writes the functions of `unit`, or the one named `function`, and then, for the whole unit, its variables.
pub fn dump(unit: &Unit, function: Option<&str>, out: &mut String) {
    let mut dump = Dump { unit, out, pending: Vec::new() };
    for &id in unit.tables.functions() {
        if function.is_none_or(|name| name == dump.str(unit.tables.decls()[id as usize].name)) {
            dump.tree(Item::Decl(id));
        }
    }
    if function.is_none() {
        for &id in unit.tables.globals() {
            dump.tree(Item::Decl(id));
        }
    }
}

#[derive(Clone, Copy)]
enum Item {
    /// 0: an absent child.
    Node(u32),
    Decl(u32),
    Text(u32),
}

struct Dump<'a> {
    unit: &'a Unit,
    out: &'a mut String,
    /// Items to be written, last first. Trees are too deep for recursion.
    pending: Vec<(Item, usize)>,
}

impl<'a> Dump<'a> {
    fn tree(&mut self, item: Item) {
        self.pending.push((item, 0));
        while let Some((item, depth)) = self.pending.pop() {
            self.indent(depth);
            let first_child = self.pending.len();
            match item {
                Item::Node(0) => self.out.push('-'),
                Item::Node(id) => self.node(id, depth),
                Item::Decl(id) => self.decl(id, depth),
                Item::Text(id) => self.quoted(id),
            }
            self.pending[first_child..].reverse();
            self.out.push('\n');
        }
    }

    /// Deep nodes get a number instead of blanks, so that a sum of 100,000 terms does not produce quadratic output.
    fn indent(&mut self, depth: usize) {
        self.put(format_args!("{:1$}", "", 2 * depth.min(limits::DUMP_INDENTATION)));
        if depth > limits::DUMP_INDENTATION {
            self.put(format_args!("({depth}) "));
        }
    }

    fn node(&mut self, id: u32, depth: usize) {
        let tables = &self.unit.tables;
        let node = tables.nodes()[id as usize];
        self.put(format_args!("{:?}", node.kind));
        let op = node.op as usize;
        match node.kind {
            NodeKind::Unary => self.put(format_args!(" {:?}", UnaryOp::ALL[op])),
            NodeKind::Binary | NodeKind::CompoundAssign => self.put(format_args!(" {:?}", BinaryOp::ALL[op])),
            NodeKind::Cast => self.put(format_args!(" {:?}", CastKind::ALL[op])),
            NodeKind::SizeOf if op == 1 => self.put(" align"),
            NodeKind::Attributed => self.put(format_args!(" {:?}", AttrKind::ALL[node.refer as usize])),
            NodeKind::Opaque => self.put(format_args!(" of node {}", node.refer)),
            NodeKind::BinaryConditional => {
                let common = tables.list(node.kids, node.n_kids)[0];
                self.put(format_args!(" common is node {common}"));
            }
            _ => {}
        }
        match node.kind {
            NodeKind::DeclRef | NodeKind::Member | NodeKind::Label | NodeKind::Goto | NodeKind::AddrLabel => {
                self.put(format_args!(" {}", self.str(tables.decls()[node.refer as usize].name)));
            }
            NodeKind::Other | NodeKind::Vector | NodeKind::Atomic => {
                self.put(format_args!(" {}", self.str(node.refer)));
            }
            NodeKind::Asm | NodeKind::StringLiteral => {
                self.out.push(' ');
                self.quoted(node.refer);
            }
            NodeKind::FloatLiteral => self.put(format_args!(" 0x{}", self.str(node.refer))),
            NodeKind::SizeOf | NodeKind::OffsetOf => self.ty(node.refer),
            NodeKind::CompoundAssign => {
                self.put(" computed as");
                self.ty(node.refer);
                self.ty(node.value as u32);
            }
            _ => {}
        }
        if node.ty != 0 {
            self.out.push(':');
            self.ty(node.ty);
        }
        self.constant(id);
        self.flags(node.flags, &NODE_FLAGS);
        self.place(node.at);
        self.children(id, depth + 1);
    }

    fn children(&mut self, id: u32, depth: usize) {
        let node = self.unit.tables.nodes()[id as usize];
        let kids = self.unit.tables.list(node.kids, node.n_kids).iter();
        let asm_nodes = ((node.value >> 32) + (node.value & 0xffff_ffff)) as usize;
        let asm_labels = (node.n_kids as usize).saturating_sub(node.op as usize);
        for (index, &kid) in kids.enumerate() {
            let item = match node.kind {
                NodeKind::DeclStmt => Item::Decl(kid),
                NodeKind::Asm if index >= asm_labels => Item::Decl(kid),
                NodeKind::Asm if index >= asm_nodes => Item::Text(kid),
                _ => Item::Node(kid),
            };
            self.pending.push((item, depth));
        }
    }

    fn decl(&mut self, id: u32, depth: usize) {
        let decl = self.unit.tables.decls()[id as usize];
        let kind = format!("{:?}", decl.kind).to_lowercase();
        self.put(format_args!("{kind} {}", self.str(decl.name)));
        if decl.ty != 0 {
            self.out.push(':');
            self.ty(decl.ty);
        }
        match decl.kind {
            DeclKind::Param if decl.extra != decl.ty => {
                self.put(" declared as");
                self.ty(decl.extra);
            }
            DeclKind::Field if decl.flags & decl_flag::BITFIELD != 0 => {
                self.put(format_args!(" at bit {} width {}", decl.value, decl.size_bits));
            }
            DeclKind::Field => self.put(format_args!(" at bit {}", decl.value)),
            DeclKind::Record => {
                self.put(format_args!(" {} bits aligned to {}", decl.size_bits, decl.align_bits));
            }
            DeclKind::EnumConstant => self.put(format_args!(" = {}", decl.value)),
            _ => {}
        }
        self.flags(decl.flags, &DECL_FLAGS);
        self.place(decl.at);
        self.attributes(&decl);
        let size = self.unit.tables.types()[decl.ty as usize];
        if size.kind == TypeKind::VariableArray && depth > 0 {
            self.pending.push((Item::Node(size.count as u32), depth + 1));
        }
        for &kid in self.unit.tables.list(decl.kids, decl.n_kids) {
            self.pending.push((Item::Decl(kid), depth + 1));
        }
        if decl.init != 0 {
            self.pending.push((Item::Node(decl.init), depth + 1));
        }
    }

    fn attributes(&mut self, decl: &Decl) {
        for attr in &self.unit.tables.attrs()[decl.attrs as usize..(decl.attrs + decl.n_attrs) as usize] {
            self.put(format_args!(" {:?}", attr.kind));
            if attr.text != 0 {
                self.out.push('=');
                self.quoted(attr.text);
            }
            if attr.n_args != 0 {
                self.put(format_args!("{:?}", self.unit.tables.list(attr.args, attr.n_args)));
            }
        }
    }

    fn constant(&mut self, id: u32) {
        let node = self.unit.tables.nodes()[id as usize];
        if node.flags & node_flag::WIDE != 0 {
            self.put(format_args!(" = 0x{}", self.str(node.value as u32)));
        } else if node.flags & node_flag::INT != 0 {
            let ty = crate::clang::ast::TypeId(node.ty);
            if self.unit.is_signed(ty) {
                self.put(format_args!(" = {}", node.value));
            } else {
                self.put(format_args!(" = {}", node.value as u64));
            }
        } else if node.flags & node_flag::FLOAT != 0 {
            self.put(format_args!(" = {:?}", f64::from_bits(node.value as u64)));
        }
    }

    fn ty(&mut self, id: u32) {
        let ty = self.unit.tables.types()[id as usize];
        self.put(format_args!(" '{}'", self.str(ty.spelling)));
        self.flags(ty.flags, &TYPE_FLAGS);
    }

    fn flags(&mut self, flags: u32, names: &[(u32, &str)]) {
        for &(flag, name) in names {
            if flags & flag != 0 {
                self.put(format_args!(" {name}"));
            }
        }
    }

    /// The position, and every macro that the token came through, innermost first.
    fn place(&mut self, raw: Raw) {
        let unit = self.unit;
        let Some(place) = unit.source_map.place(raw) else { return };
        self.put(format_args!(" @ {}", Named(place)));
        for step in unit.source_map.macros(raw) {
            let how = if step.argument { "argument of" } else { "in" };
            self.put(format_args!(" {how} {}", step.name));
            if let Some(definition) = step.definition {
                self.put(format_args!(" ({})", Named(definition)));
            }
        }
    }

    fn quoted(&mut self, id: u32) {
        let text = self.unit.tables.bytes_of(id);
        self.put(format_args!("\"{}\"", text.escape_ascii()));
    }

    fn str(&self, id: u32) -> &'a str {
        self.unit.tables.str(id)
    }

    fn put(&mut self, text: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{text}");
    }
}

struct Named<'a>(Place<'a>);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.0.file, self.0.line, self.0.column)
    }
}
