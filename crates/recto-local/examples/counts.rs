//! How far the counts for a model whose vocabulary is not here are off, before anything was learnt of it and after twenty requests. The vocabulary of
//! a model that is here says what is right.
//!
//! `cargo xtask bench counts MODEL.gguf`

use recto_core::calibration::{Calibration, Observation, Scripts, Weights};
use recto_core::context::plan::CountTokens;
use recto_engine::ports::{ModelClient as _, Stop};
use recto_local::{LoadOptions, LocalModel};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Bytes of a request's share of one corpus.
const STRETCH: usize = 600;
/// Requests that are learnt from.
const N_REQUESTS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: PathBuf = std::env::args().nth(1).ok_or("which model? give the path of a GGUF file")?.into();
    let (_switch, stop) = Stop::new();
    let model = LocalModel::load(&path, &LoadOptions::default(), |_| {}, &stop)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |names: &[&str]| -> std::io::Result<String> {
        names.iter().map(|name| std::fs::read_to_string(root.join(name))).collect()
    };
    let corpora = [
        ("English", read(&["README.md", "ARCHITECTURE.md"])?),
        ("Chinese", read(&["crates/recto-local/examples/counts-zh.txt"])?),
        (
            "code",
            read(&["crates/recto-core/src/turn.rs", "crates/recto-core/src/context/plan.rs", "ui/src/view/blocks.ts"])?,
        ),
    ];
    // Even stretches teach, odd ones are what is asked about.
    let stretches: Vec<Vec<&str>> = corpora.iter().map(|(_, text)| cut(text)).collect();
    let mut calibration = Calibration::default();
    for number in 0..N_REQUESTS {
        // A request has a long stretch of one kind and a short one of another, as a question about a file has.
        let (long, short) = (&stretches[number % 3], &stretches[(number / 3 + number + 1) % 3]);
        let texts = [long[number * 2 % (long.len() / 2 * 2).max(1)], &short[0][..short[0].floor_char_boundary(400)]];
        let mut scripts = Scripts::default();
        texts.iter().for_each(|text| scripts.add(Scripts::of(text)));
        let n_read = texts.iter().map(|text| model.count(text)).sum();
        calibration.learn(Observation { scripts, n_known: 0, n_read });
    }
    let mut out = std::io::stdout();
    writeln!(out, "{:<8} {:>8} {:>16} {:>16}", "", "tokens", "before", "after 20")?;
    for ((name, _), stretches) in corpora.iter().zip(&stretches) {
        let asked: Vec<&str> = stretches.iter().skip(1).step_by(2).copied().collect();
        let right: u32 = asked.iter().map(|text| model.count(text)).sum();
        let off = |counter: Weights| {
            let counted: u32 = asked.iter().map(|text| counter.count(text)).sum();
            format!("{counted} ({:+.1} %)", 100.0 * (f64::from(counted) / f64::from(right) - 1.0))
        };
        writeln!(out, "{name:<8} {right:>8} {:>16} {:>16}", off(Weights::default()), off(calibration.weights()))?;
    }
    writeln!(out, "said of itself: ± {} %", calibration.error_percent().map_or(0, u32::from))?;
    Ok(())
}

fn cut(text: &str) -> Vec<&str> {
    let mut stretches = Vec::new();
    let mut rest = text;
    while rest.len() > STRETCH {
        let (one, behind) = rest.split_at(rest.floor_char_boundary(STRETCH));
        stretches.push(one);
        rest = behind;
    }
    stretches
}
