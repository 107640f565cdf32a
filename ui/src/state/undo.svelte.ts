import type { Backend } from '../ipc/backend';
import type { ReplacedView } from '../ipc/generated/types';

/** Writes that replaced a file whose old content can still be put back. */
export class Undo {
  #writes = $state.raw<ReplacedView[]>([]);
  /** The one that is being undone. */
  undoing = $state<number | null>(null);
  readonly #backend: Backend;
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Those of one conversation, or of all of them (`null`), newest first. */
  of(conversation: string | null): ReplacedView[] {
    return conversation === null ? this.#writes : this.#writes.filter((write) => write.conversation === conversation);
  }

  async read(): Promise<void> {
    const asked = ++this.#asked;
    const writes = await this.#backend.undo_list();
    // A slow answer to an earlier question must not replace a newer one.
    if (asked === this.#asked) this.#writes = writes;
  }

  /** Puts the old content back; what can be undone is read again, whether that worked or not. */
  async undo(id: number): Promise<void> {
    this.undoing = id;
    try {
      await this.#backend.undo_write({ id });
    } finally {
      this.undoing = null;
      await this.read();
    }
  }
}
