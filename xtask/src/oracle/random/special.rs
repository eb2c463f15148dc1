//! Parts of only some programs: strings, growing arrays, sections, assembly, blocks of memory.

use super::generator::Generator;
use super::model::{Place, Scalar};

impl Generator {
    /// The string is always terminated.
    pub(super) fn write_text(&mut self) {
        let p = self.p.clone();
        let line = match self.rng.below(4) {
            0 => {
                let value = self.expr(1).text;
                format!("snprintf({p}text, sizeof {p}text, \"%d\", (int)({value} & 63));")
            }
            1 => format!("strcpy({p}text, \"{}\");", self.rng.pick(&["", "a", "b1", "12", "abc", "3"])),
            2 => format!(
                "{p}text[{}] = '{}';",
                self.rng.below(14),
                self.rng.pick(&["a", "1", "2", "b", "\\0"])
            ),
            _ => {
                let place = self.writable_place();
                format!("{} = (int)strlen({p}text);", place.text)
            }
        };
        self.line(&line);
    }

    pub(super) fn use_vector(&mut self) {
        let p = self.p.clone();
        match self.rng.below(4) {
            0..=1 => {
                let value = self.int_value();
                self.scope.cost += 6 * self.scope.times;
                self.line(&format!("{p}push(&{p}vec, {value});"));
            }
            2 => {
                let place = self.writable_place();
                self.open(&format!("if ({p}vec.len > 0) {{"));
                self.line(&format!("{p}vec.len--;"));
                self.line(&format!("{} = {p}vec.data[{p}vec.len] & 15;", place.text));
                self.block(1);
                self.close("}");
            }
            _ => {
                let (i, value) = (self.fresh("k"), self.small());
                self.open(&format!("for (unsigned {i} = 0; {i} < {p}vec.len; {i}++) {{"));
                self.open(&format!("if ({p}vec.data[{i}] == {value}) {{"));
                let line = format!("{p}vec.data[{i}] = {};", self.rng.below(4));
                self.line(&line);
                self.close("}");
                self.open(&format!("if ({i} >= {p}vec.len) {{"));
                self.line(&format!("{p}vec.len = 0;"));
                self.close("}");
                self.close("}");
            }
        }
    }

    /// The array that the linker forms from the objects in the program's section.
    pub(super) fn use_section(&mut self) {
        let Some(objects) = self.section else {
            let place = self.writable_place();
            let value = self.input().text;
            return self.line(&format!("{} = {value};", place.text));
        };
        let (p, value) = (self.p.clone(), self.value(Scalar::Int));
        let (start, stop) = (format!("__start_{p}sec"), format!("__stop_{p}sec"));
        match self.rng.below(4) {
            0 => self.line(&format!("for (int *q = {start}; q < {stop}; q++) *q = {value};")),
            1 => {
                let index = self.rng.below(objects);
                self.line(&format!("{start}[{index}] = {value};"));
            }
            2 => {
                let condition = self.small();
                self.open(&format!("for (int *q = {start}; q < {stop}; q++) {{"));
                self.open(&format!("if (*q == {condition}) {{"));
                self.line("*q = (*q + 1) & 15;");
                self.close("}");
                self.close("}");
            }
            _ => {
                let line = format!("if ({start}[{}] == {}) {{", self.rng.below(objects), self.rng.below(4));
                self.open(&line);
                self.block(2);
                self.close("}");
            }
        }
    }

    pub(super) fn use_assembly(&mut self) {
        let (p, sees) = (self.p.clone(), self.assembly.is_some_and(|unit| unit == self.scope.unit));
        let line = match self.rng.below(5) {
            0..=1 if self.assembly.is_some() => format!("{p}bump();"),
            2 if sees => format!(
                "__asm__ volatile(\"movl ${}, {p}counter(%%rip)\" ::: \"memory\");",
                self.rng.below(5)
            ),
            3 => {
                let place = self.int_place();
                format!("__asm__ volatile(\"movl ${}, %0\" : \"=m\"({place}));", self.rng.below(5))
            }
            _ => {
                let (place, value) = (self.int_place(), self.int_value());
                format!("__asm__ volatile(\"movl %1, %0\" : \"=r\"({place}) : \"r\"({value}));")
            }
        };
        self.line(&line);
    }

    fn int_place(&mut self) -> String {
        let pointer = self.int_pointer(false);
        pointer.strip_prefix('&').map_or_else(|| format!("*{pointer}"), str::to_owned)
    }

    /// Memory that is allocated, used, sometimes enlarged, and freed.
    pub(super) fn heap_block(&mut self) {
        if self.scope.loops >= 2 {
            return self.effect();
        }
        let (h, n, p) = (self.fresh("h"), self.rng.between(1, 4), self.p.clone());
        let scalar = *self.rng.pick(&[Scalar::Int, Scalar::Int, Scalar::UnsignedChar, Scalar::Short]);
        let ty = scalar.name(&p);
        let place = |k: usize| Place {
            text: format!("{h}[{k}]"),
            scalar,
            addressable: true,
            lasts: false,
            writable: true,
        };
        self.open("{");
        let zeroed = self.rng.percent(50);
        self.line(&match zeroed {
            true => format!("{ty} *{h} = calloc({n}, sizeof *{h});"),
            false => format!("{ty} *{h} = malloc({n} * sizeof *{h});"),
        });
        self.open(&format!("if ({h}) {{"));
        if !zeroed {
            let value = self.small();
            self.line(&format!("for (int k = 0; k < {n}; k++) {h}[k] = {value};"));
        }
        self.scoped(&h.clone(), |g| {
            (0..n).for_each(|k| g.scope.places.push(place(k)));
            g.block(3);
            if g.rng.percent(40) {
                let value = g.small();
                g.line(&format!("{ty} *more = realloc({h}, {} * sizeof *{h});", n + 1));
                g.open("if (more) {");
                g.line(&format!("{h} = more;"));
                g.line(&format!("{h}[{n}] = {value};"));
                g.scoped(&h.clone(), |g| {
                    g.scope.places.push(place(n));
                    g.block(2);
                });
                g.close("}");
            }
        });
        self.line(&format!("free({h});"));
        self.close("}");
        self.close("}");
    }
}
