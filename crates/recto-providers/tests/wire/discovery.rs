//! M3: which models there are, and the window that they really have.

use recto_providers::address::ServerAddress;
use recto_providers::{DiscoveredModel, Secret, Trouble, WindowSource, discover};
use recto_testkit::FakeModel;

async fn found(server: &FakeModel) -> Result<Vec<DiscoveredModel>, Trouble> {
    discover(&ServerAddress::parse(&server.url(), false).unwrap(), Some(&Secret::new("sk-canary-4"))).await
}

fn model(name: &str, window: u32, source: WindowSource) -> DiscoveredModel {
    DiscoveredModel { name: name.into(), window, source }
}

#[tokio::test]
async fn models_m3_the_window_of_a_slot_is_the_true_one() {
    let server = FakeModel::start("offers qwen window 32768\nprops 8192");
    assert_eq!(found(&server).await.unwrap(), [model("qwen", 8192, WindowSource::Running)]);
    let asked: Vec<String> =
        server.requests().into_iter().map(|request| format!("{} {}", request.method, request.path)).collect();
    assert_eq!(asked, ["GET /v1/models", "GET /props"]);
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-canary-4"));
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
async fn models_m3_a_model_that_ollama_has_loaded_has_the_window_it_was_loaded_with() {
    let server = FakeModel::start("offers qwen3:8b\noffers llama3.2:latest\nloads qwen3:8b window 16384");
    assert_eq!(
        found(&server).await.unwrap(),
        [model("qwen3:8b", 16384, WindowSource::Running), model("llama3.2:latest", 4096, WindowSource::Assumed)]
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_or_gives_no_list_is_a_sentence() {
    let address = ServerAddress::parse("127.0.0.1:1", false).unwrap();
    let trouble = discover(&address, None).await.unwrap_err();
    assert_eq!(trouble.sentence, "Nothing answers at 127.0.0.1:1. Start the server or choose another model.");
}
