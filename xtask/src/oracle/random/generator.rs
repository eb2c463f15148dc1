//! The state of the generator: the program so far, and the current function.

use super::expr::Remembered;
use super::model::{Field, Function, Global, Kind, Object, Place, Scalar};
use super::rng::Rng;

/// The input for which a program ends by `exit`, where it contains one.
pub(super) const EXIT_INPUT: &str = "0xe417e417u";

/// One program; `p` is the prefix of all its names.
pub(super) struct Generator {
    pub(super) rng: Rng,
    pub(super) p: String,
    pub(super) units: usize,
    pub(super) fields: Vec<Field>,
    pub(super) globals: Vec<Global>,
    pub(super) objects: Vec<Object>,
    pub(super) functions: Vec<Function>,
    /// The number of objects in the program's section, if it has one.
    pub(super) section: Option<usize>,
    /// The unit with top-level assembly, if any.
    pub(super) assembly: Option<usize>,
    pub(super) library_name: String,
    /// Globals that functions with the signature of callbacks write first.
    pub(super) written_by_callbacks: Vec<String>,
    /// The highest cost of a function that is called through a pointer.
    pub(super) leaf_cost: u64,
    pub(super) scope: Scope,
}

/// The current function.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) unit: usize,
    pub(super) is_leaf: bool,
    pub(super) places: Vec<Place>,
    /// Valid pointers to records, and whether the records live as long as the program.
    pub(super) records: Vec<(String, bool)>,
    /// Pointers that may be set to other records that live as long as the program.
    pub(super) pointers: Vec<String>,
    pub(super) remembered: Vec<Remembered>,
    pub(super) conditions: Vec<String>,
    /// An array of four `int` for qsort.
    pub(super) sorted: Option<String>,
    pub(super) depth: usize,
    pub(super) loops: usize,
    /// How often the current statement is executed at most in one call.
    pub(super) times: u64,
    pub(super) cost: u64,
    pub(super) most_cost: u64,
    pub(super) lines: usize,
    pub(super) most_lines: usize,
    pub(super) may_leave: bool,
    /// After setjmp, where locals must not change.
    pub(super) locals_are_fixed: bool,
    /// Alternative operands of `return`.
    pub(super) results: Vec<String>,
    pub(super) label_used: bool,
    pub(super) declarations: Vec<String>,
    pub(super) text: String,
    indent: usize,
    names: usize,
}

impl Scope {
    pub(super) fn new(unit: usize, is_leaf: bool, most_cost: u64, most_lines: usize) -> Scope {
        Scope {
            unit,
            is_leaf,
            times: 1,
            most_cost,
            most_lines,
            may_leave: true,
            indent: 1,
            ..Scope::default()
        }
    }

    pub(super) fn is_long(&self) -> bool {
        self.lines > self.most_lines
    }

    /// The cost that is left for calls.
    pub(super) fn budget(&self) -> u64 {
        self.most_cost.saturating_sub(self.cost)
    }

    pub(super) fn remember(&mut self, what: Remembered) {
        if self.remembered.len() > 8 {
            self.remembered.remove(0);
        }
        self.remembered.push(what);
    }
}

impl Generator {
    pub(super) fn line(&mut self, text: &str) {
        let scope = &mut self.scope;
        scope.text.push_str(&"  ".repeat(scope.indent));
        scope.text.push_str(text);
        scope.text.push('\n');
        scope.lines += 1;
        scope.cost += scope.times;
    }

    pub(super) fn open(&mut self, text: &str) {
        self.line(text);
        self.scope.indent += 1;
    }

    pub(super) fn close(&mut self, text: &str) {
        self.scope.indent -= 1;
        self.line(text);
    }

    pub(super) fn close_and_open(&mut self, text: &str) {
        self.close(text);
        self.scope.indent += 1;
    }

    /// A name that is new in the function.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.scope.names += 1;
        format!("{stem}{}", self.scope.names)
    }

    /// Declares a local at the top of the function.
    pub(super) fn declare(&mut self, text: &str) {
        self.scope.declarations.push(text.to_owned());
    }

    /// Runs `inside` as a scope; its names and conditions are removed afterwards.
    pub(super) fn scoped(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        let (places, records) = (self.scope.places.len(), self.scope.records.len());
        inside(self);
        self.scope.places.truncate(places);
        self.scope.records.truncate(records);
        self.scope.remembered.retain(|what| !what.place.text.contains(name));
        self.scope.conditions.retain(|what| !what.contains(name));
    }

    /// Whether the current function can name something of this unit and linkage.
    pub(super) fn sees(&self, unit: usize, is_static: bool) -> bool {
        !is_static || unit == self.scope.unit
    }

    /// Pointers to the objects that can be named, in the order of their links.
    pub(super) fn visible_objects(&self) -> Vec<String> {
        let visible = self.objects.iter().filter(|o| self.sees(o.unit, o.is_static));
        visible.map(|o| o.pointer.clone()).collect()
    }

    /// An early return.
    pub(super) fn leave(&mut self) -> String {
        if self.rng.percent(40) {
            self.scope.label_used = true;
            return "goto out;".to_owned();
        }
        format!("return{};", self.result())
    }

    pub(super) fn result(&mut self) -> String {
        match self.scope.results.is_empty() {
            true => String::new(),
            false => format!(" {}", self.rng.pick(&self.scope.results)),
        }
    }

    /// Starts a function, with everything at file scope that its unit can name.
    pub(super) fn enter(&mut self, scope: Scope) {
        self.scope = scope;
        let p = &self.p;
        let mut places = Vec::new();
        let mut sorted = None;
        for global in self.globals.iter().filter(|g| self.sees(g.unit, g.is_static)) {
            let plain = global.qualifier.is_empty();
            let place = |text: String| Place {
                text,
                scalar: global.scalar,
                addressable: plain,
                lasts: plain,
                writable: global.qualifier != "const ",
            };
            match global.elements {
                Some(n) => places.extend((0..n).map(|k| place(format!("{}[{k}]", global.name)))),
                None => places.push(place(global.name.clone())),
            }
            if plain && global.scalar == Scalar::Int && global.elements == Some(4) {
                sorted = Some(global.name.clone());
            }
        }
        let at_pointer = format!("*{p}ip");
        places.push(Place {
            text: at_pointer,
            scalar: Scalar::Int,
            addressable: true,
            lasts: false,
            writable: true,
        });
        self.scope.places = places;
        self.scope.sorted = sorted;
        self.scope.records = self.visible_objects().into_iter().map(|o| (o, true)).collect();
        self.scope.records.push((format!("{p}cur"), false));
    }

    /// The declaration of a function.
    pub(super) fn signature(&self, f: &Function) -> String {
        let (p, name) = (&self.p, &f.name);
        let (result, a, b) = (f.result.name(p), f.params[0].name(p), f.params[1].name(p));
        match f.kind {
            Kind::Values => format!("{result} {name}({a} a, {b} b)"),
            Kind::Record => format!("int {name}(struct {p}s *p, int v)"),
            Kind::Set => format!("void {name}(int *p, int v)"),
            Kind::Alias => format!("int {name}(int *p, int *q, int v)"),
            Kind::Recursive => format!("int {name}(int n, struct {p}s *p)"),
            Kind::Variadic | Kind::VariadicPointers => format!("int {name}(int n, ...)"),
            Kind::Lookup => format!("struct {p}s *{name}(int k)"),
            Kind::Apply => format!("int {name}(int (*cb)(struct {p}s *, int), struct {p}s *p, int v)"),
            Kind::ByValue => format!("int {name}(struct {p}s s, int v)"),
            Kind::Whole => format!("struct {p}s {name}(int v)"),
            Kind::Get => format!("{result} {name}(void)"),
            Kind::Put => format!("void {name}({a} v)"),
            Kind::Catch => format!("int {name}(int v)"),
        }
    }
}
