//! One random program: its declarations, its functions, and the text of its units.

use super::generator::{Generator, Scope};
use super::model::{Field, Function, Global, Kind, Object, SCALARS, Scalar};
use super::rng::Rng;

const ENTRY_COST: u64 = 4000;
const ENTRY_LINES: usize = 40;

/// The text of one program.
pub(super) struct Source {
    /// The part of the header that all units of the batch include.
    pub(super) header: String,
    /// By unit.
    pub(super) units: Vec<String>,
    /// The name of `int entry(unsigned input)`, which may be called repeatedly.
    pub(super) entry: String,
}

/// Generates the program of a seed with this number of units. One function is called `library_name`.
pub(super) fn generate(seed: u64, units: usize, library_name: &str) -> Source {
    let mut g = Generator {
        rng: Rng::new(seed),
        p: format!("p{seed}_"),
        units,
        fields: Vec::new(),
        globals: Vec::new(),
        objects: Vec::new(),
        functions: Vec::new(),
        section: None,
        assembly: None,
        library_name: library_name.to_owned(),
        leaf_cost: 1,
        written_by_callbacks: Vec::new(),
        scope: Scope::default(),
    };
    g.choose_fields();
    g.choose_globals();
    g.choose_objects();
    let bodies = g.write_functions(library_name);
    g.finish(bodies)
}

impl Generator {
    fn choose_fields(&mut self) {
        for k in 0..self.rng.between(2, 5) {
            let scalar = match self.rng.percent(20) {
                true => Scalar::Bits { width: self.rng.between(1, 7) as u32, signed: self.rng.percent(50) },
                false => *self.rng.pick(SCALARS),
            };
            let elements = match scalar {
                Scalar::Bits { .. } => None,
                _ => self.rng.percent(20).then(|| *self.rng.pick(&[2, 4])),
            };
            self.fields.push(Field { name: format!("f{k}"), scalar, elements });
        }
        self.fields.push(Field { name: "n".into(), scalar: Scalar::Int, elements: None });
    }

    fn choose_globals(&mut self) {
        for k in 0..self.rng.between(3, 6) {
            let qualifier = *self.rng.pick(&["", "", "", "", "", "", "volatile ", "const "]);
            let global = Global {
                name: format!("{}g{k}", self.p),
                scalar: *self.rng.pick(SCALARS),
                elements: self.rng.percent(30).then(|| *self.rng.pick(&[2, 4, 4, 8])),
                unit: self.rng.below(self.units),
                is_static: self.rng.percent(60),
                qualifier,
                attributes: String::new(),
            };
            self.globals.push(global);
        }
        // Every program has this one, as a target for pointers.
        let plain = |name: String, unit: usize, is_static: bool, attributes: String| Global {
            name,
            scalar: Scalar::Int,
            elements: None,
            unit,
            is_static,
            qualifier: "",
            attributes,
        };
        self.globals.push(plain(format!("{}i", self.p), 0, false, String::new()));
        if self.rng.percent(40) {
            let n = self.rng.between(1, 4);
            for k in 0..n {
                let attributes = format!(" __attribute__((section(\"{}sec\"), used))", self.p);
                let (unit, is_static) = (self.rng.below(self.units), self.rng.percent(70));
                self.globals.push(plain(format!("{}x{k}", self.p), unit, is_static, attributes));
            }
            self.section = Some(n);
        }
        if self.rng.percent(40) {
            let unit = self.rng.below(self.units);
            let attributes = " __attribute__((used))".to_owned();
            self.globals.push(plain(format!("{}counter", self.p), unit, true, attributes));
            self.assembly = Some(unit);
        }
    }

    fn choose_objects(&mut self) {
        let p = &self.p;
        let mut objects = vec![Object { pointer: format!("&{p}r0"), unit: 0, is_static: false }];
        for k in 1..self.rng.between(1, 3) {
            let (unit, is_static) = (self.rng.below(self.units), self.rng.percent(60));
            objects.push(Object { pointer: format!("&{p}r{k}"), unit, is_static });
        }
        if self.rng.percent(50) {
            let (unit, is_static) = (self.rng.below(self.units), self.rng.percent(60));
            objects.extend((0..2).map(|k| Object { pointer: format!("&{p}t[{k}]"), unit, is_static }));
        }
        self.objects = objects;
    }

    /// Leaf functions first; only they are called through pointers.
    fn write_functions(&mut self, library_name: &str) -> Vec<(usize, String)> {
        use Kind::*;
        let leaf_kinds = [
            Values,
            Values,
            Record,
            Record,
            Record,
            Record,
            Set,
            Alias,
            Recursive,
            Variadic,
            VariadicPointers,
            Lookup,
            ByValue,
            Whole,
            Get,
            Put,
            Put,
        ];
        let upper_kinds =
            [Values, Record, Set, Alias, Recursive, Variadic, Lookup, Apply, Apply, ByValue, Put, Catch];
        let (leaves, uppers) = (self.rng.between(2, 5), self.rng.between(1, 3));
        let named = self.rng.below(leaves + uppers);
        let mut bodies = Vec::new();
        for k in 0..leaves + uppers {
            let is_leaf = k < leaves;
            // The first has the signature of the table, which all units see.
            let kind = if k == 0 {
                Record
            } else {
                *self.rng.pick(if is_leaf { &leaf_kinds } else { &upper_kinds })
            };
            let name = if k == named { library_name.to_owned() } else { format!("{}f{k}", self.p) };
            let f = Function {
                name,
                kind,
                unit: self.rng.below(self.units),
                is_static: k > 0 && self.rng.percent(55),
                is_leaf,
                result: *self.rng.pick(SCALARS),
                params: [*self.rng.pick(SCALARS), *self.rng.pick(SCALARS)],
                cost: 0,
            };
            let unit = f.unit;
            let (f, text) = self.function(f);
            if f.is_leaf && f.kind == Record {
                self.leaf_cost = self.leaf_cost.max(f.cost);
            }
            self.functions.push(f);
            bodies.push((unit, text));
        }
        bodies
    }

    /// The entry function, which resets all pointers before it returns.
    fn entry(&mut self) -> String {
        let p = self.p.clone();
        self.enter(Scope::new(0, false, ENTRY_COST, ENTRY_LINES));
        self.scope.results = vec!["0".to_owned()];
        self.scope.records.push((format!("{p}heap"), false));
        self.locals();
        self.line(&format!("{p}in = input;"));
        self.line(&format!("{p}heap = calloc(1, sizeof *{p}heap);"));
        self.line(&format!("if (!{p}heap) return 0;"));
        self.line(&format!("{p}heap->next = {p}home;"));
        // Every return goes through the end of the function.
        self.scope.may_leave = false;
        self.call_all();
        let n = self.rng.between(3, 6);
        self.statements(n);
        self.line(&format!("{p}cur = {p}home;"));
        self.line(&format!("free({p}heap);"));
        self.line(&format!("free({p}vec.data);"));
        self.line(&format!("{p}vec.data = 0;"));
        self.line(&format!("{p}vec.len = {p}vec.cap = 0;"));
        format!("int {p}entry(unsigned input) {{\n{}}}\n\n", self.finished())
    }

    /// Calls all functions that can be called from here, so that each is executed.
    fn call_all(&mut self) {
        let mut names: Vec<String> = self.functions.iter().map(|f| f.name.clone()).collect();
        self.rng.shuffle(&mut names);
        for name in names {
            if let Some(call) = self.call_where(|f| f.name == name) {
                self.line(&format!("(void)({call});"));
            }
        }
    }

    fn finish(mut self, bodies: Vec<(usize, String)>) -> Source {
        let entry = self.entry();
        let mut header = self.types();
        let mut units: Vec<String> = vec![String::new(); self.units];
        for f in &self.functions {
            match f.is_static {
                true => units[f.unit].push_str(&format!("static {};\n", self.signature(f))),
                false => header.push_str(&format!("{};\n", self.signature(f))),
            }
        }
        self.define_globals(&mut header, &mut units);
        self.define_objects(&mut header, &mut units);
        self.define_shared(&mut header, &mut units);
        for (unit, text) in bodies {
            units[unit].push_str(&text);
        }
        units[0].push_str(&entry);
        Source { header, units, entry: format!("{}entry", self.p) }
    }

    fn types(&mut self) -> String {
        let p = self.p.clone();
        let mut text = format!("enum {p}e {{ {p}A, {p}B = 3, {p}C }};\nstruct {p}s {{\n");
        for field in &self.fields {
            let (ty, name) = (field.scalar.name(&p), &field.name);
            text.push_str(&match (field.scalar, field.elements) {
                (Scalar::Bits { width, .. }, _) => format!("  {ty} {name} : {width};\n"),
                (_, Some(n)) => format!("  {ty} {name}[{n}];\n"),
                (_, None) => format!("  {ty} {name};\n"),
            });
        }
        text.push_str(&format!("  struct {p}s *next;\n  int (*cb)(struct {p}s *, int);\n}};\n"));
        text.push_str(&format!("union {p}u {{ unsigned u; unsigned char b[4]; unsigned short h[2]; }};\n"));
        text.push_str(&format!("struct {p}vector {{ int *data; unsigned len, cap; }};\n"));
        text.push_str(&format!("struct {p}op {{ int (*run)(struct {p}s *, int); int key; }};\n"));
        text
    }

    fn define_globals(&mut self, header: &mut String, units: &mut [String]) {
        for global in self.globals.clone() {
            let Global { name, scalar, elements, unit, is_static, qualifier, attributes } = global;
            let ty = scalar.name(&self.p);
            let array = elements.map_or(String::new(), |n| format!("[{n}]"));
            let value =
                if elements.is_some() { format!("{{{}}}", self.small()) } else { self.small().to_string() };
            let linkage = if is_static { "static " } else { "" };
            let initial = if self.rng.percent(60) || qualifier == "const " {
                format!(" = {value}")
            } else {
                String::new()
            };
            units[unit].push_str(&format!("{linkage}{qualifier}{ty} {name}{array}{attributes}{initial};\n"));
            if !is_static {
                header.push_str(&format!("extern {qualifier}{ty} {name}{array};\n"));
            }
        }
        let p = &self.p;
        if self.section.is_some() {
            header.push_str(&format!("extern int __start_{p}sec[], __stop_{p}sec[];\n"));
        }
        if let Some(unit) = self.assembly {
            header.push_str(&format!("void {p}bump(void);\n"));
            let instructions = match self.rng.percent(50) {
                true => format!("movl ${}, {p}counter(%rip)", self.rng.below(5)),
                false => format!("addl $1, {p}counter(%rip)\\n\\tandl $7, {p}counter(%rip)"),
            };
            let lines = format!(".text\\n.globl {p}bump\\n{p}bump:\\n\\t{instructions}\\n\\tret\\n");
            units[unit].push_str(&format!("__asm__(\"{lines}\");\n"));
        }
    }

    fn define_objects(&mut self, header: &mut String, units: &mut [String]) {
        let p = self.p.clone();
        for (k, object) in self.objects.clone().iter().enumerate() {
            let Object { pointer, unit, is_static } = object;
            let later = self.objects[k + 1..]
                .iter()
                .find(|o| (!o.is_static || o.unit == *unit) && self.rng.percent(70));
            let (next, value) = (later.map_or("0".to_owned(), |o| o.pointer.clone()), self.small());
            let fields = format!("{{ .n = {value}, .next = {next} }}");
            let linkage = if *is_static { "static " } else { "" };
            let name = &pointer[1..];
            match name.split_once('[') {
                None => {
                    units[*unit].insert_str(0, &format!("{linkage}struct {p}s {name};\n"));
                    units[*unit].push_str(&format!("{linkage}struct {p}s {name} = {fields};\n"));
                    if !is_static {
                        header.push_str(&format!("extern struct {p}s {name};\n"));
                    }
                }
                Some((name, "0]")) => {
                    units[*unit].insert_str(0, &format!("{linkage}struct {p}s {name}[2];\n"));
                    units[*unit].push_str(&format!("{linkage}struct {p}s {name}[2] = {{ {fields} }};\n"));
                    if !is_static {
                        header.push_str(&format!("extern struct {p}s {name}[2];\n"));
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Declarations that all units of a program use.
    fn define_shared(&mut self, header: &mut String, units: &mut [String]) {
        let p = self.p.clone();
        let linkage = if self.units == 1 { "static " } else { "" };
        let first = self.functions[0].name.clone();
        let in_first = |f: &&Function| f.kind == Kind::Record && f.is_leaf && (!f.is_static || f.unit == 0);
        let second = self.functions.iter().rev().find(in_first).map_or(first.clone(), |f| f.name.clone());
        let hook = if self.rng.percent(50) { first.clone() } else { "0".to_owned() };
        let constant = if self.rng.percent(50) { "const " } else { "" };
        let variables = [
            (format!("unsigned {p}in"), String::new()),
            (format!("int *{p}ip"), format!(" = &{p}i")),
            (format!("struct {p}s *{p}cur"), format!(" = &{p}r0")),
            (format!("struct {p}s *const {p}home"), format!(" = &{p}r0")),
            (format!("struct {p}s *{p}opt"), String::new()),
            (format!("struct {p}s *{p}heap"), String::new()),
            (format!("int (*{p}hook)(struct {p}s *, int)"), format!(" = {hook}")),
            (
                format!("{constant}struct {p}op {p}table[2]"),
                format!(" = {{ {{ {first}, 1 }}, {{ {second}, 2 }} }}"),
            ),
            (format!("union {p}u {p}un"), String::new()),
            (format!("struct {p}vector {p}vec"), String::new()),
            (format!("char {p}text[16]"), " = \"a\"".to_owned()),
            (format!("jmp_buf {p}back"), String::new()),
            (format!("int {p}armed"), String::new()),
            (format!("int {p}compared"), String::new()),
        ];
        for (declaration, initial) in variables {
            units[0].push_str(&format!("{linkage}{declaration}{initial};\n"));
            if self.units > 1 {
                header.push_str(&format!("extern {declaration};\n"));
            }
        }
        let functions = [
            (format!("void {p}die(void)"), " exit(0); ".to_owned()),
            (
                format!("int {p}order(const void *a, const void *b)"),
                format!(
                    "\n  const int *x = a, *y = b;\n  {p}compared = ({p}compared + 1) & 15;\n  \
                     return *x < *y ? -1 : *x > *y;\n"
                ),
            ),
            (
                format!("int {p}push(struct {p}vector *v, int x)"),
                "\n  if (v->len == v->cap) {\n    unsigned cap = v->cap ? v->cap * 2 : 2;\n    \
                 int *data = realloc(v->data, cap * sizeof *data);\n    if (!data) return 0;\n    \
                 v->data = data;\n    v->cap = cap;\n  }\n  if (v->len == v->cap) return -1;\n  \
                 v->data[v->len++] = x;\n  return 1;\n"
                    .to_owned(),
            ),
        ];
        for (declaration, body) in functions {
            if self.units > 1 {
                header.push_str(&format!("{declaration};\n"));
            }
            units[0].push_str(&format!("{linkage}{declaration} {{{body}}}\n"));
        }
        header.push_str(&format!("int {p}entry(unsigned input);\n"));
    }
}
