import type { BlockView, ExactnessView, VerdictView } from '../ipc/generated/types';
import { hasOwnSource, type Stretch } from './blocks';
import { note } from './notes';
import type { Words } from './words';

/** A stretch of the bar in words, with its size. */
export function stretchName(words: Words, { kind, nTokens, block }: Stretch): string {
  const size = words.say('request.tokens', { n: nTokens });
  if (kind === 'other' || kind === 'free' || kind === 'reserve') return `${words.say(`request.${kind}`)}: ${size}`;
  const source = block && hasOwnSource(kind) ? ` (${note(words, block.source)})` : '';
  return `${words.say(`kind.${kind}`)}${source}: ${size}`;
}

/** What happened to a block, in words. */
export function verdictName(words: Words, verdict: VerdictView): string {
  switch (verdict.verdict) {
    case 'kept':
      return words.say('request.kept');
    case 'cut':
      return words.say('request.cut', { kept: verdict.keptLines, of: verdict.ofLines });
    case 'dropped':
      return words.say(`rule.${verdict.rule}`);
  }
}

/** A block's size: what is in the request, and of how much where it is not all. */
export function sizeOf(block: BlockView): string {
  return block.verdict.verdict === 'cut' ? `${block.nPlaced}/${block.nTokens}` : String(block.nTokens);
}

/** Who or which rule decided, in words. */
export function deciderName(words: Words, decider: string): string {
  // A rule of the person is named by a number that says nothing; what it covers is said beside it.
  if (decider.startsWith('rule ru_')) return words.say('rules.decider');
  const word = `decider.${decider}`;
  return words.knows(word) ? words.say(word) : decider;
}

/** The sign before a count that says how it is known. */
export function countMark(exactness: ExactnessView): string {
  return { exact: '=', estimate: '~', counted: '≈', calibrated: '≈' }[exactness.known];
}

/** The same in words. */
export function countHint(words: Words, exactness: ExactnessView): string {
  return exactness.known === 'calibrated'
    ? words.say('request.calibrated', { percent: exactness.percent })
    : words.say(`request.${exactness.known}`);
}
