//! Running other programs, and telling the person about it.

use anyhow::{Context as _, Result, bail};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Says what is being done, on stderr.
pub(crate) fn say(sentence: &str) {
    // A closed stderr must not stop the work; there would be nobody left to tell.
    let _ = writeln!(io::stderr(), "recto: {sentence}");
}

/// Prints a result, on stdout.
pub(crate) fn print(line: &str) {
    // As above: a reader that went away (`| head`) is no reason to fail.
    let _ = writeln!(io::stdout(), "{line}");
}

/// A command in a folder.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command
}

/// Runs a command whose output the person should see on stderr, and insists that it succeeds.
///
/// # Errors
/// If it cannot be started, or if it fails; the sentence names the command.
pub(crate) fn must(command: &mut Command) -> Result<()> {
    let status = status(command.stdout(io::stderr()))?;
    if !status.success() {
        bail!("`{}` failed ({}): its own words are above", written(command), reason(status));
    }
    Ok(())
}

/// Runs a command to its end.
///
/// # Errors
/// If it cannot be started.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("`{}` cannot be started: is it installed?", written(command)))
}

/// The first line of what a command prints; None if it cannot be run or fails.
pub(crate) fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    output(program, arguments).map(|text| text.lines().next().unwrap_or_default().to_owned())
}

/// The last line of what a command prints; None if it cannot be run or fails.
pub(crate) fn last_line(program: &str, arguments: &[&str]) -> Option<String> {
    output(program, arguments).and_then(|text| text.lines().last().map(str::to_owned))
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command as one would type it.
pub(crate) fn written(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Why a program ended.
pub(crate) fn reason(status: ExitStatus) -> String {
    status.code().map_or_else(|| "ended by a signal".to_owned(), |code| format!("exit code {code}"))
}

/// The exit code that passes on how a program ended.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::FAILURE,
    }
}

/// How long `work` took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
