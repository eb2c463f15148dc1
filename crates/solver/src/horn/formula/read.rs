//! Reads the body of a `define-fun` over integers and Booleans.

use super::{Formula, Integer, Relation};
use crate::limits::MAX_FORMULA_NODES;
use crate::smtlib::Sexpr;
use std::collections::BTreeMap;

#[derive(Clone)]
enum Value {
    Formula(Formula),
    Integer(Integer),
}

impl Formula {
    /// The body of a `define-fun` whose parameters have these names; `bool` says which are Booleans.
    pub fn read(body: &Sexpr, parameters: &[(String, bool)]) -> Option<Formula> {
        let mut names: BTreeMap<String, Value> = BTreeMap::new();
        for (number, (name, is_bool)) in parameters.iter().enumerate() {
            let value = if *is_bool {
                Value::Formula(Formula::Argument(number))
            } else {
                Value::Integer(Integer::Argument(number))
            };
            names.insert(name.clone(), value);
        }
        let mut reader = Reader { names, left: MAX_FORMULA_NODES };
        match reader.value(body)? {
            Value::Formula(formula) => Some(formula),
            Value::Integer(_) => None,
        }
    }
}

struct Reader {
    names: BTreeMap<String, Value>,
    /// Nodes that may still be made.
    left: usize,
}

impl Reader {
    fn value(&mut self, expr: &Sexpr) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        match expr {
            Sexpr::Text(_) => None,
            Sexpr::Atom(atom) => match atom.as_str() {
                "true" => Some(Value::Formula(Formula::Bool(true))),
                "false" => Some(Value::Formula(Formula::Bool(false))),
                name => match self.names.get(name) {
                    Some(value) => {
                        // A named definition may be large, and is copied.
                        self.left = self.left.checked_sub(size(value))?;
                        Some(value.clone())
                    }
                    None => name.parse().ok().map(|number| Value::Integer(Integer::Constant(number))),
                },
            },
            Sexpr::List(list) => {
                let (head, rest) = list.split_first()?;
                self.application(head.as_atom()?, rest)
            }
        }
    }

    fn application(&mut self, head: &str, operands: &[Sexpr]) -> Option<Value> {
        match head {
            "let" => return self.binding(operands),
            "exists" => return self.weakened(operands),
            // Annotations.
            "!" => return self.value(operands.first()?),
            _ => {}
        }
        let values = operands.iter().map(|operand| self.value(operand)).collect::<Option<Vec<Value>>>()?;
        let formulas = || {
            values
                .iter()
                .map(|value| match value {
                    Value::Formula(formula) => Some(formula.clone()),
                    Value::Integer(_) => None,
                })
                .collect::<Option<Vec<Formula>>>()
        };
        let integers = || {
            values
                .iter()
                .map(|value| match value {
                    Value::Integer(integer) => Some(integer.clone()),
                    Value::Formula(_) => None,
                })
                .collect::<Option<Vec<Integer>>>()
        };
        let formula = match head {
            "and" => Some(Formula::And(formulas()?)),
            "or" => Some(Formula::Or(formulas()?)),
            "not" => Some(formulas()?.pop()?.not()),
            "=>" => {
                let mut parts = formulas()?;
                let last = parts.pop()?;
                let mut any: Vec<Formula> = parts.into_iter().map(Formula::not).collect();
                any.push(last);
                Some(Formula::Or(any))
            }
            "<=" | ">=" | "<" | ">" => Some(chain(head, integers()?)?),
            "=" => match (formulas(), integers()) {
                (Some(parts), _) => match <[Formula; 2]>::try_from(parts).ok()? {
                    [a, b] => Some(Formula::Same(Box::new(a), Box::new(b))),
                },
                (None, Some(parts)) => {
                    let [a, b] = <[Integer; 2]>::try_from(parts).ok()?;
                    Some(Formula::Compare(Relation::Equal, a, b))
                }
                (None, None) => return None,
            },
            "ite" => match values.as_slice() {
                [Value::Formula(c), Value::Formula(a), Value::Formula(b)] => {
                    Some(Formula::Choice(Box::new(c.clone()), Box::new(a.clone()), Box::new(b.clone())))
                }
                [Value::Formula(c), Value::Integer(a), Value::Integer(b)] => {
                    let choice =
                        Integer::Choice(Box::new(c.clone()), Box::new(a.clone()), Box::new(b.clone()));
                    return Some(Value::Integer(choice));
                }
                _ => return None,
            },
            _ => None,
        };
        if let Some(formula) = formula {
            return Some(Value::Formula(formula));
        }
        arithmetic(head, integers()?).map(Value::Integer)
    }

    /// A quantified conjunction without the parts that mention the bound variables, which is weaker.
    fn weakened(&mut self, operands: &[Sexpr]) -> Option<Value> {
        let [Sexpr::List(bound), body] = operands else { return None };
        let names =
            bound.iter().map(|pair| pair.as_list()?.first()?.as_atom()).collect::<Option<Vec<_>>>()?;
        let hidden: Vec<(&str, Option<Value>)> =
            names.into_iter().map(|name| (name, self.names.remove(name))).collect();
        let mut body = body;
        while let Some([Sexpr::Atom(mark), inner, ..]) = body.as_list()
            && mark == "!"
        {
            body = inner;
        }
        let parts = match body.as_list() {
            Some([Sexpr::Atom(and), parts @ ..]) if and == "and" => parts,
            _ => std::slice::from_ref(body),
        };
        let mut kept = Vec::new();
        for part in parts {
            if let Some(Value::Formula(part)) = self.value(part) {
                kept.push(part);
            }
        }
        for (name, before) in hidden {
            self.names.extend(before.map(|before| (name.to_owned(), before)));
        }
        Some(Value::Formula(Formula::And(kept)))
    }

    fn binding(&mut self, operands: &[Sexpr]) -> Option<Value> {
        let [Sexpr::List(bindings), body] = operands else { return None };
        let mut bound = Vec::new();
        for binding in bindings {
            let [name, value] = binding.as_list()? else { return None };
            bound.push((name.as_atom()?.to_owned(), self.value(value)?));
        }
        let hidden: Vec<(String, Option<Value>)> =
            bound.into_iter().map(|(name, value)| (name.clone(), self.names.insert(name, value))).collect();
        let value = self.value(body);
        for (name, before) in hidden {
            match before {
                Some(before) => self.names.insert(name, before),
                None => self.names.remove(&name),
            };
        }
        value
    }
}

fn chain(operator: &str, operands: Vec<Integer>) -> Option<Formula> {
    let pairs: Vec<Formula> = operands
        .windows(2)
        .map(|pair| {
            let (a, b) = (pair[0].clone(), pair[1].clone());
            match operator {
                "<=" => Formula::Compare(Relation::AtMost, a, b),
                "<" => Formula::Compare(Relation::Less, a, b),
                ">=" => Formula::Compare(Relation::AtMost, b, a),
                _ => Formula::Compare(Relation::Less, b, a),
            }
        })
        .collect();
    match pairs.len() {
        0 => None,
        1 => pairs.into_iter().next(),
        _ => Some(Formula::And(pairs)),
    }
}

fn arithmetic(operator: &str, mut operands: Vec<Integer>) -> Option<Integer> {
    match operator {
        "+" => Some(Integer::Sum(operands)),
        "-" if operands.len() == 1 => Some(negative(operands.pop()?)),
        "-" => {
            let rest = operands.split_off(1).into_iter().map(negative);
            Some(Integer::Sum(operands.into_iter().chain(rest).collect()))
        }
        "*" => {
            let [a, b] = <[Integer; 2]>::try_from(operands).ok()?;
            match (a, b) {
                (Integer::Constant(a), Integer::Constant(b)) => Some(Integer::Constant(a.checked_mul(b)?)),
                (Integer::Constant(factor), of) | (of, Integer::Constant(factor)) => {
                    Some(Integer::Product(factor, Box::new(of)))
                }
                _ => None,
            }
        }
        "div" | "mod" => {
            let [of, by] = <[Integer; 2]>::try_from(operands).ok()?;
            let Integer::Constant(by) = by else { return None };
            if by <= 0 {
                return None;
            }
            let of = Box::new(of);
            Some(if operator == "div" { Integer::Quotient(of, by) } else { Integer::Remainder(of, by) })
        }
        _ => None,
    }
}

fn negative(value: Integer) -> Integer {
    match value {
        Integer::Constant(value) => Integer::Constant(-value),
        other => Integer::Product(-1, Box::new(other)),
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Formula(formula) => formula_size(formula),
        Value::Integer(integer) => integer_size(integer),
    }
}

fn formula_size(formula: &Formula) -> usize {
    1 + match formula {
        Formula::Bool(_) | Formula::Argument(_) => 0,
        Formula::Not(inner) => formula_size(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(formula_size).sum(),
        Formula::Same(a, b) => formula_size(a) + formula_size(b),
        Formula::Choice(c, a, b) => formula_size(c) + formula_size(a) + formula_size(b),
        Formula::Compare(_, a, b) => integer_size(a) + integer_size(b),
    }
}

fn integer_size(integer: &Integer) -> usize {
    1 + match integer {
        Integer::Constant(_) | Integer::Argument(_) => 0,
        Integer::Sum(parts) => parts.iter().map(integer_size).sum(),
        Integer::Product(_, of) | Integer::Quotient(of, _) | Integer::Remainder(of, _) => integer_size(of),
        Integer::Choice(c, a, b) => formula_size(c) + integer_size(a) + integer_size(b),
    }
}
