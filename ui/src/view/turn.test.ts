import { describe, expect, test } from 'vitest';
import type { ApprovalView, EndingView, TurnEventView, TurnView } from '../ipc/generated/types';
import { did, doing, endedAs } from './trail';
import { after, begun, recorded, type Turn } from './turn';
import { Words } from './words';

const en = new Words('en');
const zh = new Words('zh');
const told = (events: TurnEventView[]): Turn =>
  events.reduce((turn, event) => after(turn, event, 14_000), begun('tn_1', 'How?', 0));

const REQUEST = {
  event: 'request',
  id: 'rq_1',
  nTokens: 900,
  window: 8192,
  nStaleRounds: 0,
  hasReminder: false,
} as const;
const APPROVAL = { id: 'ap_1', call: 'c2', path: 'list.md', to: null } as ApprovalView;
const USAGE = {
  nRead: null,
  nReused: null,
  nEvaluated: null,
  nWritten: null,
  cost: null,
  firstTokenMs: null,
  totalMs: null,
};

/** A turn that reads, asks, is refused, and answers, and the line that stands over it after each event. */
const STORY: [TurnEventView, string][] = [
  [{ event: 'loading', percent: 40 }, 'loading the model, 40 %'],
  [{ ...REQUEST, number: 1, purpose: 'work' }, 'working out the next step…'],
  [{ event: 'reading', nRead: 300, of: 900 }, 'the model reads the request, 33 %'],
  [{ event: 'draft', text: 'I will read' }, 'working out the next step…'],
  [{ event: 'draftDropped' }, 'working out the next step…'],
  [{ event: 'call', call: 'c1', tool: 'read_file' }, 'working out the next step…'],
  [
    { event: 'permission', call: 'c1', target: 'README.md', isAllowed: true, decider: 'rule reads_are_allowed' },
    'reading README.md…',
  ],
  [
    { event: 'called', call: 'c1', tool: 'read_file', target: 'README.md', status: 'done', note: '17 lines' },
    'working out the next step…',
  ],
  [{ event: 'call', call: 'c2', tool: 'write_file' }, 'working out the next step…'],
  [{ event: 'asked', approval: APPROVAL }, 'waiting for your yes to list.md'],
  [{ event: 'answered', approval: 'ap_1', answer: 'denied' }, 'preparing to write list.md…'],
  [
    { event: 'called', call: 'c2', tool: 'write_file', target: 'list.md', status: 'refused', note: 'the user said no' },
    'working out the next step…',
  ],
  [{ event: 'composing', nFacts: 2 }, 'writing the answer from 2 facts…'],
  [{ ...REQUEST, number: 2, purpose: 'answer' }, 'writing the answer from 2 facts…'],
  [{ event: 'answer', text: 'With make.' }, 'writing the answer…'],
  [{ event: 'replied', id: 'rq_1', finish: 'stop', usage: USAGE }, 'writing the answer…'],
];

describe('a turn while it runs', () => {
  test('answer_a9_the_line_says_what_is_being_done', () => {
    const lines = STORY.map((_, at) => doing(en, told(STORY.slice(0, at + 1).map(([event]) => event))));
    expect(lines).toEqual(STORY.map(([, line]) => line));
  });

  test('answer_a9_text_of_the_work_phase_is_never_the_answer', () => {
    const events = STORY.map(([event]) => event);
    const answers = events.map((_, at) => told(events.slice(0, at + 1)).answer);
    expect(new Set(answers)).toEqual(new Set(['', 'With make.']));
    expect(told(events.slice(0, 4)).draft).toBe('I will read');
    expect(told(events.slice(0, 5)).draft).toBe('');
  });

  test('a new answer request starts the answer over', () => {
    const events = STORY.map(([event]) => event);
    expect(told([...events, { event: 'composing', nFacts: 2 }]).answer).toBe('');
  });
});

test('answer_a9_a_request_that_was_read_to_its_end_is_being_worked_on', () => {
  expect(
    doing(
      en,
      told([
        { ...REQUEST, number: 1, purpose: 'work' },
        { event: 'reading', nRead: 300, of: 900 },
        { event: 'reading', nRead: 900, of: 900 },
      ]),
    ),
  ).toBe('working out the next step…');
});

test('answer_a9_an_answer_that_turns_out_to_be_none_goes', () => {
  const answered: TurnEventView[] = [{ event: 'answer', text: 'With' }];
  expect(told([...answered, { event: 'draftDropped' }])).toMatchObject({ answer: '', draft: '' });
  expect(told([...answered, { ...REQUEST, number: 2, purpose: 'answer' }]).answer).toBe('');
});

describe('a turn that ended', () => {
  const ended = told([
    ...STORY.map(([event]) => event),
    { event: 'ended', ending: { ending: 'answered' }, answer: 'With make.' },
  ]);

  test('its line says what was done, what was not allowed, and how long it took', () => {
    expect(did(en, ended)).toBe('read README.md, not allowed to write list.md · 2 steps · 14 s');
    expect(did(zh, ended)).toBe('读了 README.md，未获准写入 list.md · 2 步 · 14 秒');
  });

  test('without steps it used no tools, and it answered only if there is an answer', () => {
    const end = (answer: string, ending: EndingView) => told([{ event: 'ended', ending, answer }]);
    expect(did(en, end('Yes.', { ending: 'answered' }))).toBe('answered without tools · 14 s');
    expect(did(en, end('', { ending: 'failed', sentence: 'x' }))).toBe('no tools were used · 14 s');
    const failed = told([
      { event: 'call', call: 'c1', tool: 'read_file' },
      { event: 'called', call: 'c1', tool: 'read_file', target: 'a', status: 'failed', note: 'not read' },
      { event: 'ended', ending: { ending: 'stopped' }, answer: '' },
    ]);
    expect(did(en, failed)).toBe('1 step · 14 s');
  });

  test('a read that was refused was no write', () => {
    const refused = (tool: string) =>
      did(en, told([{ event: 'called', call: 'c1', tool, target: 'a.md', status: 'refused', note: '' }]));
    expect(refused('read_file')).toBe('not allowed to read a.md · 1 step');
    expect(refused('write_file')).toBe('not allowed to write a.md · 1 step');
    expect(refused('browse')).toBe('not allowed to use browse on a.md · 1 step');
  });

  test('text that a failure left behind is not announced as an answer', () => {
    const said = (ending: EndingView, answer: string) => endedAs(told([{ event: 'ended', ending, answer }]));
    expect(said({ ending: 'answered' }, 'Yes.')).toBe('say.answer');
    expect(said({ ending: 'limited', sentence: '' }, 'Yes.')).toBe('say.answer');
    expect(said({ ending: 'failed', sentence: '' }, 'Yes and')).toBe('say.failed');
    expect(said({ ending: 'stopped' }, 'Yes and')).toBe('say.stopped');
    expect(said({ ending: 'answered' }, '')).toBe('say.failed');
  });

  test('no question of it is left open', () => {
    expect(
      told([
        { event: 'asked', approval: APPROVAL },
        { event: 'ended', ending: { ending: 'stopped' }, answer: '' },
      ]),
    ).toMatchObject({
      approvals: [],
      ending: { ending: 'stopped' },
      phase: { phase: 'ended' },
    });
  });
});

test('permission_p9_several_questions_wait_in_their_order_and_a_repeated_event_asks_nothing_twice', () => {
  const ask = (id: string): TurnEventView => ({ event: 'asked', approval: { ...APPROVAL, id } });
  const turn = told([
    ask('ap_1'),
    ask('ap_2'),
    ask('ap_2'),
    { event: 'answered', approval: 'ap_1', answer: 'approved' },
  ]);
  expect(turn.approvals.map(({ id }) => id)).toEqual(['ap_2']);
});

describe('what a turn lacks of the conversation', () => {
  const RECORD: TurnView = {
    id: 'tn_1',
    question: 'How?',
    askedAtMs: 0,
    endedAtMs: 14_000,
    ending: { ending: 'answered' },
    answer: 'So.',
    steps: [],
    nRequests: 1,
    shortened: { nFolded: 0, version: 0, nQuestion: null, ofQuestion: null, nRead: null, ofRead: null },
  };

  test('assembly_e9_is_the_same_while_it_runs_and_from_the_record', () => {
    const live = told([
      { event: 'folded', nExchanges: 7, version: 2 },
      { ...REQUEST, number: 1, purpose: 'work' },
      { event: 'questionCut', nTokens: 3100, of: 52_000 },
      { event: 'ended', ending: { ending: 'answered' }, answer: 'So.' },
    ]);
    const shortened = { nFolded: 7, version: 2, nQuestion: 3100, ofQuestion: 52_000, nRead: null, ofRead: null };
    for (const turn of [live, recorded({ ...RECORD, shortened })]) {
      expect(turn.folded).toEqual({ nExchanges: 7, version: 2 });
      expect(turn.questionCut).toEqual({ nTokens: 3100, of: 52_000 });
    }
  });

  test('is nothing where all of it fits', () => {
    for (const turn of [told([]), recorded(RECORD)]) {
      expect([turn.folded, turn.questionCut]).toEqual([null, null]);
    }
  });
});

test('assembly_e9_a_summary_that_is_written_is_no_answer_and_takes_none', () => {
  const summary: TurnEventView[] = [
    { event: 'answer', text: 'With make.' },
    { ...REQUEST, number: 3, purpose: 'summary' },
  ];
  expect(doing(en, told([...summary, { event: 'reading', nRead: 1, of: 9 }]))).toBe(
    'writing the summary of what went before…',
  );
  expect(told(summary)).toMatchObject({ answer: 'With make.', nRequests: 3 });
  expect(told([...summary, { event: 'replied', id: 'rq_1', finish: 'stop', usage: USAGE }]).phase.phase).toBe(
    'thinking',
  );
});
