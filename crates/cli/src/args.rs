//! The command line.

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use gainsay_analysis::loops::Loops;
use gainsay_driver::cache::place::CacheOptions;
use gainsay_driver::cache::{Store, from_hex};
use gainsay_driver::check_options::{ALL, CheckOptions};
use gainsay_driver::supervise::Spread;
use gainsay_driver::worker::Order;
use gainsay_report::noise::Noise;
use std::path::PathBuf;

/// Finds C code that contradicts itself.
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
    /// Show a stage on the way from C to formulas
    Dump(DumpArgs),
    /// Show what is learnt of functions for those that call them: [FUNCTION] FILES, or [FUNCTION] -p DIR
    Summary(SummaryArgs),
    /// Show the page of a rule, or what is said of a class of noise
    Explain(ExplainArgs),
    /// Analyse the units named on standard input
    #[command(hide = true)]
    Worker(WorkerArgs),
    /// Show the arguments each unit is parsed with, one JSON object per line
    #[command(hide = true)]
    PrintArgs(PrintArgsArgs),
}

const CHECK_HELP: &str = "\
Without -p and FLAGS, the nearest compile_commands.json in the parents of a file is used if it knows the file; \
otherwise the file is read without flags.

Exit code:
  0    nothing was found
  1    something was found that is not hidden; 0 with --exit-zero
  2    a named file could not be read, the compile database is bad, no function could be analysed, a solver
       failed on every question, the result could not be written, or the cache was wrong (--check-cache);
       other units that fail are listed in the summary and in \"coverage\" of the JSON
  3    with --strict-coverage: a unit failed or was analysed only in part, a function was given up, or a solver
       failed on a question, and nothing was found
  130  interrupted; what was found so far is printed and marked as partial";

const VERIFY_HELP: &str = "\
Contracts are ACSL comments (/*@ requires ...; ensures ...; */) before functions and their declarations, invariants and \
assertions before statements.

Exit code:
  0    everything is proved
  1    something is refuted: there are inputs with which it fails
  2    a file could not be read or compiled, or an annotation is not understood
  3    nothing is refuted, but something is not decided";

/// What to read.
#[derive(ClapArgs)]
pub struct Input {
    /// C files
    pub files: Vec<PathBuf>,
    /// Directory of compile_commands.json; with FILES, only those
    #[arg(short = 'p', long = "build-dir", value_name = "DIR", conflicts_with = "flags")]
    pub build_dir: Option<PathBuf>,
    #[command(flatten)]
    pub query: Query,
    /// The units that are read are the whole program: nobody else calls its functions or uses its variables, but for `main`
    /// and for what is given away (like gcc's -fwhole-program)
    #[arg(long)]
    pub whole_program: bool,
    /// Compiler flags for FILES
    #[arg(last = true)]
    pub flags: Vec<String>,
}

/// Which programs of a compile database may be run.
#[derive(ClapArgs)]
pub struct Query {
    /// Compilers that may be run and asked for their include directories: globs of absolute paths, where `*` stays within
    /// a directory and `**` does not. Without it no compiler is ever run
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    query_driver: Vec<String>,
    /// Run no compiler, which is the default
    #[arg(long, hide = true)]
    no_query_compiler: bool,
}

impl Query {
    /// The globs.
    pub fn allowed(&self) -> &[String] {
        if self.no_query_compiler { &[] } else { &self.query_driver }
    }
}

/// How units are spread over worker processes, and what each may use.
#[derive(ClapArgs)]
pub struct SpreadArgs {
    /// Worker processes; 0 means one for each core
    #[arg(short, long, default_value_t = 0, value_name = "N")]
    pub jobs: usize,
    /// A unit that takes longer is cut short: what was found before stays
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub unit_timeout: u64,
    /// A unit that needs more memory is cut short: what was found before stays
    #[arg(long, default_value_t = 8192, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: u64,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

impl From<&SpreadArgs> for Spread {
    fn from(args: &SpreadArgs) -> Spread {
        let &SpreadArgs { jobs, unit_timeout, memory_limit, quiet } = args;
        Spread { jobs, unit_timeout, memory_limit, quiet }
    }
}

/// What is kept from one run to the next.
#[derive(ClapArgs)]
pub struct CacheArgs {
    /// Where results are kept for the next run [default: gainsay/cache in $XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Know nothing from earlier runs and leave nothing for later ones
    #[arg(long, conflicts_with_all = ["cache_dir", "check_cache"])]
    pub no_cache: bool,
    /// What was not used for the longest time goes when the cache is larger
    #[arg(long, default_value_t = 2048, value_name = "MB")]
    pub cache_limit: u64,
    /// Find everything out again, compare it with what the cache says, and end with code 2 if that differs
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
    pub spread: SpreadArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show findings of these classes, which are hidden as noise; `explain CLASS` tells what they are
    #[arg(long, value_name = "CLASS,...", value_delimiter = ',', value_parser = classes())]
    pub show: Vec<String>,
    /// Loops: `off` forgets what they write, `auto` asks a few easy questions about small functions, `all` asks about
    /// every edge that could matter, which may take long
    #[arg(long, value_enum, default_value_t = LoopsArg::Auto, value_name = "HOW")]
    pub loops: LoopsArg,
    /// Also look for values that are tested in one place and used untested in another, or NULL where they are used. No
    /// proofs: some findings may be wrong
    #[arg(long)]
    pub beliefs: bool,
    /// Report errors that the program's text testifies to: `default`, or a column of the paper's table (ev-0 ... ev-9,
    /// ev-all), and rules that differ from it (`default,last-else=inadmissible`)
    #[arg(long, value_name = "SETTING")]
    pub evidence: Option<String>,
    /// Instead of findings, print what functions expect of their callers, as a patch that adds ACSL `requires` clauses
    #[arg(long)]
    pub emit_preconditions: bool,
    /// Colors in text; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// End with code 0 although something was found
    #[arg(long)]
    pub exit_zero: bool,
    /// Write all questions to the solvers into this directory, a folder for each unit
    #[arg(long, value_name = "DIR")]
    pub transcript: Option<PathBuf>,
    /// Write where the time went to FILE, one JSON object per stage and function
    #[arg(long, value_name = "FILE", hide = true)]
    pub timings: Option<PathBuf>,
    /// End with code 3 where something could not be analysed
    #[arg(long)]
    pub strict_coverage: bool,
}

#[derive(ClapArgs)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub spread: SpreadArgs,
    /// Also functions without a contract: they must be free of errors for all inputs
    #[arg(long)]
    pub all: bool,
    /// Print the loop invariants that were found and that the proofs need, and what functions without a contract expect of
    /// their callers, as a patch that adds them to the sources (`patch -p0`), instead of the verdicts
    #[arg(long, conflicts_with = "format")]
    pub emit_acsl: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub format: VerifyFormat,
    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write all questions to the solvers into this directory, a folder for each unit
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
    /// For people on a terminal, with source; otherwise a line for each place
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
    /// Which stage
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
    /// What clang hands over
    Ast,
    /// Guarded commands
    Gc,
    /// Acyclic, each variable assigned once
    Passive,
    /// The questions about each branch edge, as SMT-LIB: unsat means that no run that ends well takes it
    Smt2,
    /// Horn clauses for each branch edge, as SMT-LIB: sat means that no run that ends well takes it
    Horn,
}

/// One file and how to read it.
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
    /// Only how many functions each fact is known of
    #[arg(long)]
    pub counts: bool,
    /// Write into this directory what each unit knows of the others, for `gainsay edges`
    #[arg(long, value_name = "DIR", hide = true)]
    pub known: Option<PathBuf>,
    #[command(flatten)]
    pub input: Input,
}

#[derive(ClapArgs)]
pub struct ExplainArgs {
    /// A rule, or a class of noise
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

/// How much loops are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopsArg {
    Off,
    Auto,
    All,
}

impl WorkerArgs {
    /// What the worker is started for; the inverse of [`Order::arguments`].
    pub fn order(&self) -> Option<Order> {
        let (evidence, transcript) = (self.evidence.as_deref(), self.transcript.as_deref());
        let loops = self.loops.into();
        let options =
            CheckOptions::new(&self.show, loops, self.beliefs, evidence, transcript, self.timings).ok()?;
        let store =
            Store { directory: self.store.clone(), identity: from_hex(&self.identity)?, lasts: self.lasts };
        Some(Order { options, store, check_cache: self.check_cache })
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
