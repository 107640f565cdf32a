//! Transcripts in the shapes of real servers. Where a transcript is cut makes no difference to what is told.

use proptest::prelude::*;
use recto_engine::ports::Delta;
use recto_providers::Dialect;
use recto_providers::reading::ReplyReader;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A recorded body.
struct Transcript {
    dialect: Dialect,
    /// Its dialect and name.
    name: String,
    bytes: Vec<u8>,
}

fn transcripts() -> Vec<Transcript> {
    let of = |folder: &str, dialect: Dialect| -> Vec<Transcript> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/transcripts").join(folder);
        let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension != "txt"));
        files.sort();
        let transcript = |file: PathBuf| Transcript {
            dialect,
            name: format!("{folder}/{}", file.file_stem().unwrap().to_string_lossy()),
            bytes: std::fs::read(&file).unwrap(),
        };
        files.into_iter().map(transcript).collect()
    };
    [("openai", Dialect::OpenAi), ("ollama", Dialect::Ollama), ("anthropic", Dialect::Anthropic)]
        .into_iter()
        .flat_map(|(folder, dialect)| of(folder, dialect))
        .collect()
}

/// Everything that is told, and how it ends. Neighbouring pieces of text stay apart: they are told frame by frame.
fn read(dialect: Dialect, pieces: &[&[u8]]) -> String {
    let mut told = String::new();
    let mut reader = ReplyReader::new(dialect, Vec::new());
    let mut tell = |delta: Delta| writeln!(told, "{delta:?}").unwrap();
    for piece in pieces {
        reader.push(piece, &mut tell);
    }
    reader.end(&mut tell);
    match reader.result() {
        Ok(reply) => write!(told, "{reply:#?}").unwrap(),
        Err(broken) => write!(told, "{:?}\n{:#?}", broken.fault, broken.partial).unwrap(),
    }
    told
}

#[test]
fn models_m2_every_one_cut_split_gives_the_same_events() {
    let transcripts = transcripts();
    assert!(transcripts.len() >= 50, "only {} transcripts", transcripts.len());
    for Transcript { dialect, name, bytes } in transcripts {
        let whole = read(dialect, &[&bytes]);
        expect_test::expect_file![format!("transcripts/{name}.txt")].assert_eq(&whole);
        for cut in 0..=bytes.len() {
            assert_eq!(read(dialect, &[&bytes[..cut], &bytes[cut..]]), whole, "{name} cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(dialect, &single), whole, "{name} byte by byte");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn models_m2_every_other_split_gives_the_same_events(
        which in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
    ) {
        let transcripts = transcripts();
        let Transcript { dialect, bytes, .. } = &transcripts[which.index(transcripts.len())];
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).chain([0, bytes.len()]).collect();
        ends.sort_unstable();
        let pieces: Vec<&[u8]> = ends.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(*dialect, &pieces), read(*dialect, &[bytes]));
    }

    #[test]
    fn fault_f10_a_transcript_cut_anywhere_loses_nothing_that_had_arrived(
        which in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let transcripts = transcripts();
        let Transcript { dialect, bytes, .. } = &transcripts[which.index(transcripts.len())];
        let part = &bytes[..cut.index(bytes.len() + 1)];
        let mut text = String::new();
        let mut reader = ReplyReader::new(*dialect, Vec::new());
        reader.push(part, &mut |delta| if let Delta::Text(more) = delta { text.push_str(&more) });
        let partial = reader.so_far(recto_core::reply::Finish::Unmarked);
        prop_assert!(partial.text.starts_with(&text), "{:?} told, {:?} kept", text, partial.text);
    }
}
