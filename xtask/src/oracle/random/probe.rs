//! Probes: assign to an lvalue, do something that may change it, then test it. An analysis that misses the change calls
//! an executed branch impossible.

use super::expr::Remembered;
use super::generator::Generator;
use super::model::{Kind, Place, Scalar};

impl Generator {
    pub(super) fn probe(&mut self) {
        let p = self.p.clone();
        let value = match self.rng.percent(50) {
            true => self.rng.between(1, 9).to_string(),
            false => format!("({}in >> {} & 7)", p, self.rng.below(24)),
        };
        // The place, and how it may change.
        let (place, change) = match self.rng.below(14) {
            0..=1 if self.section.is_some() => match self.own_global("x") {
                Some(place) => (place, self.section_write(&value)),
                None => return self.effect(),
            },
            2..=3 if self.assembly == Some(self.scope.unit) => match self.own_global("counter") {
                Some(place) => (place, format!("{p}bump();")),
                None => return self.effect(),
            },
            4 => {
                let place = self.named_global();
                self.line(&format!("{p}ip = &{};", place.text));
                self.unrelated();
                (place, format!("*{p}ip = {value};"))
            }
            5 => {
                let record = self.lasting_record();
                self.line(&format!("{p}cur = {record};"));
                self.unrelated();
                let object = record[1..].to_owned();
                let place = Place { text: format!("{object}.n"), ..self.named_global() };
                (place, format!("{p}cur->n = {value};"))
            }
            6..=7 => {
                let place = self.named_global();
                let pointer = format!("&{}", place.text);
                match self.call_where(|f| f.kind == Kind::Set) {
                    Some(call) => {
                        let name = call.split('(').next().unwrap_or_default();
                        (place, format!("{name}({pointer}, {value});"))
                    }
                    None => return self.effect(),
                }
            }
            8..=9 => {
                let library = self.library_name.clone();
                match self.call_where(|f| f.name == library) {
                    Some(call) => (self.writable_place(), format!("(void)({call});")),
                    None => return self.effect(),
                }
            }
            10..=12 if !self.scope.is_leaf => {
                let cost = self.leaf_cost * self.scope.times;
                if cost > self.scope.budget() {
                    return self.effect();
                }
                self.scope.cost += cost;
                let (place, record) = (self.callback_place(), self.record());
                let change = match self.rng.below(3) {
                    0 => format!("if ({p}hook) {p}hook({record}, (int){value});"),
                    1 => format!("{p}table[{}].run({record}, (int){value});", self.index(2)),
                    _ => match self.call_where(|f| f.kind == Kind::Apply) {
                        Some(call) => format!("(void)({call});"),
                        None => format!("if (({record})->cb) ({record})->cb({record}, (int){value});"),
                    },
                };
                (place, change)
            }
            _ => match self.any_call() {
                Some(call) => (self.writable_place(), format!("(void)({call});")),
                None => return self.effect(),
            },
        };
        let before = self.small();
        self.line(&format!("{} = {before};", place.text));
        self.scope.remember(Remembered { place: place.clone(), value: before });
        if self.rng.percent(30) {
            self.unrelated();
        }
        self.line(&change);
        let read = place.scalar.read(&place.text).text;
        let condition = match self.rng.below(4) {
            0 => format!("{read} == {before}"),
            1 => format!("{read} != {before}"),
            _ => format!("{read} == {value}"),
        };
        self.open(&format!("if ({condition}) {{"));
        self.block(1);
        if self.rng.percent(60) {
            self.close_and_open("} else {");
            self.block(1);
        }
        self.close("}");
    }

    /// A statement that should not affect the probe.
    fn unrelated(&mut self) {
        let place = self.writable_place();
        let value = self.value(place.scalar);
        self.line(&format!("{} = {value};", place.text));
    }

    /// A global `int` with this suffix that the unit can name.
    fn own_global(&mut self, stem: &str) -> Option<Place> {
        let start = format!("{}{stem}", self.p);
        let all: Vec<Place> =
            self.scope.places.iter().filter(|place| place.text.starts_with(&start)).cloned().collect();
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }

    /// A global, a call through a pointer, and a test of the global.
    pub(super) fn test_after_callback(&mut self, pointer: &str) {
        let (place, before, after) = (self.callback_place(), self.rng.below(4), self.rng.below(5));
        self.line(&format!("{} = {before};", place.text));
        self.line(&format!("{pointer}(p, v);"));
        let read = place.scalar.read(&place.text).text;
        self.open(&format!("if ({read} == {after}) {{"));
        self.block(1);
        self.close("}");
        self.line(&format!("if ({read} != {before}) v = {after};"));
    }

    /// A global that a callback may write, if it can be named here.
    fn callback_place(&mut self) -> Place {
        let written = &self.written_by_callbacks;
        let all: Vec<Place> =
            self.scope.places.iter().filter(|p| written.contains(&p.text)).cloned().collect();
        if all.is_empty() { self.named_global() } else { self.rng.pick(&all).clone() }
    }

    /// A global `int` whose address may be stored.
    pub(super) fn named_global(&mut self) -> Place {
        let fits = |place: &&Place| {
            place.scalar == Scalar::Int && place.lasts && place.writable && place.addressable
        };
        let all: Vec<Place> = self.scope.places.iter().filter(fits).cloned().collect();
        self.rng.pick(&all).clone()
    }

    fn section_write(&mut self, value: &str) -> String {
        let p = &self.p;
        let objects = self.section.unwrap_or(1);
        match self.rng.below(3) {
            0 => format!("__start_{p}sec[{}] = {value};", self.rng.below(objects)),
            1 => format!("for (int *q = __start_{p}sec; q < __stop_{p}sec; q++) *q = {value};"),
            _ => format!("for (int k = 0; k < {objects}; k++) *(__start_{p}sec + k) = {value};"),
        }
    }
}
