//! Runs a program as written, without a graph: the ground truth for one input.

use crate::syntax::{Block, Function, Program, Statement, Values};

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Returns(Option<i64>),
    /// At the ERROR node of this line.
    Fails(usize),
    /// A loop is repeated more often than paths allow.
    TooLong,
}

pub fn execute(program: &Program, function: &Function, input: &Values) -> End {
    let is_global = |name: &String| program.globals.contains(name);
    let (mut globals, mut locals): (Values, Values) =
        input.clone().into_iter().partition(|(name, _)| is_global(name));
    let mut run = Run { program, globals: &mut globals, locals: &mut locals };
    match run.block(&function.body) {
        Ok(()) => End::Returns(None),
        Err(Leave::End(end)) => end,
        Err(Leave::Break) => panic!("`break` stands in a loop"),
    }
}

struct Run<'a> {
    program: &'a Program,
    globals: &'a mut Values,
    locals: &'a mut Values,
}

enum Leave {
    Break,
    End(End),
}

impl Run<'_> {
    fn read(&self, name: &str) -> Option<i64> {
        self.locals.get(name).or_else(|| self.globals.get(name)).copied().flatten()
    }

    fn write(&mut self, name: &str, value: Option<i64>) {
        let place = if self.globals.contains_key(name) { &mut *self.globals } else { &mut *self.locals };
        place.insert(name.to_owned(), value);
    }

    fn holds(&self, predicate: &crate::syntax::Predicate) -> bool {
        predicate.holds(&|name| self.read(name))
    }

    fn block(&mut self, block: &Block) -> Result<(), Leave> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Leave> {
        match statement {
            Statement::Assign(name, value) => {
                let value = value.eval(&|name| self.read(name));
                self.write(name, Some(value));
                Ok(())
            }
            Statement::Local(name) => {
                self.write(name, None);
                Ok(())
            }
            Statement::Call { result, callee, arguments } => {
                let callee = self.program.function(callee);
                let values = arguments.iter().map(|argument| Some(argument.eval(&|name| self.read(name))));
                let mut locals: Values = callee.params.iter().cloned().zip(values).collect();
                let mut run = Run { program: self.program, globals: &mut *self.globals, locals: &mut locals };
                let value = match run.block(&callee.body) {
                    Ok(()) => None,
                    Err(Leave::End(End::Returns(value))) => value,
                    Err(other) => return Err(other),
                };
                if let Some(result) = result {
                    self.write(result, value);
                }
                Ok(())
            }
            Statement::If { arms, last } => match arms.iter().find(|(condition, _)| self.holds(condition)) {
                Some((_, block)) => self.block(block),
                None => last.as_ref().map_or(Ok(()), |block| self.block(block)),
            },
            Statement::Switch { subject, cases, default } => {
                let value = subject.eval(&|name| self.read(name));
                match cases.iter().find(|(case, _)| *case == value) {
                    Some((_, block)) => self.block(block),
                    None => default.as_ref().map_or(Ok(()), |block| self.block(block)),
                }
            }
            Statement::Loop { condition, body, body_first } => {
                match self.repeat(condition, body, *body_first) {
                    Err(Leave::Break) => Ok(()),
                    other => other,
                }
            }
            Statement::Break => Err(Leave::Break),
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| value.eval(&|name| self.read(name)));
                Err(Leave::End(End::Returns(value)))
            }
            Statement::Assert(predicate, _) if self.holds(predicate) => Ok(()),
            Statement::Assert(_, line) | Statement::Abort(line) => Err(Leave::End(End::Fails(*line))),
            Statement::Macro(block) => self.block(block),
            Statement::Admits(_) => Ok(()),
            Statement::Alias { pointers: (p, q), same, separate } => {
                self.block(if self.read(p) == self.read(q) { same } else { separate })
            }
        }
    }

    fn repeat(
        &mut self,
        condition: &crate::syntax::Predicate,
        body: &Block,
        body_first: bool,
    ) -> Result<(), Leave> {
        if body_first {
            self.block(body)?;
        }
        let mut times = 0;
        while self.holds(condition) {
            times += 1;
            if times > self.program.unroll {
                return Err(Leave::End(End::TooLong));
            }
            self.block(body)?;
        }
        Ok(())
    }
}
