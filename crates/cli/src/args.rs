//! The commands and options of the command line.

use crate::limits::{CACHE_LIMIT, MEMORY_LIMIT, UNIT_TIMEOUT};
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use gainsay_analysis::loops::Loops;
use gainsay_driver::cache::directory::CacheOptions;
use gainsay_driver::cache::{Store, from_hex};
use gainsay_driver::check_options::{ALL, CheckOptions};
use gainsay_driver::worker::WorkerOptions;
use gainsay_driver::worker::pool::PoolOptions;
use gainsay_report::noise::Noise;
use std::path::PathBuf;

/// Finds C code that contradicts itself
#[derive(Parser)]
#[command(name = "gainsay")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Analyse C files or a whole build
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Prove contracts, or find inputs that break them
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// Print one stage of the translation from C to formulas
    Dump(DumpArgs),
    /// Print what is known of functions at their calls: `[FUNCTION] FILES` or `[FUNCTION] -p DIR`
    Summary(SummaryArgs),
    /// Print the page of a rule or noise class
    Explain(ExplainArgs),
    /// Execute the jobs that come on standard input
    #[command(hide = true)]
    Worker(WorkerArgs),
    /// Print the arguments that each unit is parsed with, one JSON object per line
    #[command(hide = true)]
    PrintArgs(PrintArgsArgs),
}

const CHECK_HELP: &str = "\
Without -p and FLAGS, the nearest compile_commands.json in a parent directory of each file is used if it lists the \
file; otherwise the file is read without flags.

Exit code:
  0    no findings
  1    findings that are not hidden (0 with --exit-zero)
  2    a named file could not be read, the compile database is malformed, no function could be analysed,
       a solver failed on every query, the result could not be written, or the cache was wrong (--check-cache);
       other units that fail are listed in the summary and in \"coverage\" of the JSON
  3    with --strict-coverage: no findings, but a unit failed or was analysed only in part, a function was
       given up, or a solver failed on a query
  130  interrupted; the findings so far are printed and marked as partial";

const VERIFY_HELP: &str = "\
Contracts are ACSL comments (/*@ requires ...; ensures ...; */) before functions and declarations; loop invariants and \
assertions are ACSL comments before statements.

Exit code:
  0    all functions are proved
  1    a function is refuted: it fails for some inputs
  2    a file could not be read or compiled, or an annotation is not understood
  3    no function is refuted, but some are undecided";

/// Options that name units.
#[derive(ClapArgs)]
pub struct Input {
    /// C files
    pub files: Vec<PathBuf>,
    /// Directory of compile_commands.json; with FILES, only those are read
    #[arg(short = 'p', long = "build-dir", value_name = "DIR", conflicts_with = "flags")]
    pub build_dir: Option<PathBuf>,
    #[command(flatten)]
    pub query: Query,
    /// The units are the whole program: other code calls only `main` and uses only functions and variables whose
    /// addresses it gets (like gcc's -fwhole-program)
    #[arg(long)]
    pub whole_program: bool,
    /// Compiler flags for FILES
    #[arg(last = true)]
    pub flags: Vec<String>,
}

/// Options that allow compilers to be run.
#[derive(ClapArgs)]
pub struct Query {
    /// Compilers that may be run to find their include directories: globs of absolute paths; `*` matches within a
    /// directory, `**` across directories. Without this option no compiler is run
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    query_driver: Vec<String>,
    /// Run no compiler (default)
    #[arg(long, hide = true)]
    no_query_compiler: bool,
}

impl Query {
    /// The globs of compilers that may be run.
    pub fn allowed(&self) -> &[String] {
        if self.no_query_compiler { &[] } else { &self.query_driver }
    }
}

/// Options of the worker processes.
#[derive(ClapArgs)]
pub struct PoolArgs {
    /// Number of worker processes; 0 means one per core
    #[arg(short, long, default_value_t = 0, value_name = "N")]
    pub jobs: usize,
    /// Time limit per unit; findings made before it are kept
    #[arg(long, default_value_t = UNIT_TIMEOUT, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub unit_timeout: u64,
    /// Memory limit per worker process; findings made before it are kept
    #[arg(long, default_value_t = MEMORY_LIMIT, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: u64,
    /// Print no progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

impl From<&PoolArgs> for PoolOptions {
    fn from(args: &PoolArgs) -> PoolOptions {
        let &PoolArgs { jobs, unit_timeout, memory_limit, quiet } = args;
        PoolOptions { jobs, unit_timeout, memory_limit, quiet }
    }
}

/// Options of the cache.
#[derive(ClapArgs)]
pub struct CacheArgs {
    /// Cache directory [default: gainsay/cache in $XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Do not read or write the cache
    #[arg(long, conflicts_with_all = ["cache_dir", "check_cache"])]
    pub no_cache: bool,
    /// Maximum cache size in MB; least recently used entries are evicted
    #[arg(long, default_value_t = CACHE_LIMIT, value_name = "MB")]
    pub cache_limit: u64,
    /// Re-analyse everything and compare with the cache; exit with code 2 if they differ
    #[arg(long)]
    pub check_cache: bool,
}

impl From<&CacheArgs> for CacheOptions {
    fn from(args: &CacheArgs) -> CacheOptions {
        let &CacheArgs { no_cache, cache_limit, .. } = args;
        CacheOptions { cache_dir: args.cache_dir.clone(), no_cache, cache_limit }
    }
}

#[derive(ClapArgs)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub pool: PoolArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the result to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show findings of these noise classes, which are hidden by default; `gainsay explain CLASS` describes a class
    #[arg(long, value_name = "CLASS,...", value_delimiter = ',', value_parser = classes())]
    pub show: Vec<String>,
    /// Analysis of loops: `off` forgets everything that a loop writes, `auto` makes a few cheap queries about small
    /// functions, `all` makes a query for every branch that may depend on a loop, which can be slow
    #[arg(long, value_enum, default_value_t = LoopsArg::Auto, value_name = "HOW")]
    pub loops: LoopsArg,
    /// Also report values that are tested in one place and used untested in another, and NULL that reaches a use. These
    /// findings are not proved; some may be wrong
    #[arg(long)]
    pub beliefs: bool,
    /// Also report errors on paths that the tests in the code show to be expected. SETTING is `default` or a column of the
    /// paper's table (ev-0 ... ev-9, ev-all), with exceptions (`default,last-else=inadmissible`)
    #[arg(long, value_name = "SETTING")]
    pub evidence: Option<String>,
    /// Print inferred preconditions instead of findings, as a patch that adds ACSL `requires` clauses
    #[arg(long)]
    pub emit_preconditions: bool,
    /// Use colors in text output; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Exit with code 0 even if there are findings
    #[arg(long)]
    pub exit_zero: bool,
    /// Write all solver queries to DIR, in one folder per unit
    #[arg(long, value_name = "DIR")]
    pub transcript: Option<PathBuf>,
    /// Write the time of each stage and function to FILE, one JSON object per line
    #[arg(long, value_name = "FILE", hide = true)]
    pub timings: Option<PathBuf>,
    /// Exit with code 3 if something could not be analysed
    #[arg(long)]
    pub strict_coverage: bool,
}

#[derive(ClapArgs)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// Also verify functions without a contract: they must be error-free for all inputs
    #[arg(long)]
    pub all: bool,
    /// Print inferred annotations instead of verdicts, as a patch for the sources (`patch -p0`): the loop invariants that
    /// the proofs need, and preconditions of functions without a contract
    #[arg(long, conflicts_with = "format")]
    pub emit_acsl: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub format: VerifyFormat,
    /// Write the result to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write all solver queries to DIR, in one folder per unit
    #[arg(long, value_name = "DIR")]
    pub transcript: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// On a terminal, findings with source excerpts; otherwise one line per place
    Text,
    Json,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

fn classes() -> PossibleValuesParser {
    PossibleValuesParser::new(Noise::ALL.map(Noise::name).into_iter().chain([ALL]))
}

#[derive(ClapArgs)]
pub struct DumpArgs {
    /// The stage to print
    #[arg(long, value_enum)]
    pub stage: Stage,
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    #[command(flatten)]
    pub input: OneFile,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The syntax tree that clang exports
    Ast,
    /// Guarded commands
    Gc,
    /// Passive form: acyclic, with one assignment per variable
    Passive,
    /// A query for each branch edge, as SMT-LIB: unsat means that no error-free terminating run takes it
    Smt2,
    /// Horn clauses for each branch edge, as SMT-LIB: sat means that no error-free terminating run takes it
    Horn,
}

/// Options that name one unit.
#[derive(ClapArgs)]
pub struct OneFile {
    /// C file
    pub file: PathBuf,
    /// Directory of compile_commands.json
    #[arg(short = 'p', long = "build-dir", value_name = "DIR", conflicts_with = "flags")]
    pub build_dir: Option<PathBuf>,
    #[command(flatten)]
    pub query: Query,
    /// Compiler flags
    #[arg(last = true)]
    pub flags: Vec<String>,
}

#[derive(ClapArgs)]
pub struct SummaryArgs {
    /// Print only how many functions each fact is known of
    #[arg(long)]
    pub counts: bool,
    #[command(flatten)]
    pub input: Input,
}

#[derive(ClapArgs)]
pub struct ExplainArgs {
    /// A rule or noise class
    pub name: String,
}

#[derive(ClapArgs)]
pub struct WorkerArgs {
    #[arg(long)]
    pub memory_limit: u64,
    /// Directory of the store
    #[arg(long)]
    pub store: PathBuf,
    #[arg(long)]
    pub identity: String,
    #[arg(long)]
    pub lasts: bool,
    #[arg(long)]
    pub check_cache: bool,
    #[arg(long, value_enum, default_value_t = LoopsArg::Auto)]
    pub loops: LoopsArg,
    #[arg(long)]
    pub beliefs: bool,
    #[arg(long)]
    pub evidence: Option<String>,
    #[arg(long)]
    pub show: Vec<String>,
    #[arg(long)]
    pub transcript: Option<PathBuf>,
    #[arg(long)]
    pub timings: bool,
}

/// The values of `--loops`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopsArg {
    Off,
    Auto,
    All,
}

impl WorkerArgs {
    /// The inverse of `WorkerOptions::arguments`.
    pub(crate) fn options(&self) -> Option<WorkerOptions> {
        let (evidence, transcript) = (self.evidence.as_deref(), self.transcript.as_deref());
        let loops = self.loops.into();
        let options =
            CheckOptions::new(&self.show, loops, self.beliefs, evidence, transcript, self.timings).ok()?;
        let store =
            Store { directory: self.store.clone(), identity: from_hex(&self.identity)?, lasts: self.lasts };
        Some(WorkerOptions { options, store, check_cache: self.check_cache })
    }
}

impl From<LoopsArg> for Loops {
    fn from(arg: LoopsArg) -> Loops {
        match arg {
            LoopsArg::Off => Loops::Off,
            LoopsArg::Auto => Loops::Auto,
            LoopsArg::All => Loops::All,
        }
    }
}

#[derive(ClapArgs)]
pub struct PrintArgsArgs {
    #[command(flatten)]
    pub input: Input,
}
