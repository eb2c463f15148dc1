//! Expressions and conditions without undefined behaviour. Only conditions with calls have side effects.

use super::generator::Generator;
use super::model::{Expr, Kind, Place, Scalar};

const COMPARISONS: &[&str] = &["==", "==", "==", "==", "!=", "!=", "<", "<=", ">", ">="];

/// A condition on a place that was tested, or a value that was assigned to it.
#[derive(Clone)]
pub(super) struct Remembered {
    pub(super) place: Place,
    pub(super) value: i64,
}

impl Generator {
    pub(super) fn small(&mut self) -> i64 {
        let most = if self.rng.percent(80) { 5 } else { 17 };
        self.rng.below(most) as i64
    }

    /// Bits of the input, which differ from run to run.
    pub(super) fn input(&mut self) -> Expr {
        let (shift, mask) = (self.rng.below(24), *self.rng.pick(&[1, 1, 3, 3, 7]));
        Expr { text: format!("({}in >> {shift} & {mask})", self.p), bits: 3, unsigned: true }
    }

    pub(super) fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.percent(30) {
            return match self.rng.below(10) {
                0..=2 => Expr::constant(self.small()),
                3..=4 => self.input(),
                _ => {
                    let place = self.place();
                    place.scalar.read(&place.text)
                }
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        let wraps = a.unsigned || b.unsigned;
        let most = a.bits.max(b.bits);
        let binary = |op: &str, bits: u32, a: &Expr, b: &Expr| Expr {
            text: format!("({} {op} {})", a.text, b.text),
            bits: if wraps { 32 } else { bits },
            unsigned: wraps,
        };
        match self.rng.below(14) {
            0..=3 if wraps || most < 29 => binary(self.rng.pick::<&str>(&["+", "-"]), most + 1, &a, &b),
            4 if wraps || a.bits + b.bits < 29 => binary("*", a.bits + b.bits, &a, &b),
            5 => binary("&", most, &a, &b),
            6 => binary(self.rng.pick::<&str>(&["|", "^"]), most, &a, &b),
            // An odd divisor is not 0, and the dividend is never INT_MIN.
            7 => binary(
                self.rng.pick::<&str>(&["/", "%"]),
                most,
                &a,
                &Expr { text: format!("({} | 1)", b.text), ..b.clone() },
            ),
            8 => Expr {
                text: format!("((unsigned){} << {})", a.text, self.rng.below(5)),
                bits: 32,
                unsigned: true,
            },
            9 => Expr { text: format!("({} >> {})", a.text, self.rng.below(5)), ..a },
            10 => {
                let (to, bits) = *self.rng.pick(&[("unsigned char", 8), ("signed char", 8), ("short", 16)]);
                Expr { text: format!("(({to}){})", a.text), bits, unsigned: false }
            }
            11 => {
                let condition = self.comparison();
                Expr {
                    text: format!("({condition} ? {} : {})", a.text, b.text),
                    bits: if wraps { 32 } else { most },
                    unsigned: wraps,
                }
            }
            12 => Expr { text: format!("!{}", a.text), bits: 1, unsigned: false },
            _ if a.bits < 29 && !a.unsigned => {
                Expr { text: format!("-({})", a.text), bits: a.bits + 1, unsigned: false }
            }
            _ => Expr { text: format!("({} & 15)", a.text), bits: 4, unsigned: a.unsigned },
        }
    }

    /// A value that may be stored or passed with this type.
    pub(super) fn value(&mut self, scalar: Scalar) -> String {
        match self.rng.below(10) {
            0..=2 => return self.small().to_string(),
            3..=5 => return self.input().text,
            _ => {}
        }
        let depth = self.rng.below(3);
        let e = self.expr(depth);
        scalar.stored(&e)
    }

    /// An argument of type int.
    pub(super) fn int_value(&mut self) -> String {
        match self.rng.below(3) {
            0 => self.small().to_string(),
            1 => format!("(int){}", self.input().text),
            _ => {
                let e = self.expr(1);
                format!("(int)({} & 15)", e.text)
            }
        }
    }

    /// A place that can be read.
    pub(super) fn place(&mut self) -> Place {
        if self.rng.percent(35) {
            let record = self.record();
            return self.field(&record);
        }
        let at = self.rng.below(self.scope.places.len());
        self.scope.places[at].clone()
    }

    pub(super) fn writable_place(&mut self) -> Place {
        loop {
            let place = self.place();
            if place.writable {
                return place;
            }
        }
    }

    /// A valid pointer to a record.
    pub(super) fn record(&mut self) -> String {
        let at = self.rng.below(self.scope.records.len());
        self.scope.records[at].0.clone()
    }

    /// A pointer to a record that lives as long as the program.
    pub(super) fn lasting_record(&mut self) -> String {
        let lasting: Vec<String> =
            self.scope.records.iter().filter(|(_, lasts)| *lasts).map(|(text, _)| text.clone()).collect();
        self.rng.pick(&lasting).clone()
    }

    /// A field of the record that a pointer points to.
    pub(super) fn field(&mut self, record: &str) -> Place {
        let at = self.rng.below(self.fields.len());
        let field = self.fields[at].clone();
        let lasts = record.starts_with('&');
        let base = match record.strip_prefix('&') {
            Some(object) => format!("{object}.{}", field.name),
            None => format!("{record}->{}", field.name),
        };
        let text = match field.elements {
            Some(n) => format!("{base}[{}]", self.index(n)),
            None => base,
        };
        let addressable = !matches!(field.scalar, Scalar::Bits { .. });
        Place { text, scalar: field.scalar, addressable, lasts, writable: true }
    }

    /// An index into an array of `n` elements, a power of two.
    pub(super) fn index(&mut self, n: usize) -> String {
        if self.rng.percent(60) {
            return self.rng.below(n).to_string();
        }
        format!("{} & {}", self.expr(0).text, n - 1)
    }

    /// A valid `int *`; with `lasts`, to an object that lives as long as the program.
    pub(super) fn int_pointer(&mut self, lasts: bool) -> String {
        for _ in 0..8 {
            let place = self.place();
            if place.scalar == Scalar::Int && place.addressable && place.writable && (place.lasts || !lasts) {
                return match place.text.strip_prefix('*') {
                    Some(pointer) => pointer.to_owned(),
                    None => format!("&{}", place.text),
                };
            }
        }
        format!("&{}i", self.p)
    }

    fn comparison(&mut self) -> String {
        if !self.scope.remembered.is_empty() && self.rng.percent(50) {
            let at = self.rng.below(self.scope.remembered.len());
            let Remembered { place, value } = self.scope.remembered[at].clone();
            let value = if self.rng.percent(70) { value } else { self.small() };
            return format!(
                "({} {} {value})",
                place.scalar.read(&place.text).text,
                self.rng.pick(COMPARISONS)
            );
        }
        let place = self.place();
        let (left, right) = match self.rng.percent(70) {
            true => (place.scalar.read(&place.text).text, self.small().to_string()),
            false => (self.expr(1).text, self.expr(1).text),
        };
        format!("({left} {} {right})", self.rng.pick(COMPARISONS))
    }

    /// A condition. Those without calls are stored, so that they can be tested again.
    pub(super) fn condition(&mut self) -> String {
        let p = self.p.clone();
        let text = match self.rng.below(30) {
            0..=3 if !self.scope.conditions.is_empty() => {
                let at = self.rng.below(self.scope.conditions.len());
                let old = self.scope.conditions[at].clone();
                return if self.rng.percent(50) { old } else { format!("(!{old})") };
            }
            4..=6 => format!("({} && {})", self.comparison(), self.comparison()),
            7..=9 => format!("({} || {})", self.comparison(), self.comparison()),
            10 => format!("({p}cur {} {})", self.rng.pick(&["==", "!="]), self.record()),
            11 => format!("({p}ip {} {})", self.rng.pick(&["==", "!="]), self.int_pointer(false)),
            12 => {
                let field = self.field(&format!("{p}opt"));
                format!("({p}opt && {} == {})", field.scalar.read(&field.text).text, self.small())
            }
            13 => format!("({p}opt == 0)"),
            14 => format!("({}LIKELY({}))", "ORACLE_", self.comparison()),
            15 => format!("(ORACLE_IS({}, {}))", self.expr(1).text, self.small()),
            16 => format!("({}.u == {})", self.union_name(), self.small()),
            17 => format!("({}.b[{}] == {})", self.union_name(), self.rng.below(4), self.small()),
            18 => self.text_condition(),
            19 => format!("(__builtin_constant_p({}))", self.place().text),
            20..=22 => {
                if let Some(call) = self.call(&[Kind::Values, Kind::Record, Kind::Get, Kind::Alias]) {
                    return format!("({call} {} {})", self.rng.pick(COMPARISONS), self.small());
                }
                self.comparison()
            }
            24..=26 => {
                format!("({} {} {})", self.input().text, self.rng.pick(COMPARISONS), self.rng.below(3))
            }
            23 if self.scope.records.len() > 1 => format!("({} == {})", self.record(), self.record()),
            _ => self.comparison(),
        };
        self.scope.conditions.push(text.clone());
        text
    }

    fn union_name(&mut self) -> String {
        format!("{}un", self.p)
    }

    fn text_condition(&mut self) -> String {
        let p = &self.p;
        match self.rng.below(6) {
            0 => format!("(strlen({p}text) == {})", self.rng.below(5)),
            1 => format!("(strcmp({p}text, \"{}\") == 0)", self.rng.pick(&["a", "b1", "12", "", "3"])),
            2 => format!("(strchr({p}text, '{}') != 0)", self.rng.pick(&['a', '1', '-', '3'])),
            3 => format!("((int)strtol({p}text, 0, 10) == {})", self.rng.below(16)),
            4 => format!("(memcmp({p}text, \"{}\", 2) <= 0)", self.rng.pick(&["ab", "12", "b1"])),
            _ => format!("({p}text[{}] == '{}')", self.rng.below(4), self.rng.pick(&['a', '1', '2', 'b'])),
        }
    }
}
