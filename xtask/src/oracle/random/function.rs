//! The bodies of functions, by signature.

use super::generator::{Generator, Scope};
use super::model::{Function, Kind, Place, Scalar};

const LEAF_COST: u64 = 150;
const UPPER_COST: u64 = 1500;
const LEAF_LINES: usize = 14;
const UPPER_LINES: usize = 30;

fn variable(name: &str, scalar: Scalar) -> Place {
    Place { text: name.to_owned(), scalar, addressable: true, lasts: false, writable: true }
}

impl Generator {
    /// Writes the definition of a function; returns it with its cost.
    pub(super) fn function(&mut self, mut f: Function) -> (Function, String) {
        let (most_cost, most_lines) =
            if f.is_leaf { (LEAF_COST, LEAF_LINES) } else { (UPPER_COST, UPPER_LINES) };
        self.enter(Scope::new(f.unit, f.is_leaf, most_cost, most_lines));
        let fixed = |place: Place| Place { addressable: false, writable: false, ..place };
        let v = variable("v", Scalar::Int);
        match f.kind {
            Kind::Values => {
                self.scope.places.extend([variable("a", f.params[0]), variable("b", f.params[1])]);
            }
            Kind::Record | Kind::Apply => {
                self.scope.places.push(v);
                self.scope.records.push(("p".to_owned(), false));
            }
            Kind::Set => self.scope.places.extend([v, variable("*p", Scalar::Int)]),
            Kind::Alias => {
                let pointed = ["*p", "*q"].map(|place| variable(place, Scalar::Int));
                self.scope.places.push(v);
                self.scope.places.extend(pointed);
            }
            Kind::Recursive => {
                self.scope.places.push(fixed(variable("n", Scalar::Int)));
                self.scope.records.push(("p".to_owned(), false));
            }
            Kind::Variadic | Kind::VariadicPointers => {
                self.scope.places.push(fixed(variable("n", Scalar::Int)))
            }
            Kind::Lookup => self.scope.places.push(fixed(variable("k", Scalar::Int))),
            Kind::ByValue => {
                self.scope.places.push(v);
                self.scope.records.push(("(&s)".to_owned(), false));
            }
            Kind::Whole => {
                self.declare(&format!("struct {}s r = {{0}};", self.p));
                self.scope.places.push(v);
                self.scope.records.push(("(&r)".to_owned(), false));
            }
            Kind::Get => {}
            Kind::Put => self.scope.places.push(variable("v", f.params[0])),
            Kind::Catch => self.scope.places.push(fixed(v)),
        }
        self.choose_results(&f);
        if f.kind != Kind::Catch {
            self.locals();
        }
        self.body(&f);
        f.cost = self.scope.cost * if f.kind == Kind::Recursive { 5 } else { 1 };
        let linkage = if f.is_static { "static " } else { "" };
        let text = format!("{linkage}{} {{\n{}}}\n\n", self.signature(&f), self.finished());
        (f, text)
    }

    fn choose_results(&mut self, f: &Function) {
        self.scope.results = match f.kind {
            Kind::Set | Kind::Put => vec![],
            Kind::Lookup => (0..2).map(|_| self.lasting_record()).chain(["0".to_owned()]).collect(),
            Kind::Whole => vec!["r".to_owned()],
            Kind::Values | Kind::Get => (0..3).map(|_| self.value(f.result)).collect(),
            _ => (0..3).map(|_| self.int_value()).collect(),
        };
    }

    /// Locals of all kinds, all initialised.
    pub(super) fn locals(&mut self) {
        let p = self.p.clone();
        for _ in 0..self.rng.between(0, 2) {
            let (name, scalar, value) =
                (self.fresh("l"), *self.rng.pick(super::model::SCALARS), self.small());
            self.declare(&format!("{} {name} = {value};", scalar.name(&p)));
            self.scope.places.push(variable(&name, scalar));
        }
        if self.rng.percent(20) {
            let name = self.fresh("a");
            let line = format!("int {name}[4] = {{{}}};", self.rng.below(4));
            self.declare(&line);
            for k in 0..4 {
                self.scope.places.push(variable(&format!("{name}[{k}]"), Scalar::Int));
            }
            self.scope.sorted = Some(name);
        }
        if self.rng.percent(20) {
            let (name, from) = (self.fresh("t"), self.lasting_record());
            self.declare(&format!("struct {p}s {name} = *({from});"));
            self.scope.records.push((format!("(&{name})"), false));
        }
        if self.rng.percent(25) {
            let (name, from) = (self.fresh("at"), self.lasting_record());
            self.declare(&format!("struct {p}s *{name} = {from};"));
            self.scope.records.push((name.clone(), false));
            self.scope.pointers.push(name);
        }
    }

    fn body(&mut self, f: &Function) {
        let p = self.p.clone();
        let n = if f.is_leaf { self.rng.between(1, 4) } else { self.rng.between(3, 6) };
        match f.kind {
            Kind::Record if f.is_leaf => {
                let place = self.named_global();
                self.line(&format!("{} = v & 15;", place.text));
                self.written_by_callbacks.push(place.text);
                // Most do nothing else, because gainsay makes no claim about functions that write anything.
                if self.rng.percent(40) {
                    self.statements(n);
                }
            }
            Kind::Set => {
                self.line("*p = v & 15;");
                self.statements(n);
            }
            Kind::Put => {
                let place = self.writable_place();
                let value = place.scalar.stored(&f.params[0].read("v"));
                self.line(&format!("{} = {value};", place.text));
                self.statements(n / 2);
            }
            Kind::Get => self.statements(n / 2),
            Kind::Recursive => {
                let result = self.result();
                self.line(&format!("if (n <= 0) return{result};"));
                self.statements(n);
                let place = self.writable_place();
                self.line(&format!("{} = {}(n - 1, p) & 15;", place.text, f.name));
                self.statements(1);
            }
            Kind::Variadic | Kind::VariadicPointers => {
                let (place, value) = (self.writable_place(), self.small());
                self.declare("va_list rest;");
                self.line("va_start(rest, n);");
                self.open("for (int k = 0; k < n; k++) {");
                match f.kind {
                    Kind::Variadic => {
                        self.line("int x = va_arg(rest, int);");
                        let line = format!("if (x == {value}) {} = {};", place.text, self.rng.below(4));
                        self.line(&line);
                    }
                    _ => {
                        self.line("int *x = va_arg(rest, int *);");
                        let line = format!("if (*x != {value}) *x = {};", self.rng.below(4));
                        self.line(&line);
                    }
                }
                self.close("}");
                self.line("va_end(rest);");
                self.statements(n);
            }
            Kind::Apply if self.rng.percent(60) => {
                self.scope.cost += self.leaf_cost;
                self.test_after_callback("cb");
            }
            Kind::Apply => {
                let (before, place) = (n / 2, self.writable_place());
                self.statements(before);
                self.scope.cost += self.leaf_cost;
                self.line(&format!("{} = cb(p, v) & 15;", place.text));
                self.statements(n - before);
            }
            Kind::Catch => {
                self.scope.may_leave = false;
                self.scope.locals_are_fixed = true;
                self.open(&format!("if (setjmp({p}back) == 0) {{"));
                self.line(&format!("{p}armed = 1;"));
                // Locals that change after setjmp are indeterminate after longjmp.
                self.scoped("", |g| g.statements(n));
                self.close_and_open("} else {");
                self.line(&format!("{p}armed = 0;"));
                self.line(&format!("{p}cur = {p}home;"));
                self.statements(2);
                self.close("}");
                self.line(&format!("{p}armed = 0;"));
            }
            _ => self.statements(n),
        }
    }

    /// Declarations, statements and the end of the function.
    pub(super) fn finished(&mut self) -> String {
        let result = self.result();
        let mut text = String::new();
        for declaration in &self.scope.declarations {
            text.push_str(&format!("  {declaration}\n"));
        }
        text.push_str(&self.scope.text);
        if self.scope.label_used {
            text.push_str("out:\n");
        }
        text.push_str(&format!("  return{result};\n"));
        text
    }
}
