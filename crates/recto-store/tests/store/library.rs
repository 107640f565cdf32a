//! The library: what was added can be found, what was removed is nowhere, and no question is an error.

use crate::entries::Scratch;
use expect_test::expect;
use recto_core::library::{DocumentKind, Form, Section, Unit, chunks};
use recto_core::text::ContentHash;
use recto_store::Store;
use recto_store::library::{DocumentState, NewDocument, RootRow, prepare};
use rusqlite::Connection;

async fn write(store: &Store, root: i64, path: &str, text: &str) {
    let section =
        Section { form: Form::Markdown, unit: Unit::Line, first: 1, sheet: String::new(), text: text.to_owned() };
    let document = NewDocument {
        root,
        path: path.into(),
        kind: DocumentKind::Markdown,
        n_bytes: text.len() as u64,
        modified_ms: 7,
        hash: Some(ContentHash::of(text.as_bytes())),
        state: DocumentState::Read,
        chunks: chunks(&[section]),
    };
    store.index_document(prepare(document)).await.unwrap();
}

/// A library of two roots.
async fn library(scratch: &Scratch) -> Store {
    let store = scratch.open().store;
    let notes = store.add_library_root("/home/me/notes".into(), 1).await.unwrap();
    let other = store.add_library_root("/home/me/other".into(), 2).await.unwrap();
    write(
        &store,
        notes,
        "tide.md",
        "# Gauges\n\nThe threshold for an alert at the north pier is 4.2 metres.\n\n# 潮位\n\n北站的警报阈值是四米。\n",
    )
    .await;
    write(&store, notes, "code.md", "Call `readFileSync` and then `reschedule_all(\"x\")`.\n").await;
    write(&store, other, "trip.md", "The train to Oslo leaves at nine from the north station.\n").await;
    for number in 0..20 {
        write(&store, other, &format!("filler/{number}.md"), &format!("Filler number {number} says nothing at all.\n"))
            .await;
    }
    store
}

async fn found(store: &Store, question: &str) -> String {
    let found = store.search_library(question, 3).await.unwrap();
    let lines =
        found.iter().map(|found| format!("p{} {:.2} {}\n", found.passage.id, found.score, found.passage.label()));
    lines.collect()
}

#[tokio::test]
async fn a_question_finds_passages_in_both_languages_by_words_forms_and_parts() {
    let scratch = Scratch::new();
    let store = library(&scratch).await;
    let mut said = String::new();
    for question in [
        "What are the alert thresholds?",
        "警报阈值是多少？",
        "潮位",
        "When does the train leave for Oslo?",
        "readFile",
        "schedule",
        "north",
        "What is the capital of France?",
    ] {
        said.push_str(&format!("{question}\n{}", found(&store, question).await));
    }
    expect![[r#"
        What are the alert thresholds?
        p1 0.37 tide.md › Gauges, line 3
        警报阈值是多少？
        p2 0.46 tide.md › 潮位, line 7
        潮位
        p2 0.46 tide.md › 潮位, line 7
        When does the train leave for Oslo?
        p4 0.43 trip.md, line 1
        readFile
        p3 0.30 code.md, line 1
        schedule
        p3 0.30 code.md, line 1
        north
        p4 0.43 trip.md, line 1
        p1 0.37 tide.md › Gauges, line 3
        What is the capital of France?
    "#]]
    .assert_eq(&said);
}

#[tokio::test]
async fn attack_any_text_is_a_question() {
    let scratch = Scratch::new();
    let store = library(&scratch).await;
    let long = "tide ".repeat(100_000);
    for question in [
        "",
        " ",
        "\"",
        "\"\"\"",
        "a\" OR b",
        "NEAR(a b",
        "north AND NOT (",
        "words:north",
        "*",
        "north*",
        "^north",
        "-north",
        "{a}:b",
        "🦀🦀",
        "\0north",
        "'; DROP TABLE library_chunks; --",
        "e\u{301}",
        "%_",
        "的",
        "\u{202e}north",
        &long,
    ] {
        store.search_library(question, 6).await.unwrap();
    }
    assert!(found(&store, "\"north\" AND (pier").await.starts_with("p1 "));
}

#[tokio::test]
async fn a_passage_keeps_its_name_while_its_text_stands_in_the_document() {
    let scratch = Scratch::new();
    let store = library(&scratch).await;
    write(
        &store,
        1,
        "tide.md",
        "Something new first.\n\n# Gauges\n\nThe threshold for an alert at the north pier is 4.2 metres.\n",
    )
    .await;
    let passage = store.passage(1).await.unwrap().unwrap();
    assert_eq!(passage.label(), "tide.md › Gauges, line 5");
    assert_eq!(store.passage(2).await.unwrap(), None);
    assert_eq!(found(&store, "警报阈值").await, "");
    assert_eq!(store.search_library("Something new", 1).await.unwrap()[0].passage.id, 25);
}

#[tokio::test]
async fn a_document_of_many_transactions_is_found_whole_and_one_that_was_not_finished_is_known() {
    let scratch = Scratch::new();
    let store = scratch.open().store;
    let root = store.add_library_root("/r".into(), 1).await.unwrap();
    let text: String =
        (0..500).map(|number| format!("# Part {number}\n\nThe word of it is marker{number}.\n\n")).collect();
    write(&store, root, "long.md", &text).await;
    assert_eq!(store.library_roots().await.unwrap()[0].n_passages, 500);
    assert_eq!(store.search_library("marker499", 1).await.unwrap()[0].passage.headings, ["Part 499"]);
    drop(store);
    let connection = Connection::open(scratch.path()).unwrap();
    connection.execute("UPDATE library_documents SET state = 'partial', hash = NULL", []).unwrap();
    drop(connection);
    let store = scratch.open().store;
    assert_eq!(store.library_documents(root).await.unwrap()[0].state, DocumentState::Partial);
}

#[tokio::test]
async fn what_cannot_be_read_is_counted_and_listed_with_its_reason() {
    let scratch = Scratch::new();
    let store = library(&scratch).await;
    let document = NewDocument {
        root: 1,
        path: "scan.pdf".into(),
        kind: DocumentKind::Pdf,
        n_bytes: 9,
        modified_ms: 7,
        hash: None,
        state: DocumentState::Unread("no text was found".into()),
        chunks: Vec::new(),
    };
    store.index_document(prepare(document)).await.unwrap();
    let unread = store.unread_library_documents().await.unwrap();
    assert_eq!((unread.len(), unread[0].path.as_str()), (1, "scan.pdf"));
    assert_eq!(unread[0].state, DocumentState::Unread("no text was found".into()));
    let expected = RootRow {
        id: 1,
        path: "/home/me/notes".into(),
        read_at_ms: None,
        reason: None,
        n_documents: 2,
        n_unread: 1,
        n_passages: 3,
        n_bytes: store.library_roots().await.unwrap()[0].n_bytes,
    };
    assert_eq!(store.library_roots().await.unwrap()[0], expected);
}

#[tokio::test]
async fn a_removed_root_leaves_no_row_and_no_word_in_the_file() {
    let scratch = Scratch::new();
    let store = library(&scratch).await;
    store.remove_library_root(1).await.unwrap();
    assert_eq!(found(&store, "alert threshold reschedule").await, "");
    assert!(found(&store, "Oslo").await.starts_with("p4 "));
    drop(store);
    let bytes = std::fs::read(scratch.path()).unwrap();
    let stands = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    for word in ["threshold", "阈值", "reschedul", "readFileSync", "/home/me/notes"] {
        assert!(!stands(word), "{word}");
    }
    assert!(stands("Oslo"));
    let store = scratch.open().store;
    store.remove_library_root(2).await.unwrap();
    assert!(store.library_is_empty().await.unwrap());
    assert!(store.remove_library_root(2).await.is_err());
    drop(store);
    let connection = Connection::open(scratch.path()).unwrap();
    for table in ["library_roots", "library_documents", "library_chunks", "library_words", "library_parts"] {
        let n_rows: u32 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(n_rows, 0, "{table}");
    }
}
