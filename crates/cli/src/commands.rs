//! One file per subcommand.

pub(crate) mod check;
pub(crate) mod dump;
pub(crate) mod explain;
pub(crate) mod print_args;
pub(crate) mod summary;
pub(crate) mod verify;
