import type { ApprovalView, RuleScopeView, RuleView, TurnEventView } from '../src/ipc/generated/types';

/** The rule that a yes to this question makes. */
export function rule({ id, conversation }: ApprovalView, scope: RuleScopeView): RuleView {
  return {
    id: `ru_${id}`,
    conversation,
    scope,
    nFiles: 0,
    maxFiles: 50,
    nBytes: 0,
    matched: [],
    ended: null,
  };
}

/** A turn in which the two writes were asked for in one reply. */
export function besideEachOther(steps: (TurnEventView | number | string)[]): (TurnEventView | number | string)[] {
  return steps.map((step) =>
    typeof step === 'object' && step.event === 'asked'
      ? { ...step, approval: { ...step.approval, offer: null, nTogether: 2 } }
      : step,
  );
}
