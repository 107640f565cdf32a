import { expect, test } from 'vitest';
import type { LibraryProgressView, PassageView } from '../ipc/generated/types';
import { leftMs, progressText, shareDone, whereText } from './library';
import { Words } from './words';

const en = new Words('en');
const zh = new Words('zh');
const progress = (over: Partial<LibraryProgressView>): LibraryProgressView => ({
  nDone: 3,
  nFiles: 12,
  nBytesDone: 1024 * 1024,
  nBytes: 4 * 1024 * 1024,
  elapsedMs: 5_000,
  ...over,
});

test('progress says files, bytes and the time left once it is known', () => {
  expect(progressText(en, progress({}))).toBe('3 of 12 files · 1 MiB of 4 MiB · about 15 s left');
  expect(progressText(zh, progress({}))).toBe('12 个文件中的 3 个 · 1 MiB / 4 MiB · 大约还要 15 秒');
  expect(progressText(en, progress({ elapsedMs: 500 }))).toBe('3 of 12 files · 1 MiB of 4 MiB');
  expect(leftMs(progress({ nBytesDone: 0 }))).toBeNull();
});

test('the share that is done goes by bytes, and by files where they are empty', () => {
  expect(shareDone(progress({}))).toBe(0.25);
  expect(shareDone(progress({ nBytes: 0 }))).toBe(0.25);
  expect(shareDone(progress({ nBytes: 0, nFiles: 0 }))).toBe(0);
});

test('a place is said with its headings, in both languages', () => {
  const passage = (place: PassageView['place'], headings: string[] = []): PassageView => ({
    id: 'p1',
    document: 'a',
    root: '/r',
    headings,
    place,
    score: 0.5,
    text: '',
  });
  const place = (unit: PassageView['place']['unit'], first: number, last: number, sheet = '') => ({
    unit,
    first,
    last,
    sheet,
  });
  expect(whereText(en, passage(place('line', 3, 9), ['Plan', 'Day one']))).toBe('Plan › Day one · lines 3–9');
  expect(whereText(en, passage(place('page', 2, 2)))).toBe('page 2');
  expect(whereText(zh, passage(place('row', 2, 5, '价格')))).toBe('工作表“价格” · 第 2–5 行');
  expect(whereText(en, passage(place('unnumbered', 1, 9)))).toBe('');
});
