//! Work on one unit, done in a worker or by a command that looks at a single unit.

pub mod analyse;
pub mod clock;
mod function;
pub mod imports_file;
pub mod lower;
pub(crate) mod partial;
pub(crate) mod read;
pub mod unit_file;
pub mod verify;
