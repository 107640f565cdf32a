import { duration } from './format';
import type { Words } from './words';

/** How far a model is in reading a request. */
export interface Reading {
  nRead: number;
  nTotal: number;
  /** `null` while nobody knows. */
  leftMs: number | null;
}

export function readingText(words: Words, { nRead, nTotal, leftMs }: Reading): string {
  const said = { n: Math.min(nRead, nTotal), of: nTotal };
  if (nRead >= nTotal) return words.say('reading.done', { of: nTotal });
  if (leftMs === null) return words.say('reading.said', said);
  // Whole seconds, and never none: a number that jumps about says less.
  const time = duration(words, Math.max(1, Math.round(leftMs / 1000)) * 1000);
  return words.say('reading.left', { ...said, time });
}
