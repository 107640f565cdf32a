import { expect, test } from 'vitest';
import type { ApprovalView, DiffLineView } from '../ipc/generated/types';
import { unseen } from './arming';

const change = (diff: DiffLineView[], nAdded = 1, nRemoved = 0) => ({ diff, nAdded, nRemoved }) as ApprovalView;
const added: DiffLineView = { kind: 'added', text: 'milk' };
const gap = (text: string): DiffLineView => ({ kind: 'gap', text });

test('permission_p3_a_yes_needs_every_line_of_the_change', () => {
  const shown = (what: ApprovalView) => unseen(what, what.diff.length);
  expect(shown(change([added]))).toBeNull();
  expect(
    shown(change([gap('1 unchanged line'), added, gap('no line end after this line'), gap('7 unchanged lines')])),
  ).toBeNull();
  expect(unseen(change([added, added], 2), 1)).toBe('folded');
  expect(shown(change([added, gap('8000 more lines of this change are not shown')]))).toBe('hidden');
  expect(shown(change([added, gap('something that is not known here')]))).toBe('hidden');
});

test('permission_p3_fewer_lines_than_were_counted_are_not_all', () => {
  expect(unseen(change([added], 9), 1)).toBe('hidden');
  expect(unseen(change([added], 1, 1), 1)).toBe('hidden');
});
