use super::*;
use crate::context::plan::ByCharacters;
use crate::reply::Finish;
use crate::request::{AnswerTools, Exactness, ModelRequest};
use crate::tool::ToolCall;

fn profile(window: u32) -> ModelProfile {
    ModelProfile {
        name: "script".into(),
        window,
        protocol: Protocol::Native,
        takes_trailing_system: false,
        answer_tools: AnswerTools::Keep,
        exactness: Exactness::Estimate,
    }
}

fn text(text: &str) -> Reply {
    Reply { text: text.into(), finish: Finish::Stop, ..Reply::default() }
}

fn call(name: &str, arguments: &str) -> Reply {
    let call = ToolCall { id: "c1".into(), name: name.into(), arguments: arguments.into() };
    Reply { calls: vec![call], finish: Finish::ToolCalls, ..Reply::default() }
}

fn card(native: Mark, system: Mark, structured: Mark) -> Card {
    let checks =
        [(Check::NativeCalls, native), (Check::SystemBesideTools, system), (Check::StructuredSteps, structured)];
    let findings = checks.map(|(check, mark)| Finding { check, mark, said: String::new() });
    Card { findings: findings.into(), ..Card::default() }
}

#[test]
fn models_m5_each_reply_is_judged_by_what_it_had_to_be() {
    use Check::{ConsecutiveRoles, NativeCalls, StructuredSteps, SystemBesideTools, Window};
    for (check, reply, mark) in [
        (NativeCalls, call("weather", r#"{"city":"Oslo"}"#), Mark::Works),
        (NativeCalls, call("weather", "Oslo"), Mark::Fails),
        (NativeCalls, call("forecast", r#"{"city":"Oslo"}"#), Mark::Fails),
        (NativeCalls, text(r#"{"name":"weather","arguments":{"city":"Oslo"}}"#), Mark::Fails),
        (SystemBesideTools, text("Pelican."), Mark::Works),
        (SystemBesideTools, call("weather", r#"{"city":"Oslo"}"#), Mark::Fails),
        (StructuredSteps, text(r#" {"city":"Lima"} "#), Mark::Works),
        (StructuredSteps, text(r#"{"city":"Oslo","why":"it is"}"#), Mark::Fails),
        (StructuredSteps, text("Oslo"), Mark::Fails),
        (ConsecutiveRoles, text("It was 4711."), Mark::Works),
        (ConsecutiveRoles, text("I do not know."), Mark::Fails),
        (Window, text("marzipan"), Mark::Works),
        (Window, text(""), Mark::Fails),
    ] {
        assert_eq!(judge(check, &reply, None).mark, mark, "{check:?} {reply:?}");
    }
}

#[test]
fn what_is_kept_of_a_reply_is_one_line_of_all_of_it() {
    let said = judge(Check::NativeCalls, &text("```json\n{\"city\": \"Oslo\"}\n```"), None).said;
    assert_eq!(said, "```json {\"city\": \"Oslo\"} ```");
}

#[test]
fn the_prefix_is_judged_by_the_servers_count_and_else_by_the_time() {
    let counted = |n_reused| Usage { n_read: Some(1_000), n_reused: Some(n_reused), ..Usage::default() };
    let timed = |ms| Usage { first_token_ms: Some(ms), ..Usage::default() };
    let mark = |before, after| {
        let reply = Reply { usage: after, ..Reply::default() };
        judge(Check::Prefix, &reply, Some(before)).mark
    };
    assert_eq!(mark(counted(0), counted(980)), Mark::Works);
    assert_eq!(mark(counted(0), counted(12)), Mark::Fails);
    assert_eq!(mark(timed(9_000), timed(700)), Mark::Works);
    assert_eq!(mark(timed(9_000), timed(8_800)), Mark::Fails);
    assert_eq!(mark(timed(9_000), timed(4_500)), Mark::Unknown);
    assert_eq!(mark(timed(300), timed(20)), Mark::Unknown);
    assert_eq!(judge(Check::Prefix, &text("yes"), None).mark, Mark::Unknown);
}

#[test]
fn models_m5_a_card_changes_the_protocol_only_where_the_usual_one_fails_and_the_other_works() {
    use Mark::{Fails, Unknown, Works};
    use Protocol::{Native, Structured};
    for (usual, marks, protocol) in [
        (Native, (Works, Works, Works), Native),
        (Native, (Fails, Works, Works), Structured),
        (Native, (Works, Fails, Works), Structured),
        (Native, (Fails, Fails, Fails), Native),
        (Native, (Unknown, Unknown, Works), Native),
        (Structured, (Works, Works, Works), Structured),
        (Structured, (Works, Works, Fails), Native),
        (Structured, (Works, Fails, Fails), Structured),
        (Structured, (Works, Works, Unknown), Structured),
    ] {
        let (native, system, structured) = marks;
        assert_eq!(card(native, system, structured).protocol(usual), protocol, "{usual:?} {marks:?}");
    }
    assert_eq!(Card::default().protocol(Native), Native);
}

#[test]
fn models_m3_the_request_for_the_window_fills_what_it_was_given_and_has_the_code_word_at_its_head() {
    for n_tokens in [600, 2_000, 7_900] {
        let (plan, envelope) = request(Check::Window, &profile(8_192), n_tokens, &ByCharacters).unwrap();
        let request = ModelRequest::from_plan(&plan, envelope);
        let texts: Vec<String> = request.messages.iter().map(crate::request::RequestMessage::text).collect();
        let n = texts.iter().map(|text| ByCharacters.count(text)).sum::<u32>() + 2 * PER_MESSAGE;
        assert!(n <= n_tokens && n * 10 > n_tokens * 9, "{n} of {n_tokens}");
        assert!(texts[1].starts_with("The code word is MARZIPAN."), "{}", texts[1]);
        assert!(texts[1].ends_with("Reply with that word only."));
    }
}

#[test]
fn what_is_read_for_the_window_fits_the_time_the_purse_and_the_window() {
    assert_eq!(n_to_read(Some(80), 8_192), 2_400);
    assert_eq!(n_to_read(Some(9_000), 131_072), 12_000);
    assert_eq!(n_to_read(Some(9_000), 4_096), 3_904);
    assert_eq!(n_to_read(Some(1), 8_192), 512);
    assert_eq!(n_to_read(None, 8_192), 2_048);
}

#[test]
fn only_the_checks_of_native_calls_offer_a_tool_and_only_that_of_steps_has_a_schema() {
    let shape = |check| {
        let (_, envelope) = request(check, &profile(4_096), 1_000, &ByCharacters).unwrap();
        (envelope.tools.len(), envelope.may_call, envelope.step.is_some())
    };
    let shapes = Check::ALL.map(shape);
    let (tool, step, plain) = ((1, true, false), (0, false, true), (0, false, false));
    assert_eq!(shapes, [tool, tool, step, plain, plain, plain]);
}

#[test]
fn speeds_come_from_what_was_evaluated_and_from_all_tokens_but_the_first() {
    let usage = |n_evaluated, n_written, first, total| Usage {
        n_evaluated: Some(n_evaluated),
        n_written: Some(n_written),
        first_token_ms: Some(first),
        total_ms: Some(total),
        ..Usage::default()
    };
    assert_eq!(read_per_s(usage(2_400, 3, 30_000, 31_000), 9), Some(80));
    assert_eq!(read_per_s(Usage { first_token_ms: Some(1_000), ..Usage::default() }, 50), Some(50));
    assert_eq!(read_per_s(Usage::default(), 50), None);
    assert_eq!(written_per_s(&[usage(1, 11, 100, 600), usage(1, 1, 100, 100), usage(1, 6, 0, 250)]), Some(20));
    assert_eq!(written_per_s(&[]), None);
}
