import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../ipc/backend';
import type { SummaryView } from '../ipc/generated/types';

/** A text that is being changed, and the version that it was taken from. */
export interface Edit {
  prose: string;
  version: number;
}

/** What left the history of a conversation, in short: every version, the newest first. */
export class Summary {
  versions = $state.raw<SummaryView[]>([]);
  isOpen = $state(false);
  /** The version to be brought into sight, until it is. */
  wanted = $state<number | null>(null);
  isSaving = $state(false);
  #conversation = $state<string | null>(null);
  readonly #edits = new SvelteMap<string, Edit>();
  readonly newest = $derived(this.versions[0] ?? null);
  /** What is being written in the place of the newest text; it stays when one looks elsewhere meanwhile. */
  readonly edit = $derived(this.#edits.get(this.#conversation ?? '') ?? null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async show(conversation: string | null): Promise<void> {
    if (conversation !== this.#conversation) {
      this.#conversation = conversation;
      this.versions = [];
    }
    if (conversation === null) return;
    const versions = await this.#backend.summary_read({ conversation });
    if (this.#conversation === conversation) this.versions = versions;
  }

  /** Unfolds it, and brings a version into sight. */
  lookAt(version: number): void {
    this.isOpen = true;
    this.wanted = version;
  }

  found(): void {
    this.wanted = null;
  }

  /** Begins to change the newest text. */
  begin(): void {
    if (this.newest) this.change(this.newest.prose, this.newest.version);
  }

  /** Takes what is typed. */
  change(prose: string, version = this.edit?.version ?? 0): void {
    if (this.#conversation !== null) this.#edits.set(this.#conversation, { prose, version });
  }

  cancel(): void {
    this.#edits.delete(this.#conversation ?? '');
  }

  /** Keeps what was written as the next version; until that is done, nothing of it is forgotten. */
  async save(): Promise<void> {
    const [conversation, edit] = [this.#conversation, this.edit];
    if (conversation === null || edit === null || this.isSaving) return;
    this.isSaving = true;
    try {
      await this.#backend.summary_edit({ conversation, prose: edit.prose });
      this.#edits.delete(conversation);
    } finally {
      this.isSaving = false;
    }
    if (this.#conversation === conversation) await this.show(conversation);
  }
}
