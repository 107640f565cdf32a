//! F-71: a model of the catalogue comes into the models folder and can be chosen; files elsewhere are added where they are, or refused
//! with a reason.

use crate::world::World;
use recto_app::{FileError, ModelId, OfferedFile};
use std::io::{Read as _, Write as _};
use std::path::Path;

/// SHA-256 of `a model`.
const HASH: &str = "97ff8a35544dcf40ad84047074439dd6aa3a0be469ea578a1b1c017d939ec61c";

fn publisher() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/m.gguf", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let n = stream.read(&mut request).unwrap();
            let body = if request[..n].starts_with(b"GET") { "a model" } else { "" };
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\nx-linked-etag: \"{HASH}\"\r\nx-linked-size: 7\r\ncontent-length: 7\r\n\r\n"
            );
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    url
}

fn offered(address: String, sha256: Option<&str>) -> OfferedFile {
    OfferedFile {
        id: "tiny".into(),
        title: "Tiny".into(),
        file: "tiny.gguf".into(),
        n_bytes: None,
        licence: "MIT".into(),
        publisher: "test".into(),
        address,
        sha256: sha256.map(str::to_owned),
        memory_mib: None,
        context_length: 4096,
    }
}

async fn ids(world: &World) -> Vec<String> {
    world.app.models().await.unwrap().into_iter().map(|row| row.id.0).collect()
}

#[tokio::test]
async fn failure_f71_a_model_is_downloaded_checked_listed_and_deleted_again() {
    let world = World::new("offers a\n", Vec::new()).await;
    let url = publisher();
    let wrong = world.app.get_offered(offered(url.clone(), Some(&"0".repeat(64)))).await.unwrap_err();
    assert_eq!(wrong.to_string(), "the publisher has another file under this address now; it was not fetched");
    assert!(ids(&world).await.is_empty());
    let id = world.app.get_offered(offered(url, None)).await.unwrap();
    assert_eq!((id.0.as_str(), ids(&world).await), ("tiny", vec!["tiny".to_owned()]));
    assert!(world.app.downloads().is_empty());
    let file = world.app.models_folder().join("tiny.gguf");
    assert_eq!(std::fs::read(&file).unwrap(), b"a model");
    world.app.choose_model(id.clone()).await.unwrap();
    world.app.remove_model_file(&id).await.unwrap();
    assert!(!file.exists() && ids(&world).await.is_empty());
    let unknown = world.app.get_model("no-such").await.unwrap_err();
    assert!(matches!(unknown, FileError::NotOffered(_)), "{unknown}");
}

#[tokio::test]
async fn a_file_that_is_no_usable_model_is_refused_with_a_reason_and_one_that_is_leaves_the_list_without_being_deleted()
{
    let world = World::new("offers a\n", Vec::new()).await;
    let folder = world.folder.path();
    std::fs::write(folder.join("text.gguf"), "no model").unwrap();
    let refused = async |path: &Path| world.app.add_model_file(path).await.unwrap_err().to_string();
    let shown = |name: &str| folder.join(name).display().to_string();
    let is_no_gguf =
        |name: &str| format!("{} is not a GGUF model file; choose a file whose name ends in .gguf.", shown(name));
    assert_eq!(refused(&folder.join("text.gguf")).await, is_no_gguf("text.gguf"));
    assert_eq!(refused(&folder.join("README.md")).await, is_no_gguf("README.md"));
    std::fs::write(folder.join("bare.gguf"), gguf(None)).unwrap();
    assert_eq!(
        refused(&folder.join("bare.gguf")).await,
        "bare cannot be used for conversations: its file has no chat template; choose a model that was made for chat."
    );
    std::fs::write(folder.join("chat.gguf"), gguf(Some("{% for m in messages %}{{ m.content }}{% endfor %}"))).unwrap();
    let id = world.app.add_model_file(&folder.join("chat.gguf")).await.unwrap();
    assert_eq!((&id, ids(&world).await), (&ModelId(shown("chat.gguf")), vec![shown("chat.gguf")]));
    world.app.remove_model_file(&id).await.unwrap();
    assert!(folder.join("chat.gguf").exists() && ids(&world).await.is_empty());
}

/// A GGUF header without tensors.
fn gguf(template: Option<&str>) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let entry = |key: &str, value: &str| [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat();
    let mut entries = vec![entry("general.architecture", "llama")];
    entries.extend(template.map(|template| entry("tokenizer.chat_template", template)));
    let counts = [0_u64.to_le_bytes(), (entries.len() as u64).to_le_bytes()].concat();
    let mut file = [b"GGUF".to_vec(), 3_u32.to_le_bytes().to_vec(), counts, entries.concat()].concat();
    file.resize(file.len().next_multiple_of(32), 0);
    file
}
