//! Section 3.3: the facts that a test establishes can be added to its branches, as checks or as assignments,
//! without a change of meaning. Definitions 5 and 3 then find errors such as that of Example 5.

use crate::syntax::{Constructor, Label, Program, Statement};

/// What is added to a branch in which `x` is known to be a constructor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    Checks,
    Sources,
}

pub fn elaborate(program: &Program, added: Added) -> Program {
    let mut longer = program.clone();
    let bodies: Vec<Statement> = program.functions.iter().map(|function| function.body.clone()).collect();
    for (index, body) in bodies.into_iter().enumerate() {
        longer.functions[index].body = statement(&mut longer, body, added);
    }
    longer
}

fn statement(program: &mut Program, old: Statement, added: Added) -> Statement {
    match old {
        Statement::Seq(a, b) => statement(program, *a, added).then(statement(program, *b, added)),
        Statement::If(label, x, constructor, then, otherwise) => {
            let then = statement(program, *then, added);
            let then = fact(program, label, &x, constructor, added).then(then);
            let mut otherwise = statement(program, *otherwise, added);
            // With two constructors the other branch knows the value too. The paper uses that for checks
            // only.
            if program.constructors == 2 && added == Added::Checks {
                otherwise = fact(program, label, &x, 3 - constructor, added).then(otherwise);
            }
            Statement::If(label, x, constructor, Box::new(then), Box::new(otherwise))
        }
        other => other,
    }
}

fn fact(program: &mut Program, test: Label, x: &str, constructor: Constructor, added: Added) -> Statement {
    let label = program.fresh_label(program.lines[test]);
    match added {
        Added::Checks => Statement::Check(label, x.to_owned(), constructor),
        Added::Sources => Statement::Construct(label, x.to_owned(), constructor),
    }
}
