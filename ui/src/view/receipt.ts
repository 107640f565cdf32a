import type { OperationView } from '../ipc/generated/types';
import type { Words } from './words';

/** What became of something that was to be done to a file. */
export interface ReceiptEntry {
  outcome: 'changed' | 'not_changed' | 'refused' | 'failed';
  operation: OperationView;
  path: string;
  /** How many lines were written or changed, where that was counted. */
  lines?: number;
}

/** What happened, in a sentence. */
export function receiptSentence(words: Words, { outcome, operation, path, lines }: ReceiptEntry): string {
  const what = words.say(`receipt.to.${operation}`, { path });
  switch (outcome) {
    case 'changed': {
      const counted = `receipt.lines.${operation}`;
      return lines !== undefined && words.knows(counted)
        ? words.say(counted, { path, n: lines })
        : words.say(`receipt.changed.${operation}`, { path });
    }
    case 'not_changed':
      return words.say('receipt.notChanged', { what });
    case 'refused':
      return words.say('receipt.refused', { what });
    case 'failed':
      return words.say('receipt.failed', { what });
  }
}
