import type {
  ApprovalView,
  AuditRowView,
  BlockKindView,
  BlockTextView,
  BlockView,
  PreviewParams,
  PreviewView,
  RequestView,
  RoleView,
  SummaryView,
  TodoItemView,
  TodoSnapshotView,
  TurnEventView,
  VerdictView,
} from '../src/ipc/generated/types';

/** Contents for looking at the window. */

export const README = `# Tidewatch

A small server that shows the tides of one harbour.

## Run

    make serve PORT=7070

It listens on 127.0.0.1 and answers /tides with JSON.

## Verify

    make check        # 212 cases, about 4 seconds
    curl -s 127.0.0.1:7070/health
`;

export const ANSWER = `Start it with \`make serve PORT=7070\`. It listens on **127.0.0.1** and answers \`/tides\` with JSON.

To verify it:

1. Run the checks, which take about four seconds:

   \`\`\`sh
   make check
   \`\`\`

2. Ask the running server for its health:

   \`\`\`sh
   curl -s 127.0.0.1:7070/health
   \`\`\`

| Command | What it does | Time |
| --- | --- | ---: |
| \`make serve\` | starts the server | at once |
| \`make check\` | runs 212 cases | 4 s |

> The README says nothing about a container image, so I left that out. See [the notes](https://example.org/notes).`;

export const TODOS: TodoItemView[][] = [
  [
    { content: 'Read README.md', status: 'inProgress' },
    { content: 'Find out how to run it', status: 'pending' },
    { content: 'Find out how to verify it', status: 'pending' },
  ],
  [
    { content: 'Read README.md', status: 'done' },
    { content: 'Find out how to run the server', status: 'inProgress' },
    { content: 'Find out how to verify it', status: 'pending' },
    { content: '把结果写进 notes/run.md', status: 'pending' },
  ],
  [
    { content: 'Read README.md', status: 'done' },
    { content: 'Find out how to run the server', status: 'done' },
    { content: 'Find out how to verify it', status: 'done' },
    { content: '把结果写进 notes/run.md', status: 'inProgress' },
  ],
];

export function snapshots(turn: string, atMs: number): TodoSnapshotView[] {
  const changes: TodoSnapshotView['changes'][] = [
    TODOS[0]?.map(({ content }) => ({ change: 'added', content })) ?? [],
    [
      { change: 'finished', content: 'Read README.md' },
      { change: 'reworded', from: 'Find out how to run it', to: 'Find out how to run the server' },
      { change: 'started', content: 'Find out how to run the server' },
      { change: 'added', content: '把结果写进 notes/run.md' },
    ],
    [
      { change: 'finished', content: 'Find out how to run the server' },
      { change: 'finished', content: 'Find out how to verify it' },
      { change: 'started', content: '把结果写进 notes/run.md' },
    ],
  ];
  return TODOS.map((todos, at) => ({
    turn,
    atMs: atMs + at * 4000,
    todos,
    changes: changes[at] ?? [],
    snapshot: JSON.stringify({
      todos: todos.map(({ content, status }) => ({
        content,
        status: status === 'inProgress' ? 'in_progress' : status,
      })),
    }).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  }));
}

const TEXTS: Partial<Record<BlockKindView, string>> = {
  instructions:
    'You are Recto, an assistant that answers from the files in one folder. Look before you answer. Say what you did not find.',
  tools:
    'list_dir(path)\nread_file(path, from, to)\nsearch_text(pattern, path)\nwrite_file(path, content)\nedit_file(path, old, new)',
  list: '{"todos":[{"content":"Read README.md","status":"done"}]}',
  fact: README,
  result: README,
  history: 'What is in this folder?\n\nA small tide server in Rust, with notes and a few CSV files.',
  done: '1. list_dir .\n2. read_file README.md',
  task: 'Answer the question from the facts above. Do not complete what is missing; say which part is missing.',
  reminder: 'Keep the TODO list current.',
};

const BLOCK = (
  position: number,
  kind: BlockKindView,
  role: RoleView,
  nTokens: number,
  source: string,
  verdict: VerdictView = { verdict: 'kept' },
): BlockView => ({
  position,
  id: `${kind}/${position}`,
  kind,
  source,
  role,
  message: role === 'system' ? 0 : position,
  score: kind === 'fact' ? 0.82 : null,
  verdict,
  nTokens,
  nPlaced: verdict.verdict === 'dropped' ? 0 : verdict.verdict === 'cut' ? Math.round(nTokens * 0.4) : nTokens,
  had: verdict.verdict === 'dropped' && verdict.order > 0 ? 310 : null,
});

export function requests(turn: string, question: string, atMs: number, isWhole: boolean): RequestView[] {
  const head = [
    BLOCK(0, 'instructions', 'system', 612, 'assets/prompts'),
    BLOCK(1, 'tools', 'system', 845, 'structured'),
  ];
  const usage = {
    nRead: 1840,
    nReused: 1457,
    nEvaluated: 383,
    nWritten: 34,
    cost: 0.0012,
    firstTokenMs: 420,
    totalMs: 1800,
  };
  const request = (number: number, purpose: 'work' | 'answer', blocks: BlockView[]): RequestView => ({
    id: `${turn}-rq${number}`,
    turn,
    number,
    purpose,
    model: 'Qwen2.5-Coder-1.5B-Instruct Q4_K_M',
    exactness: { known: 'exact' },
    witness: 'agrees',
    nTokens: blocks.reduce((sum, { nPlaced }) => sum + nPlaced, 0) + 24,
    reserve: 1024,
    window: 8192,
    nStaleRounds: number === 3 ? 2 : 0,
    hasReminder: false,
    atMs: atMs + number * 2000,
    finish: 'stop',
    usage,
    blocks,
  });
  const asked = BLOCK(3, 'question', 'user', 24, 'question of this turn');
  const history = BLOCK(2, 'history', 'user', 512, 'turn 1');
  const step = (position: number) => BLOCK(position, 'step', 'assistant', 31, 'reply of this turn');
  const work = [
    request(1, 'work', [...head, history, asked]),
    request(2, 'work', [...head, history, asked, step(4), BLOCK(5, 'result', 'user', 288, 'list_dir .')]),
    request(3, 'work', [
      ...head,
      history,
      asked,
      step(4),
      BLOCK(5, 'result', 'user', 288, 'list_dir .'),
      step(6),
      BLOCK(7, 'result', 'user', 1204, 'read_file README.md'),
    ]),
  ];
  if (!isWhole) return work;
  return [
    ...work,
    request(4, 'answer', [
      ...head,
      BLOCK(2, 'history', 'user', 512, 'turn 1', { verdict: 'dropped', rule: 'oldestHistory', order: 1 }),
      BLOCK(3, 'list', 'user', 96, 'todo_write'),
      BLOCK(4, 'done', 'user', 28, '2 calls'),
      BLOCK(5, 'fact', 'user', 288, 'list_dir .'),
      BLOCK(6, 'fact', 'user', 3010, 'read_file README.md', { verdict: 'cut', keptLines: 84, ofLines: 213 }),
      BLOCK(7, 'notice', 'user', 36, 'what had to be cut'),
      BLOCK(8, 'task', 'user', 40, 'how to answer'),
      BLOCK(9, 'question', 'user', 24, question.slice(0, 40)),
      BLOCK(10, 'step', 'assistant', 62, 'reply of this turn', { verdict: 'dropped', rule: 'notInAnswer', order: 2 }),
    ]),
  ];
}

export function texts(request: RequestView, question: string): BlockTextView[] {
  return request.blocks.map(({ position, kind, verdict }) => {
    const whole = kind === 'question' ? question : (TEXTS[kind] ?? kind);
    const placed = verdict.verdict === 'dropped' ? null : verdict.verdict === 'cut' ? whole.slice(0, 180) : whole;
    return { position, whole, placed };
  });
}

/** What the next question would be sent with; a small window leaves no room for the history, a tiny one for nothing. */
export function preview({ question, window }: PreviewParams): PreviewView {
  const size = window ?? 8192;
  const isSmall = size < 4096;
  const blocks = [
    BLOCK(0, 'instructions', 'system', 612, 'assets/prompts'),
    BLOCK(1, 'tools', 'system', 845, 'structured'),
    BLOCK(
      2,
      'history',
      'user',
      512,
      'turn 1',
      isSmall ? { verdict: 'dropped', rule: 'oldestHistory', order: 1 } : { verdict: 'kept' },
    ),
    BLOCK(3, 'question', 'user', question.length, 'question of this turn'),
  ];
  const usual: PreviewView = {
    model: 'Qwen2.5-Coder-1.5B-Instruct Q4_K_M',
    exactness: { known: 'exact' },
    nTokens: blocks.reduce((sum, { nPlaced }) => sum + nPlaced, 0) + 24,
    reserve: 1024,
    window: size,
    modelWindow: 8192,
    nFolded: isSmall ? 1 : 0,
    failure: null,
    blocks,
    texts: blocks.map(({ position, kind, verdict }) => {
      const whole = kind === 'question' ? question : (TEXTS[kind] ?? kind);
      return { position, whole, placed: verdict.verdict === 'dropped' ? null : whole };
    }),
  };
  if (size >= 2560) return usual;
  const failure = `this does not fit into the model's window of ${size} tokens. Never left out: instructions: 612, tools: 845; kept free for the reply: 1024`;
  return { ...usual, nTokens: 0, nFolded: 0, failure, blocks: [], texts: [] };
}

/** A summary that was taken by rule, and then written by the model with more in it. */
export function summaries(turns: { id: string; question: string }[], atMs: number): SummaryView[] {
  const entered = turns.map(({ id, question }) => ({ turn: id, question }));
  const first = entered.slice(0, 2);
  const version = { marks: ['7070', 'notes/run.md'], forbidden: ['Do not touch the Makefile.'] };
  return [
    {
      ...version,
      version: 2,
      author: 'model',
      nExchanges: entered.length,
      prose: 'The folder holds a small tide server. It is started with make serve and checked with make check.',
      entered: entered.slice(2),
      atMs: atMs + 60_000,
    },
    {
      ...version,
      version: 1,
      author: 'rule',
      nExchanges: first.length,
      prose: first.map(({ question }) => `- ${question} → Yes, it does.`).join('\n'),
      entered: first,
      atMs,
    },
  ];
}

export function approval(id: string, conversation: string, turn: string, isSecond: boolean): ApprovalView {
  return isSecond
    ? {
        id,
        conversation,
        turn,
        call: 'c5',
        tool: 'edit_file',
        path: 'Makefile',
        to: null,
        operation: 'edit',
        nBytesBefore: 912,
        nBytesAfter: 940,
        nAdded: 2,
        nRemoved: 1,
        flags: ['executesLater'],
        diff: [
          { kind: 'gap', text: '11 unchanged lines' },
          { kind: 'same', text: 'serve:' },
          { kind: 'removed', text: '\tcargo run -- --port $(PORT)' },
          { kind: 'added', text: '\t@echo "listening on 127.0.0.1:$(PORT)"' },
          { kind: 'added', text: '\tcargo run --release -- --port $(PORT)' },
          { kind: 'same', text: '' },
          { kind: 'gap', text: '24 unchanged lines' },
        ],
        digest: 'sha256:93a1',
        offer: null,
        nTogether: 1,
      }
    : {
        id,
        conversation,
        turn,
        call: 'c4',
        tool: 'write_file',
        path: 'notes/run.md',
        to: null,
        operation: 'create',
        nBytesBefore: null,
        nBytesAfter: 148,
        nAdded: 7,
        nRemoved: 0,
        flags: [],
        diff: [
          '# 运行 Tidewatch',
          '',
          '- Start: `make serve PORT=7070`',
          '- Check: `make check`',
          '- Health: `curl -s 127.0.0.1:7070/health`',
          '',
          'Checked on 2026-11-30.',
        ].map((text) => ({ kind: 'added' as const, text })),
        digest: 'sha256:20b4',
        offer: { writing: 'whole', folder: 'notes', ending: 'md' },
        nTogether: 1,
      };
}

export function audit(conversation: string, turn: string, atMs: number): AuditRowView[] {
  const row = (position: number, tool: string, target: string, event: AuditRowView['event']): AuditRowView => ({
    position,
    atMs: atMs + position * 900,
    conversation,
    turn,
    call: `c${Math.ceil(position / 2)}`,
    tool,
    target,
    event,
  });
  const allowed = (decider: string, after: string | null = null): AuditRowView['event'] => ({
    event: 'decision',
    isAllowed: true,
    decider,
    reason: null,
    digest: after,
    before: null,
    after,
  });
  const outcome = (note: string, written: string | null = null): AuditRowView['event'] => ({
    event: 'outcome',
    status: 'done',
    note,
    written,
  });
  const hash = 'sha256:5f2b8c1d9e0a4b7c6d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c';
  return [
    row(1, 'todo_write', '3 items', allowed('rule todo_write_is_exempt')),
    row(2, 'todo_write', '3 items', outcome('the list was written')),
    row(3, 'read_file', 'README.md', allowed('rule reads_are_allowed')),
    row(4, 'read_file', 'README.md', outcome('17 lines')),
    row(5, 'write_file', 'notes/run.md', allowed('person approved', hash)),
    row(6, 'write_file', 'notes/run.md', outcome('written, 148 bytes, 1 folder made', hash)),
    row(7, 'edit_file', 'Makefile', {
      event: 'decision',
      isAllowed: false,
      decider: 'person denied',
      reason: 'the user said no',
      digest: hash,
      before: hash,
      after: hash,
    }),
  ].reverse();
}

/** The same questions about changes that are too long to be shown at once, and too long to be shown at all. */
export function longApproval(id: string, conversation: string, turn: string, isSecond: boolean): ApprovalView {
  const usual = approval(id, conversation, turn, isSecond);
  const diff = Array.from({ length: 900 }, (_, at) => ({ kind: 'added' as const, text: `line ${at + 1}` }));
  if (!isSecond) return { ...usual, nAdded: 900, diff };
  return {
    ...usual,
    nAdded: 8002,
    diff: [...usual.diff, { kind: 'gap', text: '8000 more lines of this change are not shown' }],
  };
}

/** What a turn tells, in order; a number is a pause in milliseconds, a string waits for that approval. */
export function script(conversation: string, turn: string, isLong: boolean): (TurnEventView | number | string)[] {
  const ask = isLong ? longApproval : approval;
  const call = (id: string, tool: string, target: string, note: string): (TurnEventView | number)[] => [
    { event: 'call', call: id, tool },
    { event: 'permission', call: id, target, isAllowed: true, decider: 'rule reads_are_allowed' },
    700,
    { event: 'called', call: id, tool, target, status: 'done', note },
  ];
  const request = (number: number, purpose: 'work' | 'answer'): (TurnEventView | number)[] => [
    {
      event: 'request',
      id: `${turn}-rq${number}`,
      number,
      purpose,
      nTokens: 1800,
      window: 8192,
      nStaleRounds: 0,
      hasReminder: false,
    },
    { event: 'reading', nRead: 600, of: 1800 },
    300,
    { event: 'reading', nRead: 1300, of: 1800 },
    300,
  ];
  const todo = (at: number): TurnEventView => ({ event: 'todo', todos: TODOS[at] ?? [], changes: [] });
  return [
    400,
    ...request(1, 'work'),
    todo(0),
    ...call('c1', 'todo_write', '3 items', 'the list was written'),
    ...request(2, 'work'),
    ...call('c2', 'list_dir', '.', '9 entries'),
    ...request(3, 'work'),
    ...call('c3', 'read_file', 'README.md', '17 lines'),
    todo(1),
    { event: 'call', call: 'c4', tool: 'write_file' },
    { event: 'call', call: 'c5', tool: 'edit_file' },
    { event: 'asked', approval: ask(`${turn}-ap1`, conversation, turn, false) },
    { event: 'asked', approval: ask(`${turn}-ap2`, conversation, turn, true) },
    `${turn}-ap1`,
    `${turn}-ap2`,
    todo(2),
    { event: 'composing', nFacts: 2 },
    ...request(4, 'answer'),
    ...(ANSWER.match(/[\s\S]{1,6}/g) ?? []).flatMap((text): (TurnEventView | number)[] => [
      { event: 'answer', text },
      24,
    ]),
    { event: 'ended', ending: { ending: 'answered' }, answer: ANSWER },
  ];
}
