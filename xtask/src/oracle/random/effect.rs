//! Statements that change something: by assignment, through pointers, by calls, callbacks, bytes, sections and assembly.

use super::expr::Remembered;
use super::generator::{EXIT_INPUT, Generator};
use super::model::{Function, Kind, Place, Scalar};

impl Generator {
    pub(super) fn effect(&mut self) {
        let p = self.p.clone();
        match self.rng.below(44) {
            0..=7 => self.assign(),
            8..=9 => self.count(),
            10 => {
                let pointer = self.int_pointer(true);
                self.line(&format!("{p}ip = {pointer};"));
            }
            11 => {
                let record = self.lasting_record();
                let pointers = [&[format!("{p}cur")][..], &self.scope.pointers].concat();
                let pointer = self.rng.pick(&pointers).clone();
                self.line(&format!("{pointer} = {record};"));
            }
            12 => {
                let record = if self.rng.percent(50) { "0".to_owned() } else { self.lasting_record() };
                self.line(&format!("{p}opt = {record};"));
            }
            13..=19 => self.call_statement(),
            20..=22 => self.indirect_call(),
            23 => self.choose_callback(),
            24 => self.change_link(),
            25 => self.copy(),
            26..=27 => self.write_bytes(),
            28..=29 => {
                let member =
                    if self.rng.percent(50) { "u".to_owned() } else { format!("b[{}]", self.rng.below(4)) };
                let value = self.value(Scalar::Unsigned);
                self.line(&format!("{p}un.{member} = {value};"));
            }
            30..=31 => self.write_text(),
            32..=33 => self.use_vector(),
            34..=36 => self.use_section(),
            37..=39 => self.use_assembly(),
            40 => {
                let array = self.scope.sorted.clone();
                match array {
                    Some(array) => self.line(&format!("qsort({array}, 4, sizeof *{array}, {p}order);")),
                    None => self.assign(),
                }
            }
            41 => self.line(&format!("if ({p}in == {EXIT_INPUT}) {p}die();")),
            42 => {
                let condition = self.condition();
                self.line(&format!("if ({p}armed && oracle_abrupt && {condition}) longjmp({p}back, 1);"));
            }
            _ => self.count_calls(),
        }
    }

    fn assign(&mut self) {
        let place = self.writable_place();
        if self.rng.percent(40) {
            let value = self.small();
            self.line(&format!("{} = {value};", place.text));
            return self.scope.remember(Remembered { place, value });
        }
        let value = self.value(place.scalar);
        self.line(&format!("{} = {value};", place.text));
    }

    /// Increments or decrements; types as wide as `int` must not overflow.
    fn count(&mut self) {
        let place = self.writable_place();
        let text = &place.text;
        let line = match place.scalar {
            Scalar::Int | Scalar::Long | Scalar::Enum => {
                format!("{text} = ({text} + {}) & 15;", self.rng.below(4))
            }
            Scalar::Bool => format!("{text} = !{text};"),
            _ => match self.rng.below(3) {
                0 => format!("({text})++;"),
                1 => format!("({text})--;"),
                _ => format!("{text} += {};", self.small()),
            },
        };
        self.line(&line);
    }

    /// A variable that keeps its value from call to call.
    fn count_calls(&mut self) {
        let n = self.fresh("calls");
        self.declare(&format!("static int {n};"));
        self.line(&format!("{n} = ({n} + 1) & 7;"));
        let place = Place { text: n, scalar: Scalar::Int, addressable: true, lasts: true, writable: true };
        self.scope.remember(Remembered { place: place.clone(), value: 1 });
        self.scope.places.push(place);
    }

    /// A call of a function of one of these kinds, if one may be called here.
    pub(super) fn call(&mut self, kinds: &[Kind]) -> Option<String> {
        self.call_where(|f| kinds.contains(&f.kind))
    }

    /// A call of a function that satisfies `wanted`, if one may be called here.
    pub(super) fn call_where(&mut self, wanted: impl Fn(&Function) -> bool) -> Option<String> {
        let budget = self.scope.budget();
        let callable: Vec<usize> = (0..self.functions.len())
            .filter(|&f| {
                let f = &self.functions[f];
                wanted(f)
                    && self.sees(f.unit, f.is_static)
                    && (!self.scope.is_leaf || f.is_leaf)
                    && f.cost * self.scope.times <= budget
            })
            .collect();
        if callable.is_empty() {
            return None;
        }
        let f = self.functions[*self.rng.pick(&callable)].clone();
        self.scope.cost += f.cost * self.scope.times;
        let arguments = match f.kind {
            Kind::Values => vec![self.value(f.params[0]), self.value(f.params[1])],
            Kind::Record => vec![self.record(), self.int_value()],
            Kind::Set => vec![self.int_pointer(false), self.int_value()],
            Kind::Alias => {
                let first = self.int_pointer(false);
                let second = if self.rng.percent(40) { first.clone() } else { self.int_pointer(false) };
                vec![first, second, self.int_value()]
            }
            Kind::Recursive => vec![self.rng.below(4).to_string(), self.record()],
            Kind::Variadic | Kind::VariadicPointers => {
                let n = self.rng.below(4);
                let mut all = vec![n.to_string()];
                for _ in 0..n {
                    let numbers = f.kind == Kind::Variadic;
                    all.push(if numbers { self.int_value() } else { self.int_pointer(false) });
                }
                all
            }
            Kind::Lookup | Kind::Catch | Kind::Whole => vec![self.int_value()],
            Kind::Apply => {
                let target = self.callback()?;
                vec![target, self.record(), self.int_value()]
            }
            Kind::ByValue => vec![format!("*{}", self.record()), self.int_value()],
            Kind::Get => vec![],
            Kind::Put => vec![self.value(f.params[0])],
        };
        let call = format!("{}({})", f.name, arguments.join(", "));
        Some(if f.kind == Kind::Values || f.kind == Kind::Get { f.result.read(&call).text } else { call })
    }

    /// Any call, as an expression whose value is not used.
    pub(super) fn any_call(&mut self) -> Option<String> {
        use Kind::*;
        let all = [
            Values,
            Record,
            Set,
            Alias,
            Recursive,
            Variadic,
            VariadicPointers,
            Lookup,
            Apply,
            ByValue,
            Whole,
            Get,
            Put,
            Catch,
        ];
        self.call(&all)
    }

    fn call_statement(&mut self) {
        let with_number = [
            Kind::Values,
            Kind::Record,
            Kind::Alias,
            Kind::Recursive,
            Kind::Variadic,
            Kind::Apply,
            Kind::Get,
            Kind::Catch,
        ];
        if self.rng.percent(40)
            && let Some(call) = self.call(&with_number)
        {
            let place = self.writable_place();
            return self.line(&format!("{} = ({call}) & 15;", place.text));
        }
        match self.any_call() {
            Some(call) => self.line(&format!("(void)({call});")),
            None => self.assign(),
        }
    }

    /// A function with the signature of callbacks that can be named here.
    pub(super) fn callback(&mut self) -> Option<String> {
        let fitting: Vec<String> = (self.functions.iter())
            .filter(|f| f.kind == Kind::Record && f.is_leaf && self.sees(f.unit, f.is_static))
            .map(|f| f.name.clone())
            .collect();
        (!fitting.is_empty()).then(|| self.rng.pick(&fitting).clone())
    }

    fn indirect_call(&mut self) {
        let cost = self.leaf_cost * self.scope.times;
        if self.scope.is_leaf || cost > self.scope.budget() {
            return self.assign();
        }
        self.scope.cost += cost;
        let (place, record, value, p) =
            (self.writable_place(), self.record(), self.int_value(), self.p.clone());
        let target = match self.rng.below(3) {
            0 => format!("{p}hook"),
            1 => match record.strip_prefix('&') {
                Some(object) => format!("{object}.cb"),
                None => format!("{record}->cb"),
            },
            _ => {
                let index = self.index(2);
                return self
                    .line(&format!("{} = {p}table[{index}].run({record}, {value}) & 15;", place.text));
            }
        };
        self.line(&format!("if ({target}) {} = {target}({record}, {value}) & 15;", place.text));
    }

    fn choose_callback(&mut self) {
        let target = match self.callback() {
            Some(target) if self.rng.percent(80) => target,
            _ => "0".to_owned(),
        };
        let record = self.record();
        let pointer =
            if self.rng.percent(50) { format!("{}hook", self.p) } else { format!("({record})->cb") };
        self.line(&format!("{pointer} = {target};"));
    }

    /// Links lead from an object to a later one.
    fn change_link(&mut self) {
        let visible = self.visible_objects();
        if visible.len() < 2 {
            return self.assign();
        }
        let from = self.rng.below(visible.len() - 1);
        let to = match self.rng.percent(30) {
            true => "0".to_owned(),
            false => visible[self.rng.between(from + 1, visible.len() - 1)].clone(),
        };
        self.line(&format!("({})->next = {to};", visible[from]));
    }

    /// Copies a later object over an earlier one, which keeps the links in order.
    fn copy(&mut self) {
        let visible = self.visible_objects();
        if visible.len() < 2 {
            return self.assign();
        }
        let to = self.rng.below(visible.len() - 1);
        let (from, to) = (visible[self.rng.between(to + 1, visible.len() - 1)].clone(), visible[to].clone());
        let line = match self.rng.below(3) {
            0 => format!("memcpy({to}, {from}, sizeof(struct {}s));", self.p),
            1 => format!("memset({to}, 0, sizeof(struct {}s));", self.p),
            _ => format!("*({to}) = *({from});"),
        };
        self.line(&line);
    }

    /// The first byte of a number, or a part of memory.
    fn write_bytes(&mut self) {
        for _ in 0..6 {
            let place = self.writable_place();
            if !place.addressable || place.scalar == Scalar::Bool {
                continue;
            }
            let value = self.value(Scalar::UnsignedChar);
            let line = match self.rng.below(3) {
                0 => format!("*(unsigned char *)&{} = {value};", place.text),
                1 => format!("memset(&{}, {}, 1);", place.text, self.small()),
                _ => {
                    let ty = place.scalar.name(&self.p);
                    format!(
                        "{{ {ty} from = {}; memcpy(&{}, &from, sizeof from); }}",
                        self.small(),
                        place.text
                    )
                }
            };
            return self.line(&line);
        }
        self.assign();
    }
}
