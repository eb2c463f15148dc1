//! What the analyses may know of the source beside the commands.

use gainsay_ir::gc::Loc;

/// An extent in a file, as people name it; lines and columns count from 1, the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Positions of one function.
pub trait Source {
    fn spot(&self, loc: Loc) -> Option<Spot>;

    /// Was this written in the definition of a macro, rather than by the macro's user?
    fn is_in_macro_definition(&self, loc: Loc) -> bool;

    /// Did this come out of a macro, written there or passed to it?
    fn is_in_macro(&self, loc: Loc) -> bool;

    /// Is it all that was passed to a macro as one argument?
    fn is_macro_argument(&self, loc: Loc) -> bool;

    /// Does a macro other than NULL and its like give a value in it?
    fn takes_macro_value(&self, loc: Loc) -> bool;

    /// Does an `#if` inside the function decide whether this is there?
    fn is_conditional(&self, loc: Loc) -> bool;

    /// Does `#if` decide about code between the two places that mentions the name?
    fn is_mentioned_conditionally(&self, name: &str, from: Loc, to: Loc) -> bool;

    /// Is the variable's type one that the program gives a name, and that may be another elsewhere?
    fn has_configured_type(&self, name: &str, loc: Loc) -> bool;

    /// Does it consist of a single token?
    fn is_one_token(&self, loc: Loc) -> bool;
}
