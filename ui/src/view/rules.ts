import type { RuleScopeView } from '../ipc/generated/types';
import type { Words } from './words';

/** How many files a rule covers at most; said before one is made. */
export const MAX_FILES = 50;

/** What a rule covers, in words. The workspace itself is `.` to a tool. */
export function coverage(words: Words, { writing, folder, ending }: RuleScopeView): string {
  return words.say(`rules.what.${writing}`, { ending, folder: folder === '.' ? words.say('rules.root') : folder });
}
