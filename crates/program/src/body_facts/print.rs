//! The text form of body facts, for tests.

use super::{AbstractValue, Arg, BodyFacts, CallTarget, Cell, Event, FunctionOrigin, PartEnd, PointerSource};
use crate::summary::Atom;
use gainsay_ir::gc::{Class, Symbol, Unit};
use gainsay_ir::text::type_name;
use std::fmt::Write;

pub(super) fn describe(body_facts: &BodyFacts, unit: &Unit) -> String {
    let printer = Printer { body_facts, unit };
    let mut text = String::new();
    for (at, part) in body_facts.parts.iter().enumerate() {
        let _ = writeln!(text, "{at}:");
        for event in &part.events {
            let _ = writeln!(text, "  {}", printer.event(event));
        }
        let end = match &part.end {
            PartEnd::Goto(targets) => {
                format!("goto {}", targets.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
            }
            PartEnd::Return(values) => format!("return {}", printer.values(values)).trim_end().to_owned(),
            PartEnd::Raise => "raise".to_owned(),
            PartEnd::Error => "error".to_owned(),
        };
        let _ = writeln!(text, "  {end}");
    }
    let effects = &body_facts.effects;
    for (what, sources) in
        [("frees", &effects.frees), ("stores", &effects.stored), ("returns", &effects.returned)]
    {
        if !sources.is_empty() {
            let _ = writeln!(text, "{what} {}", printer.sources(sources));
        }
    }
    for &(source, class) in &effects.writes {
        let class = class.map_or("#any".to_owned(), |class| printer.class(class));
        let _ = writeln!(text, "writes {} {class}", printer.source(source));
    }
    for &(symbol, class) in &effects.writes_beyond {
        let class = class.map_or("#any".to_owned(), |class| printer.class(class));
        let _ = writeln!(text, "writes behind {} {class}", printer.symbol(symbol));
    }
    for (what, is_so) in [("anything", effects.writes_anything), ("errno", effects.writes_errno)] {
        if is_so {
            let _ = writeln!(text, "writes {what}");
        }
    }
    text
}

struct Printer<'a> {
    body_facts: &'a BodyFacts,
    unit: &'a Unit,
}

impl Printer<'_> {
    fn event(&self, event: &Event) -> String {
        match event {
            Event::Assume(atom) => format!("assume {}", self.atom(atom)),
            Event::Check { check, fails, exact, .. } => {
                let atoms: Vec<String> = fails.iter().map(|atom| self.atom(atom)).collect();
                let verb = if *exact { "fails" } else { "may fail" };
                format!("{} {verb} if {}", check.name(), atoms.join(" && "))
            }
            Event::Call(number) => {
                let site = &self.body_facts.calls[*number as usize];
                let callee = match &site.callee {
                    CallTarget::Symbol(symbol) => self.symbol(*symbol),
                    CallTarget::Pointer(origins) => match origins.as_slice() {
                        [origin @ (FunctionOrigin::Cell(_) | FunctionOrigin::Anything)] => {
                            self.origin(*origin)
                        }
                        origins => {
                            let origins = origins.iter().map(|&origin| self.origin(origin));
                            format!("one of {}", origins.collect::<Vec<_>>().join("/"))
                        }
                    },
                };
                let args: Vec<String> = site.args.iter().map(|arg| self.arg(arg)).collect();
                let returns = if site.returns { " returns" } else { "" };
                format!("call {number}{returns} {callee}({})", args.join(", "))
            }
            Event::Set(slot, values) => format!("{} = {}", self.slot(*slot), self.values(values)),
        }
    }

    fn arg(&self, arg: &Arg) -> String {
        let from = match arg.sources.as_slice() {
            [] => String::new(),
            sources => format!(" in {}", self.sources(sources)),
        };
        format!("{}{from}", self.value(arg.value))
    }

    fn atom(&self, atom: &Atom) -> String {
        let unsigned = if atom.op.is_unsigned() { "u" } else { "" };
        format!("{} {}{unsigned} {}", self.slot(atom.param), atom.op.sign(), atom.value)
    }

    fn slot(&self, slot: u32) -> String {
        match self.body_facts.params.get(slot as usize) {
            Some((name, _)) => name.clone(),
            None => format!("slot{slot}"),
        }
    }

    fn values(&self, values: &[AbstractValue]) -> String {
        values.iter().map(|&value| self.value(value)).collect::<Vec<_>>().join(" or ")
    }

    fn value(&self, value: AbstractValue) -> String {
        match value {
            AbstractValue::Const(bits) => bits.to_string(),
            AbstractValue::Slot(slot) => self.slot(slot),
            AbstractValue::Call(number) => format!("result {number}"),
            AbstractValue::Fresh(number) => format!("fresh {number}"),
            AbstractValue::Address => "address".to_owned(),
            AbstractValue::Range(low, high) => format!("{low}..{high}"),
            AbstractValue::Unknown => "?".to_owned(),
        }
    }

    fn sources(&self, sources: &[PointerSource]) -> String {
        sources.iter().map(|&source| self.source(source)).collect::<Vec<_>>().join("/")
    }

    fn source(&self, source: PointerSource) -> String {
        match source {
            PointerSource::Param(param) => format!("*{}", self.slot(param)),
            PointerSource::Symbol(symbol) => self.symbol(symbol),
            PointerSource::Local => "local".to_owned(),
            PointerSource::Fresh(number) => format!("fresh {number}"),
            PointerSource::Call(number) => format!("*result {number}"),
            PointerSource::Unknown => "anywhere".to_owned(),
        }
    }

    fn origin(&self, origin: FunctionOrigin) -> String {
        match origin {
            FunctionOrigin::Function(symbol) => self.symbol(symbol),
            FunctionOrigin::Param(param) => self.slot(param),
            FunctionOrigin::Call(number) => format!("result {number}"),
            FunctionOrigin::Cell(Cell { object, offset: Some(offset) }) => {
                format!("{}[{offset}]", self.symbol(object))
            }
            FunctionOrigin::Cell(Cell { object, offset: None }) => format!("{}[?]", self.symbol(object)),
            FunctionOrigin::Anything => "?".to_owned(),
        }
    }

    fn symbol(&self, symbol: u32) -> String {
        format!("@{}", self.unit.symbols[Symbol::from_u32(symbol)].name)
    }

    fn class(&self, class: u32) -> String {
        let data = &self.unit.classes[Class::from_u32(class)];
        let mut ty = String::new();
        match data.ty {
            Some(known) => type_name(&mut ty, known),
            None => ty.push_str("any"),
        }
        match &data.field {
            Some(field) => format!("#{}.{}@{}/{ty}", field.record, field.name, field.offset),
            None => format!("#{ty}"),
        }
    }
}
