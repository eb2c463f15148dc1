//! From the command line to the units to analyse: which files, with which flags, and which of them cannot be
//! read.

use crate::owner;
use crate::phases::Extent;
use crate::places::shown;
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
    /// Functions of the program that have names of the library's, in order.
    #[serde(default)]
    pub own: Vec<String>,
}

impl Unit {
    /// Tells the unit from all others of a program: the same file may be compiled in several ways.
    pub fn identity(&self) -> String {
        let own = self.own.iter().map(|name| format!("\0own {name}")).collect::<String>();
        format!("{}\0{}{own}", self.file, self.arguments.join("\0"))
    }
}

/// A unit that cannot even be tried.
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
    /// The databases have entries that no unit here is made of.
    pub has_others: bool,
    /// What the user named himself cannot be used: a file, or an entry of the database.
    pub bad_input: bool,
    /// What the user should know although it is no failure.
    pub notes: Vec<String>,
}

impl Selection {
    /// What the units are of the program. `is_whole`: the user says that there are no others.
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

/// Where units come from.
pub struct Wanted<'a> {
    pub files: &'a [PathBuf],
    pub build_dir: Option<&'a Path>,
    pub flags: &'a [String],
    /// Globs of compilers that may be asked for their include directories.
    pub may_query: &'a [String],
}

/// The units wanted; an error is a sentence for the user.
pub fn select(wanted: &Wanted) -> Result<Selection, String> {
    let current =
        std::env::current_dir().map_err(|error| format!("the current directory is gone: {error}"))?;
    let compilers = Compilers::allowing(wanted.may_query)?;
    let selection =
        Selection { units: Vec::new(), skipped: 0, has_others: false, bad_input: false, notes: Vec::new() };
    let mut selector =
        Selector { current, compilers, selection, read: BTreeSet::new(), seen: BTreeSet::new() };
    match (wanted.build_dir, wanted.files) {
        (None, []) => return Err("nothing to read: name C files, or a build directory with -p".into()),
        (Some(dir), []) => selector.whole_database(dir)?,
        (Some(dir), files) => {
            let db = compile_db::load(dir).map_err(|error| error.to_string())?;
            for file in files {
                selector.file_of_database(file, Some(&db))?;
            }
            selector.note_others(&db);
        }
        (None, files) if !wanted.flags.is_empty() => {
            for file in files {
                selector.file_with_flags(file, wanted.flags)?;
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
    /// Units that clang would read alike are read once.
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
        let known = db.map(|db| commands_for(db, &path)).unwrap_or_default();
        if known.is_empty() {
            if db.is_some() {
                let note = format!("{}: not in the compile database, read without flags", file.display());
                self.selection.notes.push(note);
            }
            return self.file_with_flags(file, &[]);
        }
        for command in known {
            self.command(&command, true);
        }
        Ok(())
    }

    /// A database that was found and not named is used only if nobody else can have put it there, as git does with
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
                if let Some(owner) = owner::stranger(dir, compile_db::FILE_NAME) {
                    let (path, dir) = (dir.join(compile_db::FILE_NAME), dir.display());
                    let whose = format!("it or its directory belongs to another user (uid {owner})");
                    notes.push(format!("{}: {whose}, so it is not used; -p {dir} uses it", path.display()));
                    return None;
                }
                compile_db::load(dir).map_err(|error| notes.push(format!("{error}; it is not used"))).ok()
            });
            // A file that the database next to it does not know is nothing to remark on.
            let path = clean(&self.current.join(file));
            let db = db.as_ref().filter(|db| !commands_for(db, &path).is_empty());
            self.file_of_database(file, db)?;
        }
        databases.values().flatten().for_each(|db| self.note_others(db));
        Ok(())
    }

    /// Are there entries that no unit was made of? What they define is not known.
    fn note_others(&mut self, db: &Database) {
        let is_read = |command: &CompileCommand| self.read.contains(&command.path());
        let is_all = db.not_c == 0 && db.malformed.is_empty() && db.commands.iter().all(is_read);
        let is_used = db.commands.iter().any(is_read);
        self.selection.has_others |= is_used && !is_all;
    }

    fn command(&mut self, command: &CompileCommand, named: bool) {
        let file = shown(&command.path(), &self.current);
        self.read.insert(command.path());
        if let Err(mut reason) = readable(&command.directory.join(&command.file)) {
            if reason == NO_SUCH_FILE && !named {
                reason.push_str("; if the build generates it, build first");
            }
            self.selection.bad_input |= named;
            self.selection.units.push(Err(Unusable { file, reason }));
            return;
        }
        let arguments = compile_db::driver_arguments(command, &mut self.compilers);
        if self.seen.insert((command.directory.clone(), arguments.clone())) {
            let directory = command.directory.clone();
            self.selection.units.push(Ok(Unit { directory, file, arguments, own: Vec::new() }));
        }
    }
}

/// The commands of a file, found by its name or, through links, by what it really is.
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

const NO_SUCH_FILE: &str = "no such file";

/// Can the file be C source? Never waits, whatever kind of file it is.
fn readable(path: &Path) -> Result<(), String> {
    if path.to_str().is_none() {
        return Err("its path is not valid UTF-8, which clang's driver cannot take here; \
                    rename the file or give it another name with a link"
            .into());
    }
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => NO_SUCH_FILE.to_owned(),
        _ => format!("cannot be read: {error}"),
    })?;
    if found.is_dir() {
        return Err("is a directory; name its C files, or a build directory with -p".into());
    }
    if !found.is_file() {
        return Err("is not a regular file but a pipe, socket or device".into());
    }
    let mut start = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(8192).read_to_end(&mut start))
        .map_err(|error| format!("cannot be read: {error}"))?;
    if start.contains(&0) {
        return Err("is a binary file (it contains zero bytes), not C source".into());
    }
    Ok(())
}
