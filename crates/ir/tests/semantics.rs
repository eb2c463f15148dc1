//! Passes keep the runs: the passive form ends as the function does, and every part of every run of a
//! function with loops is still a part of a run when the loops are cut.

mod common;

use common::naive::{End, State, Trace, run_gc, run_passive};
use common::{Shape, units};
use cranelift_entity::EntityRef;
use gainsay_interp::{Interp, InterpOptions};
use gainsay_ir::gc::{Block, CmdKind, Function, Unit};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::{passive, print, verify};
use proptest::prelude::*;
use std::collections::BTreeSet;

const ACYCLIC: Shape = Shape { blocks: 7, loops: false, runs: true };
const LOOPS: Shape = Shape { blocks: 7, loops: true, runs: true };
const ANY: Shape = Shape { blocks: 7, loops: true, runs: false };

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

fn interpret(unit: &Unit, steps: u64) -> End {
    Interp::new(unit, InterpOptions { steps, strict_havoc: true }).run("main", &[]).outcome.into()
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn the_interpreter_does_what_the_naive_one_does(unit in units(LOOPS)) {
        let (end, _) = run_gc(&unit, &unit.functions[0], 300);
        prop_assume!(end != End::OutOfSteps);
        prop_assert_eq!(interpret(&unit, 100_000), end, "{}", print::unit(&unit));
    }

    #[test]
    fn the_passive_form_ends_alike(unit in units(ACYCLIC)) {
        let passive = passify(&unit, &unit.functions[0]);
        prop_assert_eq!(passive::verify(&passive), Ok(()));
        let shown = || format!("{}\n{}", print::unit(&unit), passive::print(&unit, &passive));
        prop_assert_eq!(run_passive(&unit, &passive), interpret(&unit, 100_000), "{}", shown());
    }

    #[test]
    fn cut_loops_are_well_formed(unit in units(ANY)) {
        let pruned = prune(unit.functions[0].clone());
        let cut = cut_loops(&unit, &pruned);
        prop_assert_eq!(verify::verify(&unit, &cut), Ok(()));
        prop_assert_eq!(passive::verify(&passify(&unit, &cut)), Ok(()));
    }

    #[test]
    fn cut_loops_keep_every_part_of_a_run(unit in units(LOOPS)) {
        let f = &unit.functions[0];
        let (end, trace) = run_gc(&unit, f, 200);
        prop_assume!(end != End::OutOfSteps);
        let cut = cut_loops(&unit, f);
        // A run that fails inside a loop may fail in an iteration that another run stands for.
        let ends_alike = !matches!(end, End::Failed(_) | End::Stuck);
        let missing = missing_parts(f, &cut, &trace, ends_alike);
        let blocks: Vec<Block> = trace.iter().map(|part| part.0).collect();
        let shown = || format!("{blocks:?}\n{}\n{}", print::function(&unit, f), print::function(&unit, &cut));
        prop_assert!(missing.is_empty(), "{missing:?} of {}", shown());
    }
}

/// Parts of the run that no run of the cut function passes on the way from the start (to the same end, if
/// wanted), if what is forgotten may become what it was at any time of the real run.
fn missing_parts(f: &Function, cut: &Function, trace: &Trace, ends_alike: bool) -> Vec<usize> {
    let steps: Vec<BTreeSet<usize>> = (0..trace.len()).map(|at| continuations(f, cut, trace, at)).collect();
    let mut forward = BTreeSet::new();
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        if forward.insert(at) {
            work.extend(&steps[at]);
        }
    }
    let mut backward = BTreeSet::from([trace.len() - 1]);
    let mut before = 0;
    while before != backward.len() {
        before = backward.len();
        for (at, next) in steps.iter().enumerate().rev() {
            if !next.is_disjoint(&backward) {
                backward.insert(at);
            }
        }
    }
    let missing = |at: &usize| !forward.contains(at) || (ends_alike && !backward.contains(at));
    (0..trace.len()).filter(missing).collect()
}

/// The times at which the cut function can be after the block at time `at`.
fn continuations(f: &Function, cut: &Function, trace: &Trace, at: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let (Some((next, state)), block) = (trace.get(at + 1), trace[at].0) else { return found };
    let targets = cut.blocks[block].next.targets();
    let mut work: Vec<(Block, Forgotten)> = if targets.contains(next) {
        vec![(*next, Forgotten::default())]
    } else {
        let is_new = |target: &&Block| target.index() >= f.blocks.len();
        targets.iter().filter(is_new).map(|&target| (target, Forgotten::default())).collect()
    };
    while let Some((mut target, mut forgotten)) = work.pop() {
        if let Some(edge) = copied_edge(f, cut, target) {
            target = edge;
        }
        let old = f.blocks.get(target).map_or(0, |data| data.cmds.len());
        let data = &cut.blocks[target];
        for cmd in &data.cmds[..data.cmds.len() - old] {
            forgotten.add(&cmd.kind);
        }
        if f.blocks.is_valid(target) {
            let fits = |(block, later): &(Block, State)| *block == target && forgotten.explains(state, later);
            found.extend((0..trace.len()).filter(|&time| fits(&trace[time])));
        } else {
            work.extend(data.next.targets().iter().map(|&next| (next, forgotten.clone())));
        }
    }
    found
}

/// The edge of a branch that a new block copies.
fn copied_edge(f: &Function, cut: &Function, block: Block) -> Option<Block> {
    let is_copy =
        |edge: &Block| f.blocks[*edge].branch.is_some() && f.blocks[*edge].cmds == cut.blocks[block].cmds;
    f.blocks.keys().filter(|_| !f.blocks.is_valid(block)).find(is_copy)
}

#[derive(Clone, Default)]
struct Forgotten {
    vars: BTreeSet<usize>,
    memory: bool,
}

impl Forgotten {
    fn add(&mut self, cmd: &CmdKind) {
        match cmd {
            CmdKind::Havoc(var) => {
                self.vars.insert(var.index());
            }
            CmdKind::Clobber(_) => self.memory = true,
            _ => {}
        }
    }

    fn explains(&self, before: &State, after: &State) -> bool {
        let vars = before.vars.iter().zip(&after.vars).enumerate();
        vars.into_iter().all(|(var, (a, b))| a == b || self.vars.contains(&var))
            && (self.memory || before.memory == after.memory)
    }
}

mod for_loops {
    use super::*;
    use gainsay_ir::passes::segments::heads;
    use gainsay_ir::passes::{explicit_flags, scalars, segments, unroll};

    /// With any value 0, as the interpreter chooses where nothing is known.
    fn end(unit: &Unit, f: Function) -> End {
        let unit = Unit { functions: vec![f], ..unit.clone() };
        assert_eq!(verify::verify(&unit, &unit.functions[0]), Ok(()), "{}", print::unit(&unit));
        Interp::new(&unit, InterpOptions { steps: 3_000, strict_havoc: false })
            .run("main", &[])
            .outcome
            .into()
    }

    proptest! {
        #![proptest_config(config(1000))]

        #[test]
        fn objects_as_variables_hold_what_they_held(unit in units(LOOPS)) {
            let f = unit.functions[0].clone();
            let before = end(&unit, f.clone());
            prop_assume!(before != End::OutOfSteps);
            let changed = scalars(&unit, f.clone());
            let shown = || format!("{}\n{}", print::function(&unit, &f), print::function(&unit, &changed));
            prop_assert_eq!(end(&unit, changed.clone()), before, "{}", shown());
        }

        #[test]
        fn unrolled_loops_run_alike_or_end_in_error(unit in units(LOOPS)) {
            let f = prune(unit.functions[0].clone());
            let unrolled = unroll(&f, &heads(&f), 8);
            let (before, after) = (end(&unit, f.clone()), end(&unit, unrolled.f.clone()));
            prop_assert_eq!(passive::verify(&passify(&unit, &unrolled.f)), Ok(()));
            let shown = || format!("{}\n{}", print::function(&unit, &f), print::function(&unit, &unrolled.f));
            prop_assert!(after == before || after == End::Error, "{after:?}, not {before:?}: {}", shown());
        }

        /// From head to head, the pieces do what the function does; here only that they are well formed and acyclic.
        #[test]
        fn pieces_are_well_formed(unit in units(ANY)) {
            let (f, first) = explicit_flags(scalars(&unit, prune(unit.functions[0].clone())));
            for segment in segments(&unit, &f, &first).segments {
                prop_assert_eq!(passive::verify(&passify(&unit, &segment.f)), Ok(()));
            }
        }
    }

    /// `a[i] = 3 * i + 1` for all i, then the sum of `2 * a[3 - i]` but for the one at 8 bytes, found by another computation.
    #[test]
    fn elements_are_found_by_their_index() {
        let text = "target ptr64 little\nfunction @main() -> i32 external\n\nfunc @main() -> i32 {\n\
            var i: i32\n  var s: i32\n  tmp t: i32\n  obj a: 16 align 4\n\
            b0:\n  enter &a\n  i = 0i32\n  goto b1\n\
            b1:\n  goto b2, b3\nb2: [loop-entry true 0]\n  assume i <s 4i32\n\
            store i32 #i32 &a +p (sext64(i) * 4i64), (i * 3i32) + 1i32\n  i = i + 1i32\n  goto b1\n\
            b3: [loop-entry false 0]\n  assume 4i32 <=s i\n  i = 0i32\n  s = 0i32\n  goto b4\n\
            b4:\n  goto b5, b6\nb5: [loop-entry true 1]\n  assume i <s 4i32\n\
            t = load i32 #i32 (&a +p 12i64) +p (sext64(i) * 18446744073709551612i64)\n\
            s = s + (2i32 * t)\n  i = i + 1i32\n  goto b4\n\
            b6: [loop-entry false 1]\n  assume 4i32 <=s i\n\
            t = load i32 #i32 &a +p 8i64\n  store i32 #i32 &a, t\n  t = load i32 #i32 &a +p 0i64\n  return s - t\n}\n";
        let unit = gainsay_ir::parse::unit(text).unwrap();
        let f = unit.functions[0].clone();
        let changed = scalars(&unit, f.clone());
        assert_eq!(changed.vars.len(), f.vars.len() + 4);
        assert_eq!(end(&unit, f), End::Returned(2 * (1 + 4 + 7 + 10) - 7));
        assert_eq!(end(&unit, changed), End::Returned(2 * (1 + 4 + 7 + 10) - 7));
    }
}
