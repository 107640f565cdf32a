import { getContext, setContext, tick } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import { failureOf, type Backend } from '../ipc/backend';
import type {
  ApprovalView,
  CallView,
  ConversationRow,
  FolderView,
  IpcError,
  TurnEventView,
} from '../ipc/generated/types';
import { note } from '../view/notes';
import { doing, endedAs } from '../view/trail';
import { begun, type Turn } from '../view/turn';
import { Assistants } from './assistants.svelte';
import { Audit } from './audit.svelte';
import { Undo } from './undo.svelte';
import { Conversation } from './conversation.svelte';
import { Conversations } from './conversations.svelte';
import { Inspector } from './inspector.svelte';
import { Library } from './library.svelte';
import { Layout, type PageName, type Tab } from './layout.svelte';
import { Memories } from './memories.svelte';
import { Models } from './models.svelte';
import { ModelsPage } from './modelsPage.svelte';
import { Plan } from './plan.svelte';
import { Preview, type NextQuestion } from './preview.svelte';
import { Requests } from './requests.svelte';
import { Rules } from './rules.svelte';
import { Settings } from './settings.svelte';
import { Summary } from './summary.svelte';
import { Turns } from './turns.svelte';

/** Everything the window knows, composed once. */
export class App {
  readonly settings: Settings;
  readonly conversations: Conversations;
  readonly conversation: Conversation;
  readonly turns: Turns;
  readonly models: Models;
  readonly modelsPage: ModelsPage;
  readonly assistants: Assistants;
  readonly memories: Memories;
  readonly requests: Requests;
  readonly inspector: Inspector;
  readonly preview: Preview;
  readonly summary: Summary;
  readonly plan: Plan;
  readonly audit: Audit;
  readonly undo: Undo;
  readonly rules: Rules;
  readonly library: Library;
  readonly layout = new Layout();
  readonly #backend: Backend;

  /** What assistive technology is told, once; the number tells two equal ones apart. */
  announcement = $state.raw({ text: '', n: 0 });
  /** Whether what there is has been read, so that an empty page means something. */
  isStarted = $state(false);
  failure = $state.raw<IpcError | null>(null);
  /** The turn that keys act on. */
  focusedTurn = $state<string | null>(null);
  /** The turn that keys moved to, to be brought into sight; the number tells two moves apart. */
  moved = $state.raw({ turn: '', n: 0 });
  /** Counts up when the composer is to have the focus. */
  composerCalls = $state(0);
  /** Counts up when the open card is to have the focus. */
  cardCalls = $state(0);
  /** The card that came while someone was writing or reading elsewhere, and has not had the focus yet. */
  unattended = $state<string | null>(null);
  /** Turns that were told to stop and have not ended yet. */
  readonly stopping = new SvelteSet<string>();
  /** When a question of the assistant's was last answered. */
  answeredAtMs = 0;
  #isSending = $state(false);
  #beforePage: HTMLElement | null = null;
  readonly #answered = new Set<string>();

  /** The model that the next question goes to. */
  readonly model = $derived.by(() => this.models.chosen(this.conversation.model));
  readonly canSend = $derived.by(
    () => this.inspector.note === null && this.model !== null && this.conversation.running === null && !this.#isSending,
  );
  /** What Send would send now. */
  readonly next = $derived.by<NextQuestion>(() => ({
    conversation: this.conversation.id,
    question: this.conversation.draft,
    folder: this.conversation.folder?.id ?? null,
    assistant: this.conversation.assistant,
    model: this.model?.id ?? null,
  }));
  /** Open questions of all conversations, by conversation. */
  readonly waiting = $derived.by(() => {
    const byConversation = new Map<string, ApprovalView[]>();
    for (const turn of this.turns.live.values()) {
      for (const approval of turn.approvals) {
        byConversation.set(approval.conversation, [...(byConversation.get(approval.conversation) ?? []), approval]);
      }
    }
    return byConversation;
  });

  constructor(backend: Backend) {
    this.#backend = backend;
    this.settings = new Settings(backend);
    this.conversations = new Conversations(backend);
    this.turns = new Turns(backend, (turn, event) => this.#happened(turn, event));
    this.conversation = new Conversation(backend, this.turns);
    this.models = new Models(backend);
    this.modelsPage = new ModelsPage(backend, () => void this.try(() => this.models.read()));
    const attempt = (act: () => Promise<void>) => this.#attempt(act);
    this.assistants = new Assistants(backend, attempt);
    this.memories = new Memories(backend, attempt);
    this.requests = new Requests(backend);
    this.inspector = new Inspector(backend);
    this.preview = new Preview(backend);
    this.summary = new Summary(backend);
    this.plan = new Plan(backend);
    this.library = new Library(backend);
    this.audit = new Audit(backend, () => this.settings.words);
    this.undo = new Undo(backend);
    this.rules = new Rules(backend);
  }

  get words() {
    return this.settings.words;
  }

  /** Reads what the window needs to be usable, then goes on with the newest conversation and with whatever still runs. */
  async start(): Promise<void> {
    await this.try(async () => {
      await Promise.all([
        this.settings.read(),
        this.conversations.read(),
        this.models.read(),
        this.assistants.read(),
        this.inspector.read(),
        this.rules.read(),
      ]);
      this.layout.restore(this.settings.value);
      this.#clear();
      const newest = [...this.conversations.rows].sort((a, b) => b.updatedAtMs - a.updatedAtMs)[0];
      await Promise.all(this.conversations.rows.map((row) => this.#watchRunning(row)));
      if (newest) await this.open(newest.id);
    });
    this.isStarted = true;
    await this.try(() => this.library.watch());
    await this.try(() => this.modelsPage.watch());
    this.composerCalls++;
  }

  async open(conversation: string): Promise<void> {
    await this.try(async () => {
      if (!(await this.conversation.open(conversation))) return;
      this.focusedTurn = this.conversation.turns.at(-1)?.id ?? null;
      await this.#toConversation();
      await this.readPanel();
    });
  }

  /** A page takes the middle of the window, until it is closed or a conversation is opened. */
  showPage(page: Exclude<PageName, 'conversation'>): void {
    const { activeElement } = document;
    if (this.layout.page === 'conversation') {
      this.#beforePage = activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null;
    }
    this.layout.page = page;
    if (page === 'memories') void this.try(() => this.memories.read());
    if (page === 'assistants') void this.try(() => this.assistants.read());
  }

  /** Leaves a page; what had the focus before it has it again. */
  async closePage(): Promise<void> {
    const before = this.#beforePage;
    this.#beforePage = null;
    this.layout.page = 'conversation';
    await tick();
    if (before?.isConnected) before.focus();
    else this.composerCalls++;
    await this.try(() => this.readPanel());
  }

  /** The composer, from wherever one is. */
  async toComposer(): Promise<void> {
    await this.#toConversation();
    this.composerCalls++;
  }

  /** Shows the conversation that is open. Where the focus was on the page before it, the composer takes it. */
  async #toConversation(): Promise<void> {
    if (this.layout.page === 'conversation') return;
    this.#beforePage = null;
    this.layout.page = 'conversation';
    await this.catchFocus();
  }

  /** An empty page. A conversation is saved with its first question. */
  begin(): void {
    this.#clear();
    this.focusedTurn = null;
    this.layout.page = 'conversation';
    this.composerCalls++;
    void this.try(() => this.readPanel());
  }

  /** An empty page with the assistant that was used last, and with the folder and the model of that one or as they were. */
  #clear(): void {
    const { folder, model } = this.conversation;
    const assistant = this.assistants.lineOf(this.assistants.last);
    const usual = folder ?? this.settings.value.folders[0] ?? null;
    this.conversation.clear(assistant?.folder ?? usual, assistant?.model ?? model, assistant?.id ?? null);
  }

  /** Sends a question with what is chosen now, whatever page is open when it has arrived. */
  async ask(question: string): Promise<void> {
    if (question.trim() === '' || !this.canSend) return;
    this.#isSending = true;
    const { id, folder, assistant } = this.conversation;
    const model = this.model?.id ?? null;
    const sent = await this.try(async () => {
      const conversation = id ?? (await this.#create());
      const turn = await this.#backend.turn_start({
        params: { conversation, question, model, folder: folder?.id ?? null, assistant, policy: 'ask' },
      });
      this.conversation.sent(question, [id, conversation]);
      const fresh = begun(turn, question, Date.now());
      if (this.conversation.id === conversation) {
        this.conversation.begin(fresh);
        this.focusedTurn = turn;
      }
      await this.turns.watch(fresh, conversation);
      return { conversation, turn };
    });
    this.#isSending = false;
    if (!sent) return;
    await this.try(async () => {
      const isHere = () => this.conversation.id === sent.conversation;
      await Promise.all([this.conversations.read(), isHere() ? this.readPanel() : null]);
      if (isHere()) this.conversation.title = this.conversations.titleOf(sent.conversation);
    });
  }

  async stop(): Promise<void> {
    const turn = this.conversation.running;
    if (!turn || this.stopping.has(turn.id)) return;
    this.stopping.add(turn.id);
    const isTold = await this.try(async () => {
      await this.turns.stop(turn.id);
      return true;
    });
    if (!isTold) this.stopping.delete(turn.id);
  }

  /** Answers a question once; whatever is said to it afterwards has no effect. Returns whether the answer arrived. */
  async answer(approval: string, isApproved: boolean): Promise<boolean> {
    return this.#say(approval, () => this.#backend.approval_answer({ params: { approval, isApproved } }));
  }

  /** The same with a yes that makes a rule for this session. */
  async approveWithRule(approval: string): Promise<boolean> {
    return this.#say(approval, () => this.#backend.rule_make({ approval }));
  }

  async #say(approval: string, send: () => Promise<unknown>): Promise<boolean> {
    if (this.#answered.has(approval)) return true;
    this.#answered.add(approval);
    this.answeredAtMs = Date.now();
    const arrived = await this.try(async () => {
      await send();
      return true;
    });
    if (!arrived) this.#answered.delete(approval);
    return arrived ?? false;
  }

  async pickFolder(): Promise<void> {
    const { visit } = this.conversation;
    await this.try(async () => {
      const folder = await this.pickAnyFolder();
      if (folder && this.conversation.visit === visit) this.conversation.folder = folder;
    });
  }

  /** Lets the person pick a folder, for whatever it is; `null` if they did not. */
  async pickAnyFolder(): Promise<FolderView | null> {
    const folder = await this.#backend.folder_pick();
    if (folder) await this.settings.read();
    return folder;
  }

  chooseFolder(folder: FolderView | null): void {
    this.conversation.folder = folder;
  }

  /** Who works from the next question on. Where nothing was asked yet, the assistant brings its folder and its model. */
  chooseAssistant(id: string | null): void {
    const assistant = this.assistants.lineOf(id);
    this.conversation.assistant = assistant?.id ?? null;
    if (this.conversation.id === null && assistant) {
      this.conversation.folder = assistant.folder ?? this.conversation.folder;
      this.conversation.model = assistant.model ?? this.conversation.model;
    }
    void this.try(() => this.assistants.choose(this.conversation.id, assistant?.id ?? null));
  }

  chooseModel(model: string): void {
    this.conversation.model = model;
    void this.try(() => this.models.choose(model));
  }

  /** Asks a server what it offers, and takes it if that is still wanted then. Returns why that did not work, or nothing. */
  async addServer(address: string, isWanted: () => boolean): Promise<string> {
    const { visit } = this.conversation;
    try {
      const model = await this.models.addServer(address);
      if (isWanted() && this.conversation.visit === visit) this.chooseModel(model);
      return '';
    } catch (thrown) {
      return failureOf(thrown).detail;
    }
  }

  /** Asks where a text went: what is selected, or what will be typed. */
  async showWhere(turn: string, text: string): Promise<void> {
    await this.showRequestOf(turn);
    this.inspector.begin(text);
    if (this.requests.turn !== null) await this.inspector.look(this.requests.turn);
  }

  /** Opens the requests behind a turn. */
  async showRequestOf(turn: string): Promise<void> {
    this.focusedTurn = turn;
    this.layout.show('request');
    await this.try(() => this.requests.show(turn));
  }

  /** Opens the summary with what entered it before a turn. */
  async showSummaryOf(turn: string, version: number): Promise<void> {
    this.focusedTurn = turn;
    this.layout.show('request');
    await this.try(() => this.readPanel());
    this.summary.lookAt(version);
  }

  /** Opens what the next question would be sent with. */
  async showNext(): Promise<void> {
    this.layout.show('request');
    this.preview.isOpen = true;
    await this.try(() => this.readPanel());
  }

  /** Brings a turn into sight, wherever in the conversation it is. The panel stays as it is, so that one can go on from there. */
  async goTo(turn: string): Promise<void> {
    await this.try(async () => {
      const { visit } = this.conversation;
      const isThere = await this.conversation.readUntil(turn);
      if (this.conversation.visit !== visit) return;
      if (!isThere) throw { code: 'notFound', params: {}, detail: '' } satisfies IpcError;
      if (this.layout.isNarrow) {
        void this.keepFocus();
        this.layout.isPanelOpen = false;
      }
      this.focusedTurn = turn;
      this.moved = { turn, n: this.moved.n + 1 };
    });
  }

  /** Moves the focus of keys by so many turns. */
  moveFocus(by: number): void {
    const { turns } = this.conversation;
    const at = turns.findIndex(({ id }) => id === this.focusedTurn);
    const next = turns[Math.min(Math.max(0, (at < 0 ? turns.length : at) + by), turns.length - 1)];
    if (!next) return;
    this.focusedTurn = next.id;
    this.moved = { turn: next.id, n: this.moved.n + 1 };
    if (this.#shows('request')) void this.try(() => this.requests.show(next.id));
  }

  /** Arguments and results of a turn's calls. */
  async readCalls(turn: string): Promise<CallView[]> {
    return this.#backend.turn_calls({ turn });
  }

  /** Reads again what the panel shows; a folded one shows nothing. */
  async readPanel(): Promise<void> {
    const { id } = this.conversation;
    if (this.#shows('plan')) await this.plan.show(id);
    if (this.#shows('request')) {
      const turn = this.focusedTurn ?? this.conversation.turns.at(-1)?.id ?? null;
      await Promise.all([this.requests.show(turn), this.summary.show(id)]);
    }
    if (this.#shows('audit')) await Promise.all([this.audit.read(id), this.undo.read()]);
  }

  #shows(tab: Tab): boolean {
    return this.layout.isPanelShown && this.layout.tab === tab;
  }

  /** Does something that may fail; a failure is shown and `undefined` returned. */
  async try<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (thrown) {
      this.failure = failureOf(thrown);
      if (this.failure.code === 'notFound') void this.conversations.read();
      return undefined;
    }
  }

  /** The same, for whoever has to know that it failed. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      this.failure = failureOf(thrown);
      throw thrown;
    }
  }

  /** Where the element that has the focus goes away, the composer takes it. Where none has it, keys keep acting on the window. */
  async keepFocus(): Promise<void> {
    if (isFocusFree()) return;
    await this.catchFocus();
  }

  /** The same for an element that has gone away already. */
  async catchFocus(): Promise<void> {
    await tick();
    if (isFocusFree()) this.composerCalls++;
  }

  say(text: string): void {
    this.announcement = { text, n: this.announcement.n + 1 };
  }

  /** Gives a title. */
  async rename(conversation: string, title: string): Promise<void> {
    await this.conversations.rename(conversation, title);
    if (this.conversation.id === conversation) this.conversation.title = title;
  }

  /** Deletes a conversation; where it was open, an empty page takes its place. */
  async delete(conversation: string): Promise<void> {
    await this.conversations.delete(conversation);
    if (this.conversation.id === conversation) this.begin();
    else await this.catchFocus();
  }

  async #create(): Promise<string> {
    const { visit } = this.conversation;
    const id = await this.conversations.create();
    if (this.conversation.visit === visit) this.conversation.name(id);
    return id;
  }

  async #watchRunning(row: ConversationRow): Promise<void> {
    if (row.runningTurn === null) return;
    const { turns } = await this.#backend.conversation_read({ conversation: row.id });
    const view = turns.find(({ id }) => id === row.runningTurn);
    // Its events tell everything again from the start, so only the question is taken from the record.
    if (view) await this.turns.watchAgain({ ...begun(view.id, view.question, view.askedAtMs) }, row.id);
  }

  #happened(turn: Turn, event: TurnEventView): void {
    const { words } = this.settings;
    const conversation = this.turns.conversationOf(turn.id);
    const isHere = conversation === this.conversation.id;
    if (isHere && (event.event === 'permission' || event.event === 'composing')) this.say(doing(words, turn));
    if (event.event === 'asked') this.say(words.say('say.approval', { path: note(words, event.approval.path) }));
    if (event.event === 'todo' && isHere && this.#shows('plan'))
      void this.try(() => this.plan.show(this.conversation.id));
    if (
      (event.event === 'request' || event.event === 'replied') &&
      this.requests.turn === turn.id &&
      this.#shows('request')
    ) {
      void this.try(() => this.requests.show(turn.id));
    }
    if (event.event === 'folded' && isHere && this.#shows('request')) {
      void this.try(() => this.summary.show(this.conversation.id));
    }
    // A rule was made, was used, or ended with what it allowed.
    if (event.event === 'permission' || event.event === 'called') {
      const mayMatter =
        event.event === 'permission' ? isByRule(event.decider) : this.rules.of(conversation ?? null).length > 0;
      if (mayMatter) void this.try(() => this.rules.read());
      if (isHere && this.#shows('audit')) void this.try(() => this.audit.read(this.conversation.id));
    }
    if (event.event === 'ended') void this.#ended(turn);
  }

  async #ended(turn: Turn): Promise<void> {
    const { words } = this.settings;
    const isHere = () => this.turns.conversationOf(turn.id) === this.conversation.id;
    this.stopping.delete(turn.id);
    if (isHere()) this.say(words.say(endedAs(turn)));
    await this.try(async () => {
      await Promise.all([
        this.conversations.read(),
        this.models.read(),
        // The turn may have remembered something.
        this.layout.page === 'memories' ? this.memories.read() : null,
        isHere() ? this.conversation.refresh() : null,
      ]);
      // A page that opens right now may have been read before the end.
      if (!isHere()) return;
      this.turns.forget(turn.id);
      await this.readPanel();
    });
  }
}

function isByRule(decider: string): boolean {
  return decider.startsWith('rule ru_') || decider === 'person approved_with_rule';
}

function isFocusFree(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

const KEY = Symbol('app');

export function provideApp(app: App): App {
  return setContext(KEY, app);
}

export function useApp(): App {
  return getContext<App>(KEY);
}
