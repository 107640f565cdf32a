use super::*;
use crate::gguf::HeaderValue;

fn header(values: &[(&str, i64)]) -> Header {
    let mut header = Header::default();
    header.values.insert("general.architecture".to_owned(), HeaderValue::Text("tiny".to_owned()));
    for (key, value) in values {
        header.values.insert(format!("tiny.{key}"), HeaderValue::Whole(*value));
    }
    header
}

#[test]
fn the_window_is_never_larger_than_what_the_model_was_trained_for() {
    let cells = |window, trained| {
        let options = LoadOptions { window, ..LoadOptions::default() };
        window_and_cells(&options, &header(&[("context_length", trained)]))
    };
    assert_eq!(cells(8_192, 32_768), (8_192, 12_288));
    assert_eq!(cells(8_192, 8_192), (8_192, 8_192));
    assert_eq!(cells(8_192, 2_048), (2_048, 2_048));
    assert_eq!(cells(1, 2_048), (256, 384));
}

#[test]
fn a_model_that_cannot_fit_is_refused_with_what_it_needs() {
    // 28 layers with 2 heads of 128 at 16 bits: 28 KiB a token.
    let values = [
        ("block_count", 28),
        ("attention.head_count", 12),
        ("attention.head_count_kv", 2),
        ("embedding_length", 1_536),
    ];
    let mut header = header(&values);
    assert_eq!(header.cache_bytes_per_token(), Some(28 << 10));
    header.n_bytes = 1 << 50;
    let sentence = check_memory(&header, "huge", 8_192, 12_288).unwrap_err().to_string();
    let start = "huge needs about 1073742352 MiB with a window of 8192 tokens, but ";
    assert!(sentence.starts_with(start), "{sentence}");
    assert!(
        sentence.ends_with(" MiB are free; close other programs, take a smaller window or a smaller model."),
        "{sentence}"
    );
    header.n_bytes = u64::MAX;
    check_memory(&header, "damaged", u32::MAX, u32::MAX).unwrap_err();
    header.n_bytes = 1;
    check_memory(&header, "small", 256, 256).unwrap();
}

#[test]
fn two_threads_on_one_core_count_once() {
    let processor = |physical: u32, core: u32| {
        format!("processor\t: 0\nphysical id\t: {physical}\ncore id\t\t: {core}\ncpu cores\t: 2\n")
    };
    let text = [processor(0, 0), processor(0, 1), processor(0, 0), processor(0, 1)].join("\n");
    assert_eq!(physical_cores(&text), Some(2));
    assert_eq!(physical_cores("processor : 0\n"), None);
}

#[test]
fn a_file_without_a_chat_template_is_refused() {
    assert_eq!(
        template_source(&Header::default(), "base-model").unwrap_err().to_string(),
        "base-model cannot be used for conversations: its file has no chat template; choose a model that was made for chat."
    );
}
