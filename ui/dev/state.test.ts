import { expect, test, vi } from 'vitest';
import { failureOf, type Backend } from '../src/ipc/backend';
import type { TurnEventView, TurnView } from '../src/ipc/generated/types';
import { App } from '../src/state/app.svelte';
import { Audit } from '../src/state/audit.svelte';
import { Undo } from '../src/state/undo.svelte';
import { Layout } from '../src/state/layout.svelte';
import { note } from '../src/view/notes';
import { Words } from '../src/view/words';
import { Fake } from './fake';

/** What the window knows, while answers come late and in another order. */

function late<T>() {
  let give: (value: T) => void = () => undefined;
  let fail: (thrown: unknown) => void = () => undefined;
  const promise = new Promise<T>((done, no) => {
    give = done;
    fail = no;
  });
  return { promise, give, fail };
}

async function started(over: (usual: Backend) => Partial<Backend>, state = 'usual') {
  const fake = new Fake({ state, theme: 'light', language: 'en', speed: 0 });
  const app = new App({ ...fake.backend, ...over(fake.backend) });
  await app.start();
  const [first = '', second = '', third = ''] = app.conversations.rows.map(({ id }) => id);
  return { app, first, second, third };
}

const soon = () => new Promise((done) => setTimeout(done));

/** A turn that tells nothing but that it began. */
const silent = { turn_watch: async () => undefined };

test('a question goes to the conversation that it was asked in, whatever is open by then', async () => {
  const asked = late<string>();
  const { app, first, second } = await started(() => ({ ...silent, turn_start: () => asked.promise }));
  await app.open(second);
  app.conversation.draft = 'Why?';
  const sending = app.ask('Why?');
  await app.open(first);
  app.conversation.draft = 'something else';
  const before = app.conversation.turns.length;
  asked.give('tn_new');
  await sending;
  expect(app.conversation.id).toBe(first);
  expect(app.conversation.turns).toHaveLength(before);
  expect(app.conversation.draft).toBe('something else');
  expect(app.focusedTurn).not.toBe('tn_new');
  expect(app.conversation.title).toBe('Tidewatch notes');
  await app.open(second);
  expect(app.conversation.draft).toBe('');
});

test('a first question does not turn the page that was opened meanwhile into its own', async () => {
  const created = late<string>();
  const starting = vi.fn(async () => 'tn_new');
  const { app, first } = await started((usual) => ({
    ...silent,
    conversation_create: async () => (await created.promise, usual.conversation_create()),
    turn_start: starting,
  }));
  app.begin();
  const folder = app.conversation.folder?.id;
  const sending = app.ask('First?');
  await app.open(first);
  app.chooseFolder(null);
  created.give('');
  await sending;
  expect(app.conversation.id).toBe(first);
  expect(starting).toHaveBeenCalledWith({
    params: expect.objectContaining({ conversation: app.conversations.rows.at(-1)?.id, folder }),
  });
});

test('what was typed while a question was on its way stays', async () => {
  const asked = late<string>();
  const { app } = await started(() => ({ ...silent, turn_start: () => asked.promise }));
  app.conversation.draft = 'Why?';
  const sending = app.ask('Why?');
  app.conversation.draft = 'Why? And how?';
  asked.give('tn_new');
  await sending;
  expect(app.conversation.draft).toBe('Why? And how?');
});

test('a new page that got its conversation leaves no draft for the next one', async () => {
  const { app, first } = await started(() => ({ ...silent, turn_start: async () => 'tn_new' }));
  app.begin();
  app.conversation.draft = 'First?';
  await app.open(first);
  app.begin();
  expect(app.conversation.draft).toBe('First?');
  await app.ask('First?');
  app.begin();
  expect(app.conversation.draft).toBe('');
});

test('of two conversations that are opened the newer wish wins, and a new page as well', async () => {
  let slowOne = '';
  const slow = late<undefined>();
  const { app, second, third } = await started((usual) => ({
    conversation_read: async (args) => {
      if (args.conversation === slowOne) await slow.promise;
      return usual.conversation_read(args);
    },
  }));
  slowOne = second;
  const opening = app.open(second);
  await app.open(third);
  slow.give(undefined);
  await opening;
  expect(app.conversation.id).toBe(third);
  const again = app.open(second);
  app.begin();
  await again;
  expect(app.conversation.id).toBeNull();
});

test('a folder that was picked for another page is not taken here', async () => {
  const picked = late<{ id: string; name: string; path: string }>();
  const { app } = await started(() => ({ folder_pick: () => picked.promise }));
  const picking = app.pickFolder();
  app.begin();
  app.chooseFolder(null);
  picked.give({ id: 'fd_9', name: 'other', path: '/other' });
  await picking;
  expect(app.conversation.folder).toBeNull();
});

test('a server that answers after the dialog was closed is not chosen', async () => {
  const { app } = await started(() => ({ server_add: async () => 'server' }));
  const before = app.model?.id;
  expect(await app.addServer('http://127.0.0.1:8080', () => false)).toBe('');
  expect(app.model?.id).toBe(before);
  await app.addServer('http://127.0.0.1:8080', () => true);
  expect(app.model?.id).toBe('server');
});

test('earlier turns that were asked for twice come once', async () => {
  const earlier = {
    id: 'tn_old',
    question: 'Old?',
    steps: [],
    answer: 'Yes.',
    ending: { ending: 'answered' },
    shortened: { nFolded: 0, version: 0, nQuestion: null, ofQuestion: null, nRead: null, ofRead: null },
  } as unknown as TurnView;
  const { app } = await started((usual) => ({
    conversation_read: async (args) => ({ ...(await usual.conversation_read(args)), earlier: 'tn_2' }),
    conversation_earlier: async () => (await soon(), { turns: [earlier], earlier: null }),
  }));
  await Promise.all([app.conversation.readEarlier(), app.conversation.readEarlier()]);
  const ids = app.conversation.turns.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  expect(ids[0]).toBe('tn_old');
});

test('stopping is said of the turn that is being stopped, and no longer when that failed', async () => {
  const stopped = late<undefined>();
  let tell: (event: TurnEventView) => void = () => undefined;
  const { app, second } = await started(() => ({
    turn_start: async () => 'tn_new',
    turn_watch: async ({ turn, channel }) => void (tell = (event) => channel({ turn, events: [event] })),
    turn_stop: () => stopped.promise,
  }));
  await app.ask('Go on');
  const stopping = app.stop();
  expect([...app.stopping]).toEqual(['tn_new']);
  await app.open(second);
  tell({ event: 'ended', ending: { ending: 'stopped' }, answer: '' });
  stopped.give(undefined);
  await stopping;
  expect([...app.stopping]).toEqual([]);
});

test('a stop that did not arrive can be tried again', async () => {
  const { app } = await started(() => ({
    ...silent,
    turn_start: async () => 'tn_new',
    turn_stop: () => Promise.reject(new Error('no')),
  }));
  await app.ask('Go on');
  await app.stop();
  expect([...app.stopping]).toEqual([]);
  expect(app.failure?.detail).toBe('no');
});

test('a new title stands in the header and in the window as well', async () => {
  const { app, first } = await started(() => ({}));
  await app.rename(first, 'Other');
  expect(app.conversation.title).toBe('Other');
});

test('what happened before a reload is shown and not announced again', async () => {
  let tell: (...events: TurnEventView[]) => void = () => undefined;
  const { app } = await started((usual) => ({
    conversation_list: async () => {
      const [row, ...rows] = await usual.conversation_list();
      return row ? [{ ...row, runningTurn: 'tn_2' }, ...rows] : [];
    },
    conversation_read: async (args) => {
      const view = await usual.conversation_read(args);
      return { ...view, turns: view.turns.map((turn) => (turn.id === 'tn_2' ? { ...turn, ending: null } : turn)) };
    },
    turn_watch: async ({ turn, channel }) => {
      tell = (...events) => channel({ turn, events });
      tell({ event: 'composing', nFacts: 2 });
    },
  }));
  expect(app.conversation.running?.phase).toEqual({ phase: 'composing', nFacts: 2 });
  expect(app.announcement.text).toBe('');
  tell({ event: 'composing', nFacts: 3 });
  expect(app.announcement.text).toBe('writing the answer from 3 facts…');
});

/** A long talk, of which only the last turns are read, and the turn that it began with. */
async function folded(over: (usual: Backend) => Partial<Backend> = () => ({})) {
  const { app, first } = await started(over, 'folded');
  const talk = app.conversations.rows.find(({ title }) => title === 'A long talk')?.id ?? '';
  await app.open(talk);
  return { app, first };
}

test('assembly_e9_a_turn_of_an_earlier_page_is_read_and_brought_into_sight', async () => {
  const { app } = await folded();
  await app.showNext();
  const beginning = app.summary.versions.at(-1)?.entered[0]?.turn ?? '';
  expect(app.conversation.turns.map(({ id }) => id)).not.toContain(beginning);
  await app.goTo(beginning);
  expect(app.conversation.turns.map(({ question }) => question)).toEqual([
    'What is in it?',
    'Does it run?',
    'Where are the notes?',
    'Who wrote them?',
    'And the rest?',
  ]);
  expect([app.focusedTurn, app.moved.turn]).toEqual([beginning, beginning]);
});

test('a turn that is nowhere is said to be gone, and one whose conversation was left is not looked for', async () => {
  const page = late<undefined>();
  const { app, first } = await folded((usual) => ({
    conversation_earlier: async (args) => (await page.promise, usual.conversation_earlier(args)),
  }));
  const going = app.goTo('tn_nowhere');
  await app.open(first);
  page.give(undefined);
  await going;
  expect([app.failure, app.moved.turn]).toEqual([null, '']);
  await app.goTo('tn_nowhere');
  expect(app.failure?.code).toBe('notFound');
});

test('assembly_e9_the_request_behind_an_answer_is_not_that_of_the_summary_after_it', async () => {
  const { app } = await started((usual) => ({
    turn_requests: async (args) => {
      const all = await usual.turn_requests(args);
      const summary = all.slice(-1).map((last) => ({ ...last, id: 'rq_s', number: 5, purpose: 'summary' as const }));
      return [...all, ...summary];
    },
  }));
  await app.showRequestOf(app.conversation.turns.at(-1)?.id ?? '');
  expect(app.requests.all.map(({ purpose }) => purpose).at(-1)).toBe('summary');
  expect(app.requests.request?.purpose).toBe('answer');
});

test('the next request is composed with what Send would send', async () => {
  const starting = vi.fn(async () => 'tn_new');
  const { app } = await started(() => ({ ...silent, turn_start: starting }));
  app.chooseModel('server');
  app.conversation.draft = 'Why?';
  const { next } = app;
  await app.ask('Why?');
  expect(starting).toHaveBeenCalledWith({ params: { ...next, policy: 'ask' } });
  expect(next).toMatchObject({ question: 'Why?', folder: 'fd_1', model: 'server' });
});

/** A log of so many rows, in pages of a hundred, newest first. */
function log(n: number) {
  const read = vi.fn<Backend['audit_read']>(async ({ params }) => {
    const from = params.before ?? n + 1;
    const positions = Array.from({ length: Math.min(100, from - 1) }, (_, at) => from - 1 - at);
    const event = { event: 'outcome' as const, status: 'done' as const, note: '1 line', written: null };
    const rows = positions.map((position) => ({
      position,
      atMs: 0,
      conversation: 'cv',
      turn: 'tn',
      call: 'c',
      tool: 'read_file',
      target: position === 7 ? 'seven.md' : 'README.md',
      event,
    }));
    return { rows, hasMore: from > 101 };
  });
  return { read, audit: new Audit({ audit_read: read } as unknown as Backend, () => new Words('en')) };
}

test('a filter is looked for once typing pauses, and what does not fit is not kept', async () => {
  vi.useFakeTimers();
  const { read, audit } = log(1500);
  for (const text of ['s', 'se', 'seven']) {
    audit.text = text;
    void audit.readSoon('cv');
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1000);
  expect(read).toHaveBeenCalledTimes(15);
  expect(audit.rows.map(({ position }) => position)).toEqual([7]);
  audit.text = '';
  await audit.read('cv');
  expect(audit.rows).toHaveLength(100);
  vi.useRealTimers();
});

test('a long log is looked through a stretch at a time, and goes on from there', async () => {
  const { read, audit } = log(5000);
  audit.text = 'seven';
  await audit.read('cv');
  expect(read).toHaveBeenCalledTimes(20);
  expect([audit.rows.length, audit.nRead, audit.hasMore]).toEqual([0, 2000, true]);
  await audit.readOlder('cv');
  await audit.readOlder('cv');
  expect([audit.rows.length, audit.nRead, audit.hasMore]).toEqual([1, 5000, false]);
});

test('a page without a conversation has no rows of its own', async () => {
  const { read, audit } = log(300);
  await audit.read(null);
  expect(read).not.toHaveBeenCalled();
  expect(audit.rows).toEqual([]);
  audit.isOnlyHere = false;
  await audit.read(null);
  expect(audit.rows).toHaveLength(100);
});

test('a folded panel reads nothing, and reads when it is opened', async () => {
  const read = vi.fn(async () => []);
  const { app } = await started(() => ({ todo_list: read }));
  read.mockClear();
  app.layout.isPanelOpen = false;
  await app.readPanel();
  expect(read).not.toHaveBeenCalled();
  app.layout.show('plan');
  await app.readPanel();
  expect(read).toHaveBeenCalledOnce();
});

test('a wide list and a wide panel leave the conversation its room', () => {
  const layout = new Layout();
  layout.fit(1280);
  layout.resizeList(400);
  layout.resizePanel(720);
  expect(1280 - layout.listWidth - layout.panelShown).toBe(360);
  layout.fit(1100);
  expect(1100 - layout.listWidth - layout.panelShown).toBeGreaterThanOrEqual(360);
  layout.fit(1600);
  layout.resizePanel(720);
  expect(layout.panelShown).toBe(720);
});

test('the samples say what the product says, so each of their lines is known in Chinese', async () => {
  const { backend } = new Fake({ state: 'endings', theme: 'light', language: 'zh', speed: 0 });
  const rows = await backend.conversation_list();
  const views = await Promise.all(rows.map(({ id }) => backend.conversation_read({ conversation: id })));
  const turns = views.flatMap((view) => view.turns);
  const { rows: log } = await backend.audit_read({ params: { conversation: null, before: null } });
  const detail = await backend.server_add({ address: '' }).catch((thrown: unknown) => failureOf(thrown).detail);
  const said = [
    detail,
    ...turns.flatMap(({ steps }) => steps.map((step) => step.note)),
    ...turns.flatMap(({ ending }) => (ending && 'sentence' in ending ? [ending.sentence] : [])),
    ...log.flatMap(({ event }) => (event.event === 'outcome' ? [event.note] : event.reason ? [event.reason] : [])),
  ];
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter((text) => note(new Words('zh'), text) === text)).toEqual([]);
});

test('nothing is said of a model before it is known whether there is one', async () => {
  const fake = new Fake({ state: 'missing', theme: 'light', language: 'en', speed: 0 });
  const app = new App(fake.backend);
  expect([app.isStarted, app.models.isRead]).toEqual([false, false]);
  await app.start();
  expect([app.isStarted, app.models.isRead]).toEqual([true, true]);
});

const WRITE = { id: 7, conversation: 'cv', folder: '/notes', path: 'list.md', atMs: 0 };

test('a write that was undone leaves the list, and one that could not be is read again', async () => {
  let writes = [WRITE, { ...WRITE, id: 6, conversation: 'other' }];
  let refusal: unknown = null;
  const undo_write = vi.fn<Backend['undo_write']>(async ({ id }) => {
    if (refusal) throw refusal;
    writes = writes.filter((write) => write.id !== id);
  });
  const undo = new Undo({ undo_list: async () => writes, undo_write } as unknown as Backend);
  await undo.read();
  expect(undo.of(null).map(({ id }) => id)).toEqual([7, 6]);
  expect(undo.of('cv').map(({ id }) => id)).toEqual([7]);
  await undo.undo(7);
  expect(undo_write).toHaveBeenCalledWith({ id: 7 });
  expect([undo.of('cv'), undo.undoing]).toEqual([[], null]);
  // Somebody else took the last one away meanwhile.
  refusal = new Error('gone');
  writes = [];
  await expect(undo.undo(6)).rejects.toThrow('gone');
  expect([undo.of(null), undo.undoing]).toEqual([[], null]);
});
