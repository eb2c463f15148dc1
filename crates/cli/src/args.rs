//! The command line.

use crate::check_options::ALL;
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use gainsay_analysis::loops::Loops;
use gainsay_report::noise::Noise;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Finds C code that contradicts itself.
#[derive(Parser)]
#[command(name = "gainsay")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
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
    /// Lower a file and execute its main
    #[command(hide = true)]
    RunGc(RunGcArgs),
    /// Show the arguments each unit is parsed with, one JSON object per line
    #[command(hide = true)]
    PrintArgs(PrintArgsArgs),
    /// Export and lower one unit in this process
    #[command(hide = true)]
    BenchLower(BenchLowerArgs),
    /// List every branch edge that no run which ends well can take
    #[command(hide = true)]
    Edges(EdgesArgs),
    /// Ask Horn clauses about every branch edge of functions with loops
    #[command(hide = true)]
    Horn(HornArgs),
    /// Print every function, read it back and compare
    #[command(hide = true)]
    Roundtrip(RoundtripArgs),
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
pub(crate) struct Input {
    /// C files
    pub(crate) files: Vec<PathBuf>,
    /// Directory of compile_commands.json; with FILES, only those
    #[arg(short = 'p', long = "build-dir", value_name = "DIR", conflicts_with = "flags")]
    pub(crate) build_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) query: Query,
    /// The units that are read are the whole program: nobody else calls its functions or uses its variables, but for `main`
    /// and for what is given away (like gcc's -fwhole-program)
    #[arg(long)]
    pub(crate) whole_program: bool,
    /// Compiler flags for FILES
    #[arg(last = true)]
    pub(crate) flags: Vec<String>,
}

/// Which programs of a compile database may be run.
#[derive(ClapArgs)]
pub(crate) struct Query {
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
    pub(crate) fn allowed(&self) -> &[String] {
        if self.no_query_compiler { &[] } else { &self.query_driver }
    }
}

/// How units are spread over worker processes, and what each may use.
#[derive(ClapArgs)]
pub(crate) struct Spread {
    /// Worker processes; 0 means one for each core
    #[arg(short, long, default_value_t = 0, value_name = "N")]
    pub(crate) jobs: usize,
    /// A unit that takes longer is cut short: what was found before stays
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) unit_timeout: u64,
    /// A unit that needs more memory is cut short: what was found before stays
    #[arg(long, default_value_t = 8192, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory_limit: u64,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl Spread {
    /// How many processes, or threads in this one, work at the same time.
    pub(crate) fn workers(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.jobs).unwrap_or_else(every_core)
    }
}

/// One for each core.
pub(crate) fn every_core() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What is kept from one run to the next.
#[derive(ClapArgs)]
pub(crate) struct CacheArgs {
    /// Where results are kept for the next run [default: gainsay/cache in $XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Know nothing from earlier runs and leave nothing for later ones
    #[arg(long, conflicts_with_all = ["cache_dir", "check_cache"])]
    pub(crate) no_cache: bool,
    /// What was not used for the longest time goes when the cache is larger
    #[arg(long, default_value_t = 2048, value_name = "MB")]
    pub(crate) cache_limit: u64,
    /// Find everything out again, compare it with what the cache says, and end with code 2 if that differs
    #[arg(long)]
    pub(crate) check_cache: bool,
}

#[derive(ClapArgs)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) spread: Spread,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Show findings of these classes, which are hidden as noise; `explain CLASS` tells what they are
    #[arg(long, value_name = "CLASS,...", value_delimiter = ',', value_parser = classes())]
    pub(crate) show: Vec<String>,
    /// Loops: `off` forgets what they write, `auto` asks a few easy questions about small functions, `all` asks about
    /// every edge that could matter, which may take long
    #[arg(long, value_enum, default_value_t = LoopsArg::Auto, value_name = "HOW")]
    pub(crate) loops: LoopsArg,
    /// Also look for values that are tested in one place and used untested in another, or NULL where they are used. No
    /// proofs: some findings may be wrong
    #[arg(long)]
    pub(crate) beliefs: bool,
    /// Report errors that the program's text testifies to: `default`, or a column of the paper's table (ev-0 ... ev-9,
    /// ev-all), and rules that differ from it (`default,last-else=inadmissible`)
    #[arg(long, value_name = "SETTING")]
    pub(crate) evidence: Option<String>,
    /// Instead of findings, print what functions expect of their callers, as a patch that adds ACSL `requires` clauses
    #[arg(long)]
    pub(crate) emit_preconditions: bool,
    /// Colors in text; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// End with code 0 although something was found
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Write all questions to the solvers into this directory, a folder for each unit
    #[arg(long, value_name = "DIR")]
    pub(crate) transcript: Option<PathBuf>,
    /// Write where the time went to FILE, one JSON object per stage and function
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) timings: Option<PathBuf>,
    /// End with code 3 where something could not be analysed
    #[arg(long)]
    pub(crate) strict_coverage: bool,
}

#[derive(ClapArgs)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) spread: Spread,
    /// Also functions without a contract: they must be free of errors for all inputs
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the loop invariants that were found and that the proofs need, and what functions without a contract expect of
    /// their callers, as a patch that adds them to the sources (`patch -p0`), instead of the verdicts
    #[arg(long, conflicts_with = "format")]
    pub(crate) emit_acsl: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,
    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write all questions to the solvers into this directory, a folder for each unit
    #[arg(long, value_name = "DIR")]
    pub(crate) transcript: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people on a terminal, with source; otherwise a line for each place
    Text,
    Json,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

fn classes() -> PossibleValuesParser {
    PossibleValuesParser::new(Noise::ALL.map(Noise::name).into_iter().chain([ALL]))
}

#[derive(ClapArgs)]
pub(crate) struct DumpArgs {
    /// Which stage
    #[arg(long, value_enum)]
    pub(crate) stage: Stage,
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    #[command(flatten)]
    pub(crate) input: OneFile,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
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
pub(crate) struct OneFile {
    /// C file
    pub(crate) file: PathBuf,
    /// Directory of compile_commands.json
    #[arg(short = 'p', long = "build-dir", value_name = "DIR", conflicts_with = "flags")]
    pub(crate) build_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) query: Query,
    /// Compiler flags
    #[arg(last = true)]
    pub(crate) flags: Vec<String>,
}

#[derive(ClapArgs)]
pub(crate) struct SummaryArgs {
    /// Only how many functions each fact is known of
    #[arg(long)]
    pub(crate) counts: bool,
    /// Write into this directory what each unit knows of the others, for `gainsay edges`
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) known: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(ClapArgs)]
pub(crate) struct ExplainArgs {
    /// A rule, or a class of noise
    pub(crate) name: String,
}

#[derive(ClapArgs)]
pub(crate) struct WorkerArgs {
    #[arg(long)]
    pub(crate) memory_limit: u64,
    /// Directory of the store
    #[arg(long)]
    pub(crate) store: PathBuf,
    #[arg(long)]
    pub(crate) identity: String,
    #[arg(long)]
    pub(crate) lasts: bool,
    #[arg(long)]
    pub(crate) check_cache: bool,
    #[arg(long, value_enum, default_value_t = LoopsArg::Auto)]
    pub(crate) loops: LoopsArg,
    #[arg(long)]
    pub(crate) beliefs: bool,
    #[arg(long)]
    pub(crate) evidence: Option<String>,
    #[arg(long)]
    pub(crate) show: Vec<String>,
    #[arg(long)]
    pub(crate) transcript: Option<PathBuf>,
    #[arg(long)]
    pub(crate) timings: bool,
}

/// How much loops are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoopsArg {
    Off,
    Auto,
    All,
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
pub(crate) struct RunGcArgs {
    #[command(flatten)]
    pub(crate) input: OneFile,
    /// Commands to execute before giving up
    #[arg(long, default_value_t = 100_000_000)]
    pub(crate) steps: u64,
    /// Ask of every branch edge that the run took whether reach calls it impossible, which would be wrong
    #[arg(long)]
    pub(crate) edges: bool,
    /// Likewise whether Horn clauses call it impossible
    #[arg(long)]
    pub(crate) loops: bool,
}

#[derive(ClapArgs)]
pub(crate) struct EdgesArgs {
    #[command(flatten)]
    pub(crate) input: OneFile,
    /// Also edges that are impossible because of loops
    #[arg(long, value_enum, default_value_t = LoopsArg::Off, value_name = "HOW")]
    pub(crate) loops: LoopsArg,
    /// Print every edge with its verdict and its place as clang's coverage mapping sees it, one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Where `gainsay summary` wrote what the unit knows of the rest of its program
    #[arg(long, value_name = "DIR")]
    pub(crate) known: Option<PathBuf>,
}

#[derive(ClapArgs)]
pub(crate) struct HornArgs {
    #[command(flatten)]
    pub(crate) input: OneFile,
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Also about edges that are possible with a few iterations
    #[arg(long)]
    pub(crate) all: bool,
    /// Tell how long each answer took
    #[arg(long)]
    pub(crate) times: bool,
    /// What an edge may cost
    #[arg(long, default_value_t = 6_000)]
    pub(crate) effort: u64,
}

#[derive(ClapArgs)]
pub(crate) struct PrintArgsArgs {
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(ClapArgs)]
pub(crate) struct BenchLowerArgs {
    /// A line of print-args
    pub(crate) unit: String,
}

#[derive(ClapArgs)]
pub(crate) struct RoundtripArgs {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) spread: Spread,
}
