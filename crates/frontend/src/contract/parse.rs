//! Parses the clauses of an annotation by ACSL's grammar. `expression` parses the expressions in them.

mod expression;

use super::lex::{Kind, Token, tokens};
use super::{Annotation, Clause, ClauseKind, Expr, Places, Problem};
use crate::limits;

/// ACSL keywords that begin an unsupported clause. They are reported, not ignored.
const NOT_SUPPORTED: &[&str] = &[
    "allocates",
    "frees",
    "decreases",
    "terminates",
    "exits",
    "breaks",
    "continues",
    "returns",
    "check",
    "ghost",
    "predicate",
    "logic",
    "lemma",
    "axiomatic",
    "axiom",
    "inductive",
    "type",
    "global",
    "for",
    "impact",
    "slice",
];

const BEGINNINGS: &[&str] = &[
    "requires",
    "ensures",
    "assigns",
    "behavior",
    "assumes",
    "complete",
    "disjoint",
    "assert",
    "admit",
    "assume",
    "loop",
    "invariant",
];

/// Splint keywords that resemble ACSL keywords.
const OF_SPLINT: &[&str] = &["checked", "globals"];

/// Functions in Splint's `requires` and `ensures` clauses.
const SPLINT_FUNCTIONS: &[&str] = &["maxSet", "maxRead", "minSet", "minRead"];

/// Is it a Splint comment? Splint shares the keywords `requires`, `ensures` and `allocates` and the closing `@*/` with
/// ACSL. But its text begins directly after the `@`, ends directly before the closing `@`, and needs no `;`.
fn is_splint(comment: &str, tokens: &[Token<'_>]) -> bool {
    let Some(body) = comment.strip_prefix("/*@").and_then(|block| block.strip_suffix("@*/")) else {
        return false;
    };
    let is_own = |token: &Token<'_>| match token.kind {
        Kind::Word(word) => SPLINT_FUNCTIONS.contains(&word),
        _ => false,
    };
    let begins_at_once = !body.starts_with(char::is_whitespace);
    let ends_in_text = body.lines().next_back().is_some_and(|line| !line.trim().is_empty());
    let has_clauses = tokens.iter().any(|token| token.kind == Kind::Mark(";"));
    matches!(tokens.first().map(|token| token.kind), Some(Kind::Word(first)) if OF_SPLINT.contains(&first))
        || tokens.iter().any(is_own)
        || begins_at_once && ends_in_text && !has_clauses
}

/// Parses a comment. The result is empty if it is not an ACSL annotation; other tools use comments such as
/// `/*@null@*/`.
pub(crate) fn parse(comment: &str) -> Annotation {
    let body = match comment.strip_prefix("/*@") {
        Some(block) => block.strip_suffix("*/").unwrap_or(block),
        None => comment.strip_prefix("//@").unwrap_or_default(),
    };
    let start = comment.find('@').map_or(0, |at| at + 1);
    let tokens = tokens(body);
    let Some(Token { kind: Kind::Word(first), .. }) = tokens.first() else { return Annotation::default() };
    // A single word belongs to another tool.
    let is_meant = BEGINNINGS.iter().chain(NOT_SUPPORTED).any(|word| is_like(first, word));
    if tokens.len() == 1 || !is_meant || is_splint(comment, &tokens) {
        return Annotation::default();
    }
    let mut parser = Parser {
        rest: &tokens,
        end: body.trim_end_matches(['@', ' ', '\n', '\t']).len(),
        depth: 0,
        in_set: false,
    };
    let mut annotation = Annotation::default();
    let mut behaviors = Behaviors::default();
    while !parser.rest.is_empty() {
        let offset = (start + parser.offset()) as u32;
        let before = parser.rest;
        match parser.clause(&mut behaviors) {
            Ok(Some(kind)) => annotation.clauses.push(Clause { offset, kind }),
            Ok(None) => {}
            Err((at, message)) => {
                annotation.problems.push(Problem { offset: (start + at) as u32, message });
                (parser.depth, parser.in_set) = (0, false);
                parser.skip_clause(before);
            }
        }
    }
    annotation
}

/// The same word, or a misspelling of it: `require`, `invariants`.
fn is_like(written: &str, word: &str) -> bool {
    written == word
        || word.len() > 4
            && written.len().abs_diff(word.len()) <= limits::MISSPELLED_LETTERS
            && (word.starts_with(written) || written.starts_with(word))
}

/// The behaviors parsed so far.
#[derive(Default)]
struct Behaviors {
    assumed: Vec<(String, Expr)>,
    /// Name and conditions of the behavior that the clauses belong to.
    current: Option<(String, Vec<Expr>)>,
    /// Some behavior has a condition that was not understood.
    is_broken: bool,
}

impl Behaviors {
    fn condition(&self) -> Option<Expr> {
        let (_, parts) = self.current.as_ref()?;
        match parts.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            many => Some(Expr::All(many.to_vec())),
        }
    }

    /// The conditions of the named behaviors, or of all.
    fn named(&self, names: &[String]) -> Result<Vec<Expr>, String> {
        if names.is_empty() {
            return Ok(self.assumed.iter().map(|(_, expr)| expr.clone()).collect());
        }
        let of = |name: &String| {
            let found: Vec<Expr> =
                self.assumed.iter().filter(|(of, _)| of == name).map(|(_, expr)| expr.clone()).collect();
            if found.is_empty() {
                Err(format!("no behavior `{name}` with `assumes` stands before"))
            } else {
                Ok(found)
            }
        };
        let found: Result<Vec<Vec<Expr>>, String> = names.iter().map(of).collect();
        Ok(found?
            .into_iter()
            .map(|parts| if parts.len() == 1 { parts[0].clone() } else { Expr::All(parts) })
            .collect())
    }
}

/// Position in bytes of the body, and what was expected.
type Failure = (usize, String);

struct Parser<'a> {
    rest: &'a [Token<'a>],
    /// End of the text.
    end: usize,
    depth: u32,
    /// Nested sets are rejected: they would be parsed twice at each level.
    in_set: bool,
}

impl<'a> Parser<'a> {
    fn offset(&self) -> usize {
        self.rest.first().map_or(self.end, |token| token.offset)
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err((self.offset(), message.into()))
    }

    fn eat(&mut self, mark: &str) -> bool {
        match self.rest {
            [Token { kind: Kind::Mark(found), .. }, rest @ ..] if *found == mark => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, mark: &str) -> Result<(), Failure> {
        if self.eat(mark) { Ok(()) } else { self.fail(format!("`{mark}` is expected here")) }
    }

    fn word(&mut self) -> Option<&'a str> {
        match self.rest {
            [Token { kind: Kind::Word(word), .. }, rest @ ..] => {
                self.rest = rest;
                Some(word)
            }
            _ => None,
        }
    }

    fn eat_word(&mut self, wanted: &str) -> bool {
        match self.rest {
            [Token { kind: Kind::Word(word), .. }, rest @ ..] if *word == wanted => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Skips to the next clause, at least one token beyond the start of this one.
    fn skip_clause(&mut self, began: &'a [Token<'a>]) {
        if self.rest.len() == began.len() {
            self.rest = &began[1..];
        }
        loop {
            match self.rest {
                [] => return,
                [Token { kind: Kind::Mark(";"), .. }, rest @ ..] => {
                    self.rest = rest;
                    match rest.first().map(|token| token.kind) {
                        Some(Kind::Word(word))
                            if BEGINNINGS.contains(&word) || NOT_SUPPORTED.contains(&word) =>
                        {
                            return;
                        }
                        None => return,
                        _ => {}
                    }
                }
                [_, rest @ ..] => self.rest = rest,
            }
        }
    }

    fn clause(&mut self, behaviors: &mut Behaviors) -> Result<Option<ClauseKind>, Failure> {
        let at = self.offset();
        let Some(word) = self.word() else {
            return self.fail("a clause (`requires`, `ensures`, ...) is expected here");
        };
        let kind = match word {
            "requires" => ClauseKind::Requires(self.guarded(behaviors, false)?),
            "ensures" => ClauseKind::Ensures(self.guarded(behaviors, true)?),
            "assigns" => {
                let places = self.assigned()?;
                if behaviors.current.is_some() {
                    return Err((
                        at,
                        "`assigns` of a behavior is not supported; that of the contract counts".into(),
                    ));
                }
                ClauseKind::Assigns(places)
            }
            "behavior" => {
                let Some(name) = self.word() else {
                    return self.fail("the name of the behavior is expected here");
                };
                self.expect(":")?;
                behaviors.current = Some((name.to_owned(), Vec::new()));
                return Ok(None);
            }
            "assumes" => {
                let condition = self.condition();
                let Some((name, parts)) = &mut behaviors.current else {
                    return Err((at, "`assumes` belongs into a behavior".into()));
                };
                if condition.is_err() {
                    // The condition is unknown, so the behavior must not assert anything.
                    parts.push(Expr::Truth(false));
                    behaviors.is_broken = true;
                }
                let condition = condition?;
                parts.push(condition.clone());
                behaviors.assumed.push((name.clone(), condition.clone()));
                ClauseKind::Assumes(condition)
            }
            "complete" | "disjoint" => {
                if !self.eat_word("behaviors") {
                    return self.fail("`behaviors` is expected here");
                }
                let mut names = Vec::new();
                while let Some(name) = self.word() {
                    names.push(name.to_owned());
                    self.eat(",");
                }
                if behaviors.is_broken {
                    return Err((at, "a behavior that stands before is not understood".into()));
                }
                let all = behaviors.named(&names).map_err(|message| (at, message))?;
                ClauseKind::AtEntry(if word == "complete" { Expr::Any(all) } else { disjoint(&all) })
            }
            "assert" => ClauseKind::Assert(self.condition()?),
            "admit" | "assume" => ClauseKind::Admit(self.condition()?),
            "invariant" => ClauseKind::Invariant(self.condition()?),
            "loop" => match self.word() {
                Some("invariant") => ClauseKind::Invariant(self.condition()?),
                Some("assigns") => ClauseKind::LoopAssigns(self.assigned()?),
                Some("variant") => ClauseKind::Variant(self.top()?),
                _ => return Err((at, "`invariant`, `assigns` or `variant` is expected after `loop`".into())),
            },
            other if NOT_SUPPORTED.contains(&other) => {
                return Err((at, format!("`{other}` is not supported")));
            }
            other => {
                return Err((
                    at,
                    format!("`{other}` begins no clause; `requires`, `ensures`, ... is expected here"),
                ));
            }
        };
        self.expect(";")?;
        Ok(Some(kind))
    }

    /// A condition guarded by that of the current behavior.
    fn guarded(&mut self, behaviors: &Behaviors, afterwards: bool) -> Result<Expr, Failure> {
        let holds = self.condition()?;
        Ok(match behaviors.condition() {
            None => holds,
            Some(applies) => {
                let applies = if afterwards { Expr::Old(Box::new(applies)) } else { applies };
                Expr::Any(vec![Expr::Not(Box::new(applies)), holds])
            }
        })
    }

    /// `name: P` or `P`
    fn condition(&mut self) -> Result<Expr, Failure> {
        if let [Token { kind: Kind::Word(_), .. }, Token { kind: Kind::Mark(":"), .. }, rest @ ..] = self.rest
        {
            self.rest = rest;
        }
        self.top()
    }

    fn assigned(&mut self) -> Result<Vec<Places>, Failure> {
        if self.eat_word("\\nothing") {
            return Ok(Vec::new());
        }
        self.places()
    }
}

fn disjoint(all: &[Expr]) -> Expr {
    let mut pairs = Vec::new();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            pairs.push(Expr::Not(Box::new(Expr::All(vec![a.clone(), b.clone()]))));
        }
    }
    Expr::All(pairs)
}

#[cfg(test)]
mod tests;
