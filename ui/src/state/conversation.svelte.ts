import type { Backend } from '../ipc/backend';
import type { ConversationView, FolderView, TurnView } from '../ipc/generated/types';
import { recorded, type Turn } from '../view/turn';
import type { Turns } from './turns.svelte';

/** The conversation that is open: what the record has of it, and over that what its running turns tell. */
export class Conversation {
  /** `null` before the first question, when there is nothing to save yet. */
  id = $state<string | null>(null);
  title = $state('');
  folder = $state.raw<FolderView | null>(null);
  model = $state<string | null>(null);
  /** Who works in it; `null` is the assistant that comes with the program. */
  assistant = $state<string | null>(null);
  /** The turn before the first one that was read. */
  earlier = $state<string | null>(null);
  #read = $state.raw<TurnView[]>([]);
  #begun = $state.raw<Turn[]>([]);
  readonly #drafts = new Map<string, string>();
  draft = $state('');
  /** Counts the pages that were opened: whoever waited for something can tell whether the same one is still there. */
  visit = 0;
  #nOpened = 0;
  readonly #backend: Backend;
  readonly #turns: Turns;

  // The same values as long as the record says the same, so that a word of a running turn redraws no other one.
  readonly #recorded = $derived(this.#read.map(recorded));

  /** Turns in order; a running one as it is now. */
  readonly turns = $derived.by(() => {
    const known = new Set(this.#read.map(({ id }) => id));
    const all = [...this.#recorded, ...this.#begun.filter(({ id }) => !known.has(id))];
    return all.map((turn) => (turn.ending === null ? (this.#turns.live.get(turn.id) ?? turn) : turn));
  });
  readonly running = $derived(
    this.turns.find(({ phase, ending }) => phase.phase !== 'ended' && ending === null) ?? null,
  );

  constructor(backend: Backend, turns: Turns) {
    this.#backend = backend;
    this.#turns = turns;
  }

  /** An empty page with what the last one had chosen. */
  clear(folder: FolderView | null, model: string | null, assistant: string | null): void {
    this.#keepDraft();
    this.#nOpened++;
    this.visit++;
    this.id = null;
    this.title = '';
    this.folder = folder;
    this.model = model;
    this.assistant = assistant;
    this.#read = [];
    this.#begun = [];
    this.earlier = null;
    this.draft = this.#drafts.get('') ?? '';
  }

  /** Opens a conversation. Returns whether it is shown now: a newer wish to be somewhere else wins. */
  async open(conversation: string): Promise<boolean> {
    const nOpened = ++this.#nOpened;
    const view = await this.#backend.conversation_read({ conversation });
    if (nOpened !== this.#nOpened) return false;
    this.#show(view);
    return true;
  }

  /** Reads what the record has now of the conversation that is open; pages that were read before it stay. */
  async refresh(): Promise<void> {
    if (this.id === null) return;
    const view = await this.#backend.conversation_read({ conversation: this.id });
    if (this.id !== view.id) return;
    const first = view.turns[0]?.id;
    const older = this.#read.slice(
      0,
      Math.max(
        0,
        this.#read.findIndex(({ id }) => id === first),
      ),
    );
    const ids = new Set(view.turns.map(({ id }) => id));
    this.title = view.title;
    this.#read = [...older, ...view.turns];
    this.#begun = this.#begun.filter(({ id }) => !ids.has(id));
    if (older.length === 0) this.earlier = view.earlier;
  }

  async readEarlier(): Promise<void> {
    const { id, earlier } = this;
    if (earlier === null) return;
    const page = await this.#backend.conversation_earlier({ turn: earlier });
    // A page that was asked for twice is taken once.
    if (this.id !== id || this.earlier !== earlier) return;
    this.#read = [...page.turns, ...this.#read];
    this.earlier = page.earlier;
  }

  /** Reads earlier pages until a turn is there, or the conversation is left. Returns whether it is there. */
  async readUntil(turn: string): Promise<boolean> {
    const { visit } = this;
    const isThere = () => this.turns.some(({ id }) => id === turn);
    while (this.visit === visit && !isThere() && this.earlier !== null) await this.readEarlier();
    return isThere();
  }

  /** The page becomes that of a conversation that was just created. What is in the composer stays there. */
  name(conversation: string): void {
    this.#nOpened++;
    this.#drafts.delete('');
    this.id = conversation;
  }

  /** A draft was sent. Whatever was typed since stays, here or on the page that it was left on. */
  sent(draft: string, pages: (string | null)[]): void {
    if (pages.includes(this.id) && this.draft === draft) this.draft = '';
    for (const page of pages) if (this.#drafts.get(page ?? '') === draft) this.#drafts.delete(page ?? '');
  }

  begin(turn: Turn): void {
    this.#begun = [...this.#begun, turn];
  }

  #show(view: ConversationView): void {
    if (this.id !== view.id) {
      this.#keepDraft();
      this.draft = this.#drafts.get(view.id) ?? '';
      this.visit++;
      this.#begun = [];
    }
    this.id = view.id;
    this.title = view.title;
    this.folder = view.folder;
    this.model = view.model;
    this.assistant = view.assistant;
    this.#read = view.turns;
    this.earlier = view.earlier;
  }

  #keepDraft(): void {
    this.#drafts.set(this.id ?? '', this.draft);
  }
}
