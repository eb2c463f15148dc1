//! SARIF 2.1.0, with what code-scanning services expect beyond the standard: rule help, tags, links from messages to
//! related places, code flows, and fingerprints.

mod model;

use crate::coverage::{Coverage, SolverUse};
use crate::finding::{Finding, Severity};
use crate::render::line_hash::line_hashes;
use crate::render::source::{Read, Sources, token_end, utf16_column};
use crate::rules::{RULES, Rule, WEAKNESSES};
use crate::visible::visible_json;
use model::{
    ArtifactLocation, CodeFlow, Component, ComponentReference, Configuration, Descriptor,
    DescriptorReference, Id, Invocation, Location, Log, LogicalLocation, Notification, PhysicalLocation,
    Region, Relationship, Result as SarifResult, ResultProperties, RuleProperties, Run, Step, Text,
    ThreadFlow, Tool,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The base of relative file names.
const ROOT: &str = "%SRCROOT%";
const TAXONOMY: &str = "CWE";

/// The run that findings come from.
pub struct About<'a> {
    /// Of gainsay.
    pub version: &'a str,
    /// The absolute path that relative file names start from.
    pub directory: &'a str,
    pub coverage: &'a Coverage,
}

/// Writes one run. `read` finds the sources, for columns and fingerprints.
pub fn write(about: &About, findings: &[Finding], read: &Read, out: &mut dyn Write) -> io::Result<()> {
    let mut places = PlaceConverter { sources: Sources::new(read), hashes: BTreeMap::new() };
    let base = || ArtifactLocation { uri: directory_uri(about.directory), uri_base_id: None };
    let run = Run {
        tool: Tool { driver: driver(about.version) },
        automation_details: Id { id: "gainsay/" },
        invocations: [Invocation {
            execution_successful: successful(about.coverage),
            working_directory: base(),
            tool_execution_notifications: notifications(about.coverage),
        }],
        original_uri_base_ids: BTreeMap::from([(ROOT, base())]),
        column_kind: "utf16CodeUnits",
        taxonomies: [taxonomy()],
        results: findings.iter().map(|finding| places.result(finding)).collect(),
    };
    visible_json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }, out)
}

fn driver(version: &str) -> Component {
    let kinds = NOTIFICATIONS.iter().map(|(id, description)| Descriptor {
        id: (*id).to_owned(),
        short_description: text(description),
        ..Descriptor::default()
    });
    Component {
        name: "gainsay",
        semantic_version: Some(version.to_owned()),
        short_description: Some(text("Finds C code that contradicts itself.")),
        rules: RULES.iter().map(rule).collect(),
        notifications: kinds.collect(),
        supported_taxonomies: vec![the_taxonomy()],
        ..Component::default()
    }
}

fn rule(rule: &Rule) -> Descriptor {
    let mut tags = vec!["correctness".to_owned()];
    tags.extend(rule.cwe.iter().map(|cwe| format!("external/cwe/cwe-{cwe:03}")));
    let relationship = |cwe: &u32| Relationship {
        target: DescriptorReference { id: cwe.to_string(), tool_component: Some(the_taxonomy()) },
        kinds: ["relevant"],
    };
    Descriptor {
        id: rule.id.to_owned(),
        short_description: text(rule.title),
        full_description: Some(text(rule.description)),
        help: Some(Text { text: rule.page.to_owned(), markdown: Some(rule.page.to_owned()) }),
        default_configuration: Some(Configuration { level: rule.severity.name() }),
        relationships: rule.cwe.iter().map(relationship).collect(),
        properties: Some(RuleProperties {
            tags,
            precision: rule.precision,
            problem_severity: match rule.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        }),
        ..Descriptor::default()
    }
}

fn taxonomy() -> Component {
    let taxon = |(number, name): &(u32, &str)| Descriptor {
        id: number.to_string(),
        short_description: text(name),
        help_uri: Some(format!("https://cwe.mitre.org/data/definitions/{number}.html")),
        ..Descriptor::default()
    };
    Component {
        name: TAXONOMY,
        organization: Some("MITRE"),
        information_uri: Some("https://cwe.mitre.org/"),
        short_description: Some(text("Common Weakness Enumeration")),
        taxa: WEAKNESSES.iter().map(taxon).collect(),
        ..Component::default()
    }
}

fn the_taxonomy() -> ComponentReference {
    ComponentReference { name: TAXONOMY, index: 0 }
}

/// Whether the run counts as successful: it was not interrupted, something was analysed, and the solvers answered.
/// Notifications list what is missing.
fn successful(coverage: &Coverage) -> bool {
    !coverage.partial && !coverage.is_void() && !coverage.failing_solvers.iter().any(SolverUse::is_useless)
}

const UNIT_FAILED: &str = "unit-failed";
const UNIT_CUT_SHORT: &str = "unit-cut-short";
const SOLVER_FAILED: &str = "solver-failed";
const UNIT_ERRONEOUS: &str = "unit-erroneous";
const FUNCTION_GIVEN_UP: &str = "function-given-up";
const EDGES_UNDECIDED: &str = "edges-undecided";
const INTERRUPTED: &str = "interrupted";

const NOTIFICATIONS: &[(&str, &str)] = &[
    (UNIT_FAILED, "A translation unit was not analysed."),
    (UNIT_CUT_SHORT, "A part of a translation unit was not analysed."),
    (SOLVER_FAILED, "A solver died, did not answer in time, or answered with nonsense."),
    (UNIT_ERRONEOUS, "A translation unit does not compile and was analysed as far as possible."),
    (FUNCTION_GIVEN_UP, "A function was not analysed."),
    (EDGES_UNDECIDED, "For some branches the solver gave no answer."),
    (INTERRUPTED, "The run was interrupted."),
];

fn notifications(coverage: &Coverage) -> Vec<Notification> {
    let notification = |id: &str, level, message: String, locations| Notification {
        descriptor: DescriptorReference { id: id.to_owned(), tool_component: None },
        level,
        message: text(&message),
        locations,
    };
    let mut all = Vec::new();
    for unit in &coverage.failed_units {
        let message = format!("{} was not analysed: {}", unit.file, unit.reason);
        all.push(notification(UNIT_FAILED, "error", message, vec![location(&unit.file, None)]));
    }
    for unit in &coverage.cut_short_units {
        let message = format!("{} was analysed only in part: it {}", unit.file, unit.reason);
        all.push(notification(UNIT_CUT_SHORT, "error", message, vec![location(&unit.file, None)]));
    }
    for solver in &coverage.failing_solvers {
        let level = if solver.is_useless() { "error" } else { "warning" };
        all.push(notification(SOLVER_FAILED, level, solver.to_string(), Vec::new()));
    }
    for unit in &coverage.erroneous_units {
        let message = format!("{} does not compile: {}", unit.file, unit.reason);
        all.push(notification(UNIT_ERRONEOUS, "warning", message, vec![location(&unit.file, None)]));
    }
    for gone in &coverage.functions_given_up {
        let message = format!("Function {} was given up: {}", gone.function, gone.reason);
        let line = gone.line.max(1);
        let region = Region { start_line: line, start_column: 1, end_line: line, end_column: 1 };
        let place = location(&gone.file, Some(region));
        all.push(notification(FUNCTION_GIVEN_UP, "warning", message, vec![place]));
    }
    if coverage.edges_undecided != 0 {
        let message = format!("For {} branch edges the solver gave no answer.", coverage.edges_undecided);
        all.push(notification(EDGES_UNDECIDED, "note", message, Vec::new()));
    }
    if coverage.partial {
        let message = "The run was interrupted: this is a partial result.".to_owned();
        all.push(notification(INTERRUPTED, "error", message, Vec::new()));
    }
    all
}

/// Converts places of findings to SARIF.
struct PlaceConverter<'a> {
    sources: Sources<'a>,
    /// The hash of each line of the files with findings.
    hashes: BTreeMap<String, Vec<String>>,
}

impl PlaceConverter<'_> {
    fn result(&mut self, finding: &Finding) -> SarifResult {
        let end = (finding.end_line, finding.end_column);
        let region = self.region(&finding.file, finding.line, finding.column, Some(end));
        let own = || Location {
            logical_locations: vec![LogicalLocation { name: finding.function.clone(), kind: "function" }],
            ..location(&finding.file, Some(region))
        };
        let regions: Vec<Region> = finding
            .related
            .iter()
            .map(|related| self.region(&related.file, related.line, related.column, None))
            .collect();
        let related = || {
            finding.related.iter().zip(&regions).map(|(related, region)| Location {
                message: Some(text(&related.message)),
                ..location(&related.file, Some(*region))
            })
        };
        let mut code_flows = Vec::new();
        if !finding.related.is_empty() {
            let last = Location { message: Some(text(&finding.message)), ..own() };
            let locations = related().chain([last]).map(|location| Step { location }).collect();
            code_flows.push(CodeFlow { thread_flows: [ThreadFlow { locations }] });
        }
        let mut partial_fingerprints = BTreeMap::from([("gainsay/core/v1", finding.fingerprint.clone())]);
        if let Some(hash) = self.line_hash(&finding.file, region.start_line) {
            partial_fingerprints.insert("primaryLocationLineHash", hash);
        }
        let numbered = related().zip(1..).map(|(place, id)| Location { id: Some(id), ..place });
        SarifResult {
            rule_id: finding.rule.clone(),
            rule_index: RULES.iter().position(|rule| rule.id == finding.rule),
            level: finding.severity.name(),
            message: message(finding),
            locations: [own()],
            related_locations: numbered.collect(),
            code_flows,
            partial_fingerprints,
            properties: ResultProperties { analyses: finding.analyses.clone(), class: finding.class.clone() },
        }
    }

    /// SARIF counts characters where clang counts bytes. Without an end, the token at the place.
    fn region(&mut self, file: &str, line: u32, column: u32, end: Option<(u32, u32)>) -> Region {
        let source = self.sources.get(file);
        let text = |line: u32| source.as_ref().and_then(|source| source.line(line)).unwrap_or_default();
        let (line, column) = (line.max(1), column.max(1));
        let (end_line, end_column) = match end {
            Some(end) if end > (line, column) => end,
            _ => {
                let start = (column - 1) as usize;
                let length = (token_end(text(line), start) - start).max(1);
                (line, column.saturating_add(u32::try_from(length).unwrap_or(1)))
            }
        };
        Region {
            start_line: line,
            start_column: utf16_column(text(line), column),
            end_line,
            end_column: utf16_column(text(end_line), end_column),
        }
    }

    fn line_hash(&mut self, file: &str, line: u32) -> Option<String> {
        if !self.hashes.contains_key(file) {
            let hashes = self.sources.get(file).map(|source| line_hashes(&source.bytes)).unwrap_or_default();
            self.hashes.insert(file.to_owned(), hashes);
        }
        self.hashes[file].get(line as usize - 1).cloned()
    }
}

/// The finding's sentence, then a link to each related place.
fn message(finding: &Finding) -> Text {
    let mut message = finding.message.clone();
    if !message.ends_with(['.', '!', '?']) {
        message.push('.');
    }
    let link = |(i, note): (usize, &str)| {
        let escaped = note.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
        format!("[{escaped}]({})", i + 1)
    };
    let notes = finding.related.iter().map(|related| related.message.as_str());
    let links: Vec<String> = notes.enumerate().map(link).collect();
    if !links.is_empty() {
        message.push_str(&format!(" See: {}.", links.join("; ")));
    }
    text(&message)
}

fn location(file: &str, region: Option<Region>) -> Location {
    let uri_base_id = (!file.starts_with('/')).then_some(ROOT);
    let scheme = if uri_base_id.is_none() { "file://" } else { "" };
    let artifact_location = ArtifactLocation { uri: format!("{scheme}{}", encoded(file)), uri_base_id };
    Location {
        id: None,
        physical_location: PhysicalLocation { artifact_location, region },
        logical_locations: Vec::new(),
        message: None,
    }
}

fn directory_uri(directory: &str) -> String {
    format!("file://{}/", encoded(directory.trim_end_matches('/')))
}

/// A path as part of a URI.
fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'+' => {
                uri.push(byte.into())
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn text(text: &str) -> Text {
    Text { text: text.to_owned(), markdown: None }
}

#[cfg(test)]
mod tests;
