use super::*;

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// A file with three values and one tensor of 64 F32 numbers.
fn model() -> Vec<u8> {
    let mut out = b"GGUF".to_vec();
    out.extend_from_slice(&3_u32.to_le_bytes());
    out.extend_from_slice(&1_u64.to_le_bytes());
    out.extend_from_slice(&3_u64.to_le_bytes());
    text(&mut out, "general.architecture");
    out.extend_from_slice(&8_u32.to_le_bytes());
    text(&mut out, "tiny");
    text(&mut out, "tiny.context_length");
    out.extend_from_slice(&4_u32.to_le_bytes());
    out.extend_from_slice(&512_u32.to_le_bytes());
    text(&mut out, "tokenizer.ggml.tokens");
    out.extend_from_slice(&9_u32.to_le_bytes());
    out.extend_from_slice(&8_u32.to_le_bytes());
    out.extend_from_slice(&2_u64.to_le_bytes());
    text(&mut out, "a");
    text(&mut out, "b");
    text(&mut out, "weights");
    out.extend_from_slice(&1_u32.to_le_bytes());
    out.extend_from_slice(&64_u64.to_le_bytes());
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(&0_u64.to_le_bytes());
    out.resize(out.len().next_multiple_of(32) + 256, 0);
    out
}

fn read(bytes: &[u8]) -> Result<Header, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    Header::read(&path).map_err(|error| error.to_string())
}

#[test]
fn a_header_is_read() {
    let header = read(&model()).unwrap();
    assert_eq!(header.text("general.architecture"), Some("tiny"));
    assert_eq!(header.of_architecture("context_length"), Some(512));
    assert_eq!((header.n_tensors, header.least_bytes), (1, model().len() as u64));
    assert_eq!(header.values.len(), 2, "the array of tokens is left out");
}

#[test]
fn a_file_that_was_cut_anywhere_is_refused() {
    let whole = model();
    for n in 0..whole.len() {
        let expected = if n < 4 { "not a GGUF file" } else { "ends too early" };
        assert_eq!(
            read(&whole[..n]).map_err(|error| error.replace("damaged header", "ends too early")),
            Err(expected.to_owned()),
            "cut at {n}"
        );
    }
}

#[test]
fn a_wrong_beginning_version_or_length_is_refused() {
    let changed = |at: usize, byte: u8| {
        let mut bytes = model();
        bytes[at] = byte;
        read(&bytes).map(|_| ())
    };
    assert_eq!(changed(0, b'X'), Err("not a GGUF file".to_owned()));
    assert_eq!(changed(4, 9), Err("GGUF version 9".to_owned()));
    assert_eq!(changed(15, 1), Err("damaged header".to_owned()));
    assert_eq!(changed(31, 1), Err("damaged header".to_owned()));
}

#[test]
fn numbers_that_no_file_can_have_are_damage_and_no_crash() {
    // A tensor that ends where numbers end: behind its name, its one dimension and its type stands where it begins.
    let mut far = model();
    let at = far.windows(7).position(|bytes| bytes == b"weights").unwrap() + 7 + 4 + 8 + 4;
    far[at..at + 8].copy_from_slice(&(u64::MAX - 256).to_le_bytes());
    assert_eq!(read(&far).map(|_| ()), Err("damaged header".to_owned()));

    let mut header = read(&model()).unwrap();
    for key in ["block_count", "attention.head_count_kv", "attention.key_length", "embedding_length"] {
        header.values.insert(format!("tiny.{key}"), HeaderValue::Whole(i64::MAX));
    }
    header.values.insert("tiny.attention.head_count".to_owned(), HeaderValue::Whole(1));
    assert_eq!(header.cache_bytes_per_token(), Some(u64::MAX));
}

#[test]
fn an_alignment_that_no_position_reaches_is_no_crash() {
    let mut out = b"GGUF".to_vec();
    out.extend_from_slice(&3_u32.to_le_bytes());
    out.extend_from_slice(&0_u64.to_le_bytes());
    out.extend_from_slice(&1_u64.to_le_bytes());
    text(&mut out, "general.alignment");
    out.extend_from_slice(&10_u32.to_le_bytes());
    out.extend_from_slice(&i64::MAX.to_le_bytes());
    assert_eq!(read(&out).map(|_| ()), Err("ends too early".to_owned()));
}
