//! Ctrl-C, one press after the other. A press that comes while nobody looks is not lost.

use anyhow::Context as _;
use std::process::ExitCode;

#[cfg(unix)]
type Presses = tokio::signal::unix::Signal;
#[cfg(windows)]
type Presses = tokio::signal::windows::CtrlC;

/// The exit code of a program that Ctrl-C ended, as shells know it.
const INTERRUPTED: u8 = 130;

/// The presses of Ctrl-C since the program began.
#[derive(Debug)]
pub(crate) struct Interrupts(Presses);

impl Interrupts {
    /// Listens from now on; the system no longer ends the program by itself.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        #[cfg(unix)]
        let presses = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
        #[cfg(windows)]
        let presses = tokio::signal::windows::ctrl_c();
        Ok(Self(presses.context("cannot listen to Ctrl-C")?))
    }

    /// Ends with the next press.
    pub(crate) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            // Nobody can press any more.
            std::future::pending::<()>().await;
        }
    }
}

/// Ends the program at once: whoever presses twice does not want to wait.
pub(crate) fn end_now() -> ! {
    eprintln!();
    std::process::exit(INTERRUPTED.into())
}

/// How a program ends that was asked to by Ctrl-C.
pub(crate) fn interrupted() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}
