//! What the one door to the disk lets through when somebody tries: `cargo xtask bench door`.
//!
//! Three figures, each of which has to be 0: raced changes that reached a file outside or took a file that was not shown; changes that
//! nobody approved, found by a walk of its own over the disk; and paths that mean harm on some platform and were accepted.

mod calls;
mod dice;
mod disk;
mod names;
#[cfg(target_os = "linux")]
mod races;

use std::error::Error;
use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// How much is tried, and where.
struct Options {
    races: u64,
    calls: u64,
    names: usize,
    folder: PathBuf,
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        // In memory a flush costs nothing, so that much more is tried in the same time.
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let mut options = Self { races: 100_000, calls: 20_000, names: 2_000, folder };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            match name.as_str() {
                "--races" => options.races = value.parse()?,
                "--calls" => options.calls = value.parse()?,
                "--names" => options.names = value.parse()?,
                "--folder" => options.folder = value.into(),
                _ => return Err(format!("there is no option `{name}`").into()),
            }
        }
        Ok(options)
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::read()?;
    let mut is_clean = true;
    #[cfg(target_os = "linux")]
    {
        let raced = races::run(&options.folder, options.races).await?;
        is_clean &= raced.is_clean();
        writeln!(stdout(), "{raced}")?;
    }
    #[cfg(not(target_os = "linux"))]
    writeln!(stdout(), "races        not run: two names are exchanged in one step on Linux only")?;
    let called = calls::run(&options.folder, options.calls).await?;
    is_clean &= called.is_clean();
    writeln!(stdout(), "{called}")?;
    let named = names::run(options.names);
    is_clean &= named.is_clean();
    writeln!(stdout(), "{named}")?;
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
