import { expect, test } from 'vitest';
import type { TracedView } from '../ipc/generated/types';
import { outcomeRuns, outcomeName } from './inspect';
import { Words } from './words';

const en = new Words('en');

const traced = (number: number, over: Partial<TracedView> = {}): TracedView => ({
  turn: 'tn_1',
  turnNumber: 1,
  request: `rq_${number}`,
  number,
  purpose: 'work',
  outcome: { outcome: 'notThere' },
  block: null,
  kind: null,
  source: '',
  needed: null,
  had: null,
  ...over,
});
const whole = { outcome: 'whole', level: 'exact', number: 2, of: 9, percent: 0.2, nTokensToQuestion: 40 } as const;

test('requests in which the same became of a text are told once, the one behind the answer first', () => {
  const rows = [
    traced(1),
    traced(2, { outcome: whole, kind: 'result', source: 'read_file a.md' }),
    traced(3, { outcome: { ...whole, of: 11 }, kind: 'result', source: 'read_file a.md' }),
    traced(4, { purpose: 'answer', outcome: { outcome: 'dropped', rule: 'notInAnswer', order: 0 }, kind: 'history' }),
  ];
  expect(outcomeRuns(rows).map(({ from, traced }) => [from, traced.number])).toEqual([
    [4, 4],
    [1, 1],
    [2, 3],
  ]);
});

test('what became of a text is said in words, with the room where a size decided', () => {
  const said = (over: Partial<TracedView>) => outcomeName(en, traced(1, over));
  expect(said({ outcome: whole, kind: 'result', source: 'read_file a.md' })).toBe(
    'whole, in result · read_file a.md · word for word · block 2 of 9, 1 % of the request · 40 tokens before the question',
  );
  expect(
    said({ outcome: { outcome: 'dropped', rule: 'lowestMemory', order: 1 }, kind: 'memory', needed: 1240, had: 310 }),
  ).toMatch(/^left out \(memory\): .* · needed 1,240 tokens, had 310$/);
  expect(said({ outcome: { outcome: 'notChosen', chosen: [{ source: 'p3', score: 0.5 }] } })).toBe(
    'not chosen for this question: chosen were p3 0.50',
  );
});
