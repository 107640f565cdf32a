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
  /** The turn before the first one that was read. */
  earlier = $state<string | null>(null);
  #read = $state.raw<TurnView[]>([]);
  #begun = $state.raw<Turn[]>([]);
  readonly #drafts = new Map<string, string>();
  draft = $state('');
  readonly #backend: Backend;
  readonly #turns: Turns;

  // The same values as long as the record says the same, so that a word of a running turn redraws no other one.
  readonly #recorded = $derived(this.#read.map(recorded));

  /** Turns in order; a running one as it is now. */
  readonly turns = $derived.by(() => {
    const known = new Set(this.#read.map(({ id }) => id));
    const all = [...this.#recorded, ...this.#begun.filter(({ id }) => !known.has(id))];
    return all.map((turn) => this.#turns.live.get(turn.id) ?? turn);
  });
  readonly running = $derived(
    this.turns.find(({ phase, ending }) => phase.phase !== 'ended' && ending === null) ?? null,
  );

  constructor(backend: Backend, turns: Turns) {
    this.#backend = backend;
    this.#turns = turns;
  }

  /** An empty page with what the last one had chosen. */
  clear(folder: FolderView | null, model: string | null): void {
    this.#keepDraft();
    this.id = null;
    this.title = '';
    this.folder = folder;
    this.model = model;
    this.#read = [];
    this.#begun = [];
    this.earlier = null;
    this.draft = this.#drafts.get('') ?? '';
  }

  async open(conversation: string): Promise<void> {
    const view = await this.#backend.conversation_read({ conversation });
    if (this.id !== view.id) {
      this.#keepDraft();
      this.draft = this.#drafts.get(view.id) ?? '';
    }
    this.#show(view);
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
    if (this.earlier === null) return;
    const { id } = this;
    const page = await this.#backend.conversation_earlier({ turn: this.earlier });
    if (this.id !== id) return;
    this.#read = [...page.turns, ...this.#read];
    this.earlier = page.earlier;
  }

  /** The page becomes that of a conversation that was just created. What is in the composer stays there. */
  name(conversation: string): void {
    this.id = conversation;
  }

  begin(turn: Turn): void {
    this.#begun = [...this.#begun, turn];
  }

  #show(view: ConversationView): void {
    this.id = view.id;
    this.title = view.title;
    this.folder = view.folder;
    this.model = view.model;
    this.#read = view.turns;
    this.earlier = view.earlier;
    this.#begun = [];
  }

  #keepDraft(): void {
    this.#drafts.set(this.id ?? '', this.draft);
  }
}
