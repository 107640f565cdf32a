//! `cargo xtask bench todo`: whether a small model keeps the plan, and whether what it plans comes back to the byte.

use super::ask::{Asked, Place, Question, Whom, ask};
use super::disk::{Scratch, copy};
use super::table::{Table, median};
use crate::places::Places;
use crate::program::{print, say, written};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Of which model, and how often.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    whom: Whom,
    /// How often each is asked, each time with another seed
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Only the one whose name contains this
    #[arg(long)]
    only: Option<String>,
}

/// One question about the plan.
struct Exercise {
    name: &'static str,
    question: &'static str,
    /// What is wrong with the answer.
    faults: fn(&Asked) -> Vec<String>,
}

const EXERCISES: &[Exercise] = &[
    Exercise {
        name: "plan, then read",
        question: "First set up a TODO list, then read README.md and tell me how to run and how to verify the project",
        faults: answer_faults,
    },
    Exercise {
        name: "give it back",
        question: "Plan three steps with todo_write, then repeat the full text that todo_write returned",
        faults: snapshot_faults,
    },
    Exercise {
        name: "give it back, Chinese",
        question: "用 todo_write 计划三个步骤，每一步都用中文写，然后原样重复 todo_write 返回的全部文本",
        faults: chinese_snapshot_faults,
    },
];

/// Runs the exercises and prints the table.
///
/// # Errors
/// If `recto` cannot be built or started, or speaks another language than this reads.
pub(crate) fn bench(places: &Places, options: &Options) -> Result<ExitCode> {
    let recto = options.whom.recto(places)?;
    let mut table = Table::with_head(["todo", "right", "s", "lists", "tokens"]);
    let is_wanted = |one: &&Exercise| options.only.as_ref().is_none_or(|part| one.name.contains(part.as_str()));
    for exercise in EXERCISES.iter().filter(is_wanted) {
        let mut runs = Vec::new();
        for seed in 1..=options.seeds {
            runs.push(attempt(places, &recto, options, exercise, seed)?);
        }
        let of = |value: fn(&(bool, Asked)) -> f64| median(runs.iter().map(value).collect());
        table.row(vec![
            exercise.name.to_owned(),
            format!("{}/{}", runs.iter().filter(|(is_right, _)| *is_right).count(), runs.len()),
            format!("{:.1}", of(|(_, asked)| asked.took.as_secs_f64())),
            format!("{:.0}", of(|(_, asked)| asked.results("todo_write").count() as f64)),
            format!("{:.0}", of(|(_, asked)| asked.n_tokens() as f64)),
        ]);
    }
    print(&table.to_text());
    print("Promised: at least 16 of 20 each.");
    Ok(ExitCode::SUCCESS)
}

fn attempt(places: &Places, recto: &Path, options: &Options, exercise: &Exercise, seed: u64) -> Result<(bool, Asked)> {
    let bench = places.target.join("bench/todo");
    let scratch = Scratch::new()?;
    let (folder, data) = (scratch.inside("desk")?, scratch.inside("data")?);
    copy(&places.root.join("tests/fixtures/desk"), &folder)?;
    let question = Question {
        text: exercise.question,
        folder: &folder,
        data: &data,
        place: Place::First,
        seed,
        approve: "never",
        protocol: None,
    };
    let log = bench.join(format!("{}-{seed}", exercise.name.replace([' ', ','], "-")));
    let asked = ask(recto, &options.whom, &question, &log)?;
    let mut faults = (exercise.faults)(&asked);
    faults.extend(asked.failure.clone());
    if faults.is_empty() {
        faults.extend(tool_traffic(recto, &data, &asked)?);
    }
    let name = exercise.name;
    say(&match faults.as_slice() {
        [] => format!("{name}, seed {seed}: right, {:.1} s", asked.took.as_secs_f64()),
        faults => format!("{name}, seed {seed}: {}", faults.join("; ")),
    });
    Ok((faults.is_empty(), asked))
}

fn answer_faults(asked: &Asked) -> Vec<String> {
    let mut faults = Vec::new();
    if asked.results("todo_write").next().is_none() {
        faults.push("no accepted todo_write".to_owned());
    }
    if asked.n_requests("answer") != 1 {
        faults.push(format!("{} answer requests", asked.n_requests("answer")));
    }
    let answer = asked.answer().to_lowercase();
    let lacking = ["make serve", "make check"].into_iter().filter(|command| !answer.contains(command));
    faults.extend(lacking.map(|command| format!("the answer lacks `{command}`")));
    faults
}

fn snapshot_faults(asked: &Asked) -> Vec<String> {
    match asked.results("todo_write").last() {
        None => vec!["no accepted todo_write".to_owned()],
        Some(snapshot) if asked.answer().contains(snapshot) => Vec::new(),
        Some(snapshot) => vec![format!("the answer does not hold the snapshot {snapshot}: {}", asked.answer())],
    }
}

fn chinese_snapshot_faults(asked: &Asked) -> Vec<String> {
    let mut faults = snapshot_faults(asked);
    if asked.results("todo_write").last().is_some_and(|snapshot| !snapshot.contains("\\u")) {
        faults.push("the list is not in Chinese".to_owned());
    }
    faults
}

/// What the recorded answer request holds besides a system message and one message of the user.
fn tool_traffic(recto: &Path, data: &Path, asked: &Asked) -> Result<Vec<String>> {
    if asked.n_requests("answer") == 0 {
        return Ok(Vec::new());
    }
    let mut show = Command::new(recto);
    show.args(["show", "last", "--data"]).arg(data);
    let output = show.output().with_context(|| format!("`{}` cannot be started", written(&show)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", written(&show), String::from_utf8_lossy(&output.stderr).trim());
    }
    let answers = answer_roles(&String::from_utf8_lossy(&output.stdout));
    if answers.is_empty() {
        bail!("`{}` shows no answer request", written(&show));
    }
    let wrong = answers.into_iter().filter(|roles| roles != &["system", "user"]);
    Ok(wrong.map(|roles| format!("the answer request holds {}", roles.join(", "))).collect())
}

/// The roles of the messages of each answer request, read off what `recto show` prints: a request begins with `==`, a
/// message with its role in brackets, and the text of a block is set in.
fn answer_roles(shown: &str) -> Vec<Vec<String>> {
    let mut requests = Vec::new();
    let mut is_answer = false;
    for line in shown.lines() {
        if line.starts_with("== request ") {
            is_answer = line.contains(" (answer) ");
            if is_answer {
                requests.push(Vec::new());
            }
        }
        let role = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).filter(|role| *role != "reply");
        if let (true, Some(role), Some(roles)) = (is_answer, role, requests.last_mut()) {
            roles.push(role.to_owned());
        }
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::answer_roles;

    #[test]
    fn the_roles_of_an_answer_request_are_read_and_those_of_a_work_request_are_not() {
        let shown = "turn tn_1\nquestion: [odd]\n\n\
                     == request 1 (work) to m: =9 of 90 tokens, stale rounds 0\n\n[system]\n-- instructions · a · kept\n\
                     \x20  [user]\n\n[tool]\n-- result · b · kept\n\n[reply]\n   READY\n\n\
                     == request 2 (answer) to m: =9 of 90 tokens, stale rounds 0\n\n[system]\n-- instructions · a · kept\n\n\
                     [user]\n-- fact · c · kept\n   [tool]\n\n[reply]\n   Yes.\n";
        assert_eq!(answer_roles(shown), [["system", "user"]]);
    }
}
