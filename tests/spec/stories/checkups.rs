//! M5: a check-up finds out what works with a model, keeps it with every byte that was sent, and decides on the protocol.

use crate::world::World;
use recto_app::{CheckupError, ModelId, TurnOptions};
use recto_core::request::Protocol;

/// A model that writes its calls as text, as small ones do, and keeps everything else.
const WRITES_CALLS_AS_TEXT: &str = "offers a window 4096

when any asks \"Which weather does Oslo have\":
model: {\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}
then repeat

when any asks \"Which is the word of the day\":
model: PELICAN
then repeat

when any asks \"capital of Norway\":
model: {\"city\":\"Oslo\"}
then repeat

when any asks \"Which number was I telling you\":
status 400
| {\"error\":{\"message\":\"conversation roles must alternate\"}}
then repeat

when any asks \"Which is the code word\":
model: MARZIPAN
usage read=3000 reused=0 written=4
then repeat

when any asks \"Reply with the word yes\":
model: yes
usage read=3000 reused=2900 written=1
then repeat

when any asks \"Hello\":
model: {\"answer\":\"Hi.\"}
then repeat
";

async fn protocol_of_the_next_turn(world: &World, id: &ModelId, wanted: Option<Protocol>) -> Protocol {
    let options = TurnOptions { model: Some(id.clone()), protocol: wanted, ..TurnOptions::default() };
    let told = world.ask_with("Hello", options).await;
    world.app.record().requests(told.turn).await.unwrap()[0].profile.protocol
}

#[tokio::test]
async fn models_m5_a_model_that_fails_native_calls_works_structured_from_its_check_up_on() {
    let world = World::new(WRITES_CALLS_AS_TEXT, Vec::new()).await;
    let id = world.app.add_server(&world.fake.url()).await.unwrap();
    assert_eq!(protocol_of_the_next_turn(&world, &id, None).await, Protocol::Native);
    let row = world.app.check_model(Some(id.clone())).await.unwrap();
    let found: String = row
        .card
        .findings
        .iter()
        .map(|finding| format!("{:?} {:?}: {}\n", finding.check, finding.mark, finding.said))
        .collect();
    expect_test::expect![[r#"
        NativeCalls Fails: {"name":"weather","arguments":{"city":"Oslo"}}
        SystemBesideTools Works: PELICAN
        StructuredSteps Works: {"city":"Oslo"}
        ConsecutiveRoles Fails: 127.0.0.1:PORT refused the request: conversation roles must alternate. Choose another model, or report this.
        Window Works: MARZIPAN
        Prefix Works: yes
    "#]]
    .assert_eq(&found.replace(&world.fake.url()["http://".len()..world.fake.url().len() - "/v1".len()], "127.0.0.1:PORT"));
    assert_eq!(row.card.window, 4096);
    assert_eq!(world.app.checkup(&id).await.unwrap(), Some(row.clone()));
    // The first chat was the turn's.
    let sent: Vec<Vec<u8>> = world.fake.chats().into_iter().skip(1).map(|chat| chat.body).collect();
    assert_eq!(row.asked.iter().map(|asked| asked.clone().into_bytes()).collect::<Vec<_>>(), sent);
    assert_eq!(protocol_of_the_next_turn(&world, &id, None).await, Protocol::Structured);
    assert_eq!(protocol_of_the_next_turn(&world, &id, Some(Protocol::Native)).await, Protocol::Native);
    drop(world.fake.faults());
}

#[tokio::test]
async fn a_check_up_that_is_stopped_or_finds_nobody_keeps_no_card_and_can_be_tried_again() {
    let world = World::new("offers a\nstall\nthen repeat\n", Vec::new()).await;
    let id = world.app.add_server(&world.fake.url()).await.unwrap();
    let (first, second, ()) = tokio::join!(
        world.app.check_model(Some(id.clone())),
        async {
            while world.app.checking().is_none() {
                tokio::task::yield_now().await;
            }
            world.app.check_model(Some(id.clone())).await
        },
        async {
            while world.fake.chats().is_empty() {
                tokio::task::yield_now().await;
            }
            world.app.stop_checkup();
        }
    );
    assert!(matches!(first, Err(CheckupError::Stopped)), "{first:?}");
    assert!(matches!(second, Err(CheckupError::Busy)), "{second:?}");
    assert!(world.app.checking().is_none());
    let nobody = world.app.check_model(Some(ModelId("http://127.0.0.1:1#a".to_owned()))).await;
    assert!(nobody.unwrap_err().to_string().starts_with("Nothing answers at 127.0.0.1:1."));
    assert_eq!(world.app.checkup(&id).await.unwrap(), None);
}
