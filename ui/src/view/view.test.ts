import { describe, expect, test } from 'vitest';
import type { AuditRowView, BlockView, ConversationRow, RequestView } from '../ipc/generated/types';
import { saying } from './audit';
import { leftOut, merged, placesOf, stretches } from './blocks';
import { bytes, duration, shortHash, tokens, windowSize } from './format';
import { byDay, withTitle } from './groups';
import { actionOf, sends, type Stroke } from './keys';
import { Words } from './words';

const en = new Words('en');
const zh = new Words('zh');

describe('numbers', () => {
  test('have units and no more digits than help', () => {
    expect([0, 812, 3_120, 9_999, 32_768].map(tokens)).toEqual(['0', '812', '3.1k', '9.9k', '33k']);
    expect([8_192, 32_768, 4_000].map(windowSize)).toEqual(['8k', '32k', '4k']);
    expect([12, 2_048, 1_117_320_736].map((n) => bytes(en, n))).toEqual(['12 B', '2 KiB', '1 GiB']);
    expect([400, 14_200, 125_000].map((ms) => duration(en, ms))).toEqual(['0.4 s', '14 s', '2 min 5 s']);
    expect(shortHash(`sha256:${'ab'.repeat(32)}`)).toBe('abababab…abab');
  });
});

describe('the list of conversations', () => {
  const now = new Date(2026, 10, 30, 12).getTime();
  const row = (id: string, day: number, title = id): ConversationRow => ({
    id,
    title,
    updatedAtMs: new Date(2026, 10, day, 9).getTime(),
    nTurns: 1,
    runningTurn: null,
  });

  test('is grouped by day, newest first', () => {
    const groups = byDay([row('a', 1), row('b', 30), row('c', 29), row('d', 26), row('e', 30)], now);
    expect(groups.map(({ heading, rows }) => `${heading}: ${rows.map(({ id }) => id).join()}`)).toEqual([
      'list.today: b,e',
      'list.yesterday: c',
      'list.week: d',
      'list.earlier: a',
    ]);
  });

  test('is searched without regard to case', () => {
    const rows = [row('a', 1, 'Trip to Oslo'), row('b', 2, '会议记录')];
    expect(withTitle(rows, ' oslo ').map(({ id }) => id)).toEqual(['a']);
    expect(withTitle(rows, '会议').map(({ id }) => id)).toEqual(['b']);
    expect(withTitle(rows, '').length).toBe(2);
  });
});

describe('a request to scale', () => {
  const block = (position: number, over: Partial<BlockView>): BlockView => ({
    position,
    id: `b${position}`,
    kind: 'fact',
    source: '',
    role: 'user',
    message: 1,
    score: null,
    verdict: { verdict: 'kept' },
    nTokens: 100,
    nPlaced: 100,
    had: null,
    ...over,
  });
  const request = {
    window: 1000,
    reserve: 200,
    nTokens: 310,
    blocks: [
      block(0, {}),
      block(1, { verdict: { verdict: 'dropped', rule: 'oldestHistory', order: 2 }, nPlaced: 0 }),
      block(2, { verdict: { verdict: 'dropped', rule: 'empty', order: 0 }, nPlaced: 0 }),
      block(3, { verdict: { verdict: 'dropped', rule: 'notInAnswer', order: 1 }, nPlaced: 0 }),
      block(4, { verdict: { verdict: 'cut', keptLines: 8, ofLines: 20 }, nTokens: 500, nPlaced: 200 }),
    ],
  } as RequestView;

  test('the stretches are the whole window, and the template is what no block accounts for', () => {
    const told = stretches(request).map(({ kind, nTokens }) => `${kind} ${nTokens}`);
    expect(told).toEqual(['fact 100', 'fact 200', 'other 10', 'free 490', 'reserve 200']);
  });

  test('what was left out stands in the order in which it went', () => {
    expect(leftOut(request).map(({ position }) => position)).toEqual([3, 1]);
  });

  test('a sentence is found in what was gathered, and one that was cut off is told apart', () => {
    const texts = [
      { position: 0, whole: 'Port 7070', placed: 'Port 7070' },
      { position: 1, whole: 'The port is 7070.', placed: null },
      { position: 4, whole: 'long … PORT 7070', placed: 'long' },
    ];
    expect(placesOf(' port 7070', texts)).toEqual([
      { position: 0, isPlaced: true },
      { position: 4, isPlaced: false },
    ]);
    expect(placesOf('', texts)).toEqual([]);
  });

  test('neighbours of one kind are one stretch in a short bar, a cut one apart', () => {
    const blocks = [
      block(0, { kind: 'history' }),
      block(1, { kind: 'history' }),
      block(2, { kind: 'history', verdict: { verdict: 'cut', keptLines: 1, ofLines: 2 } }),
      block(3, { kind: 'question' }),
    ];
    const all = merged(stretches({ ...request, nTokens: 400, blocks, exactness: { known: 'exact' } }));
    expect(all.map(({ kind, nTokens }) => `${kind} ${nTokens}`)).toEqual([
      'history 200',
      'history 100',
      'question 100',
      'free 400',
      'reserve 200',
    ]);
  });
});

describe('keys', () => {
  const stroke = (over: Partial<Stroke>): Stroke => ({
    key: 'n',
    hasCommand: false,
    hasAlt: false,
    isComposing: false,
    isInField: false,
    isInMenu: false,
    ...over,
  });

  test('act outside of fields; Ctrl K and Escape act everywhere', () => {
    expect(actionOf(stroke({}))).toBe('new');
    expect(actionOf(stroke({ isInField: true }))).toBeNull();
    expect(actionOf(stroke({ key: 'k', hasCommand: true, isInField: true }))).toBe('palette');
    expect(actionOf(stroke({ key: 'Escape', isInField: true }))).toBe('stop');
    expect(actionOf(stroke({ key: 'Escape', isInField: true, isComposing: true }))).toBeNull();
    expect(actionOf(stroke({ key: 'n', hasCommand: true }))).toBeNull();
    expect(actionOf(stroke({ isInMenu: true }))).toBeNull();
  });

  test('an Enter that ends an input-method composition never sends', () => {
    const enter = { key: 'Enter', shiftKey: false, isComposing: false, keyCode: 13 };
    expect(sends(enter)).toBe(true);
    expect(sends({ ...enter, isComposing: true })).toBe(false);
    expect(sends({ ...enter, keyCode: 229 })).toBe(false);
    expect(sends({ ...enter, shiftKey: true })).toBe(false);
  });
});

test('rows of the audit log are filtered by what they say', () => {
  const row = (position: number, tool: string, event: AuditRowView['event']) =>
    ({ position, tool, target: 'README.md', event }) as AuditRowView;
  const rows = [
    row(1, 'read_file', { event: 'outcome', status: 'done', note: '17 lines', written: null }),
    row(2, 'write_file', {
      event: 'decision',
      isAllowed: false,
      decider: 'person denied',
      reason: null,
      digest: null,
      before: null,
      after: null,
    }),
  ];
  const found = (words: Words, text: string) => saying(words, rows, text).map(({ position }) => position);
  expect(found(en, 'Said NO')).toEqual([2]);
  expect(found(en, 'readme')).toEqual([1, 2]);
  expect(found(en, '17 lines')).toEqual([1]);
  expect(found(zh, '17 行')).toEqual([1]);
  expect(found(zh, '你拒绝了')).toEqual([2]);
  // What nobody sees is not searched.
  expect(found(en, 'outcome')).toEqual([]);
});
