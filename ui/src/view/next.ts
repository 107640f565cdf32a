import type { PreviewView } from '../ipc/generated/types';
import { leftOut } from './blocks';
import { countMark } from './names';
import { note } from './notes';
import type { Words } from './words';

/** The smallest window that can be tried, and by how much the slider changes it, in tokens. */
export const LEAST_WINDOW = 1024;
export const WINDOW_STEP = 256;

/** What the next question would be sent with, in one sentence or two. */
export function nextSentence(words: Words, next: PreviewView): string {
  if (next.failure !== null) return words.say('next.failure', { sentence: note(words, next.failure) });
  const n = `${next.exactness.known === 'exact' ? '' : countMark(next.exactness)}${words.number(next.nTokens)}`;
  const short = nShort(next);
  if (next.nFolded === 0 && short === 0) return words.say('next.fits', { n });
  const sentences = [];
  if (next.nFolded > 0) sentences.push(words.say('next.folds', { n, folded: next.nFolded }));
  else sentences.push(words.say('next.sends', { n }));
  if (short > 0) sentences.push(words.say('next.short', { n: short }));
  return sentences.join(words.language === 'zh' ? '' : ' ');
}

/** Blocks that would be cut or left out. An exchange that enters the summary, and a heading with nothing below, lose nothing of their own. */
function nShort(next: PreviewView): number {
  const gone = leftOut(next).filter(
    ({ kind, verdict }) => kind !== 'history' && !(verdict.verdict === 'dropped' && verdict.rule === 'nothingBelow'),
  );
  return gone.length + next.blocks.filter(({ verdict }) => verdict.verdict === 'cut').length;
}

/** The right end of the slider: the model's own window, up to a whole step. */
export function mostWindow(modelWindow: number): number {
  return LEAST_WINDOW + Math.ceil((modelWindow - LEAST_WINDOW) / WINDOW_STEP) * WINDOW_STEP;
}

/** The window at a place of the slider; `null` is the model's own. */
export function windowAt(place: number, modelWindow: number): number | null {
  return place >= modelWindow ? null : place;
}
