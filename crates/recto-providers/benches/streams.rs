//! How fast streams are read, and how many splits of the transcripts give the same events.
//!
//! `cargo bench -p recto-providers`; a stream of a real model is some kilobytes a second, so there is room.

use recto_engine::ports::Delta;
use recto_providers::Dialect;
use recto_providers::reading::ReplyReader;
use recto_providers::sse::Decoder;
use recto_testkit::Shape;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// Bytes read in each measurement.
const AMOUNT: usize = 32 * 1024 * 1024;
/// Splits with many cuts.
const RANDOM_SPLITS: usize = 10_000;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let chunk = |text: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let stream = [" word", " 你好", "🦀", "\\n"].map(chunk).concat().repeat(1000);
    for piece in [1, 64, 1400, 16 * 1024] {
        let frames = speed(&stream, |stream| {
            let mut decoder = Decoder::default();
            for bytes in stream.as_bytes().chunks(piece) {
                black_box(decoder.push(bytes));
            }
            black_box(decoder.finish());
        });
        let replies = speed(&stream, |stream| {
            let mut reader = ReplyReader::new(Dialect::OpenAi, Vec::new());
            for bytes in stream.as_bytes().chunks(piece) {
                reader.push(bytes, &mut |delta: Delta| drop(black_box(delta)));
            }
            reader.end(&mut |_| {});
            black_box(reader.result().is_ok());
        });
        writeln!(out, "pieces of {piece:>6} bytes: frames {frames:>7.1} MB/s, replies {replies:>6.1} MB/s")?;
    }
    let transcripts = transcripts()?;
    let (n_splits, n_different) = one_cut(&transcripts);
    writeln!(out, "one-cut splits: {n_splits} of {} transcripts, {n_different} with other events", transcripts.len())?;
    let n_different = many_cuts(&transcripts);
    writeln!(out, "random splits with up to 40 cuts: {RANDOM_SPLITS}, {n_different} with other events")
}

fn speed(stream: &str, read: impl Fn(&str)) -> f64 {
    let rounds = AMOUNT.div_ceil(stream.len());
    let started = Instant::now();
    for _ in 0..rounds {
        read(stream);
    }
    (rounds * stream.len()) as f64 / 1e6 / started.elapsed().as_secs_f64()
}

/// A body and its dialect.
struct Transcript {
    dialect: Dialect,
    bytes: Vec<u8>,
    /// What is told of it when it comes in one piece.
    whole: String,
}

impl Transcript {
    fn new(dialect: Dialect, bytes: Vec<u8>) -> Self {
        let whole = events(dialect, &[&bytes]);
        Self { dialect, bytes, whole }
    }
}

/// Those that were written down in the shapes of real servers, and those that the fake server plays in each interface.
fn transcripts() -> std::io::Result<Vec<Transcript>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let played = std::fs::read_to_string(folder.join("benches/played.txt"))?;
    let mut transcripts = Vec::new();
    for (name, dialect, shape) in [
        ("openai", Dialect::OpenAi, Shape::OpenAi),
        ("ollama", Dialect::Ollama, Shape::Ollama),
        ("anthropic", Dialect::Anthropic, Shape::Anthropic),
    ] {
        for entry in std::fs::read_dir(folder.join("tests/wire/transcripts").join(name))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension != "txt") {
                transcripts.push(Transcript::new(dialect, std::fs::read(path)?));
            }
        }
        let bodies = recto_testkit::bodies(&played, shape).map_err(std::io::Error::other)?;
        transcripts.extend(bodies.into_iter().map(|bytes| Transcript::new(dialect, bytes)));
    }
    Ok(transcripts)
}

/// Every split into two: how many there are, and how many gave other events.
fn one_cut(transcripts: &[Transcript]) -> (usize, usize) {
    let (mut n_splits, mut n_different) = (0, 0);
    for Transcript { dialect, bytes, whole } in transcripts {
        for cut in 0..=bytes.len() {
            n_splits += 1;
            n_different += usize::from(events(*dialect, &[&bytes[..cut], &bytes[cut..]]) != *whole);
        }
    }
    (n_splits, n_different)
}

/// Splits with many cuts, the same in every run: how many gave other events.
fn many_cuts(transcripts: &[Transcript]) -> usize {
    let mut state = 0x5eed_u64;
    // Marsaglia's xorshift; a bench needs no better chance.
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).unwrap_or(0)
    };
    let mut n_different = 0;
    for _ in 0..RANDOM_SPLITS {
        let Transcript { dialect, bytes, whole } = &transcripts[next(transcripts.len())];
        let n_cuts = next(40);
        let mut ends: Vec<usize> = (0..n_cuts).map(|_| next(bytes.len() + 1)).chain([0, bytes.len()]).collect();
        ends.sort_unstable();
        let pieces: Vec<&[u8]> = ends.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        n_different += usize::from(events(*dialect, &pieces) != *whole);
    }
    n_different
}

fn events(dialect: Dialect, pieces: &[&[u8]]) -> String {
    let mut told = Vec::new();
    let mut reader = ReplyReader::new(dialect, Vec::new());
    for piece in pieces {
        reader.push(piece, &mut |delta| told.push(delta));
    }
    reader.end(&mut |delta| told.push(delta));
    format!("{told:?} {:?}", reader.result())
}
