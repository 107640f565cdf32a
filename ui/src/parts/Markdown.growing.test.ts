import { expect, test } from 'vitest';
import { Reader, read, type Block } from '../view/markdown';
import { CASES } from './Markdown.cases';
import { markupOf } from './Markdown.markup';

/** What is shown while a text comes letter by letter, each look once. */
function looks(text: string): string[] {
  const all = Array.from({ length: text.length + 1 }, (_, end) => markupOf(text.slice(0, end), true));
  return all.filter((look, at) => look !== all[at - 1]);
}

test('a table appears when its line of dashes is whole, and then row by row', () => {
  expect(looks('T:\n| a | b |\n|---|--:|\n| 1 |\n')).toEqual([
    '',
    '<p>T</p>',
    '<p>T:</p>',
    '<p>T:</p><table><tr><th>a</th><th right>b</th></tr></table>',
    '<p>T:</p><table><tr><th>a</th><th right>b</th></tr><tr><td>1</td><td right></td></tr></table>',
  ]);
});

test('a fence is code from its first line on, and its closing marks are never part of it', () => {
  expect(looks('```py\na\n```\nb')).toEqual(['', '<pre py></pre>', '<pre py>a</pre>', '<pre py>a</pre><p>b</p>']);
});

test('a formula in lines of its own keeps its place from the beginning to the end', () => {
  expect(looks('$$\nx\n$$\n')).toEqual(['', '<maths block></maths>', '<maths block>x</maths>']);
});

test('a price is never a formula on the way', () => {
  expect(looks('a $5-$10').at(-1)).toBe('<p>a $5-$10</p>');
  expect(looks('a $5-$10').filter((look) => look.includes('maths'))).toEqual([]);
});

test('bold text is bold from its first letter on', () => {
  expect(looks('**ab** c')).toEqual([
    '',
    '<p><strong>a</strong></p>',
    '<p><strong>ab</strong></p>',
    '<p><strong>ab</strong> c</p>',
  ]);
});

test('a list, a heading and a line are nothing else before', () => {
  expect(looks('a\n- b')).toEqual(['', '<p>a</p>', '<p>a</p><ul><li><p>b</p></li></ul>']);
  expect(looks('a\n\n---\n')).toEqual(['', '<p>a</p>', '<p>a</p><hr>']);
  expect(looks('## b')).toEqual(['', '<h5>b</h5>']);
});

test('what was shown of a text is never something else later, in any case that is known', () => {
  const kinds = (blocks: Block[]): string => blocks.map(({ type }) => type).join(' ');
  // Only a heading with a line under it, and a table without a bar at its beginning, are paragraphs first.
  const known = /(?:A\n=|a \| b\n-)/;
  const turned: string[] = [];
  for (const [text] of Object.values(CASES).flat()) {
    const reader = new Reader();
    let before = '';
    for (let end = 1; end <= text.length && !known.test(text); end++) {
      const now = kinds(reader.read(text.slice(0, end), true));
      if (!now.startsWith(before)) turned.push(`${JSON.stringify(text)}: ${before} → ${now}`);
      before = now;
    }
  }
  expect(turned).toEqual([]);
});

test('a text that came in pieces reads as it does at once', () => {
  const open = [
    '# **a',
    '**b',
    '- **c\n- `d\n- $e',
    '> **f',
    '| a |\n|---|\n| **g |\n| $h$ |\n| $i$',
    '**j\n===',
    '$k',
    '1. $$l',
  ];
  const texts = [...open, ...Object.values(CASES).flatMap((cases) => cases.map(([text]) => text))];
  const turned: string[] = [];
  texts.forEach((text, at) => {
    const whole = `${text}\n\n${texts[(at + 1) % texts.length]}\n\nEnd *of* [r]`;
    for (const step of [1, 2, 3, 7]) {
      const reader = new Reader();
      for (let end = 0; end < whole.length; end += step) reader.read(whole.slice(0, end), true);
      if (JSON.stringify(reader.read(whole, false)) !== JSON.stringify(read(whole))) turned.push(whole);
    }
  });
  expect(turned).toEqual([]);
});

test('what more text costs does not grow with what stands before', () => {
  const paragraph =
    'Some **words** with `code`, $x^2$ and a [link](http://x.y).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n';
  const reader = new Reader();
  const before = paragraph.repeat(2000);
  const closed = reader.read(before, true);
  const timed = (act: () => void): number => {
    const began = performance.now();
    act();
    return performance.now() - began;
  };
  let [more, whole] = [0, 0];
  for (let end = 0; end < 2000; end += 40) {
    const text = before + paragraph.repeat(20).slice(0, end);
    more += timed(() => expect(reader.read(text, true)[5000]).toBe(closed[5000]));
    whole += timed(() => read(text));
  }
  // The machine may be busy, so what is compared is done in turn.
  expect(more).toBeLessThan(whole / 4);
});

test('of a long list and a long table only the end is read anew', () => {
  const rows = Array.from({ length: 300 }, (_, n) => `| ${n} | **b** |\n`).join('');
  const items = Array.from({ length: 300 }, (_, n) => `- **${n}**\n`).join('');
  for (const [text, more] of [
    [items, '- x'],
    [`| a | b |\n|---|---|\n${rows}`, '| x'],
  ] as const) {
    const reader = new Reader();
    const of = ([block]: Block[]): unknown[] =>
      block?.type === 'list' ? block.items : block?.type === 'table' ? block.rows : [];
    const before = of(reader.read(`${text}${more}`, true));
    const after = of(reader.read(`${text}${more} y`, true));
    expect(after.length).toBe(301);
    expect(after.map((value, at) => value === before[at])).toEqual(after.map((_, at) => at < 300));
  }
});
