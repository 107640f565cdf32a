//! The fake model as a program, for journeys in the window: plays a script until it is ended.

use anyhow::Context as _;
use clap::Parser;
use recto_testkit::{FakeModel, RecordedRequest};
use serde_json::json;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

/// Serves an OpenAI-compatible model that plays a script.
#[derive(Parser)]
struct Options {
    /// Port on the loopback address; 0 takes a free one. The address is the first line of the output.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The script; its language is described in the crate `recto-testkit`, module `script`.
    #[arg(long)]
    script: PathBuf,
    /// Every chat request, one JSON object a line.
    #[arg(long)]
    log: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let text = std::fs::read_to_string(&options.script).with_context(|| format!("{}", options.script.display()))?;
    let script = text.parse().with_context(|| format!("{}", options.script.display()))?;
    let log = match &options.log {
        Some(path) => Some(Mutex::new(File::create(path).with_context(|| format!("{}", path.display()))?)),
        None => None,
    };
    let watch = move |request: &RecordedRequest, faults: &[String]| {
        for fault in faults {
            eprintln!("fault: {fault}");
        }
        if let Some(Ok(mut file)) = log.as_ref().map(Mutex::lock) {
            let line = json!({
                "method": request.method, "path": request.path, "headers": request.headers, "body": request.text(), "faults": faults,
            });
            if let Err(error) = writeln!(file, "{line}") {
                eprintln!("the log cannot be written: {error}");
            }
        }
    };
    let server = FakeModel::serve(script, options.port, Some(Box::new(watch)))?;
    writeln!(std::io::stdout(), "{}", server.url())?;
    loop {
        std::thread::park();
    }
}
