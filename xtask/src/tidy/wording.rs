//! Words that documents and comments do not use, because the sentence reads as translated.

use super::references;
use super::repository::{Complaint, Repository};

/// Split, so that this file obeys its own rule.
const WORDS: &[&str] = &[
    concat!("who", "ever"),
    concat!("ane", "w"),
    concat!("no", "body"),
    concat!("some", "body"),
    concat!("wants to ", "hear"),
    concat!("sooner or ", "later"),
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, number, line) in references::prose(repository) {
        let line = line.to_lowercase();
        for word in WORDS.iter().filter(|word| has_word(&line, word)) {
            complaints.push(Complaint::at(name, number, format!("do not write `{word}`")));
        }
    }
    complaints
}

fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(word).any(|(at, _)| {
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    #[test]
    fn documents_and_comments_are_checked_for_whole_words() {
        let word = WORDS[1];
        let sentence = format!("It begins {word}.\n");
        assert_eq!(complaints(check, &[("docs/a.md", &sentence)]).len(), 1);
        assert_eq!(complaints(check, &[("crates/ir/src/a.rs", &format!("// {sentence}"))]).len(), 1);
        assert!(complaints(check, &[("crates/ir/src/a.rs", &format!("let {word} = 1;\n"))]).is_empty());
        assert!(complaints(check, &[("docs/a.md", &format!("{word}ay\n"))]).is_empty());
    }
}
