import { expect, test } from 'vitest';
import type { BlockView, PreviewView } from '../ipc/generated/types';
import { mostWindow, nextSentence, windowAt } from './next';
import { Words } from './words';

const en = new Words('en');
const zh = new Words('zh');
const next = (over: Partial<PreviewView>) =>
  ({ exactness: { known: 'exact' }, nTokens: 2140, nFolded: 0, failure: null, blocks: [], ...over }) as PreviewView;
const gone = (kind: BlockView['kind'], rule: 'oldestHistory' | 'lowestMemory' | 'nothingBelow' | 'empty') =>
  ({ kind, verdict: { verdict: 'dropped', rule, order: 1 } }) as BlockView;
const cut = { kind: 'question', verdict: { verdict: 'cut', keptLines: 8, ofLines: 20 } } as BlockView;

test('what the next question would be sent with is said in words', () => {
  const said = (over: Partial<PreviewView>) => nextSentence(en, next(over));
  expect(said({})).toBe('The next question would be sent with 2,140 tokens; everything fits.');
  expect(said({ exactness: { known: 'estimate' } })).toBe(
    'The next question would be sent with ~2,140 tokens; everything fits.',
  );
  expect(said({ nFolded: 12, blocks: [gone('history', 'oldestHistory')] })).toBe(
    'The next question would be sent with 2,140 tokens; 12 earlier exchanges would enter the summary first.',
  );
  expect(said({ blocks: [cut, gone('memory', 'lowestMemory'), gone('profile', 'empty')] })).toBe(
    'The next question would be sent with 2,140 tokens. 2 blocks would be cut or left out.',
  );
  expect(said({ nFolded: 1, blocks: [cut, gone('notice', 'nothingBelow')] })).toBe(
    'The next question would be sent with 2,140 tokens; one earlier exchange would enter the summary first. One block would be cut or left out.',
  );
});

test('why nothing could be sent is said in the language of the window', () => {
  const failure =
    "this does not fit into the model's window of 1024 tokens. Never left out: instructions: 612; kept free for the reply: 512";
  expect(nextSentence(en, next({ failure }))).toBe(`Nothing could be sent: ${failure}`);
  expect(nextSentence(zh, next({ failure }))).toMatch(/^什么也送不出去：.*1024/);
  expect(nextSentence(zh, next({ nFolded: 3 }))).toBe('下一个请求会送出 2,140 词元，之前先把 3 组较早的问答收进摘要。');
});

test('the right end of the slider is the model’s own window, whole step or not', () => {
  expect([8192, 4000, 1100].map(mostWindow)).toEqual([8192, 4096, 1280]);
  expect([windowAt(3840, 4000), windowAt(4096, 4000)]).toEqual([3840, null]);
});
