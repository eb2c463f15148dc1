//! A summary in C's terms, for people.

use super::{Atom, Base, ExitContents, ExitFact, Returns, Summary, Write};
use gainsay_ir::eval::signed;
use gainsay_ir::gc::ClassData;
use gainsay_ir::types::{FloatKind, Type};
use std::fmt::Write as _;

impl Summary {
    /// What was learnt, a line for each fact. `params`: name and type.
    pub fn describe(&self, params: &[(String, Type)], pointer_bits: u16) -> String {
        let names = Names { params, pointer_bits };
        let mut text = String::new();
        let mut line = |fact: String| {
            text.push_str("  ");
            text.push_str(&fact);
            text.push('\n');
        };
        line(
            match self.returns {
                Returns::Surely => "returns, or fails",
                Returns::Maybe => "may return, exit or fail",
                Returns::Never { in_error: true } => "always fails",
                Returns::Never { in_error: false } => "never returns",
            }
            .to_owned(),
        );
        for conjunction in &self.leaves_if {
            line(format!("does not return if {}", names.atoms(conjunction)));
        }
        let result = &self.result;
        if let Some(param) = result.equals {
            line(format!("returns {}", names.param(param)));
        }
        match (result.nonnull, result.fresh) {
            (true, true) => line("returns fresh memory, never NULL".to_owned()),
            (true, false) => line("never returns NULL".to_owned()),
            (false, true) => line("returns fresh memory or NULL".to_owned()),
            (false, false) => {}
        }
        match result.range {
            Some((low, high)) if low == high => line(format!("returns {low}")),
            Some((low, high)) => line(format!("returns values from {low} to {high}")),
            None => {}
        }
        match &self.writes {
            None => line("may write anything that it can reach".to_owned()),
            Some(writes) if writes.is_empty() => line("writes nothing".to_owned()),
            Some(writes) => {
                let places: Vec<String> = writes.iter().map(|write| names.write(write)).collect();
                line(format!("writes {}", places.join(", ")));
            }
        }
        for fact in &self.exit_state {
            // A member says where it is.
            let offset = match (fact.offset, &fact.at.class.field) {
                (0, _) | (_, Some(_)) => String::new(),
                (offset, None) => format!(" at offset {offset}"),
            };
            line(format!("leaves {}{offset} {}", names.write(&fact.at), names.contents(fact)));
        }
        for (i, facts) in self.params.iter().enumerate() {
            let name = names.param(i as u32);
            for (is_so, what) in [
                (facts.nonnull, "must not be NULL"),
                (facts.may_be_freed, "may be freed"),
                (facts.may_escape, "may be kept"),
            ] {
                if is_so && params.get(i).is_none_or(|param| param.1 == Type::Ptr) {
                    line(format!("{name} {what}"));
                }
            }
        }
        for one in &self.can_fail {
            let is_pointer = params.get(one.param as usize).is_some_and(|param| param.1 == Type::Ptr);
            let bad = if is_pointer { "NULL" } else { "0" };
            let mut fact = format!("can fail if {} is {bad}", names.param(one.param));
            if !one.when.is_empty() {
                let _ = write!(fact, " and {}", names.atoms(&one.when));
            }
            let _ = write!(fact, ": {} in {}", one.check.fails(), one.place.0);
            if !one.through.is_empty() {
                let _ = write!(fact, " (through {})", one.through.join(", "));
            }
            line(fact);
        }
        text
    }
}

struct Names<'a> {
    params: &'a [(String, Type)],
    pointer_bits: u16,
}

impl Names<'_> {
    fn param(&self, index: u32) -> String {
        match self.params.get(index as usize) {
            Some((name, _)) => name.clone(),
            None => format!("argument {}", index + 1),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        let texts: Vec<String> = atoms.iter().map(|atom| self.atom(atom)).collect();
        texts.join(" && ")
    }

    fn atom(&self, atom: &Atom) -> String {
        let ty = self.params.get(atom.param as usize).map(|param| param.1);
        let value = match ty {
            Some(Type::Ptr) if atom.value == 0 => "NULL".to_owned(),
            Some(ty) if !atom.op.is_unsigned() => signed(atom.value, ty.bits(self.pointer_bits)).to_string(),
            _ => format!("{}u", atom.value),
        };
        format!("{} {} {value}", self.param(atom.param), atom.op.sign())
    }

    fn contents(&self, fact: &ExitFact) -> String {
        match fact.contents {
            ExitContents::NotNull => "not NULL".to_owned(),
            ExitContents::Const(0) if fact.ty == Type::Ptr => "NULL".to_owned(),
            ExitContents::Const(bits) => format!("== {}", signed(bits, fact.ty.bits(self.pointer_bits))),
            ExitContents::Param(param, 0) => format!("== {}", self.param(param)),
            ExitContents::Param(param, offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                format!("== {} {sign} {} bytes", self.param(param), offset.unsigned_abs())
            }
        }
    }

    fn write(&self, write: &Write) -> String {
        let ClassData { ty, field } = &write.class;
        let what = match (field, ty) {
            (Some(field), _) if field.record.is_empty() => format!("member {}", field.name),
            (Some(field), _) => format!("{}.{}", field.record, field.name),
            (None, Some(ty)) => type_words(*ty),
            (None, None) => "bytes".to_owned(),
        };
        match &write.base {
            Base::Param(param) => format!("*{} ({what})", self.param(*param)),
            Base::Global(global) => format!("{} ({what})", global.name),
            Base::Errno => "errno".to_owned(),
            Base::Anywhere => format!("any {what}"),
            Base::Outside => "what code outside of the program can change".to_owned(),
        }
    }
}

fn type_words(ty: Type) -> String {
    match ty {
        Type::Int(1) => "_Bool".to_owned(),
        Type::Int(bits) => format!("{bits}-bit integer"),
        Type::Ptr => "pointer".to_owned(),
        Type::Float(FloatKind::F32) => "float".to_owned(),
        Type::Float(FloatKind::F64) => "double".to_owned(),
        Type::Float(kind) => format!("{}-bit float", kind.bits()),
    }
}
