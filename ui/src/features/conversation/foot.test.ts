import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, expect, test } from 'vitest';
import type { OperationView } from '../../ipc/generated/types';
import type { Mark } from '../../view/marks';
import { receiptSentence, type ReceiptEntry } from '../../view/receipt';
import { Words } from '../../view/words';
import AnswerMarks from './AnswerMarks.svelte';
import ReadingProgress from './ReadingProgress.svelte';
import ReceiptLine from './ReceiptLine.svelte';

const [en, zh] = [new Words('en'), new Words('zh')];
afterEach(cleanup);

const texts = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent.trim());
const faults = async () => (await axe.run(document.body, { rules: { region: { enabled: false } } })).violations;

const ENTRIES: ReceiptEntry[] = [
  { outcome: 'changed', operation: 'edit', path: 'tickets.csv', lines: 1 },
  { outcome: 'changed', operation: 'create', path: 'notes/{n}.md', lines: 1200 },
  { outcome: 'changed', operation: 'move', path: 'a.md', lines: 3 },
  { outcome: 'not_changed', operation: 'edit', path: 'b.md' },
  { outcome: 'refused', operation: 'delete', path: 'c.md' },
  { outcome: 'failed', operation: 'append', path: 'd.md' },
];

test('a receipt says in short sentences what was done, and what was not and why', async () => {
  render(ReceiptLine, { words: en, entries: ENTRIES });
  expect(screen.getByRole('list', { name: 'What was done to your files' })).toBeVisible();
  expect(texts()).toEqual([
    'Changed one line of tickets.csv.',
    'Created notes/{n}.md with 1,200 lines.',
    'Moved a.md.',
    'Did not change b.md: it is as it was.',
    'Was not allowed to delete c.md.',
    'Could not add to d.md.',
  ]);
  expect(await faults()).toEqual([]);
});

test('a receipt is Chinese where the window is', () => {
  render(ReceiptLine, { words: zh, entries: ENTRIES });
  expect(texts()).toEqual([
    '修改了 tickets.csv 中的 1 行。',
    '新建了 notes/{n}.md，共 1,200 行。',
    '移动了 a.md。',
    '没有修改 b.md：和原来一样。',
    '未获准删除 c.md。',
    '未能向 d.md 追加内容。',
  ]);
});

test('every operation has its sentence in both languages', () => {
  const operations: OperationView[] = [
    'create',
    'overwrite',
    'edit',
    'append',
    'delete',
    'move',
    'makeDir',
    'remember',
    'forget',
  ];
  const outcomes = ['changed', 'not_changed', 'refused', 'failed'] as const;
  for (const words of [en, zh])
    for (const operation of operations)
      for (const outcome of outcomes)
        for (const lines of [{}, { lines: 2 }])
          expect(receiptSentence(words, { outcome, operation, path: 'x.md', ...lines })).toMatch(/^[^{}]*x\.md[^{}]*$/);
});

test('without an entry there is no receipt', () => {
  render(ReceiptLine, { words: en, entries: [] });
  expect(screen.queryByRole('list')).toBeNull();
});

const MARKS: Mark[] = [
  { kind: 'nothing_changed' },
  { kind: 'not_given', texts: ['2015 cm'] },
  { kind: 'perhaps_not_in_files', texts: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
];

test('marks say what is to be checked, and open the request', async () => {
  let nOpened = 0;
  render(AnswerMarks, { words: en, marks: MARKS, onrequest: () => nOpened++ });
  expect(texts()).toEqual([
    'The answer says that something was changed, but nothing was.',
    'Not in what the model was given: 2015 cm',
    'May not be in your files: a, b, c, d, e and 2 more',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Show the request' }));
  expect(nOpened).toBe(1);
  expect(await faults()).toEqual([]);
});

test('marks are Chinese where the window is', () => {
  render(AnswerMarks, { words: zh, marks: MARKS, onrequest: () => undefined });
  expect(texts()).toEqual([
    '回答说做了改动，其实什么也没有改。',
    '提供给模型的内容里没有：2015 cm',
    '可能不在你的文件里：a、b、c、d、e 等，另有 2 处',
  ]);
});

test('an answer without a mark has no line for it', () => {
  render(AnswerMarks, { words: en, marks: [], onrequest: () => undefined });
  expect(screen.queryByRole('group')).toBeNull();
});

test('reading a request shows how far it is, and says so to whoever asks', async () => {
  const { rerender } = render(ReadingProgress, { words: en, reading: { nRead: 1200, nTotal: 3400, leftMs: 6200 } });
  const bar = screen.getByRole('progressbar', { name: 'Reading the request' });
  expect(bar).toHaveAttribute('aria-valuetext', 'Reading the request: 1,200 of 3,400 tokens, 6 s left');
  expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual(['1200', '3400']);
  expect(await faults()).toEqual([]);
  const said = async (nRead: number, nTotal: number, leftMs: number | null, words = en) => {
    await rerender({ words, reading: { nRead, nTotal, leftMs } });
    return bar.getAttribute('aria-valuetext');
  };
  expect(await said(0, 3400, null)).toBe('Reading the request: 0 of 3,400 tokens');
  expect(await said(3300, 3400, 90)).toBe('Reading the request: 3,300 of 3,400 tokens, 1 s left');
  expect(await said(10, 3400, 125_000)).toBe('Reading the request: 10 of 3,400 tokens, 2 min 5 s left');
  expect(await said(3400, 3400, 0)).toBe('The request is read: 3,400 tokens');
  expect(await said(0, 0, null)).toBe('The request is read: 0 tokens');
  expect(await said(1200, 3400, 6200, zh)).toBe('正在读取请求：1,200 / 3,400 个 token，还需 6 秒');
});
