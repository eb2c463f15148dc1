//! Empty objects instead of compiled ones, for programs that are too large to compile only for a compile database.
//!
//! Only calls that compile one source to one object are handled. Preprocessing, `-S`, links, and the tests of build
//! systems for options (`-c -x c /dev/null`) go to the real compiler.

use std::fs;
use std::path::{Path, PathBuf};

/// The object that is copied, beside the recorder.
pub(super) const OBJECT: &str = "empty.o";

/// One source that becomes one object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Compilation<'a> {
    source: &'a str,
    object: PathBuf,
    /// The file for the list of included files, if the build expects one.
    dependencies: Option<&'a str>,
}

/// Parses a call; `None` if it is anything else.
pub(super) fn compilation(arguments: &[String]) -> Option<Compilation<'_>> {
    if !arguments.iter().any(|argument| argument == "-c") {
        return None;
    }
    let after = |option: &str| {
        let at = arguments.iter().position(|argument| argument == option)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let sources = super::positions_of(arguments, &[".c", ".S", ".s"]);
    let [source] = sources[..] else { return None };
    let source = arguments[source].as_str();
    let object = match after("-o") {
        Some(object) => PathBuf::from(object),
        None => Path::new(source).with_extension("o").file_name()?.into(),
    };
    let passed_on = ["-Wp,-MD,", "-Wp,-MMD,"];
    let dependencies = arguments
        .iter()
        .find_map(|argument| passed_on.iter().find_map(|option| argument.strip_prefix(option)))
        .or_else(|| after("-MF"));
    Some(Compilation { source, object, dependencies })
}

impl Compilation<'_> {
    /// Whether the object is in one of these folders, which are separated by colons.
    pub(super) fn is_below(&self, folders: &str) -> bool {
        folders.split(':').any(|folder| !folder.is_empty() && self.object.starts_with(folder))
    }

    /// Writes the object and the list of included files, which contains only the source.
    pub(super) fn pretend(&self, template: &Path) -> Result<(), String> {
        let object = self.object.display();
        fs::copy(template, &self.object).map_err(|e| format!("cannot write {object}: {e}"))?;
        let Some(list) = self.dependencies else { return Ok(()) };
        fs::write(list, format!("{object}: {}\n", self.source))
            .map_err(|e| format!("cannot write {list}: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn an_object_has_a_name_and_perhaps_a_list_of_included_files() {
        let of = |line: &str| {
            let words = words(line);
            let found = compilation(&words).unwrap();
            (found.source.to_owned(), found.object, found.dependencies.map(str::to_owned))
        };
        let expected =
            |list: Option<&str>| ("d/a.c".to_owned(), PathBuf::from("d/a.o"), list.map(str::to_owned));
        assert_eq!(of("-Wp,-MMD,d/.a.o.d -DX -c -o d/a.o d/a.c"), expected(Some("d/.a.o.d")));
        assert_eq!(of("-MD -MF l.d -c d/a.c -o d/a.o"), expected(Some("l.d")));
        assert_eq!(of("-c d/a.S").1, PathBuf::from("a.o"));
    }

    #[test]
    fn other_calls_go_to_the_real_compiler() {
        for line in
            ["-c -x c /dev/null -o t", "-S -o a.s a.c", "-o x a.c", "-c a.c b.c", "a.o -o x", "-c -x c -"]
        {
            assert_eq!(compilation(&words(line)), None, "{line}");
        }
    }

    #[test]
    fn folders_are_whole_components_of_the_path() {
        let words = words("-c -o arch/vdso/a.o a.c");
        let call = compilation(&words).unwrap();
        assert!(call.is_below("boot:arch/vdso") && call.is_below("arch"));
        assert!(!call.is_below("arch/vd") && !call.is_below(""));
    }
}
