use super::*;
use expect_test::{Expect, expect};

fn section(form: Form, text: &str) -> Section {
    Section { form, unit: Unit::Line, first: 1, sheet: String::new(), text: text.into() }
}

fn check(form: Form, text: &str, expected: Expect) {
    let shown: Vec<String> = chunks(&[section(form, text)]).iter().map(shown).collect();
    expected.assert_eq(&shown.join("\n"));
}

/// The headings, the place, and the text, an empty line as `¶`, without the middle where it is long.
fn shown(chunk: &Chunk) -> String {
    let line = |line: &str| {
        if line.is_empty() {
            return "¶".to_owned();
        }
        let n = line.chars().count();
        let end: String = line.chars().skip(n.saturating_sub(8)).collect();
        if n > 48 { format!("{}… {n} …{end}", line.chars().take(24).collect::<String>()) } else { line.to_owned() }
    };
    let lines: Vec<String> = chunk.text.lines().map(line).collect();
    let n = lines.len();
    let text = if n > 6 {
        format!("{}\n  … {n} lines …\n  {}", lines[..3].join("\n  "), lines[n - 1])
    } else {
        lines.join("\n  ")
    };
    format!("[{}] {}\n  {text}", chunk.headings.join(" › "), chunk.place)
}

#[test]
fn headings_open_passages_that_know_their_path() {
    check(
        Form::Markdown,
        "Before all.\n\n# 行程\n\n## 第一天\n乘早班火车去奥斯陆。\n\n住在港口边。\n\n## Day two\n```sh\n# no heading\n\nmake serve\n```\n# Alone\n# Last ##\nThe end.\n",
        expect![[r#"
            [] line 1
              Before all.
            [行程 › 第一天] lines 6–8
              乘早班火车去奥斯陆。
              ¶
              住在港口边。
            [行程 › Day two] lines 11–15
              ```sh
              # no heading
              ¶
              make serve
              ```
            [Alone] line 16
              Alone
            [Last] line 18
              The end."#]],
    );
}

#[test]
fn paragraphs_stay_whole_and_fill_a_passage_up_to_its_size() {
    let english = "The gauge at the north pier reads metres. ".repeat(15);
    let chinese = "北站的潮位以米为单位，每小时读取一次。".repeat(12);
    check(
        Form::Prose,
        &format!("{english}\n\n{english}\n\n{english}\n\n{chinese}\n{chinese}\n\n{chinese}\n"),
        expect![[r#"
            [] lines 1–3
              The gauge at the north p… 629 … metres.
              ¶
              The gauge at the north p… 629 … metres.
            [] line 5
              The gauge at the north p… 629 … metres.
            [] lines 7–8
              北站的潮位以米为单位，每小时读取一次。北站的潮位… 228 …每小时读取一次。
              北站的潮位以米为单位，每小时读取一次。北站的潮位… 228 …每小时读取一次。
            [] line 10
              北站的潮位以米为单位，每小时读取一次。北站的潮位… 228 …每小时读取一次。"#]],
    );
}

#[test]
fn a_long_line_is_cut_after_a_sentence_and_a_character_is_never_split() {
    let family = "👨‍👩‍👧‍👦".repeat(300);
    check(
        Form::Prose,
        &format!("{}\n{family}", "一二三四五六七八九十。".repeat(80)),
        expect![[r#"
        [] line 1
          一二三四五六七八九十。一二三四五六七八九十。一二… 528 …四五六七八九十。
        [] line 1
          一二三四五六七八九十。一二三四五六七八九十。一二… 352 …四五六七八九十。
        [] line 2
          👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩… 742 …👦👨‍👩‍👧‍👦
        [] line 2
          👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩… 742 …👦👨‍👩‍👧‍👦
        [] line 2
          👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩… 616 …👦👨‍👩‍👧‍👦"#]],
    );
    let whole: String = chunks(&[section(Form::Prose, &family)]).iter().map(|chunk| chunk.text.as_str()).collect();
    assert_eq!(whole, family);
    assert!(chunks(&[section(Form::Prose, &family)]).iter().all(|chunk| chunk.text.starts_with('👨')));
}

#[test]
fn every_passage_of_a_table_has_the_header_and_whole_rows() {
    let rows: String = (1..=120).map(|n| format!("站点{n},{n}.5,\"first\nsecond\"\n")).collect();
    check(
        Form::Table,
        &format!("站点,高度,说明\n{rows}"),
        expect![[r#"
        [] lines 2–111
          站点,高度,说明
          站点1,1.5,"first
          second"
          … 111 lines …
          second"
        [] lines 112–217
          站点,高度,说明
          站点56,56.5,"first
          second"
          … 107 lines …
          second"
        [] lines 218–241
          站点,高度,说明
          站点109,109.5,"first
          second"
          … 25 lines …
          second""#]],
    );
    check(
        Form::Table,
        "only,a,header\n",
        expect![[r#"
        [] line 1
          only,a,header"#]],
    );
    let rows: String = (1..=60).map(|n| format!("| pump {n} | runs on the third floor, day and night |\n")).collect();
    check(
        Form::Markdown,
        &format!("# Pumps\n| name | where |\n|---|---|\n{rows}\nAfter it.\n"),
        expect![[r#"
        [Pumps] lines 4–32
          | name | where |
          |---|---|
          | pump 1 | runs on the t… 51 … night |
          … 31 lines …
          | pump 29 | runs on the … 52 … night |
        [Pumps] lines 33–61
          | name | where |
          |---|---|
          | pump 30 | runs on the … 52 … night |
          … 31 lines …
          | pump 58 | runs on the … 52 … night |
        [Pumps] lines 62–63
          | name | where |
          |---|---|
          | pump 59 | runs on the … 52 … night |
          | pump 60 | runs on the … 52 … night |
        [Pumps] line 65
          After it."#]],
    );
}

#[test]
fn a_function_stays_together_and_a_long_one_goes_by_its_blocks() {
    let long = "    let water = read(gauge);\n".repeat(40);
    check(
        Form::Source,
        &format!(
            "use std::io;\n\nfn one() {{\n    a();\n\n    b();\n}}\n\nfn two() {{\n{long}\n{long}}}\n\nfn three() {{}}\n"
        ),
        expect![[r#"
            [] lines 1–7
              use std::io;
              ¶
              fn one() {
              … 7 lines …
              }
            [] lines 9–49
              fn two() {
                  let water = read(gauge);
                  let water = read(gauge);
              … 41 lines …
                  let water = read(gauge);
            [] lines 51–93
                  let water = read(gauge);
                  let water = read(gauge);
                  let water = read(gauge);
              … 43 lines …
              fn three() {}"#]],
    );
}

#[test]
fn pages_and_sheets_are_places_of_their_own() {
    let page = |first, text: &str| Section { unit: Unit::Page, first, ..section(Form::Prose, text) };
    let sheet = Section { unit: Unit::Row, sheet: "价格".into(), ..section(Form::Table, "name\tprice\ntea\t3\n") };
    let shown: Vec<String> =
        chunks(&[page(1, "one\n\ntwo"), page(2, "  \n"), page(3, "three"), sheet]).iter().map(shown).collect();
    expect![[r#"
        [] page 1
          one
          ¶
          two
        [] page 3
          three
        [] row 2 of sheet 价格
          name	price
          tea	3"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn attack_a_line_of_five_megabytes_and_a_stray_quotation_mark_lose_nothing() {
    let line = "x".repeat(5_000_000);
    let cut = chunks(&[section(Form::Source, &line)]);
    assert!(cut.iter().all(|chunk| chunk.text.len() <= TARGET));
    assert_eq!(cut.iter().map(|chunk| chunk.text.len()).sum::<usize>(), line.len());
    let table = format!("a,b\n1,\"2\n{}", "3,4\n".repeat(1_000));
    let rows: usize =
        chunks(&[section(Form::Table, &table)]).iter().map(|chunk| chunk.text.matches("3,4").count()).sum();
    assert_eq!(rows, 1_000);
}
