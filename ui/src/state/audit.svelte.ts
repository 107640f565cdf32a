import type { Backend } from '../ipc/backend';
import type { AuditCheckView, AuditRowView } from '../ipc/generated/types';

/** Rows of the audit log. */
export class Audit {
  rows = $state.raw<AuditRowView[]>([]);
  hasMore = $state(false);
  text = $state('');
  isOnlyHere = $state(true);
  check = $state.raw<AuditCheckView | null>(null);
  isChecking = $state(false);
  readonly #backend: Backend;
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Reads the newest rows; `conversation` is the open one. */
  async read(conversation: string | null): Promise<void> {
    await this.#page(conversation, null);
  }

  async readOlder(conversation: string | null): Promise<void> {
    await this.#page(conversation, this.rows.at(-1)?.position ?? null);
  }

  async verify(): Promise<void> {
    this.isChecking = true;
    try {
      this.check = await this.#backend.audit_verify();
    } finally {
      this.isChecking = false;
    }
  }

  async #page(conversation: string | null, before: number | null): Promise<void> {
    const asked = ++this.#asked;
    const page = await this.#backend.audit_read({
      params: { conversation: this.isOnlyHere ? conversation : null, text: this.text.trim(), before },
    });
    // A slow answer to an earlier question must not replace a newer one.
    if (asked !== this.#asked) return;
    this.rows = before === null ? page.rows : [...this.rows, ...page.rows];
    this.hasMore = page.hasMore;
  }
}
