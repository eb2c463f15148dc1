//! What a function may write, free and retain, including what its callees do.

use super::{Body, Summarizer};
use crate::body_facts::PointerSource;
use crate::link::FunctionId;
use crate::summary::{Base, Write, bounded};
use gainsay_ir::gc::ClassData;
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

const ANY_CLASS: ClassData = ClassData { ty: None, field: None };

impl Summarizer<'_> {
    pub(super) fn find_kept(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let mut params = work.known[id].summary.params.clone();
            for body in work.definitions(id) {
                let effects = &body.body_facts.effects;
                let mut kept = kept(work, &body);
                kept.extend(&effects.returned);
                let freed = work.freed(&body);
                for (i, facts) in params.iter_mut().enumerate() {
                    let param = PointerSource::Param(i as u32);
                    facts.may_escape |= effects.writes_anything || kept.contains(&param);
                    // A retained pointer may be read from memory and freed.
                    facts.may_be_freed |=
                        freed.contains(&param) || facts.may_escape && freed.contains(&PointerSource::Unknown);
                }
            }
            let changed = params != work.known[id].summary.params;
            work.known[id].summary.params = params;
            changed
        });
    }

    /// The pointers that are freed here or in a callee.
    fn freed(&self, body: &Body) -> BTreeSet<PointerSource> {
        let mut freed: BTreeSet<PointerSource> = body.body_facts.effects.frees.iter().copied().collect();
        let seen = self.seen_calls(body);
        for (call, site) in body.body_facts.calls.iter().enumerate().filter(|(call, _)| seen[*call]) {
            let callee = self.callee(body, call as u32);
            let is_freed = |i: usize| callee.summary.param(i).may_be_freed;
            let args = site.args.iter().enumerate().filter(|(i, _)| is_freed(*i));
            freed.extend(args.flat_map(|(_, arg)| &arg.sources));
            if callee.summary.writes.is_none() {
                freed.insert(PointerSource::Unknown);
            }
        }
        // A callee may return its argument.
        for (call, site) in body.body_facts.calls.iter().enumerate() {
            if freed.contains(&PointerSource::Call(call as u32)) {
                let callee = self.callee(body, call as u32);
                let args = site.args.iter().enumerate().filter(|(i, _)| callee.summary.param(*i).may_escape);
                freed.extend(args.flat_map(|(_, arg)| &arg.sources));
            }
        }
        freed
    }

    /// Grows from the empty set; a list that gets too long is widened.
    pub(super) fn find_writes(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            if work.known[id].summary.writes.is_none() {
                return false;
            }
            // Widened writes stay widened, so that the rounds end.
            let before = work.known[id].summary.writes.iter().flatten();
            let mut all = Some(before.cloned().collect::<BTreeSet<Write>>());
            for body in work.definitions(id) {
                all = all.zip(work.writes(&body)).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
            let writes = all.and_then(|all| bounded(all.into_iter().collect()));
            let changed = writes != work.known[id].summary.writes;
            work.known[id].summary.writes = writes;
            changed
        });
    }

    /// `None`: the body may write anything.
    fn writes(&self, body: &Body) -> Option<BTreeSet<Write>> {
        let effects = &body.body_facts.effects;
        if effects.writes_anything {
            return None;
        }
        let places = WriteBases { work: self, body, kept: kept(self, body) };
        let unit = &self.program.units[body.definition.unit];
        let mut writes = BTreeSet::new();
        for &(source, class) in &effects.writes {
            let class = class.and_then(|class| unit.classes.get(&class)).unwrap_or(&ANY_CLASS);
            writes.extend(places.of(source).into_iter().map(|base| Write { base, class: class.clone() }));
        }
        for &(symbol, class) in &effects.writes_beyond {
            if !self.program.is_bounded(body.definition.unit, symbol) {
                let class = class.and_then(|class| unit.classes.get(&class)).unwrap_or(&ANY_CLASS);
                writes.insert(Write { base: Base::Anywhere, class: class.clone() });
            }
        }
        if effects.writes_errno {
            let class = ClassData { ty: Some(Type::Int(32)), field: None };
            writes.insert(Write { base: Base::Errno, class });
        }
        let seen = self.seen_calls(body);
        for (call, site) in body.body_facts.calls.iter().enumerate().filter(|(call, _)| seen[*call]) {
            let callee = self.callee(body, call as u32);
            for write in callee.summary.writes.as_ref()? {
                let bases = match &write.base {
                    Base::Param(param) => match site.args.get(*param as usize) {
                        Some(arg) if !arg.sources.is_empty() => {
                            arg.sources.iter().flat_map(|&source| places.behind(source)).collect()
                        }
                        _ => vec![Base::Anywhere],
                    },
                    base => vec![base.clone()],
                };
                writes.extend(bases.into_iter().map(|base| Write { base, class: write.class.clone() }));
            }
        }
        if writes.iter().any(|write: &Write| write.base == Base::Outside) {
            writes.retain(|write| match &write.base {
                Base::Outside | Base::Param(_) => true,
                Base::Global(name) => self.program.is_hidden_from_outside(name),
                Base::Errno | Base::Anywhere => false,
            });
        }
        Some(writes)
    }
}

/// Pointers that are stored, or passed to a callee that may retain them. Not those that are only returned.
pub(super) fn kept(work: &Summarizer, body: &Body) -> BTreeSet<PointerSource> {
    let mut kept: BTreeSet<PointerSource> = body.body_facts.effects.stored.iter().copied().collect();
    let seen = work.seen_calls(body);
    for (call, site) in body.body_facts.calls.iter().enumerate().filter(|(call, _)| seen[*call]) {
        let callee = work.callee(body, call as u32);
        let args = site.args.iter().enumerate().filter(|(i, _)| callee.summary.param(*i).may_escape);
        kept.extend(args.flat_map(|(_, arg)| &arg.sources));
    }
    kept
}

struct WriteBases<'a> {
    work: &'a Summarizer<'a>,
    body: &'a Body<'a>,
    kept: BTreeSet<PointerSource>,
}

impl WriteBases<'_> {
    /// The bases under which callers see a write to the object that the pointer points into.
    fn of(&self, source: PointerSource) -> Vec<Base> {
        let mut bases = Vec::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![source];
        while let Some(source) = work.pop() {
            if !seen.insert(source) {
                continue;
            }
            match source {
                PointerSource::Param(param) => bases.push(Base::Param(param)),
                PointerSource::Symbol(symbol) => {
                    let unit = &self.work.program.units[self.body.definition.unit];
                    bases.push(match unit.symbols.get(&symbol) {
                        Some(entry) => Base::Global(unit.global_name(entry)),
                        None => Base::Anywhere,
                    });
                }
                PointerSource::Local => {}
                PointerSource::Fresh(_) => bases.extend(self.outlives(source).then_some(Base::Anywhere)),
                PointerSource::Call(call) => {
                    let callee = self.work.callee(self.body, call);
                    let result = &callee.summary.result;
                    let site = &self.body.body_facts.calls[call as usize];
                    match result.equals.and_then(|param| site.args.get(param as usize)) {
                        Some(arg) if !arg.sources.is_empty() => work.extend(&arg.sources),
                        _ if result.fresh => bases.extend(self.outlives(source).then_some(Base::Anywhere)),
                        _ => bases.push(Base::Anywhere),
                    }
                }
                PointerSource::Unknown => bases.push(Base::Anywhere),
            }
        }
        bases
    }

    /// As [`WriteBases::of`], for writes of a callee, which may go beyond the declared size of an object that may be a
    /// symbol of the linker.
    fn behind(&self, source: PointerSource) -> Vec<Base> {
        let mut bases = self.of(source);
        if let PointerSource::Symbol(symbol) = source
            && !self.work.program.is_bounded(self.body.definition.unit, symbol)
        {
            bases.push(Base::Anywhere);
        }
        bases
    }

    /// Can the memory be reached after the function has returned?
    fn outlives(&self, source: PointerSource) -> bool {
        self.kept.contains(&source) || self.body.body_facts.effects.returned.contains(&source)
    }
}
