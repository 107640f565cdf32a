//! What the runs come to: a row for each task, class and language, and the sum of it.

use super::runs::Run;
use crate::bench::table::{Table, median, percent, wilson};
use std::collections::BTreeSet;

/// The tables of one protocol.
pub(crate) fn report(protocol: &str, runs: &[&Run]) -> String {
    let mut text = tasks(protocol, runs);
    text += "\n";
    text += &shares("class", runs, |run| &run.class);
    if runs.iter().any(|run| !run.language.is_empty()) {
        text += "\n";
        text += &shares("language", runs, |run| &run.language);
    }
    text += "\n";
    text + &verdict(runs)
}

fn tasks(protocol: &str, runs: &[&Run]) -> String {
    let head =
        [protocol, "class", "lang", "right", "s/turn", "tokens", "malformed", "unasked", "damaged", "its language"];
    let mut table = Table::with_head(head);
    let mut ids: Vec<&str> = Vec::new();
    for run in runs {
        if !ids.contains(&run.id.as_str()) {
            ids.push(&run.id);
        }
    }
    for id in ids {
        let of: Vec<&Run> = runs.iter().copied().filter(|run| run.id == id).collect();
        let (class, language) = of.first().map_or(("", ""), |run| (&run.class, &run.language));
        table.row(row([id, class, language], &of));
    }
    table.line();
    table.row(row(["all", "", ""], runs));
    table.to_text()
}

fn row(names: [&str; 3], runs: &[&Run]) -> Vec<String> {
    let sum = |count: fn(&Run) -> usize| runs.iter().map(|run| count(run)).sum::<usize>().to_string();
    let mut cells = names.map(str::to_owned).to_vec();
    cells.extend([
        format!("{}/{}", n_right(runs), runs.len()),
        format!("{:.1}", median(runs.iter().map(|run| run.seconds_a_turn()).collect())),
        format!("{:.0}", median(runs.iter().map(|run| run.tokens as f64).collect())),
        sum(|run| run.malformed),
        sum(|run| usize::from(run.unasked_write)),
        sum(|run| run.damaged.len()),
        in_language(runs),
    ]);
    cells
}

/// Answers in the question's language, of those whose language can be told.
fn in_language(runs: &[&Run]) -> String {
    let told: Vec<bool> = runs.iter().filter_map(|run| run.in_language).collect();
    format!("{}/{}", told.iter().filter(|is_in| **is_in).count(), told.len())
}

fn shares(by: &str, runs: &[&Run], of: fn(&Run) -> &String) -> String {
    let mut table = Table::with_head([by, "right", "%", "95 %", "s/turn", "its language"]);
    let mut row = |name: &str, runs: &[&Run]| {
        let (low, high) = wilson(n_right(runs), runs.len());
        table.row(vec![
            name.to_owned(),
            format!("{}/{}", n_right(runs), runs.len()),
            format!("{:.0}", percent(n_right(runs), runs.len())),
            format!("{low:.0}–{high:.0}"),
            format!("{:.1}", median(runs.iter().map(|run| run.seconds_a_turn()).collect())),
            in_language(runs),
        ]);
    };
    let names: BTreeSet<&String> = runs.iter().map(|run| of(run)).collect();
    for name in names {
        let these: Vec<&Run> = runs.iter().copied().filter(|run| of(run) == name).collect();
        row(name, &these);
    }
    row("all", runs);
    table.to_text()
}

/// The figures that are promised, beside those that were found.
fn verdict(runs: &[&Run]) -> String {
    let right = percent(n_right(runs), runs.len());
    let n_malformed: usize = runs.iter().map(|run| run.malformed).sum();
    let n_damaged: usize = runs.iter().map(|run| run.damaged.len()).sum();
    let n_unasked = runs.iter().filter(|run| run.unasked_write).count();
    let unasked = percent(n_unasked, runs.len());
    let seconds = median(runs.iter().flat_map(|run| run.seconds.iter().copied()).collect());
    let word = |is_met| if is_met { "met" } else { "missed" };
    format!(
        "right {right:.0} % (at least 80: {}), malformed steps {n_malformed} (0: {}), runs with an unasked write prompt {n_unasked}, {unasked:.1} % \
         (at most 5: {}), files damaged {n_damaged} (0: {}), median {seconds:.1} s a turn\n",
        word(right >= 80.0),
        word(n_malformed == 0),
        word(unasked <= 5.0),
        word(n_damaged == 0)
    )
}

fn n_right(runs: &[&Run]) -> usize {
    runs.iter().filter(|run| run.right).count()
}
