use super::*;
use expect_test::expect;
use proptest::prelude::*;

fn list(items: &[(&str, TodoStatus)]) -> TodoList {
    let items =
        items.iter().map(|(content, status)| TodoItem { content: (*content).into(), status: *status }).collect();
    TodoList { items }
}

fn check_rejected(arguments: &str, faults: &[&str]) {
    assert_eq!(TodoList::read(arguments), Err(faults.iter().map(|fault| (*fault).to_owned()).collect()), "{arguments}");
}

#[test]
fn todo_t1_the_schema_has_one_property_and_items_of_exactly_two() {
    expect![[r#"{"type":"object","properties":{"todos":{"type":"array","maxItems":100,"items":{"type":"object","properties":{"content":{"type":"string","minLength":1,"maxLength":2000},"status":{"type":"string","enum":["pending","in_progress","done"]}},"required":["content","status"],"additionalProperties":false}}},"required":["todos"],"additionalProperties":false}"#]]
    .assert_eq(&parameters().to_string());
}

#[test]
fn todo_t2_content_is_trimmed_and_nothing_else_is_changed() {
    let read = TodoList::read("{\"todos\":[{\"content\":\"\u{3000} e\u{301} ﬁ X \\n\",\"status\":\"done\"}]}");
    assert_eq!(read, Ok(list(&[("e\u{301} ﬁ X", TodoStatus::Done)])));
}

#[test]
fn todo_t2_every_fault_of_a_call_is_told_with_its_index() {
    check_rejected(
        r#"{"todos":[{"content":"a","status":"DONE"},{"content":"ok","status":"done"},{"status":"pending","id":1},7,{"content":null,"status":null}],"merge":true}"#,
        &[
            "unknown field `merge`",
            "todos[0]: `status` must be `pending`, `in_progress` or `done`, not `DONE`",
            "todos[2]: unknown field `id`",
            "todos[2]: `content` is missing",
            "todos[3]: must be an object with `content` and `status`, not a number",
            "todos[4]: `content` must be a string, not null",
            "todos[4]: `status` must be `pending`, `in_progress` or `done`, not null",
        ],
    );
}

#[test]
fn todo_t2_wrong_shapes_are_rejected_and_nothing_is_coerced() {
    check_rejected("{}", &["`todos` is missing"]);
    check_rejected("[]", &[r#"the arguments must be an object: {"todos":[…]}"#]);
    check_rejected(r#"{"todos":"[]"}"#, &["`todos` must be an array, not a string"]);
    check_rejected(r#"{"todos":null}"#, &["`todos` must be an array, not null"]);
    check_rejected(r#"{"todos":[{"content":"  ","status":"done"}]}"#, &["todos[0]: `content` is empty"]);
    let long = "x".repeat(2_001);
    check_rejected(
        &format!(r#"{{"todos":[{{"content":"{long}","status":"done"}}]}}"#),
        &["todos[0]: `content` has 2001 characters; at most 2000 are allowed"],
    );
    let many = vec![r#"{"content":"x","status":"done"}"#; 101].join(",");
    check_rejected(&format!(r#"{{"todos":[{many}]}}"#), &["`todos` has 101 items; at most 100 are allowed"]);
    assert!(TodoList::read(r#"{"todos":[{"#).is_err());
}

#[test]
fn todo_t3_an_empty_list_clears() {
    assert_eq!(TodoList::read(r#"{"todos":[]}"#), Ok(TodoList::default()));
}

#[test]
fn todo_t5_a_snapshot_is_ascii_and_stable_to_the_byte() {
    let todos = list(&[("编写 README", TodoStatus::InProgress), ("a \"b\" 🦀\n</x>", TodoStatus::Pending)]);
    assert_eq!(
        todos.snapshot(),
        r#"{"todos":[{"content":"\u7f16\u5199 README","status":"in_progress"},{"content":"a \"b\" \ud83e\udd80\n</x>","status":"pending"}]}"#
    );
}

proptest! {
    #[test]
    fn todo_t5_parsing_a_snapshot_gives_the_list_back(contents in prop::collection::vec("\\PC{1,40}", 0..8)) {
        let items: Vec<TodoItem> = contents
            .iter()
            .filter(|content| !content.trim().is_empty())
            .map(|content| TodoItem { content: content.trim().to_owned(), status: TodoStatus::Pending })
            .collect();
        let list = TodoList { items };
        prop_assert!(list.snapshot().is_ascii());
        prop_assert_eq!(TodoList::read(&list.snapshot()), Ok(list));
    }
}

#[test]
fn todo_t9_a_snapshot_says_what_it_removed_added_reworded_and_reopened() {
    use TodoStatus::{Done, InProgress, Pending};
    let before = list(&[
        ("Read the README", Done),
        ("Write the plan", InProgress),
        ("Call Anna", Pending),
        ("Ship it", Pending),
    ]);
    let after = list(&[
        ("Read the README", Pending),
        ("Write the plan down", Done),
        ("Ship it", InProgress),
        ("Rest", Pending),
    ]);
    let changes = before.changes_to(&after);
    assert_eq!(
        changes,
        [
            TodoChange::Reopened { content: "Read the README".into() },
            TodoChange::Reworded { from: "Write the plan".into(), to: "Write the plan down".into() },
            TodoChange::Finished { content: "Write the plan down".into() },
            TodoChange::Started { content: "Ship it".into() },
            TodoChange::Added { content: "Rest".into() },
            TodoChange::Removed { content: "Call Anna".into(), was_done: false },
        ]
    );
    assert_eq!(after.changes_to(&after), []);
}
