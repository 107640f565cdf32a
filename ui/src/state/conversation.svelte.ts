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
  #read = $state.raw<TurnView[]>([]);
  #begun = $state.raw<Turn[]>([]);
  readonly #drafts = new Map<string, string>();
  draft = $state('');
  readonly #backend: Backend;
  readonly #turns: Turns;

  /** Turns in order; a running one as it is now. */
  readonly turns = $derived.by(() => {
    const known = new Set(this.#read.map(({ id }) => id));
    const all = [...this.#read.map(recorded), ...this.#begun.filter(({ id }) => !known.has(id))];
    return all.map((turn) => this.#turns.live.get(turn.id) ?? turn);
  });
  readonly running = $derived(this.turns.find(({ phase, ending }) => phase.phase !== 'ended' && ending === null) ?? null);

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

  /** The page becomes that of a conversation that was just created. What is in the composer stays there. */
  name(conversation: string, title: string): void {
    this.id = conversation;
    this.title = title;
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
    this.#begun = [];
  }

  #keepDraft(): void {
    this.#drafts.set(this.id ?? '', this.draft);
  }
}
