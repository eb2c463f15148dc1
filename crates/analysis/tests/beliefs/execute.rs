//! Runs a function for given arguments. Values carry their source; a failing check is recorded and the run
//! continues ("check statements have no effect", section 2.1).

use crate::guard::Arguments;
use crate::infer::Source;
use crate::syntax::{Constructor, Label, Program, Statement};
use std::collections::{BTreeMap, BTreeSet};

pub type Value = (Source, Constructor);

#[derive(Default)]
pub struct Run {
    /// The executed statements, with the values of the variables before each.
    pub before: BTreeMap<Label, BTreeMap<String, Value>>,
    /// The check or call that failed, and the source in this function of the failing value.
    pub failures: BTreeSet<(Label, Value)>,
}

pub fn execute(program: &Program, function: usize, arguments: &Arguments) -> Run {
    let values = arguments.iter().enumerate().map(|(index, &value)| (Source::Argument(index), value));
    let variables = program.functions[function].params.iter().cloned().zip(values).collect();
    let mut machine = Machine { program, variables, run: Run::default() };
    machine.statement(&program.functions[function].body);
    machine.run
}

struct Machine<'a> {
    program: &'a Program,
    variables: BTreeMap<String, Value>,
    run: Run,
}

impl Machine<'_> {
    fn note(&mut self, label: Label) {
        self.run.before.insert(label, self.variables.clone());
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Construct(label, x, constructor) => {
                self.note(*label);
                self.variables.insert(x.clone(), (Source::Assignment(*label), *constructor));
            }
            Statement::Copy(label, x, y) => {
                self.note(*label);
                self.variables.insert(x.clone(), self.variables[y].clone());
            }
            Statement::Check(label, x, constructor) => {
                self.note(*label);
                if self.variables[x].1 != *constructor {
                    self.run.failures.insert((*label, self.variables[x].clone()));
                }
            }
            Statement::Call(label, callee, arguments) => {
                self.note(*label);
                let values: Vec<Value> = arguments.iter().map(|x| self.variables[x].clone()).collect();
                let constructors = values.iter().map(|(_, constructor)| *constructor).collect();
                for (_, (source, _)) in execute(self.program, *callee, &constructors).failures {
                    // A value that the callee created is an error of the callee.
                    if let Source::Argument(index) = source {
                        self.run.failures.insert((*label, values[index].clone()));
                    }
                }
            }
            Statement::Seq(a, b) => {
                self.statement(a);
                self.statement(b);
            }
            Statement::If(label, x, constructor, then, otherwise) => {
                self.note(*label);
                let branch = if self.variables[x].1 == *constructor { then } else { otherwise };
                self.statement(branch);
            }
            Statement::Skip(label) => self.note(*label),
        }
    }
}
