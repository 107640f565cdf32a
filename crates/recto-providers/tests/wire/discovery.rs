//! M3: which models there are, and the window that they really have.

use recto_providers::address::ServerAddress;
use recto_providers::{Dialect, DiscoveredModel, Secret, Tokenizer, Trouble, WindowSource, discover};
use recto_testkit::FakeModel;

async fn found(server: &FakeModel) -> Result<Vec<DiscoveredModel>, Trouble> {
    let key = Secret::new("sk-canary-4");
    let found = discover(&ServerAddress::parse(&server.url(), false).unwrap(), Some(&key)).await?;
    assert_eq!(found.dialect, Dialect::OpenAi);
    Ok(found.models)
}

fn model(name: &str, window: u32, source: WindowSource) -> DiscoveredModel {
    DiscoveredModel { name: name.into(), window, source, takes_tools: None, counts: false }
}

#[tokio::test]
async fn models_m3_the_window_of_a_slot_is_the_true_one() {
    let server = FakeModel::start("offers qwen window 32768\nprops 8192");
    assert_eq!(found(&server).await.unwrap(), [model("qwen", 8192, WindowSource::Running)]);
    let asked: Vec<String> =
        server.requests().into_iter().map(|request| format!("{} {}", request.method, request.path)).collect();
    assert_eq!(asked, ["GET /v1/models", "GET /props", "POST /tokenize"]);
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-canary-4"));
}

#[tokio::test]
async fn models_m2_a_server_that_counts_says_so_and_is_asked_once_for_each_text() {
    let server = FakeModel::start("offers qwen\nprops 8192\ncounts");
    let [found] = &found(&server).await.unwrap()[..] else { panic!("one model") };
    assert!(found.counts);
    let n_before = server.requests().len();
    let address = ServerAddress::parse(&server.url(), false).unwrap();
    let tokenizer = Tokenizer::new(&address, Some(&Secret::new("sk-canary-4"))).unwrap();
    let said: Vec<Option<u32>> = ["kiln", "窑\n", "kiln", ""].iter().map(|text| tokenizer.count(text)).collect();
    assert_eq!(said, [Some(4), Some(2), Some(4), Some(0)]);
    let asked = &server.requests()[n_before..];
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].header("authorization"), Some("Bearer sk-canary-4"));
    drop(server);
    assert_eq!((tokenizer.count("kiln"), tokenizer.is_lost()), (Some(4), false));
    assert_eq!((tokenizer.count("other"), tokenizer.is_lost(), tokenizer.count("kiln")), (None, true, None));
}

#[tokio::test]
async fn models_m3_a_window_that_nobody_says_is_marked_as_assumed() {
    let server = FakeModel::start("offers listed window 32768\noffers plain");
    assert_eq!(
        found(&server).await.unwrap(),
        [model("listed", 32768, WindowSource::Listed), model("plain", 8192, WindowSource::Assumed)]
    );
}

#[tokio::test]
async fn models_m3_ollama_is_told_by_what_it_says_and_each_model_has_the_window_that_will_be_asked_for() {
    let server = FakeModel::start(
        "offers large\noffers small\noffers default\noffers tiny\noffers unknown\n\
         loads large window 16384\nloads default window 4096\n\
         shows large window 40960\nshows small window 32768\nshows default window 32768\nshows tiny window 2048",
    );
    let found = discover(&ServerAddress::parse(&server.url(), false).unwrap(), None).await.unwrap();
    assert_eq!(found.dialect, Dialect::Ollama);
    let known = |name, window, source| DiscoveredModel { takes_tools: Some(true), ..model(name, window, source) };
    assert_eq!(
        found.models,
        [
            known("large", 16384, WindowSource::Running),
            known("small", 8192, WindowSource::Requested),
            // It is loaded with less than it is worth working with, so more is asked for.
            known("default", 8192, WindowSource::Requested),
            known("tiny", 2048, WindowSource::Requested),
            model("unknown", 8192, WindowSource::Requested),
        ]
    );
}

#[tokio::test]
async fn models_m3_anthropic_is_told_by_its_address_and_asked_with_its_own_headers() {
    let server = FakeModel::start("offers claude-sonnet-5\noffers claude-opus-5 window 1000000");
    let url = server.url().replace("/v1", "/anthropic/v1");
    let address = ServerAddress::parse(&url, false).unwrap();
    let found = discover(&address, Some(&Secret::new("sk-canary-4"))).await.unwrap();
    assert_eq!(found.dialect, Dialect::Anthropic);
    assert_eq!(
        found.models,
        [
            model("claude-sonnet-5", 200_000, WindowSource::Assumed),
            // The fake says it as llama-server does.
            model("claude-opus-5", 1_000_000, WindowSource::Listed),
        ]
    );
    let [asked] = &server.requests()[..] else { panic!("one question") };
    assert_eq!(asked.path, "/anthropic/v1/models?limit=1000");
    assert_eq!((asked.header("x-api-key"), asked.header("authorization")), (Some("sk-canary-4"), None));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
    for (typed, dialect) in [
        ("https://api.anthropic.com", Dialect::Anthropic),
        ("https://api.anthropic.com/v1/messages", Dialect::Anthropic),
        ("https://api.minimax.io/anthropic/v1", Dialect::Anthropic),
        ("https://anthropic.example.com", Dialect::OpenAi),
    ] {
        assert_eq!(Dialect::of_address(&ServerAddress::parse(typed, false).unwrap()), dialect, "{typed}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_or_gives_no_list_is_a_sentence() {
    let address = ServerAddress::parse("127.0.0.1:1", false).unwrap();
    let trouble = discover(&address, None).await.unwrap_err();
    assert_eq!(trouble.sentence, "Nothing answers at 127.0.0.1:1. Start the server or choose another model.");
}
