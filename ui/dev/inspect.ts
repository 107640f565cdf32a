import type { Backend } from '../src/ipc/backend';
import type {
  BlockView,
  ComparisonView,
  RequestBytesView,
  RequestView,
  TracedView,
  TraceView,
} from '../src/ipc/generated/types';
import { README } from './samples';

type Inspecting = Pick<
  Backend,
  | 'request_bytes'
  | 'request_tokens'
  | 'request_compare'
  | 'where_read'
  | 'evidence_save'
  | 'evidence_open'
  | 'evidence_note'
>;

const bytes = (): RequestBytesView => {
  const pieces = [
    { block: null, text: '<|im_start|>system\n' },
    { block: 0, text: 'You are Recto, an assistant that answers from the files in one folder.' },
    { block: null, text: '<|im_end|>\n<|im_start|>user\n' },
    { block: 2, text: README },
    { block: null, text: '<|im_end|>\n<|im_start|>assistant\n' },
  ];
  return {
    pieces,
    nBytes: pieces.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0),
    hash: 'sha256:77c0ffee0a4b7c6d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c',
    originalHash: null,
    curl: "curl -N 'http://127.0.0.1:8080/v1/chat/completions'\n",
    reply: 'data: {"choices":[{"delta":{"content":"Start it"}}]}\n\ndata: [DONE]\n',
    isReplyWhole: true,
    failedAttempts: ['127.0.0.1:8080 is busy: slots are full; waiting 0.4 s'],
    hasTokens: true,
  };
};

/** What became of a text: `pier` is cut in the answer request, `nowhere` is nowhere, anything else is whole. */
function trace(turn: string, text: string, requests: RequestView[]): TraceView {
  const nowhere = { text, origins: [], requests: [], competitors: [], nTurnsBefore: 0, elsewhere: [] };
  if (text.includes('nowhere')) return nowhere;
  if (text.includes('unread'))
    return {
      ...nowhere,
      elsewhere: [
        { place: 'conversation', title: 'Trip to Oslo', kind: 'answer', level: 'exact' },
        { place: 'file', path: 'notes/keys.md', line: 12, level: 'near' },
      ],
    };
  const rows = requests.map((request): TracedView => {
    const block = request.blocks.find(({ kind }) => kind === 'fact' || kind === 'result') ?? null;
    const isCut = text.includes('pier') && request.purpose === 'answer';
    return {
      turn,
      turnNumber: 2,
      request: request.id,
      number: request.number,
      purpose: request.purpose,
      outcome:
        block === null
          ? { outcome: 'notThere' }
          : isCut
            ? { outcome: 'cut', hasBeginning: false, keptLines: 40, ofLines: 312, line: 57 }
            : { outcome: 'whole', level: 'exact', number: 4, of: 6, percent: 31, nTokensToQuestion: 212 },
      block: block?.position ?? null,
      kind: block?.kind ?? null,
      source: block?.source ?? '',
      needed: null,
      had: null,
    };
  });
  return {
    text,
    origins: [{ kind: 'result', turn, turnNumber: 2, source: 'read_file README.md', level: 'exact' }],
    requests: rows,
    competitors: [{ why: 'otherValue', kind: 'history', source: 'an earlier exchange', line: 'It leaves at 10:15.' }],
    nTurnsBefore: 0,
    elsewhere: [],
  };
}

function compared(first: RequestView, second: RequestView): ComparisonView {
  const same = (one: BlockView, other: BlockView) => one.kind === other.kind && one.source === other.source;
  return {
    blocks: [
      ...second.blocks.map((after) => {
        const before = first.blocks.find((block) => same(block, after)) ?? null;
        return { kind: before ? ('same' as const) : ('entered' as const), before, after, rule: null };
      }),
      ...first.blocks
        .filter((block) => !second.blocks.some((other) => same(block, other)))
        .map((before) => ({ kind: 'left' as const, before, after: null, rule: null })),
    ],
    nBytesSame: 2_400,
    nBytes: 6_000,
    endsIn: 1,
    nTokensAfter: 940,
    nReused: 798,
    nEvaluated: 940,
  };
}

/** The inspector's part of the sample backend. `find` gives a turn's requests by the turn or by one of them. */
export function inspecting(
  asked: { command: string; args: unknown }[],
  isEvidence: () => boolean,
  find: (turn: string) => RequestView[],
): Inspecting {
  const request = (id: string) => find(id.split('-')[0] ?? '').find((request) => request.id === id);
  return {
    request_bytes: async () => bytes(),
    request_tokens: async () => [
      { id: 151_644, text: '<|im_start|>', block: null },
      { id: 8_948, text: 'system\n', block: null },
      { id: 2_610, text: 'You', block: 0 },
      { id: 525, text: ' are', block: 0 },
      { id: 4_371, text: ' Rec', block: 0 },
      { id: 983, text: 'to', block: 0 },
    ],
    request_compare: async ({ first, second }) => {
      const [one, other] = [request(first), request(second)];
      if (!one || !other) throw { code: 'notFound', params: {}, detail: 'there is no such request' };
      return compared(one, other);
    },
    where_read: async ({ params }) => {
      asked.push({ command: 'where_read', args: params });
      return trace(params.turn, params.text, find(params.turn));
    },
    evidence_save: async ({ params }) => {
      asked.push({ command: 'evidence_save', args: params });
      return { path: '/home/ada/evidence/Oslo.recto', nTurns: 1, nRedacted: params.redacted.length };
    },
    evidence_open: async () => {
      asked.push({ command: 'evidence_open', args: {} });
      return true;
    },
    evidence_note: async () => (isEvidence() ? { madeAtMs: Date.now(), nTurns: 2, nRedacted: 3 } : null),
  };
}
