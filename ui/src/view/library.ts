import type { LibraryProgressView, LibraryView, PassageView } from '../ipc/generated/types';
import { bytes, duration } from './format';
import type { Words } from './words';

/** Nothing is said of the time left before so much of it is known. */
const KNOWN_MS = 2_000;

/** How far reading has come: files, bytes and the time left, as far as it can be told. */
export function progressText(words: Words, progress: LibraryProgressView): string {
  const done = words.say('tray.files', { done: progress.nDone, n: progress.nFiles });
  const sizes = words.say('tray.bytes', {
    done: bytes(words, progress.nBytesDone),
    all: bytes(words, progress.nBytes),
  });
  const left = leftMs(progress);
  return [done, sizes, ...(left === null ? [] : [words.say('tray.left', { time: duration(words, left) })])].join(' · ');
}

/** The time left by what was read until now, in whole seconds; `null` while that says nothing. */
export function leftMs({ elapsedMs, nBytes, nBytesDone }: LibraryProgressView): number | null {
  if (elapsedMs < KNOWN_MS || nBytesDone === 0) return null;
  return Math.ceil(((nBytes - nBytesDone) * elapsedMs) / nBytesDone / 1000) * 1000;
}

/** The part that is done, between 0 and 1; by bytes, because files differ in size. */
export function shareDone({ nBytes, nBytesDone, nDone, nFiles }: LibraryProgressView): number {
  if (nBytes > 0) return Math.min(1, nBytesDone / nBytes);
  return nFiles > 0 ? Math.min(1, nDone / nFiles) : 0;
}

/** Where a passage stands: `Plan › Day one, lines 3–9`; empty where there is nothing to say. */
export function whereText(words: Words, { headings, place }: PassageView): string {
  const { unit, first, last, sheet } = place;
  const range = first === last ? String(first) : `${first}–${last}`;
  const inDocument = unit === 'unnumbered' ? '' : words.say(`library.${unit}`, { range, n: last - first + 1 });
  const inSheet = sheet === '' ? '' : words.say('library.sheet', { sheet });
  return [headings.join(' › '), inSheet, inDocument].filter((part) => part !== '').join(' · ');
}

/** How many documents could not be read, of which `problems` holds the first. */
export function unreadCount({ roots }: LibraryView): number {
  return roots.reduce((sum, { nUnread }) => sum + nUnread, 0);
}
