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

/** What stands where there are no lines to show. */
export function emptyOf(words: Words, { operation, nBytesBefore }: ApprovalView): string {
  if (operation === 'delete') return words.say(nBytesBefore === 0 ? 'approval.empty.nothing' : 'approval.empty.delete');
  const word = `approval.empty.${operation}`;
  return words.say(words.knows(word) ? word : 'approval.empty');
}

/** What a yes holds for: words, a place, or bytes. */
export function boundOf(words: Words, { operation }: ApprovalView): string {
  if (operation === 'remember' || operation === 'forget') return words.say('approval.boundWords');
  const isOfPlace = operation === 'delete' || operation === 'move' || operation === 'makeDir';
  return words.say(isOfPlace ? 'approval.boundPlace' : 'approval.bound');
}
