//! The select phase: which files are analysed, with which flags, and which of them cannot be read.

use crate::cache::owner;
use crate::limits::BINARY_PROBE;
use crate::link::Extent;
use crate::source::display_path::display_path;
use gainsay_frontend::compile_db::{self, CompileCommand, Compilers, Database, clean};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A translation unit ready for clang.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unit {
    pub directory: PathBuf,
    /// As shown to people.
    pub file: String,
    /// For clang's driver.
    pub arguments: Vec<String>,
    /// Functions that the program defines although they have names of the library's, in order.
    #[serde(default)]
    pub own_functions: Vec<String>,
}

impl Unit {
    /// Differs from that of every other unit of a program: the same file may be compiled several times, with other flags.
    pub fn identity(&self) -> String {
        let own = self.own_functions.iter().map(|name| format!("\0own {name}")).collect::<String>();
        format!("{}\0{}{own}", self.file, self.arguments.join("\0"))
    }
}

/// A unit that cannot be read.
#[derive(Clone, Debug)]
pub struct Unusable {
    pub file: String,
    pub reason: String,
}

pub struct Selection {
    /// In the order of the command line or database.
    pub units: Vec<Result<Unit, Unusable>>,
    /// Commands of the database that are not C.
    pub skipped: usize,
    /// The databases have entries that are not among the units.
    pub has_others: bool,
    /// A file or database entry that the user named cannot be used.
    pub bad_input: bool,
    /// Notes for the user that are no failures.
    pub notes: Vec<String>,
}

impl Selection {
    /// The units that a worker can try to read.
    pub(crate) fn readable(&self) -> Vec<Unit> {
        self.units.iter().flatten().cloned().collect()
    }

    /// How much of the program the units are. `is_whole`: the user says that there is nothing else (`--whole-program`).
    pub fn extent(&self, is_whole: bool) -> Extent {
        if self.has_others || self.units.iter().any(Result::is_err) {
            Extent::Part
        } else if is_whole {
            Extent::Whole
        } else {
            Extent::Build
        }
    }
}

/// The part of the command line that names units.
pub struct SelectOptions<'a> {
    pub files: &'a [PathBuf],
    pub build_dir: Option<&'a Path>,
    pub flags: &'a [String],
    /// Globs of compilers that may be run to ask for their include directories.
    pub may_query: &'a [String],
}

/// The units that the options name; an error is a sentence for the user.
pub(crate) fn select(options: &SelectOptions) -> Result<Selection, String> {
    let current =
        std::env::current_dir().map_err(|error| format!("the current directory is gone: {error}"))?;
    let compilers = Compilers::allowing(options.may_query)?;
    let selection =
        Selection { units: Vec::new(), skipped: 0, has_others: false, bad_input: false, notes: Vec::new() };
    let mut selector =
        Selector { current, compilers, selection, read: BTreeSet::new(), seen: BTreeSet::new() };
    match (options.build_dir, options.files) {
        (None, []) => return Err("no input: name C files, or a build directory with -p".into()),
        (Some(dir), []) => selector.whole_database(dir)?,
        (Some(dir), files) => {
            let db = compile_db::load(dir).map_err(|error| error.to_string())?;
            for file in files {
                selector.file_of_database(file, Some(&db))?;
            }
            selector.note_others(&db);
        }
        (None, files) if !options.flags.is_empty() => {
            for file in files {
                selector.file_with_flags(file, options.flags)?;
            }
        }
        (None, files) => selector.files_by_nearest_database(files)?,
    }
    let Selector { mut selection, compilers, .. } = selector;
    selection.notes.extend(compilers.notes().cloned());
    Ok(selection)
}

struct Selector {
    current: PathBuf,
    compilers: Compilers,
    selection: Selection,
    /// The files of the units.
    read: BTreeSet<PathBuf>,
    /// Directory and arguments of the units: equal ones are read once.
    seen: BTreeSet<(PathBuf, Vec<String>)>,
}

impl Selector {
    fn whole_database(&mut self, dir: &Path) -> Result<(), String> {
        let db = compile_db::load(dir).map_err(|error| error.to_string())?;
        self.selection.skipped = db.not_c;
        self.selection.has_others = db.not_c != 0;
        self.selection.bad_input = !db.malformed.is_empty();
        for (index, problem) in db.malformed {
            let reason = format!("entry {index} (counting from 0) {problem}");
            self.selection.units.push(Err(Unusable { file: dir.display().to_string(), reason }));
        }
        for command in db.commands {
            self.command(&command, false);
        }
        Ok(())
    }

    fn file_with_flags(&mut self, file: &Path, flags: &[String]) -> Result<(), String> {
        let command = compile_db::from_flags(file, flags, &self.current)
            .map_err(|problem| format!("the command line {problem}"))?;
        self.command(&command, true);
        Ok(())
    }

    fn file_of_database(&mut self, file: &Path, db: Option<&Database>) -> Result<(), String> {
        let path = clean(&self.current.join(file));
        let commands = db.map(|db| commands_for(db, &path)).unwrap_or_default();
        if commands.is_empty() {
            if db.is_some() {
                let note = format!("{}: not in the compile database; read without flags", file.display());
                self.selection.notes.push(note);
            }
            return self.file_with_flags(file, &[]);
        }
        for command in commands {
            self.command(&command, true);
        }
        Ok(())
    }

    /// A database that the user did not name is used only if no other user can have written it, as git does with
    /// `safe.directory`.
    fn files_by_nearest_database(&mut self, files: &[PathBuf]) -> Result<(), String> {
        let mut databases: BTreeMap<PathBuf, Option<Database>> = BTreeMap::new();
        for file in files {
            let Some(dir) = compile_db::nearest(file) else {
                self.file_of_database(file, None)?;
                continue;
            };
            let notes = &mut self.selection.notes;
            let db = databases.entry(dir).or_insert_with_key(|dir| {
                if let Some(owner) = owner::untrusted(dir, compile_db::FILE_NAME) {
                    let (path, dir) = (dir.join(compile_db::FILE_NAME), dir.display());
                    let whose = format!("the file or its directory belongs to another user (uid {owner})");
                    notes.push(format!("{}: not used: {whose}; use it with -p {dir}", path.display()));
                    return None;
                }
                compile_db::load(dir).map_err(|error| notes.push(format!("{error}; not used"))).ok()
            });
            // A file that is missing in a database that the user did not name needs no note.
            let path = clean(&self.current.join(file));
            let db = db.as_ref().filter(|db| !commands_for(db, &path).is_empty());
            self.file_of_database(file, db)?;
        }
        databases.values().flatten().for_each(|db| self.note_others(db));
        Ok(())
    }

    /// Records whether the database has entries that are not among the units: what they define is not known.
    fn note_others(&mut self, db: &Database) {
        let is_read = |command: &CompileCommand| self.read.contains(&command.path());
        let is_all = db.not_c == 0 && db.malformed.is_empty() && db.commands.iter().all(is_read);
        let is_used = db.commands.iter().any(is_read);
        self.selection.has_others |= is_used && !is_all;
    }

    fn command(&mut self, command: &CompileCommand, named: bool) {
        let file = display_path(&command.path(), &self.current);
        self.read.insert(command.path());
        if let Err(problem) = readable(&command.directory.join(&command.file)) {
            let reason = match problem {
                Unreadable::Missing if named => "no such file".to_owned(),
                Unreadable::Missing => "no such file; if the build generates it, build first".to_owned(),
                Unreadable::Other(reason) => reason,
            };
            self.selection.bad_input |= named;
            self.selection.units.push(Err(Unusable { file, reason }));
            return;
        }
        let arguments = compile_db::driver_arguments(command, &mut self.compilers);
        if self.seen.insert((command.directory.clone(), arguments.clone())) {
            let directory = command.directory.clone();
            self.selection.units.push(Ok(Unit { directory, file, arguments, own_functions: Vec::new() }));
        }
    }
}

/// The commands of a file, found by its path or, if there are none, by the path that links lead to.
fn commands_for(db: &Database, path: &Path) -> Vec<CompileCommand> {
    let by = |same: &dyn Fn(&CompileCommand) -> bool| -> Vec<CompileCommand> {
        db.commands.iter().filter(|command| same(command)).cloned().collect()
    };
    let found = by(&|command| command.path() == path);
    match path.canonicalize() {
        Ok(real) if found.is_empty() => by(&|command| {
            command.path().file_name() == real.file_name()
                && command.path().canonicalize().is_ok_and(|it| it == real)
        }),
        _ => found,
    }
}

/// Why a file cannot be C source.
enum Unreadable {
    Missing,
    Other(String),
}

/// Whether the file can be C source. Does not block on pipes and devices.
fn readable(path: &Path) -> Result<(), Unreadable> {
    let other = |reason: &str| Err(Unreadable::Other(reason.to_owned()));
    let unreadable = |error: std::io::Error| Unreadable::Other(format!("cannot be read: {error}"));
    if path.to_str().is_none() {
        return other(
            "its path is not valid UTF-8, which clang's driver cannot take here; \
             rename the file or give it another name with a link",
        );
    }
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Unreadable::Missing,
        _ => unreadable(error),
    })?;
    if found.is_dir() {
        return other("is a directory; name its C files, or a build directory with -p");
    }
    if !found.is_file() {
        return other("is not a regular file but a pipe, socket or device");
    }
    let mut start = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(BINARY_PROBE).read_to_end(&mut start))
        .map_err(unreadable)?;
    if start.contains(&0) {
        return other("is a binary file (it contains zero bytes), not C source");
    }
    Ok(())
}
