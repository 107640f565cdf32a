import type { ApprovalView, DiffLineView } from '../ipc/generated/types';

/** How long Approve stays closed after a card appeared, in milliseconds. */
export const ARMING_MS = 700;

/** How many lines of a change are shown at first. */
export const FIRST_LINES = 400;

/** Which of several changes are shown at first: as many from the top as fit, and always the first. */
export function openAtFirst(approvals: ApprovalView[]): string[] {
  let nLines = 0;
  return approvals.filter(({ diff }, at) => (nLines += diff.length) <= FIRST_LINES || at === 0).map(({ id }) => id);
}

/** Why a change cannot be approved as it is shown: lines are folded, or the card was not given all of them. */
export type Unseen = 'folded' | 'hidden';

/** What a gap says where it hides nothing of the change. */
const HARMLESS = [/^\d+ unchanged lines?$/, /^no line end after this line$/];

/** A yes is for what was looked at. `null` where every line of the change is among those shown. */
export function unseen({ diff, nAdded, nRemoved }: ApprovalView, nShown: number): Unseen | null {
  const hides = ({ kind, text }: DiffLineView) => kind === 'gap' && !HARMLESS.some((said) => said.test(text));
  const n = (wanted: DiffLineView['kind']) => diff.filter(({ kind }) => kind === wanted).length;
  if (diff.some(hides) || n('added') < nAdded || n('removed') < nRemoved) return 'hidden';
  return nShown < diff.length ? 'folded' : null;
}
