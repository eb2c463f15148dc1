//! A progress bar, if standard error is a terminal.

use gainsay_report::visible::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(units: usize, quiet: bool) -> Self {
        let bar = ProgressBar::new(units as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} units, {elapsed} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let is_visible = !quiet && std::io::stderr().is_terminal();
        bar.set_draw_target(if is_visible {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        Progress(bar)
    }

    pub(super) fn done(&self, file: &str) {
        self.0.set_message(visible(file).into_owned());
        self.0.inc(1);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
