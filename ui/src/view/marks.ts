import type { Words } from './words';

/** What is to be checked in an answer. */
export type Mark =
  /** Stretches of the answer that stand in nothing the model was given. */
  | { kind: 'not_given'; texts: string[] }
  /** Stretches that were given, but perhaps from nowhere in the files. */
  | { kind: 'perhaps_not_in_files'; texts: string[] }
  /** The answer tells of a change, and the log has none. */
  | { kind: 'nothing_changed' };

/** As many are named; of the others, how many there are. */
const NAMED = 5;

export function markSentence(words: Words, mark: Mark): string {
  switch (mark.kind) {
    case 'not_given':
      return words.say('marks.notGiven', { texts: named(words, mark.texts) });
    case 'perhaps_not_in_files':
      return words.say('marks.perhapsNotInFiles', { texts: named(words, mark.texts) });
    case 'nothing_changed':
      return words.say('marks.nothingChanged');
  }
}

function named(words: Words, all: string[]): string {
  const texts = all.slice(0, NAMED).join(words.say('marks.between'));
  return all.length > NAMED ? words.say('marks.more', { texts, n: all.length - NAMED }) : texts;
}
