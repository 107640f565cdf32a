import type { Backend } from '../ipc/backend';
import type { AuditCheckView, AuditRowView } from '../ipc/generated/types';
import { saying } from '../view/audit';

/** So many fitting rows are looked for before one is asked whether to go on. */
const ENOUGH = 50;

/** Rows of the audit log. */
export class Audit {
  #read = $state.raw<AuditRowView[]>([]);
  hasMore = $state(false);
  text = $state('');
  isOnlyHere = $state(true);
  check = $state.raw<AuditCheckView | null>(null);
  isChecking = $state(false);
  /** The rows with the text in them. */
  readonly rows = $derived(saying(this.#read, this.text));
  readonly #backend: Backend;
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Reads from the newest row on; `conversation` is the open one. */
  async read(conversation: string | null): Promise<void> {
    await this.#pages(conversation, []);
  }

  async readOlder(conversation: string | null): Promise<void> {
    await this.#pages(conversation, this.#read);
  }

  async verify(): Promise<void> {
    this.isChecking = true;
    try {
      this.check = await this.#backend.audit_verify();
    } finally {
      this.isChecking = false;
    }
  }

  async #pages(conversation: string | null, start: AuditRowView[]): Promise<void> {
    const asked = ++this.#asked;
    const enough = saying(start, this.text).length + ENOUGH;
    let all = start;
    let hasMore = true;
    while (hasMore && saying(all, this.text).length < enough) {
      const before = all.at(-1)?.position ?? null;
      const page = await this.#backend.audit_read({
        params: { conversation: this.isOnlyHere ? conversation : null, before },
      });
      // A slow answer to an earlier question must not replace a newer one.
      if (asked !== this.#asked) return;
      all = [...all, ...page.rows];
      hasMore = page.hasMore;
    }
    this.#read = all;
    this.hasMore = hasMore;
  }
}
