import type { Words } from './words';

/** A question that a model answered by one letter before it began, and what followed from that. */
export interface Probe {
  letters: { letter: string; label: string; probability: number }[];
  /** The tools that were offered because of it. */
  offered: string[];
}

/** A probability for a person. Nothing that is not certain is said to be. */
export function percent(words: Words, probability: number): string {
  const n = Math.round(probability * 100);
  if (n < 1) return words.say(probability > 0 ? 'probe.less' : 'probe.percent', { n: 0 });
  if (n > 99 && probability < 1) return words.say('probe.more');
  return words.say('probe.percent', { n: Math.min(n, 100) });
}

export function widthOf(probability: number): string {
  return `${Math.max(0, Math.min(100, probability * 100)).toFixed(1)}%`;
}
