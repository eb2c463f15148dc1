//! A run: units are selected, spread over worker processes, cached, and their reports merged. Read [`phases`] first.
//!
//! Starts processes and reads and writes files; prints nothing and never exits. `cli` does that.

pub mod analyse;
pub mod cache;
pub mod check_options;
pub mod clock;
mod conditional;
mod frame;
#[cfg(test)]
mod fuzz;
pub mod imports_file;
mod owner;
pub mod phases;
mod piece;
mod places;
mod positions;
pub mod process_limits;
mod progress;
mod read;
pub mod stack;
pub mod supervise;
pub mod unit_file;
pub mod units;
pub mod verify_work;
pub mod work;
pub mod worker;
mod worker_spawner;
mod worker_state;
