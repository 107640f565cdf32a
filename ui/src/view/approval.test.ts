import { expect, test } from 'vitest';
import type { ApprovalView } from '../ipc/generated/types';
import { boundOf, emptyOf, sizesOf, targetOf } from './approval';
import { Words } from './words';

function approval(operation: ApprovalView['operation'], before: number | null, after: number | null): ApprovalView {
  return {
    id: 'ap_1',
    conversation: 'cv_1',
    turn: 'tn_1',
    call: 'c1',
    tool: 'a_tool',
    path: 'list.md',
    to: operation === 'move' ? 'old/list.md' : null,
    operation,
    nBytesBefore: before,
    nBytesAfter: after,
    nAdded: 0,
    nRemoved: 0,
    flags: [],
    diff: [],
    digest: 'sha256:1',
    offer: null,
    nTogether: 1,
  };
}

test('a card says how large a file is and what becomes of it', () => {
  const said: [ApprovalView, string, string][] = [
    [approval('create', null, 22), 'new file, 22 B', '新文件，22 B'],
    [approval('append', 17, 25), '17 B → 25 B', '17 B → 25 B'],
    [approval('delete', 17, null), '17 B; it can be undone for seven days', '17 B；七天内可以撤销'],
    [approval('move', 17, 17), '17 B', '17 B'],
    [approval('makeDir', null, null), '', ''],
  ];
  const sizes = (language: 'en' | 'zh') => said.map(([view]) => sizesOf(new Words(language), view));
  expect(sizes('en')).toEqual(said.map(([, english]) => english));
  expect(sizes('zh')).toEqual(said.map(([, , chinese]) => chinese));
});

test('a move is named by both ends', () => {
  expect(targetOf(approval('move', 17, 17))).toBe('list.md → old/list.md');
  expect(targetOf(approval('delete', 17, null))).toBe('list.md');
});

test('where there are no lines a card says why, and what the yes holds for', () => {
  const en = new Words('en');
  const said = (view: ApprovalView) => [emptyOf(en, view), boundOf(en, view)];
  const place = 'Your yes holds for exactly this.';
  expect(said(approval('overwrite', 17, 0))).toEqual([
    'The file will be empty.',
    'Your yes holds for exactly these bytes.',
  ]);
  expect(said(approval('delete', 17, null))).toEqual(['Its lines are not shown.', place]);
  expect(said(approval('delete', 0, null))).toEqual(['The file is empty.', place]);
  expect(said(approval('move', 17, 17))).toEqual(['The content stays as it is.', place]);
  expect(said(approval('makeDir', null, null))).toEqual(['An empty folder is made.', place]);
  expect(boundOf(en, approval('remember', 17, 25))).toBe('Your yes holds for exactly these words.');
});
