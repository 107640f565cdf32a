import { expect, test } from 'vitest';
import type { DownloadView } from '../ipc/generated/types';
import { downloadText, shareHere } from './downloads';
import { Words } from './words';

const MIB = 1024 ** 2;
const download = (change: Partial<DownloadView>): DownloadView => ({
  id: 'tiny',
  title: 'Tiny',
  nDone: 60 * MIB,
  nBefore: 40 * MIB,
  nBytes: 100 * MIB,
  isChecking: false,
  elapsedMs: 10_000,
  ...change,
});

test('speed and time left are of this try, and said only when they are known', () => {
  const en = new Words('en');
  expect(downloadText(en, download({}))).toBe('60 MiB of 100 MiB · 2 MiB per second · about 20 s left');
  expect(downloadText(en, download({ elapsedMs: 500 }))).toBe('60 MiB of 100 MiB');
  expect(downloadText(en, download({ nDone: 40 * MIB }))).toBe('40 MiB of 100 MiB');
  expect(downloadText(en, download({ nBytes: 0, nDone: 0 }))).toBe('asking the publisher…');
  expect(downloadText(new Words('zh'), download({ nDone: 100 * MIB, isChecking: true }))).toBe('正在核对哈希…');
});

test('the part that is here never leaves its bounds', () => {
  expect([0, 60 * MIB, 200 * MIB].map((nDone) => shareHere(download({ nDone })))).toEqual([0, 0.6, 1]);
  expect(shareHere(download({ nBytes: 0 }))).toBe(0);
});
