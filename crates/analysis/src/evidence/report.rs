//! From a reported path to a finding: the failure, the lines that testify, and the steps in between.

use super::judge_path::{ErrorPath, Testimony};
use super::kinds::EdgeKind;
use super::path::EvidenceGraph;
use super::places::Alias;
use super::predicates::Claim;
use crate::judge::{BOUNDARY_ERROR, FATAL_BRANCH, Judge};
use crate::limits::EVIDENCE_SHOWN_STEPS;
use crate::source::Spot;
use crate::wording::{Fact, Wording};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Loc, Outcome};
use gainsay_ir::passive::{Block, CmdKind, ExprData, VarOf};
use gainsay_ir::types::Type;
use gainsay_report::finding::{Finding, Related};
use gainsay_report::fingerprint::fingerprint;
use gainsay_report::noise::Noise;
use gainsay_report::rules::{EVIDENT_ERROR, rule};
use gainsay_vc::Statement;
use std::collections::BTreeMap;

const EVIDENCE: &str = "evidence";

pub(super) fn report(
    judge: &Judge,
    graph: &EvidenceGraph,
    found: Vec<ErrorPath>,
    findings: &mut Vec<Finding>,
) -> Vec<Finding> {
    let n_known = findings.len();
    let reporter = Reporter { judge, graph, wording: judge.wording() };
    // One finding per cause: the same lines testify to the same failure.
    let mut first: BTreeMap<(Vec<Option<gc::Block>>, String), usize> = BTreeMap::new();
    let at_sites: Vec<Option<Loc>> = found
        .iter()
        .filter(|one| graph.site(one.at.block).is_some())
        .map(|one| reporter.loc(one.at))
        .collect();
    for one in found {
        // The summary states the same failure without its place.
        if reporter.is_callee_check(one.at) && at_sites.contains(&reporter.loc(one.at)) {
            continue;
        }
        let Some(finding) = reporter.finding(&one) else { continue };
        let lines: Vec<Option<gc::Block>> =
            one.testimony.iter().map(|testimony| graph.original(testimony.at.block)).collect();
        let cause = (lines, reporter.failing(one.at));
        if let Some(known) = same(findings, &finding) {
            if merge(&mut findings[known], finding) {
                first.insert(cause, known);
            }
            continue;
        }
        if let Some(&known) = first.get(&cause).filter(|_| !one.testimony.is_empty()) {
            let (file, line, column) = (finding.file, finding.line, finding.column);
            findings[known].related.push(Related { file, line, column, message: "likewise here".into() });
            continue;
        }
        first.insert(cause, findings.len());
        findings.push(finding);
    }
    findings.split_off(n_known)
}

/// The finding of another analysis about the same failure; one that is not noise is preferred.
fn same(findings: &[Finding], finding: &Finding) -> Option<usize> {
    let place = (&finding.file, finding.line, finding.column);
    let is_same = |known: &Finding| {
        let is_at = (&known.file, known.line, known.column) == place;
        let leads = known.related.iter().any(|other| (&other.file, other.line, other.column) == place);
        let is_proof = known.rule == FATAL_BRANCH || known.rule == BOUNDARY_ERROR;
        let is_belief = known.analyses.iter().any(|name| name == "beliefs");
        is_proof && (is_at || leads) || is_belief && is_at
    };
    let is_seen = |known: &Finding| is_same(known) && known.class.is_none();
    findings.iter().position(is_seen).or_else(|| findings.iter().position(is_same))
}

/// Merges two findings into one with both analyses, which is noise only if both are. Returns whether the new
/// one replaced the other.
fn merge(known: &mut Finding, finding: Finding) -> bool {
    let replaces = known.class.is_some() && finding.class.is_none();
    let other = if replaces { std::mem::replace(known, finding) } else { finding };
    known.analyses.extend(other.analyses);
    known.analyses.sort();
    known.analyses.dedup();
    replaces
}

struct Reporter<'a> {
    judge: &'a Judge<'a>,
    graph: &'a EvidenceGraph<'a>,
    wording: Wording<'a>,
}

impl Reporter<'_> {
    fn finding(&self, found: &ErrorPath) -> Option<Finding> {
        let spot = self.judge.source.spot(self.loc(found.at)?)?;
        let failing = self.failing(found.at);
        let message = match self.lines(&found.testimony, &spot) {
            Some(lines) => format!("{failing}, which by {lines} is to be expected"),
            None => format!("{failing} on a path that nothing excludes"),
        };
        let related = self.related(found, &spot);
        let mut texts = vec![failing];
        texts.extend(found.testimony.iter().filter_map(|testimony| self.expected(testimony)));
        let name = &self.judge.unit.symbols[self.judge.function.symbol].name;
        Some(Finding {
            rule: EVIDENT_ERROR.into(),
            severity: rule(EVIDENT_ERROR)?.severity,
            class: self.is_deliberate(found.at).then(|| Noise::AssertionOnly.name().into()),
            analyses: vec![EVIDENCE.into()],
            function: name.clone(),
            file: spot.file,
            line: spot.line,
            column: spot.column,
            end_line: spot.end_line,
            end_column: spot.end_column,
            message,
            related,
            fingerprint: fingerprint(EVIDENT_ERROR, name, &texts),
        })
    }

    fn loc(&self, at: Statement) -> Option<Loc> {
        let cmds = &self.judge.function.blocks[at.block].cmds;
        cmds.get(at.index as usize).or(cmds.last()).map(|cmd| cmd.loc)
    }

    fn failing(&self, at: Statement) -> String {
        if let Some(site) = self.graph.site(at.block) {
            let callee = &self.judge.unit.symbols[site.callee].name;
            return format!("`{callee}` fails with these arguments: {}", site.expects.check.fails());
        }
        match self.judge.function.blocks[at.block].cmds.get(at.index as usize).map(|cmd| &cmd.kind) {
            Some(CmdKind::Assert(check, holds)) => self.wording.failing(at, *check, *holds),
            _ => "the program aborts".into(),
        }
    }

    fn is_callee_check(&self, at: Statement) -> bool {
        let cmd = self.judge.function.blocks[at.block].cmds.get(at.index as usize);
        matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assert(Check::CalleeFails, _)))
    }

    /// Whether the failure is an abort or assertion of the author, who thereby states that it does not
    /// happen. Such a report is worth less than one of a mistake.
    fn is_deliberate(&self, at: Statement) -> bool {
        let cmd = self.judge.function.blocks[at.block].cmds.get(at.index as usize);
        !matches!(cmd.map(|cmd| &cmd.kind),
            Some(CmdKind::Assert(check, _)) if !matches!(check, Check::Assertion | Check::Unreachable))
    }

    fn spot_of(&self, edge: Block) -> Option<Spot> {
        self.spot_at(Statement { block: edge, index: 0 })
    }

    fn spot_at(&self, at: Statement) -> Option<Spot> {
        self.judge.source.spot(self.loc(at)?)
    }

    /// "line 3", "lines 3 and 5"
    fn lines(&self, testimony: &[Testimony], here: &Spot) -> Option<String> {
        let mut lines: Vec<String> = Vec::new();
        for testimony in testimony {
            let spot = self.spot_at(testimony.at)?;
            let line = if spot.file == here.file {
                spot.line.to_string()
            } else {
                format!("{}:{}", spot.file, spot.line)
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        match lines.as_slice() {
            [] => None,
            [line] => Some(format!("line {line}")),
            [first @ .., last] => Some(format!("lines {} and {last}", first.join(", "))),
        }
    }

    /// The expected condition, in C.
    fn expected(&self, testimony: &Testimony) -> Option<String> {
        let sides = |a, b| Some((self.wording.text(a)?, self.wording.text(b)?));
        match testimony.claim {
            Claim::Holds(condition) => written(&self.wording.fact(condition)),
            Claim::Equal(a, b) => sides(a, b).map(|(a, b)| ordered(&a, "==", "==", &b)),
            Claim::Less(a, b) => sides(a, b).map(|(a, b)| ordered(&a, "<", ">", &b)),
            Claim::Places(alias) => Some(self.places(alias)),
        }
    }

    /// The expected relation of two addresses.
    fn places(&self, alias: Alias) -> String {
        let name = |var| self.judge.function.source(var).map(|source| source.name.as_str());
        let names = alias.parameters.and_then(|(written, read)| Some((name(written)?, name(read)?)));
        match (names, alias.is_same) {
            (Some((written, read)), true) => format!("`{written}` and `{read}` may point to the same place"),
            (Some((written, read)), false) => {
                format!("`{written}` and `{read}` are two parameters, which may point to different places")
            }
            (None, true) => "this may change what is read later".into(),
            (None, false) => "this may leave what is read later as it was".into(),
        }
    }

    /// The condition as the source tests it: that of the outcome `true`.
    fn tested(&self, edge: Block) -> Option<String> {
        let function = self.judge.function;
        let branch = function.blocks[edge].branch?;
        let is_sibling = |targets: &[Block]| targets.contains(&edge);
        let siblings = function.blocks.values().map(|data| data.next.targets()).find(|t| is_sibling(t))?;
        let is_true = |block: &&Block| {
            function.blocks[**block]
                .branch
                .is_some_and(|b| b.condition == branch.condition && b.outcome == Outcome::True)
        };
        let first = function.blocks[*siblings.iter().find(is_true)?].cmds.first()?;
        written(&self.wording.fact(first.condition()?))
    }

    fn related(&self, found: &ErrorPath, here: &Spot) -> Vec<Related> {
        let mut related = Vec::new();
        let steps: Vec<Block> =
            found.path.iter().copied().filter(|&block| self.is_step(found, block)).collect();
        let shown = &steps[steps.len().saturating_sub(EVIDENCE_SHOWN_STEPS)..];
        for &block in &found.path {
            if shown.contains(&block)
                && let (Some(message), Some(spot)) = (self.step(block), self.spot_of(block))
            {
                related.push(Related { file: spot.file, line: spot.line, column: spot.column, message });
            }
            for testimony in found.testimony.iter().filter(|testimony| testimony.at.block == block) {
                if let (Some(message), Some(spot)) = (self.testimony(testimony), self.spot_at(testimony.at)) {
                    related.push(Related { file: spot.file, line: spot.line, column: spot.column, message });
                }
            }
        }
        related.extend(self.chain(found.at));
        let values: Vec<String> =
            found.values.iter().filter_map(|&(var, bits)| self.value(var, bits)).collect();
        if !values.is_empty() {
            let message = format!("for example with {}", values.join(", "));
            related.push(Related { file: here.file.clone(), line: here.line, column: here.column, message });
        }
        related
    }

    /// The calls from here to the failing check in a callee.
    fn chain(&self, at: Statement) -> Vec<Related> {
        let Some(site) = self.graph.site(at.block) else { return Vec::new() };
        let expects = site.expects;
        let mut related = Vec::new();
        for (i, place) in expects.chain.iter().enumerate() {
            let message = match (expects.chain.get(i + 1), &expects.expects) {
                (Some(next), _) => format!("`{}` passes it on to `{}` here", place.function, next.function),
                (None, Some(text)) => {
                    format!("`{}` expects `{text}` here: {}", place.function, expects.check.holds())
                }
                (None, None) => format!("{} in `{}` here", expects.check.fails(), place.function),
            };
            let (file, line, column) = (place.file.clone(), place.line, place.column);
            related.push(Related { file, line, column, message });
        }
        related.retain(|related| related.line != 0);
        related
    }

    fn testimony(&self, testimony: &Testimony) -> Option<String> {
        if let Claim::Places(alias) = testimony.claim {
            return Some(self.places(alias));
        }
        let expected = self.expected(testimony);
        Some(match (self.tested(testimony.at.block), expected) {
            (Some(tested), Some(expected)) if tested == expected => {
                format!("this tests `{tested}`, so that is expected to occur")
            }
            (Some(tested), Some(expected)) => {
                format!("this tests `{tested}`, so `{expected}` is expected to occur")
            }
            (_, Some(expected)) => format!("`{expected}` is expected to occur here"),
            _ => "this outcome of the test is expected to occur".into(),
        })
    }

    /// Whether the edge is a step to show: it has a condition, is not in a callee, and does not itself
    /// testify.
    fn is_step(&self, found: &ErrorPath, block: Block) -> bool {
        let function = self.judge.function;
        let is_plain = |cmd: &gainsay_ir::passive::Cmd| {
            cmd.condition().is_none_or(|holds| matches!(function.exprs[holds], ExprData::Const(..)))
        };
        self.graph.kind(block).is_some_and(|kind| kind != EdgeKind::Callee)
            && !function.blocks[block].cmds.first().is_none_or(is_plain)
            && found.testimony.iter().all(|testimony| !testimony.is_of_edge(block))
    }

    fn step(&self, block: Block) -> Option<String> {
        let condition = self.judge.function.blocks[block].cmds.first()?.condition()?;
        match self.wording.fact(condition) {
            Fact::Unspoken => match self.judge.function.blocks[block].branch?.outcome {
                Outcome::True => Some("this holds".into()),
                Outcome::False => Some("this does not hold".into()),
                Outcome::Case | Outcome::Default => Some("the run comes here".into()),
                Outcome::MissingDefault | Outcome::Exhausted => Some("no case is met".into()),
            },
            fact => Some(format!("{} here", fact.is())),
        }
    }

    fn value(&self, var: gainsay_ir::passive::Var, bits: u128) -> Option<String> {
        let VarOf::Source(source) = self.judge.function.vars[var].of else { return None };
        let data = &self.judge.function.sources[source];
        match data.ty {
            Type::Ptr => (bits == 0).then(|| format!("`{}` = NULL", data.name)),
            Type::Int(width @ 2..=64) => {
                // Shown as signed: numbers near zero are easier to read.
                let sign = 1u128 << (width - 1);
                let value = if bits >= sign { bits as i128 - (1i128 << width) } else { bits as i128 };
                Some(format!("`{}` = {value}", data.name))
            }
            Type::Int(_) | Type::Float(_) => None,
        }
    }
}

fn written(fact: &Fact) -> Option<String> {
    match fact {
        Fact::IsNull(pointer) => Some(format!("{pointer} == NULL")),
        Fact::IsNotNull(pointer) => Some(format!("{pointer} != NULL")),
        Fact::Holds(text) => Some(text.clone()),
        Fact::Unspoken | Fact::Goes(_) => None,
    }
}

/// Writes `6 == x` as `x == 6`.
fn ordered(a: &str, operator: &str, mirrored: &str, b: &str) -> String {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if is_number(a) && !is_number(b) { format!("{b} {mirrored} {a}") } else { format!("{a} {operator} {b}") }
}
