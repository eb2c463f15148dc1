//! Calls in an exact run. Bodies of the unit are executed, results of functions that have no body anywhere are inputs, and
//! everything else is in doubt.

use super::inputs::{InputKey, Site};
use super::machine::{End, Frame, Machine, possible_bool};
use super::memory::Havoc;
use super::value::ExactValue;
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
                frame.set(dst, if fits { result } else { ExactValue::DOUBTFUL });
            }
            return Ok(());
        }
        let is_free = self.is_free(call);
        // It is unknown whether a callee that may exit returns here.
        if !is_free && !call.returns {
            return Err(End::Doubtful);
        }
        self.effects(call, &args, if is_free { Havoc::Free } else { Havoc::Doubtful })?;
        if let Some(dst) = call.dst {
            let text = frame.f.vars[dst].text_argument().and_then(|number| args.get(number));
            let value = match text {
                _ if is_free => self.result(frame, site, dst),
                Some((text, _)) => self.of_text(frame, site, dst, *text),
                None => ExactValue::DOUBTFUL,
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

    fn result(&mut self, frame: &Frame, site: Site, dst: Var) -> ExactValue {
        let key = InputKey::Result(site, self.visit(site));
        self.input(key, frame.f.vars[dst].ty, None)
    }

    /// The result of a function of a string, such as `strlen`: an input if the string is reached only through a parameter
    /// (the length of a member may be bounded) and nothing has read it yet. From then on its content is in doubt.
    fn of_text(&mut self, frame: &Frame, site: Site, dst: Var, text: ExactValue) -> ExactValue {
        if text.doubtful || !self.is_text_parameter(text) || !self.memory.is_untouched_input(text.bits as u64)
        {
            return ExactValue::DOUBTFUL;
        }
        self.memory.havoc_at(text.bits as u64, Havoc::Doubtful);
        self.result(frame, site, dst)
    }

    /// Is it the value of a parameter of character-pointer type, and of no other parameter?
    fn is_text_parameter(&self, text: ExactValue) -> bool {
        let texts = self.goal_facts(|facts| facts.texts);
        let params = self.run.inputs.iter().filter_map(|(key, asked)| match key {
            InputKey::Param(number) if asked.bits == text.bits => Some(*number),
            _ => None,
        });
        let mut params = params.peekable();
        params.peek().is_some() && params.all(|number| texts >> number.min(63) & 1 == 1)
    }

    /// [`Machine::of_text`] where a model has replaced the call: the string was checked just before, at the same location.
    pub(super) fn of_text_before(
        &mut self,
        frame: &mut Frame,
        site: Site,
        dst: Var,
    ) -> Result<ExactValue, End> {
        if frame.f.vars[dst].text_argument().is_none() {
            return Ok(ExactValue::DOUBTFUL);
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
        let Some(text) = texts.next() else { return Ok(ExactValue::DOUBTFUL) };
        let text = self.expr(frame, text)?;
        Ok(self.of_text(frame, site, dst, text))
    }

    /// Has the callee no body anywhere, and is it no library function?
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

    fn effects(&mut self, call: &Call, args: &[(ExactValue, Type)], havoc: Havoc) -> Result<(), End> {
        for (value, _) in args {
            self.memory.escapes(value.bits as u64);
        }
        let Some(writes) = &call.writes else {
            self.memory.havoc_escaped(havoc);
            return Ok(());
        };
        for write in writes {
            match write.base {
                CallBase::Argument(number) => match args.get(number as usize) {
                    Some((value, _)) if !value.doubtful => self.memory.havoc_at(value.bits as u64, havoc),
                    _ => self.memory.havoc_all(),
                },
                CallBase::Symbol(symbol) => {
                    let address = self.symbol(symbol)?;
                    self.memory.havoc_at(address, havoc);
                }
                CallBase::Errno => {}
                CallBase::Anywhere | CallBase::Outside => self.memory.havoc_escaped(havoc),
            }
        }
        Ok(())
    }
}
