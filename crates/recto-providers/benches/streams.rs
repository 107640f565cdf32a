//! How fast streams are read, and how many splits of the transcripts give the same events.
//!
//! `cargo bench -p recto-providers`; a stream of a real model is some kilobytes a second, so there is room.

use recto_engine::ports::Delta;
use recto_providers::openai::reading::ReplyReader;
use recto_providers::sse::Decoder;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// Bytes read in each measurement.
const AMOUNT: usize = 32 * 1024 * 1024;

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
            let mut reader = ReplyReader::new(Vec::new());
            for bytes in stream.as_bytes().chunks(piece) {
                reader.push(bytes, &mut |delta: Delta| drop(black_box(delta)));
            }
            reader.end(&mut |_| {});
            black_box(reader.result().is_ok());
        });
        writeln!(out, "pieces of {piece:>6} bytes: frames {frames:>7.1} MB/s, replies {replies:>6.1} MB/s")?;
    }
    let (transcripts, splits, different) = splits()?;
    writeln!(out, "one-cut splits: {splits} of {transcripts} transcripts, {different} with other events")
}

fn speed(stream: &str, read: impl Fn(&str)) -> f64 {
    let rounds = AMOUNT.div_ceil(stream.len());
    let started = Instant::now();
    for _ in 0..rounds {
        read(stream);
    }
    (rounds * stream.len()) as f64 / 1e6 / started.elapsed().as_secs_f64()
}

/// Transcripts, splits tried, splits that gave other events.
fn splits() -> std::io::Result<(usize, usize, usize)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/transcripts");
    let (mut transcripts, mut splits, mut different) = (0, 0, 0);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        let bytes = std::fs::read(path)?;
        let whole = events(&[&bytes]);
        transcripts += 1;
        for cut in 0..=bytes.len() {
            splits += 1;
            different += usize::from(events(&[&bytes[..cut], &bytes[cut..]]) != whole);
        }
    }
    Ok((transcripts, splits, different))
}

fn events(pieces: &[&[u8]]) -> String {
    let mut told = Vec::new();
    let mut reader = ReplyReader::new(Vec::new());
    for piece in pieces {
        reader.push(piece, &mut |delta| told.push(delta));
    }
    reader.end(&mut |delta| told.push(delta));
    format!("{told:?} {:?}", reader.result())
}
