//! Calls in an exact run: bodies of the unit are executed, functions without a body give what the search likes, and
//! what others with a body do is in doubt.

use super::inputs::{Key, Site};
use super::machine::{End, Frame, Machine, possible_bool};
use super::memory::Lost;
use super::value::Value;
use gainsay_ir::gc::{Call, CallBase, Callee, CmdKind, ExprData, SymbolKind, Var};
use gainsay_ir::types::Type;

impl Machine<'_> {
    pub(super) fn call(&mut self, frame: &mut Frame, site: Site, call: &Call) -> Result<(), End> {
        let mut args = Vec::with_capacity(call.args.len());
        for &arg in &call.args {
            args.push((self.expr(frame, arg)?, frame.types[arg]));
        }
        if let Callee::Symbol(symbol) = call.callee
            && let Some(body) = self.bodies.get(symbol)
            && body.params.len() <= args.len()
            && body.params.iter().zip(&args).all(|(&param, (_, ty))| body.vars[param].ty == *ty)
        {
            self.run.needs_unit = true;
            let mut inner = self.frame(body);
            for (&param, (value, _)) in body.params.iter().zip(&args) {
                inner.set(param, *value);
            }
            let result = self.function(&mut inner)?;
            if let Some(dst) = call.dst {
                let fits = body.result == Some(frame.f.vars[dst].ty);
                frame.set(dst, if fits { result } else { Value::DOUBTFUL });
            }
            return Ok(());
        }
        let is_free = self.is_free(call);
        // Whether one that may exit returns here is not known.
        if !is_free && !call.returns {
            return Err(End::Doubtful);
        }
        self.effects(call, &args, if is_free { Lost::Free } else { Lost::Doubt })?;
        if let Some(dst) = call.dst {
            let text = frame.f.vars[dst].text_argument().and_then(|number| args.get(number));
            let value = match text {
                _ if is_free => self.result(frame, site, dst),
                Some((text, _)) => self.of_text(frame, site, dst, *text),
                None => Value::DOUBTFUL,
            };
            if self.gives_nonnull(call) && value.bits == 0 && !value.doubtful {
                return Err(End::Over);
            }
            if self.returns_bool(call) {
                possible_bool(value)?;
            }
            frame.set(dst, value);
        }
        Ok(())
    }

    fn result(&mut self, frame: &Frame, site: Site, dst: Var) -> Value {
        let key = Key::Result(site, self.visit(site));
        self.input(key, frame.f.vars[dst].ty, None)
    }

    /// What is made of a text: any value, if a parameter is all that leads to it (elsewhere its length may be bounded, as that
    /// of a member) and nobody has looked at it yet. From then on nothing more is known of it.
    fn of_text(&mut self, frame: &Frame, site: Site, dst: Var, text: Value) -> Value {
        if text.doubtful || !self.is_text_parameter(text) || !self.memory.is_untouched_input(text.bits as u64)
        {
            return Value::DOUBTFUL;
        }
        self.memory.lose_at(text.bits as u64, Lost::Doubt);
        self.result(frame, site, dst)
    }

    /// Is it the value of a parameter that points to characters, and of no other?
    fn is_text_parameter(&self, text: Value) -> bool {
        let texts = self.goal_facts(|facts| facts.texts);
        let params = self.run.inputs.iter().filter_map(|(key, asked)| match key {
            Key::Param(number) if asked.bits == text.bits => Some(*number),
            _ => None,
        });
        let mut params = params.peekable();
        params.peek().is_some() && params.all(|number| texts >> number.min(63) & 1 == 1)
    }

    /// The same where the call is gone: the text was checked just before, at the same place of the source.
    pub(super) fn of_text_before(&mut self, frame: &mut Frame, site: Site, dst: Var) -> Result<Value, End> {
        if frame.f.vars[dst].text_argument().is_none() {
            return Ok(Value::DOUBTFUL);
        }
        let cmds = &frame.f.blocks[site.block].cmds[..=site.index as usize];
        let loc = cmds[site.index as usize].loc;
        let of_call = cmds.iter().rev().take_while(|cmd| cmd.loc == loc);
        let checked = of_call.filter_map(|cmd| match cmd.kind {
            CmdKind::Assert(_, holds) => Some(frame.f.exprs[holds]),
            _ => None,
        });
        let mut texts = checked.filter_map(|holds| match holds {
            ExprData::Valid(text, _) => Some(text),
            _ => None,
        });
        let Some(text) = texts.next() else { return Ok(Value::DOUBTFUL) };
        let text = self.expr(frame, text)?;
        Ok(self.of_text(frame, site, dst, text))
    }

    /// Has the run no body for the callee, and is it no function of the library, of which much is known?
    fn is_free(&self, call: &Call) -> bool {
        let Callee::Symbol(symbol) = call.callee else { return false };
        match &self.unit.symbols[symbol].kind {
            SymbolKind::Function(facts) => !facts.has_body && !facts.system && !facts.noreturn,
            SymbolKind::Object(_) => false,
        }
    }

    fn returns_bool(&self, call: &Call) -> bool {
        let Callee::Symbol(symbol) = call.callee else { return false };
        matches!(&self.unit.symbols[symbol].kind, SymbolKind::Function(facts) if facts.returns_bool)
    }

    fn gives_nonnull(&self, call: &Call) -> bool {
        let Callee::Symbol(symbol) = call.callee else { return false };
        matches!(&self.unit.symbols[symbol].kind, SymbolKind::Function(facts) if facts.returns_nonnull)
    }

    fn effects(&mut self, call: &Call, args: &[(Value, Type)], lost: Lost) -> Result<(), End> {
        for (value, _) in args {
            self.memory.escapes(value.bits as u64);
        }
        let Some(writes) = &call.writes else {
            self.memory.lose_escaped(lost);
            return Ok(());
        };
        for write in writes {
            match write.base {
                CallBase::Argument(number) => match args.get(number as usize) {
                    Some((value, _)) if !value.doubtful => self.memory.lose_at(value.bits as u64, lost),
                    _ => self.memory.lose_all(),
                },
                CallBase::Symbol(symbol) => {
                    let address = self.symbol(symbol)?;
                    self.memory.lose_at(address, lost);
                }
                CallBase::Errno => {}
                CallBase::Anywhere | CallBase::Outside => self.memory.lose_escaped(lost),
            }
        }
        Ok(())
    }
}
