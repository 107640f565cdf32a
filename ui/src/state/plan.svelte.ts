import type { Backend } from '../ipc/backend';
import type { TodoSnapshotView } from '../ipc/generated/types';

/** The list of the work and its earlier versions. */
export class Plan {
  snapshots = $state.raw<TodoSnapshotView[]>([]);
  /** How many versions back; 0 is the live one. */
  back = $state(0);
  readonly shown = $derived(this.snapshots.at(-1 - this.back) ?? null);
  readonly number = $derived(this.snapshots.length - this.back);
  readonly #backend: Backend;
  #conversation: string | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async show(conversation: string | null): Promise<void> {
    if (conversation !== this.#conversation) {
      this.#conversation = conversation;
      this.snapshots = [];
      this.back = 0;
    }
    if (conversation === null) return;
    const snapshots = await this.#backend.todo_list({ conversation });
    if (this.#conversation !== conversation) return;
    // Whoever looks at an earlier version keeps looking at it while new ones come.
    if (this.back > 0) this.back += snapshots.length - this.snapshots.length;
    this.snapshots = snapshots;
  }

  step(by: number): void {
    this.back = Math.min(Math.max(0, this.back + by), Math.max(0, this.snapshots.length - 1));
  }
}
