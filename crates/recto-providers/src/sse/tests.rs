use super::*;
use proptest::prelude::*;

fn event(event: &str, data: &str) -> Frame {
    Frame::Event { event: event.into(), data: data.into() }
}

fn read(pieces: &[&[u8]]) -> Vec<Frame> {
    let mut decoder = Decoder::default();
    let mut frames: Vec<Frame> = pieces.iter().flat_map(|piece| decoder.push(piece)).collect();
    frames.extend(decoder.finish());
    frames
}

/// The frames are the same whole, in every two pieces and byte by byte.
fn check(bytes: &[u8], expected: &[Frame]) {
    assert_eq!(read(&[bytes]), expected);
    for at in 0..=bytes.len() {
        assert_eq!(read(&[&bytes[..at], &bytes[at..]]), expected, "cut at {at}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read(&single), expected, "byte by byte");
}

#[test]
fn lines_end_with_lf_cr_or_crlf() {
    for end in ["\n", "\r", "\r\n"] {
        let stream = format!("event: a{end}data: 1{end}{end}data: 2{end}{end}");
        check(stream.as_bytes(), &[event("a", "1"), event("", "2")]);
    }
    check(b"data: 1\r\n\rdata: 2\n\r\n", &[event("", "1"), event("", "2")]);
}

#[test]
fn fault_f18_the_same_text_in_every_spelling_of_a_stream() {
    check("\u{feff}data:a\n\n".as_bytes(), &[event("", "a")]);
    check(b"data:  a\n\n", &[event("", " a")]);
    check(b"data: a\ndata\ndata: b\n\n", &[event("", "a\n\nb")]);
    check(b"data: no blank line at the end", &[event("", "no blank line at the end")]);
    check("data: a\u{2028}b\u{85}c\n\n".as_bytes(), &[event("", "a\u{2028}b\u{85}c")]);
    check(b"id: 7\nretry: 100\nunknown: x\ndata: a\n\n", &[event("", "a")]);
    check(b"event: lonely\n\ndata: a\n\n", &[event("", "a")]);
    check(b"error: {}\n\n", &[event("error", "{}")]);
    check(b"data:\n\n", &[event("", "")]);
}

#[test]
fn comments_are_signs_of_life_and_part_no_frame() {
    check(b": ping\n\ndata: a\n:\ndata: b\n\n", &[Frame::Comment, Frame::Comment, event("", "a\nb")]);
}

#[test]
fn fault_f17_characters_may_be_split_and_a_broken_byte_stops_nothing() {
    check("data: 你好🦀\n\n".as_bytes(), &[event("", "你好🦀")]);
    check(b"data: a\xffb\xe4\xbd\n\ndata: c\0d\n\n", &[event("", "a\u{fffd}b\u{fffd}"), event("", "c\0d")]);
}

#[test]
fn fault_f16_a_line_over_the_limit_ends_the_stream_and_holds_no_memory() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.push(b"data: a\n\ndata: "), [event("", "a")]);
    let megabyte = vec![b'x'; 1024 * 1024];
    let mut frames: Vec<Frame> = (0..7).flat_map(|_| decoder.push(&megabyte)).collect();
    assert_eq!(frames, []);
    frames.extend((0..100).flat_map(|_| decoder.push(&megabyte)));
    frames.extend(decoder.push(b"\n\ndata: late\n\n"));
    frames.extend(decoder.finish());
    assert_eq!(frames, [Frame::TooLong]);
    assert_eq!(decoder.line.capacity(), 0);
}

#[test]
fn fault_f16_a_frame_of_many_lines_has_the_same_limit() {
    let mut decoder = Decoder::default();
    let line = format!("data: {}\n", "x".repeat(1024 * 1024));
    let frames: Vec<Frame> = (0..9).flat_map(|_| decoder.push(line.as_bytes())).collect();
    assert_eq!(frames, [Frame::TooLong]);
}

/// The same rules, written as slowly and plainly as they can be, over the whole stream at once.
fn reference(bytes: &[u8]) -> Vec<Frame> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut unified = Vec::new();
    let mut index = 0;
    while index < bytes.len() {
        unified.push(if bytes[index] == b'\r' { b'\n' } else { bytes[index] });
        index += if bytes[index..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    let mut frames = Vec::new();
    let (mut name, mut data): (String, Vec<String>) = (String::new(), Vec::new());
    let mut lines: Vec<&[u8]> = unified.split(|byte| *byte == b'\n').collect();
    lines.push(b"");
    for line in lines {
        if line.is_empty() {
            if !data.is_empty() {
                frames.push(event(&name, &data.join("\n")));
            }
            name.clear();
            data.clear();
            continue;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if line[0] == b':' {
            frames.push(Frame::Comment);
            continue;
        }
        let mut halves = line.splitn(2, |byte| *byte == b':');
        let field = halves.next().unwrap_or_default();
        let value = halves.next().unwrap_or_default();
        let value = text(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"event" => name = value,
            b"data" => data.push(value),
            b"error" => {
                name = "error".into();
                data.push(value);
            }
            _ => {}
        }
    }
    frames
}

proptest! {
    #[test]
    fn models_m2_any_bytes_in_any_pieces_give_what_a_plain_reading_of_the_whole_gives(
        words in prop::collection::vec(
            prop::sample::select(vec![
                &b"data"[..], b":", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"event", b"error", b"id", b"\xef\xbb\xbf", b"\xe4", b"\xbd\xa0",
                b"\xf0\x9f\xa6\x80", b"\xff", b"\0", b"data: x\n", b"{\"a\":1}", b"[DONE]",
            ]),
            0..40,
        ),
        cuts in prop::collection::vec(0_usize..200, 0..8),
    ) {
        let bytes = words.concat();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).chain([0, bytes.len()]).collect();
        ends.sort_unstable();
        let pieces: Vec<&[u8]> = ends.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(&pieces), reference(&bytes));
    }
}
