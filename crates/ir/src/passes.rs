//! Passes: one free function per file, value in, value out.

pub mod prune;
