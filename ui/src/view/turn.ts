import type { ApprovalView, EndingView, StepView, TurnEventView, TurnView } from '../ipc/generated/types';

/** What a running turn is doing. */
export type Phase =
  | { phase: 'starting' }
  | { phase: 'loading'; percent: number }
  | { phase: 'reading'; percent: number }
  | { phase: 'thinking' }
  | { phase: 'tool'; tool: string; target: string }
  | { phase: 'composing'; nFacts: number }
  | { phase: 'summarising' }
  | { phase: 'answering' }
  | { phase: 'retrying'; attempt: number; of: number; reason: string }
  | { phase: 'ended' };

/** A turn as it is shown, whether it runs or was read from the record. A value: every event makes a new one. */
export interface Turn {
  id: string;
  question: string;
  askedAtMs: number;
  endedAtMs: number | null;
  ending: EndingView | null;
  answer: string;
  /** Text of a work request that may still turn out to be a step. */
  draft: string;
  steps: StepView[];
  /** Questions that wait for the person, in order. */
  approvals: ApprovalView[];
  phase: Phase;
  nRequests: number;
  /** The exchanges that no longer fit and entered the summary before its first request; `null` where all fit. */
  folded: { nExchanges: number; version: number } | null;
  /** How much of the question the model is given; `null` where it is given all. */
  questionCut: { nTokens: number; of: number } | null;
  /** How much of a request the server says it read, where that is less than was sent. */
  readLess: { nTokens: number; of: number } | null;
}

/** A turn whose question was just sent. */
export function begun(id: string, question: string, askedAtMs: number): Turn {
  return {
    id,
    question,
    askedAtMs,
    endedAtMs: null,
    ending: null,
    answer: '',
    draft: '',
    steps: [],
    approvals: [],
    phase: { phase: 'starting' },
    nRequests: 0,
    folded: null,
    questionCut: null,
    readLess: null,
  };
}

/** A turn from the record. */
export function recorded(view: TurnView): Turn {
  const { nFolded, version, nQuestion, ofQuestion, nRead, ofRead } = view.shortened;
  return {
    ...begun(view.id, view.question, view.askedAtMs),
    endedAtMs: view.endedAtMs,
    ending: view.ending,
    answer: view.answer,
    steps: view.steps,
    nRequests: view.nRequests,
    phase: view.ending ? { phase: 'ended' } : { phase: 'starting' },
    folded: nFolded > 0 ? { nExchanges: nFolded, version } : null,
    questionCut: nQuestion === null || ofQuestion === null ? null : { nTokens: nQuestion, of: ofQuestion },
    readLess: nRead === null || ofRead === null ? null : { nTokens: nRead, of: ofRead },
  };
}

/** The turn after an event. */
export function after(turn: Turn, event: TurnEventView, nowMs: number): Turn {
  switch (event.event) {
    case 'loading':
      return { ...turn, phase: { phase: 'loading', percent: event.percent } };
    case 'request':
      // A summary is written beside the turn: its request answers nothing, and takes nothing from what was answered.
      if (event.purpose === 'summary') return { ...turn, nRequests: event.number, phase: { phase: 'summarising' } };
      return {
        ...turn,
        nRequests: event.number,
        draft: '',
        answer: '',
        phase: event.purpose === 'answer' && turn.phase.phase === 'composing' ? turn.phase : { phase: 'thinking' },
      };
    case 'reading':
      if (turn.phase.phase === 'composing' || turn.phase.phase === 'summarising') return turn;
      return event.nRead >= event.of
        ? { ...turn, phase: { phase: 'thinking' } }
        : { ...turn, phase: { phase: 'reading', percent: Math.floor((100 * event.nRead) / Math.max(1, event.of)) } };
    case 'retry':
      return { ...turn, phase: { phase: 'retrying', attempt: event.attempt, of: event.of, reason: event.reason } };
    case 'draft':
      return { ...turn, draft: turn.draft + event.text, phase: { phase: 'thinking' } };
    case 'draftDropped':
      return { ...turn, draft: '', answer: '' };
    case 'answer':
      return { ...turn, answer: turn.answer + event.text, draft: '', phase: { phase: 'answering' } };
    case 'reasoning':
      // It is shown in no place; it tells that the request was read.
      return turn.phase.phase === 'reading' ? { ...turn, phase: { phase: 'thinking' } } : turn;
    case 'replied':
      return turn.phase.phase === 'summarising' ? { ...turn, phase: { phase: 'thinking' } } : turn;
    case 'call':
      return {
        ...turn,
        draft: '',
        steps: withStep(turn.steps, { call: event.call, tool: event.tool, target: '', status: null, note: '' }),
      };
    case 'permission':
      return about(turn, event.call, event.target);
    case 'asked':
      return about(
        { ...turn, approvals: [...turn.approvals.filter(({ id }) => id !== event.approval.id), event.approval] },
        event.approval.call,
        event.approval.path,
      );
    case 'answered':
      return { ...turn, approvals: turn.approvals.filter(({ id }) => id !== event.approval) };
    case 'called':
      return {
        ...turn,
        phase: { phase: 'thinking' },
        steps: withStep(turn.steps, {
          call: event.call,
          tool: event.tool,
          target: event.target,
          status: event.status,
          note: event.note,
        }),
      };
    case 'todo':
      return turn;
    case 'folded':
      return { ...turn, folded: { nExchanges: event.nExchanges, version: event.version } };
    case 'questionCut':
      return { ...turn, questionCut: { nTokens: event.nTokens, of: event.of } };
    case 'composing':
      return { ...turn, draft: '', answer: '', phase: { phase: 'composing', nFacts: event.nFacts } };
    case 'ended':
      return {
        ...turn,
        ending: event.ending,
        answer: event.answer,
        draft: '',
        approvals: [],
        endedAtMs: nowMs,
        phase: { phase: 'ended' },
      };
  }
}

/** The turn when it is known what a call is about. */
function about(turn: Turn, call: string, target: string): Turn {
  const step = turn.steps.find((step) => step.call === call);
  if (!step) return turn;
  return {
    ...turn,
    phase: { phase: 'tool', tool: step.tool, target },
    steps: withStep(turn.steps, { ...step, target }),
  };
}

function withStep(steps: StepView[], step: StepView): StepView[] {
  const at = steps.findIndex(({ call }) => call === step.call);
  return at < 0 ? [...steps, step] : steps.with(at, step);
}
