import type { Backend } from '../ipc/backend';
import type { MemoryView } from '../ipc/generated/types';
import { Saver } from './saver.svelte';

/** What is known about the person: what they say about themselves, and remembered sentences. */
export class Memories {
  all = $state.raw<MemoryView[]>([]);
  profile = $state('');
  /** Whether sentences may be remembered without a question. */
  mayRemember = $state(false);
  search = $state('');
  isRead = $state(false);
  /** The sentence that was forgotten last, as long as it can be brought back from here. */
  forgotten = $state.raw<MemoryView | null>(null);
  readonly saver: Saver;
  readonly found = $derived.by(() => {
    const wanted = this.search.trim().toLocaleLowerCase();
    return this.all.filter(({ text }) => text.toLocaleLowerCase().includes(wanted));
  });
  readonly #backend: Backend;

  /** `attempt` does something that may fail, shows the failure and throws it again. */
  constructor(backend: Backend, attempt: (act: () => Promise<void>) => Promise<void>) {
    this.#backend = backend;
    this.saver = new Saver(() => attempt(() => this.#backend.profile_write({ text: this.profile })));
  }

  async read(): Promise<void> {
    const { memories, profile, mayRemember } = await this.#backend.memory_list();
    this.all = memories;
    this.mayRemember = mayRemember;
    // What is being typed is newer than what was read.
    if (this.saver.state === 'saved') this.profile = profile;
    this.isRead = true;
  }

  /** What the person says about themselves, as it is typed. */
  type(profile: string): void {
    this.profile = profile;
    this.saver.touch();
  }

  async add(text: string): Promise<void> {
    await this.#backend.memory_add({ text });
    await this.read();
  }

  async reword(memory: string, text: string): Promise<void> {
    await this.#backend.memory_write({ params: { memory, text } });
    await this.read();
  }

  async pin(memory: string, isPinned: boolean): Promise<void> {
    await this.#backend.memory_pin({ params: { memory, isPinned } });
    await this.read();
  }

  async forget(memory: MemoryView): Promise<void> {
    await this.#backend.memory_forget({ memory: memory.id });
    this.forgotten = memory;
    await this.read();
  }

  async bringBack(): Promise<void> {
    const memory = this.forgotten;
    if (!memory) return;
    this.forgotten = null;
    await this.#backend.memory_restore({ memory: memory.id });
    await this.read();
  }

  async allowAlways(allowed: boolean): Promise<void> {
    await this.#backend.memory_always({ allowed });
    this.mayRemember = allowed;
  }
}
