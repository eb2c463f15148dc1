//! gainsay as a user runs it: a process, tested by its output and exit code.

mod bad_input;
mod beliefs;
mod boundary;
mod broken;
mod build_flags;
mod cache;
mod cache_place;
mod control;
mod evidence;
mod findings;
mod linking;
mod output;
mod project;
mod query_driver;
mod reach;
mod rule_pages;
mod show;
mod solver_trouble;
mod verify;
mod workers;
