import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { note } from './notes';
import { Words } from './words';

const zh = new Words('zh');
const en = new Words('en');

/** The texts in a source of the layers below, with a value in every place that is filled. */
function texts(path: string): string[] {
  const source = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8').split('#[cfg(test)]')[0] ?? '';
  const code = source.replace(/^\s*\/\/.*$/gm, '').replace(/reason = "[^"]*"/g, '');
  return [...code.matchAll(/"((?:[^"\\\n]|\\[^])*)"/g)].map(([, text = '']) =>
    text
      .replace(/\\\n\s*/g, '')
      .replace(/\\(.)/g, '$1')
      .replace(/\{([^{}]*)\}/g, (_, name: string) =>
        /^(n|n_.*|.*_mib|window|status|found|known|number)$/.test(name)
          ? '8'
          : name === 'server'
            ? '127.0.0.1:8080'
            : '7',
      ),
  );
}

/** Files whose every sentence reaches a person, and what in them is none. */
const SENTENCES: [string, RegExp][] = [
  ['crates/recto-store/src/error.rs', /^$/],
  ['crates/recto-providers/src/address.rs', /^$/],
  // Marks by which an answer of a server is told, and halves of sentences.
  [
    'crates/recto-providers/src/trouble.rs',
    /^(context .*|prompt is too long|is busy|7 7|7\. Try again later.*|127\.0\.0\.1:8080 7: 7)$/,
  ],
  ['crates/recto-local/src/load.rs', /^(physical|core) id$/],
  ['crates/recto-app/src/turns.rs', /^(a turn .*|the end of a turn was not saved)$/],
  ['crates/recto-app/src/files.rs', /^$/],
  ['crates/recto-app/src/keys.rs', /^$/],
  ['crates/recto-providers/src/fetch.rs', /^the publisher$/],
  ['crates/recto-app/src/keys/keychain.rs', /^$/],
  ['crates/recto-app/src/checkup.rs', /^$/],
  ['crates/recto-tools/src/diff.rs', /^$/],
  ['crates/recto-tools/src/chosen_file.rs', /^$/],
  ['crates/recto-tools/src/library/extract.rs', /^$/],
];

test.each(SENTENCES)('every sentence of %s has a Chinese form', (path, isNone) => {
  const said = texts(path).filter((text) => /\w \w/.test(text) && !isNone.test(text));
  expect(said.length).toBeGreaterThan(1);
  expect(said.filter((text) => note(zh, text) === text)).toEqual([]);
});

/** Files that talk to the model as well: what a person is shown of them is the last, short argument. */
const NOTES: string[] = [
  'crates/recto-tools/src/change.rs',
  'crates/recto-tools/src/change/names.rs',
  'crates/recto-tools/src/list_dir.rs',
  'crates/recto-tools/src/read_file.rs',
  'crates/recto-tools/src/search_text.rs',
  'crates/recto-tools/src/workspace.rs',
  'crates/recto-tools/src/workspace/outcome.rs',
  'crates/recto-core/src/turn/calls.rs',
  'crates/recto-app/src/memory_tools.rs',
  'crates/recto-app/src/library_tools.rs',
];

test.each(NOTES)('every note of %s has a Chinese form', (path) => {
  const source = readFileSync(join(import.meta.dirname, '../../..', path), 'utf8').split('#[cfg(test)]')[0] ?? '';
  // `count(n, "line", "lines")` is a note of its own and is tested below.
  const counted = source.replace(/count\([^()]*(\([^()]*\))?[^()]*\)/g, '');
  const notes = [
    ...counted.matchAll(/CallOutcome::new\((?:[^;()"]|"[^"]*"|\([^()]*\))*?, "([a-z][^"{}]*)"\)/g),
    ...counted.matchAll(/"((?:not|written|the file|nobody|there was|the user said)[^"{}]*)"/g),
  ].map(([, text = '']) => text);
  expect(notes.length).toBeGreaterThan(0);
  expect(notes.filter((text) => note(zh, text) === text)).toEqual([]);
});

/** Where a block comes from, as the core writes it, and as it reads with its value. */
const SOURCES: [path: string, written: string, read: string][] = [
  ['work', '7 of an earlier turn', 'question of an earlier turn'],
  ['work', '7 of an earlier turn', 'answer of an earlier turn'],
  ['work', 'reply 8 of this turn', 'reply 8 of this turn'],
  ['answer', 'an earlier exchange', 'an earlier exchange'],
  ['system', 'earlier turns, in short', 'earlier turns, in short'],
  ['system', 'pinned knowledge', 'pinned knowledge'],
  ['system', 'heading', 'heading'],
  ['summarise', 'the summary so far', 'the summary so far'],
];

test.each(SOURCES)('%s.rs: “%s” has a Chinese form as “%s”', (path, written, read) => {
  expect(texts(`crates/recto-core/src/context/${path}.rs`)).toContain(written);
  expect(note(zh, read)).not.toBe(read);
});

test('a line from below is Chinese in a Chinese window, and its parts are as well', () => {
  const said: [string, string][] = [
    ['25 lines', '25 行'],
    ['1 entry', '1 项'],
    ['3 matches in 2 files', '2 个文件中有 3 处匹配'],
    ['"port" in notes', 'notes 中的“port”'],
    ['written, 31 bytes', '已写入，31 字节'],
    ['written, 31 bytes, 1 folder made', '已写入，31 字节，新建了 1 个文件夹'],
    ['deleted, 17 bytes', '已删除，17 字节'],
    ['moved, 17 bytes, 2 folders made', '已移动，17 字节，新建了 2 个文件夹'],
    ['11 unchanged lines', '11 行未变'],
    ['the work was ended early, because 12 rounds of tools had been made', '工作提前结束，因为工具已经用了 12 轮'],
    [
      'Nothing answers at http://127.0.0.1:8080. Start the server or choose another model.',
      'http://127.0.0.1:8080 没有回应。请启动服务器，或换一个模型',
    ],
    [
      'a.example sent nothing for 45 s. Look at the server, then try again or choose another model.',
      'a.example 在 45 秒内什么也没有发来。请看看服务器，再试一次，或换一个模型',
    ],
    ['a.example is busy: status 503', 'a.example 正忙：状态码 503'],
    ['a line of an outside tool', 'a line of an outside tool'],
  ];
  expect(said.map(([text]) => note(zh, text))).toEqual(said.map(([, chinese]) => chinese));
  expect(said.map(([text]) => note(en, text))).toEqual(said.map(([text]) => text));
});
