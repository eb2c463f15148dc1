//! gainsay as its users meet it: started as a process, judged by its output and exit code.

mod bad_input;
mod beliefs;
mod boundary;
mod build_flags;
mod cache;
mod edges;
mod evidence;
mod findings;
mod horn;
mod output;
mod project;
mod reach;
mod rule_pages;
mod show;
mod solver_trouble;
mod verify;
mod witness;
mod workers;
