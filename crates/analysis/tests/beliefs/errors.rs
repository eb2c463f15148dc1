//! Definitions 3 to 5: source-sink errors, congruence, inconsistency errors.

use crate::guard::Guard;
use crate::infer::{Derivation, Join, Source, infer, is, is_from};
use crate::summary::{Summary, stubs};
use crate::syntax::{Constructor, Label, Program, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// A sink: `check x = Ci` rejects all but Ci. A call is one sink for each argument that its callee can fail with (section 4.3),
/// which rejects what is in the callee's summary, each constructor under a condition.
pub struct Sink {
    pub label: Label,
    pub variable: String,
    pub rejects: BTreeMap<Constructor, Guard>,
}

/// A function, its derivation, and its sinks.
pub struct Analysis {
    pub derivation: Derivation,
    pub sinks: Vec<Sink>,
}

/// `summaries` holds the summaries of all callees.
pub fn analyse(program: &Program, function: usize, summaries: &[Option<Summary>], join: Join) -> Analysis {
    let function = &program.functions[function];
    let derivation = infer(program, function, join);
    let mut sinks = Vec::new();
    function.body.walk(&mut |statement| match statement {
        Statement::Check(label, x, constructor) => sinks.push(Sink {
            label: *label,
            variable: x.clone(),
            rejects: program
                .all_constructors()
                .filter(|other| other != constructor)
                .map(|other| (other, derivation.all.clone()))
                .collect(),
        }),
        Statement::Call(label, callee, arguments) => {
            let summary = summaries[*callee].as_ref().expect("callees come first");
            sinks.extend(stubs(summary, *label, arguments, &derivation));
        }
        _ => {}
    });
    Analysis { derivation, sinks }
}

impl Analysis {
    /// The condition under which a sink rejects a constructor from a source.
    pub fn fails_from(&self, sink: &Sink, source: &Source, constructor: Constructor) -> Guard {
        let value = is_from(&self.derivation.before[&sink.label], &sink.variable, source, constructor);
        let rejected = sink.rejects.get(&constructor).cloned().unwrap_or_default();
        value.and(&self.derivation.guards[&sink.label]).and(&rejected)
    }

    /// Whether a sink can reject a constructor, from anywhere.
    fn can_fail(&self, sink: &Sink) -> bool {
        let mut values = self.derivation.before[&sink.label][&sink.variable].keys();
        values.any(|(source, constructor)| self.fails_from(sink, source, *constructor).is_satisfiable())
    }

    /// Definition 3: labels of sinks, and of the assignments whose values make them fail. Arguments are not
    /// sources here.
    pub fn source_sink_errors(&self) -> BTreeSet<(Label, Label)> {
        let mut errors = BTreeSet::new();
        for sink in &self.sinks {
            for (source, constructor) in self.derivation.before[&sink.label][&sink.variable].keys() {
                let Source::Assignment(from) = source else { continue };
                if self.fails_from(sink, source, *constructor).is_satisfiable() {
                    errors.insert((sink.label, *from));
                }
            }
        }
        errors
    }

    /// Definition 4: the same constructors under the same guards, whatever the sources.
    pub fn congruent(&self, (x, at): (&str, Label), (y, there): (&str, Label), program: &Program) -> bool {
        let value = |x: &str, label: Label, constructor| is(&self.derivation.before[&label], x, constructor);
        program
            .all_constructors()
            .all(|constructor| value(x, at, constructor) == value(y, there, constructor))
    }

    /// Definition 5: labels of a sink that cannot fail and of one that can, although both check the same
    /// value. (Its third condition mentions x; y is meant, as the following text says.)
    pub fn inconsistencies(&self, program: &Program) -> BTreeSet<(Label, Label)> {
        let mut errors = BTreeSet::new();
        for protected in self.sinks.iter().filter(|sink| !self.can_fail(sink)) {
            for other in self.sinks.iter().filter(|sink| self.can_fail(sink)) {
                let (x, y) = ((&*protected.variable, protected.label), (&*other.variable, other.label));
                // Two checks of the same constructor, or a call that rejects the same ones.
                let asks_the_same = protected.rejects.keys().eq(other.rejects.keys());
                if asks_the_same && self.congruent(x, y, program) {
                    errors.insert((protected.label, other.label));
                }
            }
        }
        errors
    }
}
