import type { Backend } from '../src/ipc/backend';
import type {
  ConversationRow,
  FolderView,
  LibraryView,
  ReplacedView,
  RuleView,
  SettingsView,
  SummaryView,
  TurnEventView,
  TurnEvents,
  TurnView,
} from '../src/ipc/generated/types';
import { FakeGiven, remembering } from './given';
import { inspecting } from './inspect';
import { FakeModels } from './models';
import { besideEachOther, rule } from './rules';
import { ANSWER, audit, preview, README, requests, script, snapshots, summaries, texts } from './samples';

export interface Wishes {
  /** `first`, `missing`, `loading`, `waiting`, `endings`, `long`, `folded`, `memory`, `together`, `evidence`, or `usual`. */
  state: string;
  theme: SettingsView['theme'];
  language: SettingsView['language'];
  /** 1 is as in life; 0 tells everything at once, approvals apart. */
  speed: number;
}

interface Running {
  events: TurnEventView[];
  watchers: ((events: TurnEvents) => void)[];
  isStopped: boolean;
  answers: Map<string, boolean>;
  wake: () => void;
}

const HOUR = 3_600_000;
const FOLDER: FolderView = { id: 'fd_1', name: 'desk', path: '/home/ada/Documents/desk' };

/** A backend made of samples. It keeps its promises to the letter, so that states can be tested on it. */
export class Fake {
  readonly asked: { command: string; args: unknown }[] = [];
  readonly #wishes: Wishes;
  readonly #rows: ConversationRow[] = [];
  readonly #turns = new Map<string, TurnView[]>();
  readonly #running = new Map<string, Running>();
  readonly #summaries = new Map<string, SummaryView[]>();
  #settings: SettingsView;
  #n = 0;
  #replaced: ReplacedView[] = [];
  #rules: RuleView[] = [];
  #library: LibraryView = { roots: [], problems: [], isOn: true, progress: null };
  #toldLibrary: (library: LibraryView) => void = () => undefined;

  constructor(wishes: Wishes) {
    this.#wishes = wishes;
    this.#settings = {
      theme: wishes.theme,
      language: wishes.language,
      listWidth: null,
      panelWidth: null,
      folders: ['usual', 'waiting', 'long', 'folded', 'memory', 'evidence'].includes(wishes.state) ? [FOLDER] : [],
    };
    if (!['first', 'missing', 'loading'].includes(wishes.state)) this.#fill();
  }

  readonly given = new FakeGiven(this.asked);
  readonly models = new FakeModels(this.asked);
  readonly backend: Backend = {
    ...this.given.commands,
    ...this.models.commands,
    conversation_list: async () => this.#rows.map((row) => ({ ...row })),
    conversation_read: async ({ conversation }) => {
      const row = this.#row(conversation);
      return {
        id: row.id,
        title: row.title,
        folder: FOLDER,
        model: 'qwen',
        assistant: null,
        ...this.#page(conversation, this.#turns.get(conversation)?.length ?? 0),
      };
    },
    conversation_earlier: async ({ turn }) => {
      const found = [...this.#turns].find(([, turns]) => turns.some(({ id }) => id === turn));
      if (!found) throw { code: 'notFound', params: {}, detail: '' };
      const [conversation, turns] = found;
      return this.#page(conversation, turns.findIndex(({ id }) => id === turn) + 1);
    },
    conversation_create: async () => {
      const row: ConversationRow = {
        id: `cv_${++this.#n}`,
        title: '',
        updatedAtMs: Date.now(),
        nTurns: 0,
        runningTurn: null,
      };
      this.#rows.push(row);
      return row.id;
    },
    conversation_rename: async ({ conversation, title }) => void (this.#row(conversation).title = title),
    conversation_delete: async ({ conversation }) =>
      void this.#rows.splice(
        this.#rows.findIndex(({ id }) => id === conversation),
        1,
      ),
    folder_pick: async () => {
      this.#settings = { ...this.#settings, folders: [FOLDER] };
      return FOLDER;
    },
    model_list: async () => ({
      folder: '/home/ada/.cache/recto/models',
      models:
        this.#wishes.state === 'missing'
          ? []
          : [
              {
                id: 'qwen',
                title: 'Qwen2.5 Coder 1.5B',
                kind: 'embedded',
                location: '/home/ada/.cache/recto/models/qwen.gguf',
                nBytes: 1_117_320_736,
                isLoaded: this.#wishes.state !== 'first',
                isChosen: true,
              },
              {
                id: 'server',
                title: 'gemma-3-12b',
                kind: 'server',
                location: 'http://127.0.0.1:8080',
                nBytes: null,
                isLoaded: false,
                isChosen: false,
              },
            ],
    }),
    model_choose: async () => undefined,
    server_add: async () => {
      throw {
        code: 'modelUnusable',
        params: {},
        detail: 'Nothing answers at http://127.0.0.1:8080. Start the server or choose another model.',
      };
    },
    turn_start: async ({ params }) => {
      this.asked.push({ command: 'turn_start', args: params });
      const id = `tn_${++this.#n}`;
      const row = this.#row(params.conversation);
      if (row.title === '') row.title = params.question.slice(0, 48);
      row.runningTurn = id;
      row.updatedAtMs = Date.now();
      row.nTurns++;
      this.#turns.set(params.conversation, [
        ...(this.#turns.get(params.conversation) ?? []),
        this.#turn(id, params.question, null),
      ]);
      void this.#run(params.conversation, id);
      return id;
    },
    turn_watch: async ({ turn, channel }) => {
      const running = this.#running.get(turn);
      channel({ turn, events: [...(running?.events ?? [])] });
      running?.watchers.push(channel);
    },
    turn_stop: async ({ turn }) => {
      const running = this.#running.get(turn);
      if (!running) return;
      running.isStopped = true;
      running.wake();
    },
    turn_calls: async () => [
      {
        call: 'c1',
        arguments: '{"todos":[{"content":"Read README.md","status":"in_progress"}]}',
        result: '{"todos":[{"content":"Read README.md","status":"in_progress"}]}',
      },
      { call: 'c2', arguments: '{"path":"."}', result: 'Makefile\nREADME.md\nnotes/\nsrc/' },
      { call: 'c3', arguments: '{"path":"README.md"}', result: README },
      {
        call: 'c4',
        arguments: '{"path":"notes/run.md","content":"…"}',
        result: 'Wrote the new file `notes/run.md` (148 bytes).',
      },
    ],
    turn_requests: async ({ turn }) => {
      const view = this.#find(turn);
      return view ? requests(turn, view.question, view.askedAtMs, view.ending !== null) : [];
    },
    request_texts: async ({ request }) => {
      const turn = request.split('-')[0] ?? '';
      const view = this.#find(turn);
      const found = requests(turn, view?.question ?? '', 0, true).find(({ id }) => id === request);
      return found ? texts(found, view?.question ?? '') : [];
    },
    ...inspecting(
      this.asked,
      () => this.#wishes.state === 'evidence',
      (turn) => {
        const view = this.#find(turn);
        return view ? requests(turn, view.question, view.askedAtMs, view.ending !== null) : [];
      },
    ),
    preview_read: async ({ params }) => {
      this.asked.push({ command: 'preview_read', args: params });
      return preview(params);
    },
    summary_read: async ({ conversation }) => this.#summaries.get(conversation) ?? [],
    summary_edit: async ({ conversation, prose }) => {
      this.asked.push({ command: 'summary_edit', args: { conversation, prose } });
      const [newest, ...older] = this.#summaries.get(conversation) ?? [];
      const detail = "this conversation has no summary yet: all of it still fits into the model's window";
      if (!newest) throw { code: 'failed', params: {}, detail };
      const edited = { ...newest, version: newest.version + 1, author: 'person' as const, prose, entered: [] };
      this.#summaries.set(conversation, [{ ...edited, atMs: Date.now() }, newest, ...older]);
    },
    approval_answer: async ({ params }) => {
      this.asked.push({ command: 'approval_answer', args: params });
      for (const running of this.#running.values()) {
        if (!running.events.some((event) => event.event === 'asked' && event.approval.id === params.approval)) continue;
        running.answers.set(params.approval, params.isApproved);
        running.wake();
      }
    },
    rule_list: async () => this.#rules,
    rule_make: async ({ approval }) => {
      this.asked.push({ command: 'rule_make', args: { approval } });
      for (const running of this.#running.values()) {
        const event = running.events.find((event) => event.event === 'asked' && event.approval.id === approval);
        if (event?.event !== 'asked' || !event.approval.offer) continue;
        this.#rules = [rule(event.approval, event.approval.offer), ...this.#rules];
        running.answers.set(approval, true);
        running.wake();
      }
    },
    rule_stop: async ({ rule: id }) => {
      this.asked.push({ command: 'rule_stop', args: { rule: id } });
      this.#rules = this.#rules.map((rule) => (rule.id === id ? { ...rule, ended: 'stopped' } : rule));
    },
    todo_list: async ({ conversation }) => {
      const turn = this.#turns.get(conversation)?.at(-1);
      if (!turn) return [];
      const running = this.#running.get(turn.id);
      const n = running ? running.events.filter(({ event }) => event === 'todo').length : 3;
      return snapshots(turn.id, turn.askedAtMs).slice(0, n);
    },
    audit_read: async () => {
      const conversation = this.#rows[0]?.id ?? '';
      const rows = this.#rows.length === 0 ? [] : audit(conversation, 'tn_1', Date.now() - HOUR);
      return { rows, hasMore: false };
    },
    undo_list: async () => this.#replaced,
    undo_write: async ({ id }) => {
      this.#replaced = this.#replaced.filter((write) => write.id !== id);
    },
    audit_verify: async () => ({
      nRows: 1284,
      brokenAt: null,
      fault: null,
      seal: 'sealed',
      sealedFrom: 1,
      nUnsealed: 0,
      nBehind: 0,
    }),
    library_watch: async ({ channel }) => {
      this.#toldLibrary = channel;
      channel(this.#library);
    },
    library_add_folder: async () => {
      const root = {
        id: ++this.#n,
        name: 'desk',
        path: FOLDER.path,
        nDocuments: 14,
        nUnread: 3,
        nPassages: 212,
        nBytes: 1_840_000,
        readAtMs: Date.now() - HOUR,
        reason: null,
      };
      const problems = ['scan.pdf', 'old/plan.docx', 'big.log'].map((name, at) => ({
        path: `${FOLDER.path}/${name}`,
        reason: [
          'no text was found on its pages; a scan has to go through text recognition first',
          'the file is damaged, or not what its name says',
          'the file is larger than 20 MB; split it into smaller ones',
        ][at] as string,
      }));
      this.tellLibrary({ roots: [...this.#library.roots, root], problems });
    },
    library_add_files: async () => undefined,
    library_remove: async ({ root }) => {
      this.asked.push({ command: 'library_remove', args: { root } });
      const roots = this.#library.roots.filter(({ id }) => id !== root);
      this.tellLibrary({ roots, problems: roots.length === 0 ? [] : this.#library.problems });
    },
    library_switch: async ({ on }) => this.tellLibrary({ isOn: on }),
    library_sync: async () => undefined,
    library_stop: async () => this.tellLibrary({ progress: null }),
    library_search: async ({ query }) =>
      query.includes('nothing')
        ? []
        : [
            {
              id: 'p12',
              document: 'tide/notes.md',
              root: FOLDER.path,
              headings: ['潮位', 'North pier'],
              place: { unit: 'line', first: 3, last: 4, sheet: '' },
              score: 0.453,
              text: 'The alert threshold at the north pier is 4.2 metres.\n北站的警报阈值是四米。',
            },
            {
              id: 'p40',
              document: 'prices.xlsx',
              root: FOLDER.path,
              headings: [],
              place: { unit: 'row', first: 2, last: 2, sheet: 'Gauges' },
              score: 0.21,
              text: 'name\tprice\ngauge\t310',
            },
          ],
    settings_read: async () => this.#settings,
    settings_write: async ({ settings }) => void (this.#settings = settings),
  };

  /** Something of the library is different now. */
  tellLibrary(news: Partial<LibraryView>): void {
    this.#library = { ...this.#library, ...news };
    this.#toldLibrary(this.#library);
  }

  #fill(): void {
    const now = Date.now();
    const add = (title: string, agoMs: number, turns: TurnView[]) => {
      const id = `cv_${++this.#n}`;
      this.#rows.push({ id, title, updatedAtMs: now - agoMs, nTurns: turns.length, runningTurn: null });
      this.#turns.set(id, turns);
    };
    const plain = (question: string, answer: string): TurnView => ({
      ...this.#turn(`tn_${++this.#n}`, question, { ending: 'answered' }),
      steps: [],
      nRequests: 1,
      answer,
    });
    const whole = (question: string): TurnView => ({
      ...this.#turn(`tn_${++this.#n}`, question, { ending: 'answered' }),
      answer: ANSWER,
    });
    add('Tidewatch notes', 60_000, [
      plain('What is in this folder?', 'A small tide server in Rust, with notes and a few CSV files.'),
      whole('How do I run and verify this project?'),
    ]);
    add('Trip to Oslo', 2 * HOUR, [whole('Which train is the earliest?')]);
    add('把会议记录整理成待办事项清单', 5 * HOUR, [plain('整理一下', '好的，已经整理好了。')]);
    add('Invoices of the third quarter', 26 * HOUR, [whole('Sum them up')]);
    add('Names for the boat', 4 * 24 * HOUR, [whole('Ten names, please')]);
    if (this.#wishes.state === 'folded') {
      const asked = ['What is in it?', 'Does it run?', 'Where are the notes?', 'Who wrote them?', 'And the rest?'];
      const turns = asked.map((question) => plain(question, 'Yes, it does.'));
      const last = turns.at(-1);
      if (last)
        last.shortened = { nFolded: 1, version: 2, nQuestion: 3100, ofQuestion: 52_000, nRead: null, ofRead: null };
      add('A long talk', 1000, turns);
      this.#summaries.set(`cv_${this.#n}`, summaries(turns.slice(0, 3), now - HOUR));
    }
    if (this.#wishes.state === 'endings') {
      const ended = (question: string, ending: TurnView['ending'], answer: string): TurnView => ({
        ...this.#turn(`tn_${++this.#n}`, question, ending),
        answer,
      });
      add('Every ending', 1000, [
        ended('Stopped half-way?', { ending: 'stopped' }, 'Start it with `make serve`. It listens'),
        ended(
          'With a server that is gone?',
          {
            ending: 'failed',
            sentence: 'Nothing answers at http://127.0.0.1:8080. Start the server or choose another model.',
          },
          '',
        ),
        ended(
          'A very long task?',
          { ending: 'limited', sentence: 'the work was ended early, because 12 rounds of tools had been made' },
          'This is what was found until then: the README names two commands.',
        ),
        ended('Killed?', { ending: 'interrupted' }, 'The first paragraph had'),
      ]);
    }
  }

  /** The turns up to that many, as many as are read at once. */
  #page(conversation: string, to: number): { turns: TurnView[]; earlier: string | null } {
    const all = this.#turns.get(conversation) ?? [];
    const from = this.#wishes.state === 'folded' ? Math.max(0, to - 2) : 0;
    return { turns: all.slice(from, to), earlier: all[from - 1]?.id ?? null };
  }

  #turn(id: string, question: string, ending: TurnView['ending']): TurnView {
    const askedAtMs = ending ? Date.now() - HOUR : Date.now();
    return {
      id,
      question,
      askedAtMs,
      endedAtMs: ending ? askedAtMs + 14_000 : null,
      ending,
      answer: '',
      steps: ending
        ? [
            { call: 'c1', tool: 'todo_write', target: '3 items', status: 'done', note: 'the list was written' },
            { call: 'c2', tool: 'list_dir', target: '.', status: 'done', note: '9 entries' },
            { call: 'c3', tool: 'read_file', target: 'README.md', status: 'done', note: '17 lines' },
          ]
        : [],
      nRequests: ending ? 4 : 0,
      shortened: { nFolded: 0, version: 0, nQuestion: null, ofQuestion: null, nRead: null, ofRead: null },
    };
  }

  async #run(conversation: string, id: string): Promise<void> {
    const running: Running = { events: [], watchers: [], isStopped: false, answers: new Map(), wake: () => undefined };
    this.#running.set(id, running);
    const tell = (event: TurnEventView) => {
      running.events.push(event);
      for (const watcher of running.watchers) watcher({ turn: id, events: [event] });
    };
    const steps = script(conversation, id, this.#wishes.state === 'long');
    const { state } = this.#wishes;
    const played = state === 'memory' ? remembering(steps) : state === 'together' ? besideEachOther(steps) : steps;
    for (const step of played) {
      if (running.isStopped) break;
      if (typeof step === 'number') {
        if (this.#wishes.speed > 0) await new Promise((resolve) => setTimeout(resolve, step / this.#wishes.speed));
      } else if (typeof step === 'string') await this.#answered(running, step, tell);
      else tell(step);
    }
    const answer = running.isStopped
      ? running.events.flatMap((event) => (event.event === 'answer' ? [event.text] : [])).join('')
      : ANSWER;
    const ending: TurnView['ending'] = running.isStopped ? { ending: 'stopped' } : { ending: 'answered' };
    this.#row(conversation).runningTurn = null;
    const view = this.#find(id);
    if (view)
      Object.assign(view, {
        ...this.#turn(id, view.question, ending),
        askedAtMs: view.askedAtMs,
        endedAtMs: Date.now(),
        answer,
      });
    if (running.isStopped) tell({ event: 'ended', ending, answer });
  }

  async #answered(running: Running, approval: string, tell: (event: TurnEventView) => void): Promise<void> {
    while (!running.answers.has(approval) && !running.isStopped) {
      await new Promise<void>((resolve) => (running.wake = resolve));
    }
    const isApproved = running.answers.get(approval) === true;
    tell({ event: 'answered', approval, answer: running.isStopped ? 'withdrawn' : isApproved ? 'approved' : 'denied' });
    const asked = running.events.find((event) => event.event === 'asked' && event.approval.id === approval);
    if (asked?.event !== 'asked') return;
    const { call, tool, path } = asked.approval;
    tell({
      event: 'permission',
      call,
      target: path,
      isAllowed: isApproved,
      decider: !isApproved
        ? 'person denied'
        : this.#rules.some(({ id }) => id === `ru_${approval}`)
          ? 'person approved_with_rule'
          : 'person approved',
    });
    tell({
      event: 'called',
      call,
      tool,
      target: path,
      status: isApproved ? 'done' : 'refused',
      note: isApproved ? 'written, 148 bytes, 1 folder made' : 'the user said no',
    });
  }

  #row(conversation: string): ConversationRow {
    const row = this.#rows.find(({ id }) => id === conversation);
    if (!row) throw { code: 'notFound', params: {}, detail: '' };
    return row;
  }

  #find(turn: string): TurnView | undefined {
    return [...this.#turns.values()].flat().find(({ id }) => id === turn);
  }
}
