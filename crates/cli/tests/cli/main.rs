//! gainsay as its users meet it: started as a process, judged by its output and exit code.

mod bad_input;
mod build_flags;
mod edges;
mod output;
mod project;
mod rule_pages;
mod reach;
mod show;
mod workers;
