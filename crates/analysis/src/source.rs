//! What the analyses may ask about the source text, apart from the commands.

use gainsay_ir::gc::Loc;
use gainsay_report::finding::Related;

/// An extent in a file. Lines and columns count from 1; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Spot {
    /// A note at this spot.
    pub(crate) fn note(self, message: String) -> Related {
        Related { file: self.file, line: self.line, column: self.column, message }
    }

    /// " at line 7", or " at file.h:7" if `here` is in another file.
    pub(crate) fn seen_from(&self, here: &Spot) -> String {
        if self.file == here.file {
            format!(" at line {}", self.line)
        } else {
            format!(" at {}:{}", self.file, self.line)
        }
    }
}

/// Positions of one function.
pub trait Source {
    fn spot(&self, loc: Loc) -> Option<Spot>;

    /// Was this written in the definition of a macro, rather than by the macro's user?
    fn is_in_macro_definition(&self, loc: Loc) -> bool;

    /// Does this come from a macro, written in its definition or passed to it?
    fn is_in_macro(&self, loc: Loc) -> bool;

    /// Is it a whole argument of a macro?
    fn is_macro_argument(&self, loc: Loc) -> bool;

    /// Does it contain a macro that stands for a value, other than NULL and the like?
    fn takes_macro_value(&self, loc: Loc) -> bool;

    /// Is it inside an `#if` of the function?
    fn is_conditional(&self, loc: Loc) -> bool;

    /// Does code between the two places that is inside an `#if` mention the name?
    fn is_mentioned_conditionally(&self, name: &str, from: Loc, to: Loc) -> bool;

    /// Is the variable's type a typedef of the program, which may stand for another type elsewhere?
    fn has_configured_type(&self, name: &str, loc: Loc) -> bool;

    /// Does it consist of a single token?
    fn is_one_token(&self, loc: Loc) -> bool;
}
