//! Control flow: conditions, loops, `switch`, early returns. All loops end, because nothing else writes their counters.

use super::expr::Remembered;
use super::generator::Generator;
use super::model::{Kind, Place, Scalar};

/// Maximum nesting of statements.
const DEEPEST: usize = 3;

impl Generator {
    /// About `n` statements.
    pub(super) fn statements(&mut self, n: usize) {
        for _ in 0..n {
            self.statement();
        }
    }

    fn statement(&mut self) {
        if self.scope.depth >= DEEPEST || self.rng.percent(40) || self.scope.is_long() {
            return self.effect();
        }
        match self.rng.below(30) {
            24..=29 => self.probe(),
            0..=11 => self.if_else(),
            12..=14 => self.counted_loop(),
            15 => self.fuelled_loop(),
            16 => self.array_loop(),
            17 => self.list_loop(),
            18..=19 => self.switch(),
            20 => self.optional_record(),
            21 if self.scope.may_leave => {
                let condition = self.condition();
                let leave = self.leave();
                self.line(&format!("if {condition} {leave}"));
            }
            22 => self.lent_local(),
            _ => self.heap_block(),
        }
    }

    /// A block of statements. Conditions stored inside may be tested after it, but need not hold there.
    pub(super) fn block(&mut self, n: usize) {
        self.scope.depth += 1;
        let n = self.rng.between(1, n);
        self.statements(n);
        self.scope.depth -= 1;
    }

    fn if_else(&mut self) {
        // An assignment, something that may change the value, and a test.
        if self.rng.percent(45) {
            self.assign_constant();
            let n = self.rng.below(3);
            for _ in 0..n {
                self.effect();
            }
        }
        let condition = self.condition();
        self.open(&format!("if {condition} {{"));
        self.block(3);
        if self.rng.percent(25) {
            let condition = self.condition();
            self.close_and_open(&format!("}} else if {condition} {{"));
            self.block(2);
        }
        if self.rng.percent(45) {
            self.close_and_open("} else {");
            self.block(2);
        }
        self.close("}");
    }

    fn assign_constant(&mut self) {
        let (place, value) = (self.writable_place(), self.small());
        self.line(&format!("{} = {value};", place.text));
        self.scope.remember(Remembered { place, value });
    }

    /// Runs `inside` as the body of a loop of at most `times` iterations.
    fn repeated(&mut self, times: u64, inside: impl FnOnce(&mut Self)) {
        let before = self.scope.times;
        self.scope.times = before * times;
        self.scope.loops += 1;
        inside(self);
        self.scope.loops -= 1;
        self.scope.times = before;
    }

    fn jump_out_of_loop(&mut self) {
        if self.rng.percent(25) {
            let jump = *self.rng.pick(&["break;", "continue;"]);
            let condition = self.condition();
            self.line(&format!("if {condition} {jump}"));
        }
    }

    fn counted_loop(&mut self) {
        if self.scope.loops >= 2 {
            return self.effect();
        }
        let (i, n) = (self.fresh("i"), self.rng.between(1, 6) as i64);
        self.declare(&format!("int {i} = 0;"));
        let bound = if self.rng.percent(60) {
            n.to_string()
        } else {
            // The bound must not change while the loop runs.
            let bound = self.fresh("n");
            self.declare(&format!("int {bound} = 0;"));
            let value = self.expr(1).text;
            self.line(&format!("{bound} = (int)({value} & 7);"));
            bound
        };
        let counter =
            Place { text: i.clone(), scalar: Scalar::Int, addressable: false, lasts: false, writable: false };
        self.scope.places.push(counter.clone());
        self.scope.remember(Remembered { place: counter, value: n });
        let head = match self.rng.percent(75) {
            true => format!("for ({i} = 0; {i} < {bound}; {i}++) {{"),
            false => format!("for ({i} = {bound}; {i} > 0; {i}--) {{"),
        };
        self.open(&head);
        self.repeated(7, |g| {
            g.block(3);
            g.jump_out_of_loop();
        });
        self.close("}");
    }

    fn fuelled_loop(&mut self) {
        if self.scope.loops >= 2 {
            return self.effect();
        }
        let (fuel, n) = (self.fresh("fuel"), self.rng.between(1, 5));
        self.declare(&format!("int {fuel} = 0;"));
        self.line(&format!("{fuel} = {n};"));
        let condition = self.condition();
        let is_while = self.rng.percent(60);
        self.open(&match is_while {
            true => format!("while ({condition} && {fuel}-- > 0) {{"),
            false => "do {".to_owned(),
        });
        self.repeated(6, |g| g.block(3));
        self.close(&match is_while {
            true => "}".to_owned(),
            false => format!("}} while ({condition} && --{fuel} > 0);"),
        });
    }

    /// Walks a pointer over an array of the program.
    fn array_loop(&mut self) {
        let arrays: Vec<_> = (self.globals.iter())
            .filter(|g| self.sees(g.unit, g.is_static) && g.qualifier.is_empty())
            .filter_map(|g| Some((g.name.clone(), g.scalar, g.elements?)))
            .collect();
        if arrays.is_empty() || self.scope.loops >= 2 {
            return self.effect();
        }
        let (name, scalar, n) = self.rng.pick(&arrays).clone();
        let q = self.fresh("q");
        let ty = scalar.name(&self.p);
        self.open(&format!("for ({ty} *{q} = {name}; {q} < {name} + {n}; {q}++) {{"));
        let place = Place { text: format!("*{q}"), scalar, addressable: true, lasts: false, writable: true };
        self.scoped(&q, |g| {
            g.scope.places.push(place);
            g.repeated(n as u64, |g| {
                let value = g.value(scalar);
                g.line(&format!("*{q} = {value};"));
                g.block(2);
                g.jump_out_of_loop();
            });
        });
        self.close("}");
    }

    /// Follows the links from a record; links lead to later objects only.
    fn list_loop(&mut self) {
        if self.scope.loops >= 2 {
            return self.effect();
        }
        let (q, start) = (self.fresh("s"), self.record());
        self.open(&format!("for (struct {p}s *{q} = {start}; {q}; {q} = {q}->next) {{", p = self.p));
        self.scoped(&q, |g| {
            g.scope.records.push((q.clone(), false));
            g.repeated(8, |g| {
                let field = g.field(&q);
                let value = g.value(field.scalar);
                g.line(&format!("{} = {value};", field.text));
                g.block(2);
                g.jump_out_of_loop();
            });
        });
        self.close("}");
    }

    fn switch(&mut self) {
        let value = self.expr(1).text;
        self.open(&format!("switch ({value} & 7) {{"));
        let mut labels: Vec<usize> = (0..9).collect();
        self.rng.shuffle(&mut labels);
        let n = self.rng.between(2, 4);
        for label in &labels[..n] {
            self.line(&format!("case {label}:"));
            self.block(2);
            if self.rng.percent(75) {
                self.line("break;");
            }
        }
        if self.rng.percent(70) {
            self.line("default:");
            self.block(2);
        }
        self.line(";");
        self.close("}");
    }

    /// A record that a function looks up and that may be NULL.
    fn optional_record(&mut self) {
        let Some(call) = self.call(&[Kind::Lookup]) else { return self.effect() };
        let o = self.fresh("o");
        self.open("{");
        self.line(&format!("struct {}s *{o} = {call};", self.p));
        let guarded = |g: &mut Self, n: usize| {
            g.scope.records.push((o.clone(), false));
            g.block(n);
            if g.rng.percent(40) {
                let test = *g.rng.pick(&["!", ""]);
                g.open(&format!("if ({test}{o}) {{"));
                g.block(1);
                g.close("}");
            }
        };
        if self.scope.may_leave && self.rng.percent(40) {
            let leave = self.leave();
            self.line(&format!("if (!{o}) {leave}"));
            self.scoped(&o, |g| guarded(g, 3));
        } else {
            self.open(&format!("if ({o}) {{"));
            self.scoped(&o, |g| guarded(g, 3));
            if self.rng.percent(50) {
                self.close_and_open("} else {");
                self.block(2);
            }
            self.close("}");
        }
        self.close("}");
    }

    /// Nothing between storing and resetting the pointer may return, because the pointer would outlive the object.
    fn lent_local(&mut self) {
        if self.scope.is_leaf || self.scope.locals_are_fixed {
            return self.effect();
        }
        let (l, before, p) = (self.fresh("lent"), self.fresh("before"), self.p.clone());
        let may_leave = std::mem::replace(&mut self.scope.may_leave, false);
        self.open("{");
        self.line(&format!("struct {p}s {l} = {{0}};"));
        self.line(&format!("struct {p}s *{before} = {p}cur;"));
        self.scoped(&l.clone(), |g| {
            g.scope.records.push((format!("(&{l})"), false));
            let (field, value) = (g.field(&format!("(&{l})")), g.small());
            g.line(&format!("{} = {value};", field.text));
            g.scope.remember(Remembered { place: field, value });
            g.line(&format!("{p}cur = &{l};"));
            if let Some(call) = g.any_call() {
                g.line(&format!("(void){call};"));
            }
            g.block(3);
            g.line(&format!("{p}cur = {before};"));
        });
        self.close("}");
        self.scope.may_leave = may_leave;
    }
}
