import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Backend } from '../ipc/backend';
import type { PreviewView } from '../ipc/generated/types';
import { Preview, type NextQuestion } from './preview.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NEXT: NextQuestion = { conversation: 'cv_1', question: '', folder: 'fd_1', assistant: null, model: 'qwen' };

/** A preview whose answers come when they are given. */
function composed() {
  const answers: ((nTokens: number) => void)[] = [];
  const read = vi.fn<Backend['preview_read']>(
    () => new Promise((done) => answers.push((nTokens) => done({ nTokens, modelWindow: 8192 } as PreviewView))),
  );
  const preview = new Preview({ preview_read: read } as unknown as Backend);
  const asked = () => read.mock.calls.map(([{ params }]) => `${params.question}|${params.window ?? 'own'}`);
  return { preview, answers, asked, read };
}

test('what is typed is composed once typing pauses, and what is chosen at once', async () => {
  const { preview, asked } = composed();
  void preview.follow(NEXT);
  expect(asked()).toEqual(['|own']);
  for (const question of ['W', 'Wh', 'Why?']) {
    void preview.follow({ ...NEXT, question });
    await vi.advanceTimersByTimeAsync(299);
  }
  expect(asked()).toEqual(['|own']);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked()).toEqual(['|own', 'Why?|own']);
  void preview.follow({ ...NEXT, question: 'Why?', folder: null });
  expect(asked()).toHaveLength(3);
});

test('the slider is followed once it rests, and another model has a window of its own', async () => {
  const { preview, asked } = composed();
  void preview.follow(NEXT);
  for (const window of [4096, 3840, 2048]) {
    void preview.resize(window);
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(50);
  expect(asked()).toEqual(['|own', '|2048']);
  void preview.follow({ ...NEXT, model: 'server' });
  expect([preview.window, asked().at(-1)]).toEqual([null, '|own']);
});

test('an answer that comes late replaces no newer one', async () => {
  const { preview, answers } = composed();
  void preview.follow(NEXT);
  void preview.resize(2048);
  await vi.advanceTimersByTimeAsync(150);
  expect(preview.isReading).toBe(true);
  answers[1]?.(200);
  await vi.advanceTimersByTimeAsync(0);
  answers[0]?.(100);
  await vi.advanceTimersByTimeAsync(0);
  expect([preview.view?.nTokens, preview.isReading]).toEqual([200, false]);
});

test('nothing is composed once nobody looks, and at once when somebody does again', async () => {
  const { preview, answers, asked } = composed();
  void preview.follow(NEXT);
  void preview.follow({ ...NEXT, question: 'Why?' });
  preview.rest();
  answers[0]?.(100);
  await vi.advanceTimersByTimeAsync(1000);
  expect([preview.view, preview.isReading, asked()]).toEqual([null, false, ['|own']]);
  void preview.follow({ ...NEXT, question: 'Why not?' });
  expect(asked()).toEqual(['|own', 'Why not?|own']);
});

test('what was composed stays while it is composed anew, but not that of another conversation', async () => {
  const { preview, answers } = composed();
  void preview.follow(NEXT);
  answers[0]?.(100);
  await vi.advanceTimersByTimeAsync(0);
  void preview.follow({ ...NEXT, folder: null });
  expect(preview.view?.nTokens).toBe(100);
  void preview.follow({ ...NEXT, conversation: 'cv_2' });
  expect(preview.view).toBeNull();
});

test('a failure is kept until something could be composed', async () => {
  const { preview, read, answers } = composed();
  read.mockRejectedValueOnce({ code: 'modelUnusable', params: {}, detail: 'gone' });
  await preview.follow(NEXT);
  expect([preview.failure?.detail, preview.isReading]).toEqual(['gone', false]);
  void preview.follow({ ...NEXT, model: 'server' });
  answers[0]?.(100);
  await vi.advanceTimersByTimeAsync(0);
  expect([preview.failure, preview.view?.nTokens]).toEqual([null, 100]);
});
