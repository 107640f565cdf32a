import type { Backend } from '../ipc/backend';
import type { AuditCheckView, AuditRowView } from '../ipc/generated/types';
import { saying } from '../view/audit';
import type { Words } from '../view/words';

/** So many fitting rows are looked for before one is asked whether to go on. */
const ENOUGH = 50;
/** So many pages are read for that at most. */
const MAX_PAGES = 20;
/** So many rows are shown before one asks for more. */
const AT_ONCE = 200;
/** How long nobody types before the log is read, in milliseconds. */
const PAUSE_MS = 250;

/** Rows of the audit log that have the text in them. Those that do not are read and forgotten. */
export class Audit {
  #found = $state.raw<AuditRowView[]>([]);
  #nShown = $state(AT_ONCE);
  /** How many rows were looked through. */
  nRead = $state(0);
  #hasUnread = $state(false);
  text = $state('');
  isOnlyHere = $state(true);
  check = $state.raw<AuditCheckView | null>(null);
  isChecking = $state(false);
  readonly #backend: Backend;
  readonly #words: () => Words;
  /** The position before which nothing was read yet. */
  #before: number | null = null;
  #asked = 0;

  constructor(backend: Backend, words: () => Words) {
    this.#backend = backend;
    this.#words = words;
  }

  readonly rows = $derived.by(() => this.#found.slice(0, this.#nShown));
  readonly hasMore = $derived.by(() => this.#hasUnread || this.#found.length > this.#nShown);

  /** Reads from the newest row on; `conversation` is the open one. */
  async read(conversation: string | null): Promise<void> {
    await this.#look(conversation, true);
  }

  /** The same once nobody has typed for a moment. */
  async readSoon(conversation: string | null): Promise<void> {
    const asked = ++this.#asked;
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    if (asked === this.#asked) await this.read(conversation);
  }

  async readOlder(conversation: string | null): Promise<void> {
    this.#nShown += AT_ONCE;
    if (this.#found.length < this.#nShown && this.#hasUnread) await this.#look(conversation, false);
  }

  async verify(): Promise<void> {
    this.isChecking = true;
    try {
      this.check = await this.#backend.audit_verify();
    } finally {
      this.isChecking = false;
    }
  }

  async #look(conversation: string | null, isAnew: boolean): Promise<void> {
    const asked = ++this.#asked;
    const found = isAnew ? [] : [...this.#found];
    const enough = found.length + ENOUGH;
    let before = isAnew ? null : this.#before;
    let nRead = isAnew ? 0 : this.nRead;
    // A new page has no conversation yet, so nothing of the log belongs to it.
    let hasMore = !this.isOnlyHere || conversation !== null;
    for (let nPages = 0; hasMore && found.length < enough && nPages < MAX_PAGES; nPages++) {
      const page = await this.#backend.audit_read({
        params: { conversation: this.isOnlyHere ? conversation : null, before },
      });
      // A slow answer to an earlier question must not replace a newer one.
      if (asked !== this.#asked) return;
      found.push(...saying(this.#words(), page.rows, this.text));
      before = page.rows.at(-1)?.position ?? before;
      nRead += page.rows.length;
      hasMore = page.hasMore;
    }
    this.#found = found;
    this.#before = before;
    this.#hasUnread = hasMore;
    this.nRead = nRead;
    if (isAnew) this.#nShown = AT_ONCE;
  }
}
