//! Servers before and after they are named: an address is tried with a sentence for each fault, those on this computer are found, one is
//! forgotten with its key.

use crate::world::World;
use recto_app::{KeyKeeping, ModelsError};
use recto_testkit::FakeModel;

fn port(fake: &FakeModel) -> u16 {
    fake.url().trim_end_matches("/v1").rsplit_once(':').unwrap().1.parse().unwrap()
}

#[tokio::test]
async fn a_tried_address_is_answered_with_what_is_offered_or_with_what_is_wrong_and_nothing_is_kept() {
    let world = World::new("offers a window 4096\noffers b\n", Vec::new()).await;
    let found = world.app.test_server(&world.fake.url()).await.unwrap();
    let names: Vec<(&str, u32)> = found.models.iter().map(|model| (model.name.as_str(), model.window)).collect();
    assert_eq!(names, [("a", 4096), ("b", 8192)]);
    let said = async |typed: &str| world.app.test_server(typed).await.unwrap_err().to_string();
    assert_eq!(said("127.0.0.1:1").await, "Nothing answers at 127.0.0.1:1. Start the server or choose another model.");
    assert_eq!(
        said("not an address").await,
        "`not an address` is not the address of a server. Write it like http://127.0.0.1:8080/v1"
    );
    for (answer, wrong) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n<h1>Hello</h1",
            "gave no list of models. Check the address. Its answer begins: <h1>Hello</h1",
        ),
        (
            "HTTP/1.1 302 Found\r\nlocation: http://evil.example/\r\ncontent-length: 0\r\n\r\n",
            "redirects to evil.example, which is not followed. Enter the final address if you trust it.",
        ),
        ("HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":[]}", "offers no model; load one there first"),
    ] {
        let address = answering(answer);
        assert!(said(&address).await.ends_with(wrong), "{}", said(&address).await);
    }
    let refused = said(&answering("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n")).await;
    assert!(refused.contains("asks for a key"), "{refused}");
    assert!(world.app.models().await.unwrap().is_empty());
}

/// A server that gives the same answer to whatever it is asked.
fn answering(answer: &'static str) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            // Whoever closed the connection early has got what it wanted.
            let _ = stream.read(&mut request).and_then(|_| stream.write_all(answer.as_bytes()));
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn servers_on_this_computer_are_found_until_they_are_kept_and_get_no_key() {
    let world = World::new("offers a\n", Vec::new()).await;
    let second = FakeModel::start("offers b\n");
    let ports = [port(&second), 1, port(&world.fake)];
    world.app.set_key(&second.url(), "sk-canary-0123456789", KeyKeeping::Session).await.unwrap();
    let found = async || -> Vec<String> {
        let found = world.app.find_local_servers(&ports).await.unwrap();
        found.into_iter().map(|found| found.base_url).collect()
    };
    let urls = [&second, &world.fake].map(|fake| format!("http://127.0.0.1:{}", port(fake)));
    assert_eq!(found().await, urls);
    assert!(second.requests().iter().all(|request| request.header("authorization").is_none()));
    world.app.add_server(&format!("localhost:{}", port(&second))).await.unwrap();
    assert_eq!(found().await, [urls[1].clone()]);
}

#[tokio::test]
async fn a_removed_server_takes_its_models_its_key_and_the_choice_of_it_along() {
    let world = World::new("offers a\noffers b\n", Vec::new()).await;
    let other = FakeModel::start("offers c\n");
    let (id, kept) =
        (world.app.add_server(&world.fake.url()).await.unwrap(), world.app.add_server(&other.url()).await.unwrap());
    let url = format!("http://127.0.0.1:{}", port(&world.fake));
    world.app.set_key(&url, "sk-canary-0123456789", KeyKeeping::Keychain).await.unwrap();
    world.app.choose_model(id).await.unwrap();
    world.app.remove_server(&url).await.unwrap();
    let rows = world.app.models().await.unwrap();
    assert_eq!(rows.iter().map(|row| (row.id.clone(), row.is_chosen)).collect::<Vec<_>>(), [(kept, true)]);
    assert_eq!(world.app.key_state(&url).await.unwrap(), None);
    assert!(world.app.remove_server(&url).await.is_err());
}

#[tokio::test]
async fn attack_t46_nothing_goes_unencrypted_to_another_computer_until_a_person_says_so_for_that_one() {
    let world = World::new("model: Hello.", Vec::new()).await;
    // An address of documentation, at which nobody is.
    let typed = "http://192.0.2.7:8080";
    let refused = world.app.test_server(typed).await.unwrap_err();
    assert!(matches!(&refused, ModelsError::Unencrypted { server } if server == "192.0.2.7:8080"), "{refused}");
    assert!(matches!(world.app.add_server(typed).await, Err(ModelsError::Unencrypted { .. })));
    let key = world.app.set_key(typed, "sk-canary-a-0123456789abcdef", KeyKeeping::Session).await;
    assert!(key.is_err(), "a key is not even kept for it");
    world.app.allow_unencrypted(typed).await.unwrap();
    world.app.set_key(typed, "sk-canary-a-0123456789abcdef", KeyKeeping::Session).await.unwrap();
    let other = world.app.test_server("http://192.0.2.8:8080").await;
    assert!(matches!(other, Err(ModelsError::Unencrypted { .. })), "it is allowed for the one and not for others");
    let world = world.restart().await;
    world.app.set_key(typed, "sk-canary-a-0123456789abcdef", KeyKeeping::Session).await.unwrap();
}
