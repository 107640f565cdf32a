import type { ApprovalView } from '../ipc/generated/types';
import { bytes } from './format';
import type { Words } from './words';

/** What a change is about: its path, and for a move both ends. */
export function targetOf({ path, to }: Pick<ApprovalView, 'path' | 'to'>): string {
  return to === null ? path : `${path} → ${to}`;
}

/** How large a file is, and what becomes of it; nothing for a folder. */
export function sizesOf(words: Words, { nBytesBefore, nBytesAfter, operation }: ApprovalView): string {
  const before = nBytesBefore === null ? null : bytes(words, nBytesBefore);
  const after = nBytesAfter === null ? null : bytes(words, nBytesAfter);
  if (before === null) return after === null ? '' : words.say('approval.new', { after });
  if (after === null) return words.say('approval.goes', { before });
  return operation === 'move' ? before : words.say('approval.sizes', { before, after });
}
