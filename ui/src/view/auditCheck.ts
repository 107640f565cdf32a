import type { AuditCheckView } from '../ipc/generated/types';
import type { Words } from './words';

/** What a check found, sentence by sentence: the chain first, then how far the seals bear it. */
export function findings(words: Words, check: AuditCheckView): string[] {
  const { nRows, brokenAt, fault, seal, sealedFrom, nUnsealed, nBehind } = check;
  const chain =
    fault === null
      ? words.say('audit.intact', { n: nRows })
      : words.say(`audit.fault.${fault}`, { row: brokenAt ?? 0 });
  const sealed =
    seal === 'sealed' && sealedFrom !== null
      ? words.say('audit.seal.from', { row: sealedFrom })
      : words.say(seal === 'sealed' ? 'audit.seal.notYet' : `audit.seal.${seal}`);
  return [
    chain,
    sealed,
    ...(nUnsealed > 0 ? [words.say('audit.seal.unsealed', { n: nUnsealed })] : []),
    ...(nBehind > 0 ? [words.say('audit.seal.behind', { n: nBehind })] : []),
  ];
}

/** Whether something is wrong that a person has to know; a keychain that is missing is none. */
export function isBad({ fault, seal }: AuditCheckView): boolean {
  return fault !== null || seal === 'keyGone';
}
