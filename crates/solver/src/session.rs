//! A session with one solver: assertions, queries under assumptions, values, cores.
//!
//! A session belongs to a worker and is used for many problems, one after the other, with [`Session::reset`] in between: that
//! costs a fraction of starting a process. Commands are sent with the next query, so a whole problem and its first query are
//! one write. The commands since the last reset are kept as text; a process that died, hung or had to be stopped is replaced
//! by a new one that gets them again.
//!
//! Between two resets all terms must come from one pool.

use crate::answer::{Answer, Budget, Reason};
use crate::dialect::Listener;
use crate::process::{Failure, Heard, Process};
use crate::programs::Program;
use crate::smtlib::{Literal, Printer, Sexpr, read_values, variable_symbol};
use crate::transcript::Transcript;
use gainsay_term::{FOLDED_WIDTH, Node, Term, TermPool, Value};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time-out, so that the deadline can be represented.
// not a limit: avoids overflow
const LONGEST_PATIENCE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The directory of the transcript, one numbered file per problem.
    pub transcript: Option<PathBuf>,
    /// No query takes longer, whatever its budget.
    pub patience: Option<Duration>,
}

/// What can be queried about the last answer.
enum Last {
    Nothing,
    Sat,
    /// The core.
    Unsat(Vec<Term>),
}

enum Verdict {
    Sat,
    Unsat(Vec<Term>),
}

pub struct Session {
    program: Program,
    process: Option<Process>,
    /// The process still knows the previous problem.
    is_stale: bool,
    printer: Printer,
    /// The commands that a new process needs.
    script: String,
    /// How much of the script was sent, and how much is in the transcript.
    told: usize,
    recorded: usize,
    /// Terms that have a symbol to assume them by.
    assumable: BTreeSet<Term>,
    last: Last,
    /// For follow-up questions: as long as the question itself.
    patience: Duration,
    longest_patience: Duration,
    effort: u64,
    /// Of the running process, where the solver counts for itself.
    process_effort: u64,
    nondeterministic_events: u64,
    transcript: Option<Transcript>,
}

impl Session {
    /// No process is started before the first question.
    pub fn new(program: &Program, options: &Options) -> Session {
        let mut session = Session {
            program: program.clone(),
            process: None,
            is_stale: false,
            printer: Printer::new(),
            script: String::new(),
            told: 0,
            recorded: 0,
            assumable: BTreeSet::new(),
            last: Last::Nothing,
            patience: Duration::ZERO,
            longest_patience: options.patience.unwrap_or(LONGEST_PATIENCE).min(LONGEST_PATIENCE),
            effort: 0,
            process_effort: 0,
            nondeterministic_events: 0,
            transcript: options.transcript.as_deref().map(|directory| Transcript::new(directory, program)),
        };
        session.reset();
        session
    }

    /// Nondeterministic events: how often the clock or a dying process decided. Results since then may differ in another run.
    pub fn nondeterministic_events(&self) -> u64 {
        self.nondeterministic_events
    }

    /// A process that another part of this crate started did not answer.
    pub(crate) fn count_mishap(&mut self) {
        self.nondeterministic_events += 1;
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Forgets the problem. The process stays.
    pub fn reset(&mut self) {
        self.is_stale = self.process.is_some();
        self.printer = Printer::new();
        self.script.clear();
        self.script.push_str(self.program.dialect.preamble());
        self.told = 0;
        self.recorded = 0;
        self.assumable.clear();
        self.last = Last::Nothing;
        if let Some(transcript) = &mut self.transcript {
            transcript.start_next();
        }
    }

    /// Adds a Boolean term to what must hold.
    pub fn assert(&mut self, pool: &TermPool, term: Term) {
        self.printer.define(pool, &[term], &mut self.script);
        self.script.push_str("(assert ");
        self.printer.write(pool, term, &mut self.script);
        self.script.push_str(")\n");
        self.last = Last::Nothing;
    }

    /// Can all that was asserted hold together with the assumptions?
    pub fn check(&mut self, pool: &TermPool, assumptions: &[Term], budget: Budget) -> Answer {
        let budget = Budget { backstop: budget.backstop.min(self.longest_patience), ..budget };
        self.patience = budget.backstop;
        self.last = Last::Nothing;
        let literals: Vec<(Literal, Term)> =
            assumptions.iter().map(|&term| (self.assumption(pool, term), term)).collect();
        let question = self.question(&literals, budget.effort);
        let found = match self.program.refusal() {
            Some(why) => {
                self.nondeterministic_events += 1;
                Err(Reason::Crashed(why))
            }
            None => {
                let found = self.search(&question, &literals, budget);
                self.account_for(found.as_ref().err());
                found
            }
        };
        match found {
            Ok(Verdict::Sat) => {
                self.last = Last::Sat;
                Answer::Sat
            }
            Ok(Verdict::Unsat(core)) => {
                self.last = Last::Unsat(core);
                Answer::Unsat
            }
            Err(reason) => Answer::Unknown(reason),
        }
    }

    /// The values of Boolean and bit-vector terms in the model behind the last answer, which was `Sat`.
    pub fn values(&mut self, pool: &TermPool, terms: &[Term]) -> Result<Vec<Value>, Reason> {
        if !matches!(self.last, Last::Sat) {
            return Err(Reason::Rejected("there is no model to take values from".to_owned()));
        }
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        // Twice: every requested term gets a name; otherwise the answer would repeat the formula.
        self.printer.define(pool, &[terms, terms].concat(), &mut self.script);
        let mut question = String::from("(get-value (");
        for &term in terms {
            self.printer.write(pool, term, &mut question);
            question.push(' ');
        }
        question.push_str("))\n");
        let answer = self.follow_up(&question)?;
        let sorts: Vec<_> = terms.iter().map(|&term| pool.sort(term)).collect();
        read_values(&answer, &sorts).map_err(|e| self.nonsense(e.to_string()))
    }

    /// Which of the Boolean terms hold in the model of the last answer. Yices writes every value separately, and every write
    /// wakes the reader, so many are requested as one vector.
    pub fn truths(&mut self, pool: &mut TermPool, terms: &[Term]) -> Result<Vec<bool>, Reason> {
        let vectors: Vec<Term> = terms.chunks(FOLDED_WIDTH as usize).map(|chunk| pool.pack(chunk)).collect();
        let values = self.values(pool, &vectors)?;
        let bits = values.iter().map(|value| value.as_bits().unwrap_or(0));
        let unpacked = terms.chunks(FOLDED_WIDTH as usize).zip(bits);
        Ok(unpacked.flat_map(|(chunk, bits)| (0..chunk.len()).map(move |i| bits >> i & 1 == 1)).collect())
    }

    /// Assumptions that cannot all hold, if the last answer was `Unsat`, in the order in which they were given.
    /// Not necessarily the fewest: see [`crate::minimal_core()`].
    pub fn core(&self) -> Option<&[Term]> {
        match &self.last {
            Last::Unsat(core) => Some(core),
            Last::Nothing | Last::Sat => None,
        }
    }

    /// What all questions of this session have cost so far.
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// The transcript of the current problem, once it has begun.
    pub fn transcript(&self) -> Option<&Path> {
        self.transcript.as_ref()?.path()
    }

    /// Why the transcript is incomplete, if it is.
    pub fn transcript_failure(&self) -> Option<&str> {
        self.transcript.as_ref()?.failure()
    }

    /// A literal to assume the term by. Solvers accept only symbols and their negations; for anything else there
    /// is a new symbol that implies it.
    fn assumption(&mut self, pool: &TermPool, term: Term) -> Literal {
        let (variable, positive) = match pool.node(term) {
            Node::Var(number) => (Some(number), true),
            Node::Not(of) => match pool.node(of) {
                Node::Var(number) => (Some(number), false),
                _ => (None, true),
            },
            _ => (None, true),
        };
        self.printer.define(pool, &[term], &mut self.script);
        if let Some(number) = variable {
            return Literal { symbol: variable_symbol(pool.name(number)), positive };
        }
        let symbol = format!("?{}", term.index());
        if self.assumable.insert(term) {
            let _ = write!(self.script, "(declare-fun {symbol} () Bool)\n(assert (=> {symbol} ");
            self.printer.write(pool, term, &mut self.script);
            self.script.push_str("))\n");
        }
        Literal { symbol, positive }
    }

    /// The core is requested with every query (and rejected after `sat`), not when it is needed: Yices 2.6.5 keeps the names
    /// of the assumptions in memory that the next command overwrites.
    fn question(&self, assumptions: &[(Literal, Term)], effort: u64) -> String {
        let mut question = String::new();
        self.program.dialect.write_limit(effort, &mut question);
        if assumptions.is_empty() {
            question.push_str("(check-sat)\n");
        } else {
            question.push_str("(check-sat-assuming (");
            for (literal, _) in assumptions {
                let _ = write!(question, "{literal} ");
            }
            question.push_str("))\n(get-unsat-assumptions)\n");
        }
        self.program.dialect.write_cost_question(&mut question);
        question
    }

    /// Asks for sat or unsat. A solver that dies is started again, once.
    fn search(
        &mut self,
        question: &str,
        assumptions: &[(Literal, Term)],
        budget: Budget,
    ) -> Result<Verdict, Reason> {
        self.record(question);
        let mut failed_before = false;
        loop {
            let mut listener = Listener::new(self.program.dialect, budget.effort);
            let result = self.exchange(question, budget.backstop, &mut |line| listener.hear(line));
            self.effort += listener.spent();
            let failure = match result.and_then(|answer| self.read_answer(&answer, assumptions)) {
                Ok(verdict) => return verdict,
                Err(failure) => failure,
            };
            self.give_up_process(&failure.to_string());
            self.nondeterministic_events += u64::from(!matches!(failure, Failure::Stopped));
            match failure {
                Failure::Stopped => return Err(Reason::Effort),
                Failure::Late => return Err(Reason::Backstop),
                Failure::Start(_) | Failure::Ended(_) | Failure::Garbage(_) if failed_before => {
                    return Err(Reason::Crashed(failure.to_string()));
                }
                Failure::Start(_) | Failure::Ended(_) | Failure::Garbage(_) => failed_before = true,
            }
        }
    }

    /// The outer result is about the process, the inner about the question.
    fn read_answer(
        &mut self,
        text: &str,
        assumptions: &[(Literal, Term)],
    ) -> Result<Result<Verdict, Reason>, Failure> {
        let garbage = || Failure::Garbage(format!("`{}` is no answer", text.trim()));
        self.note(text);
        let mut exprs = Sexpr::read_all(text).map_err(|e| Failure::Garbage(e.to_string()))?;
        if let Some(total) = exprs.last().and_then(|expr| self.program.dialect.read_cost(expr)) {
            exprs.pop();
            self.effort += total.saturating_sub(self.process_effort);
            self.process_effort = total;
        }
        if let Some(message) = exprs.first().and_then(Sexpr::as_error) {
            self.give_up_process("it rejected the question");
            return Ok(Err(Reason::Rejected(message.to_owned())));
        }
        let (verdict, core) = match exprs.as_slice() {
            [verdict] if assumptions.is_empty() => (verdict, None),
            [verdict, core] if !assumptions.is_empty() => (verdict, Some(core)),
            _ => return Err(garbage()),
        };
        match (verdict.as_atom(), core) {
            (Some("sat"), _) => Ok(Ok(Verdict::Sat)),
            (Some("unsat"), None) => Ok(Ok(Verdict::Unsat(Vec::new()))),
            (Some("unsat"), Some(core)) => {
                let core = Literal::read_all(core).ok_or_else(garbage)?;
                let terms = terms_of(&core, assumptions).ok_or_else(garbage)?;
                Ok(Ok(Verdict::Unsat(terms)))
            }
            (Some("unknown"), _) => Ok(Err(self.reason_for_unknown())),
            _ => Err(garbage()),
        }
    }

    fn reason_for_unknown(&mut self) -> Reason {
        match self.follow_up("(get-info :reason-unknown)\n") {
            Ok(answer) if self.program.dialect.is_limit(&answer) => Reason::Effort,
            Ok(answer) => Reason::Incomplete(answer.trim().to_owned()),
            Err(reason) => reason,
        }
    }

    /// Records whether the program answered.
    fn account_for(&mut self, reason: Option<&Reason>) {
        match reason {
            None | Some(Reason::Effort | Reason::Incomplete(_)) => self.program.answered(),
            Some(failure @ (Reason::Backstop | Reason::Crashed(_) | Reason::Rejected(_))) => {
                self.nondeterministic_events += 1;
                self.program.failed(&failure.to_string(), self.patience);
            }
        }
    }

    /// A question about the last answer. It lives in the process and cannot be asked of a new one.
    fn follow_up(&mut self, question: &str) -> Result<String, Reason> {
        if self.process.is_none() {
            self.nondeterministic_events += 1;
            return Err(Reason::Crashed("the solver that gave the answer is gone".to_owned()));
        }
        self.record(question);
        let answer = match self.exchange(question, self.patience, &mut |_| Heard::Answer) {
            Ok(answer) => answer,
            Err(failure) => {
                self.give_up_process(&failure.to_string());
                self.nondeterministic_events += 1;
                return Err(match failure {
                    Failure::Late => Reason::Backstop,
                    _ => Reason::Crashed(failure.to_string()),
                });
            }
        };
        self.note(&answer);
        match Sexpr::read_all(&answer).map(|exprs| exprs.iter().find_map(Sexpr::as_error).map(str::to_owned))
        {
            Ok(None) => Ok(answer),
            Ok(Some(message)) => Err(Reason::Rejected(message)),
            Err(e) => Err(self.nonsense(e.to_string())),
        }
    }

    /// Sends the rest of the script and the query.
    fn exchange(
        &mut self,
        question: &str,
        patience: Duration,
        listener: &mut dyn FnMut(&str) -> Heard,
    ) -> Result<String, Failure> {
        let deadline = Instant::now() + patience;
        let process = match &mut self.process {
            Some(process) => process,
            None => {
                (self.is_stale, self.told, self.process_effort) = (false, 0, 0);
                self.process.insert(Process::start(&self.program.path, self.program.dialect.arguments())?)
            }
        };
        let reset = if self.is_stale {
            // Z3's count starts again, too.
            self.process_effort = 0;
            "(reset)\n"
        } else {
            ""
        };
        let text = [reset, &self.script[self.told..], question].concat();
        self.is_stale = false;
        self.told = self.script.len();
        process.ask(&text, deadline, listener)
    }

    fn nonsense(&mut self, what: String) -> Reason {
        self.give_up_process(&what);
        self.nondeterministic_events += 1;
        Reason::Crashed(what)
    }

    fn give_up_process(&mut self, why: &str) {
        if self.process.take().is_some() {
            self.note(&format!("this process was given up: {why}"));
        }
        self.last = Last::Nothing;
    }

    fn record(&mut self, question: &str) {
        if let Some(transcript) = &mut self.transcript {
            transcript.write(&self.script[self.recorded..]);
            transcript.write(question);
            self.recorded = self.script.len();
        }
    }

    fn note(&mut self, text: &str) {
        if let Some(transcript) = &mut self.transcript {
            transcript.comment(text);
        }
    }
}

/// The assumptions that the literals stand for, in the order in which they were given; `None` if a literal was
/// never assumed.
fn terms_of(core: &[Literal], assumptions: &[(Literal, Term)]) -> Option<Vec<Term>> {
    let core: BTreeSet<&Literal> = core.iter().collect();
    let assumed: BTreeSet<&Literal> = assumptions.iter().map(|(literal, _)| literal).collect();
    let mut seen = BTreeSet::new();
    let terms = assumptions.iter().filter(|(literal, _)| core.contains(literal) && seen.insert(literal));
    core.is_subset(&assumed).then(|| terms.map(|(_, term)| *term).collect())
}
