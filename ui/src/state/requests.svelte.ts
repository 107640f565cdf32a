import type { Backend } from '../ipc/backend';
import type { BlockTextView, RequestBytesView, RequestView, TokenView } from '../ipc/generated/types';

/** A block that is to be open and in sight; `n` counts up, so that the same one can be asked for again. */
export interface Opened {
  block: number;
  n: number;
}
export const NOTHING_OPENED: Opened = { block: -1, n: 0 };

/** The requests of one turn, as the inspector shows them. */
export class Requests {
  turn = $state<string | null>(null);
  all = $state.raw<RequestView[]>([]);
  /** The chosen request. */
  chosen = $state<string | null>(null);
  texts = $state.raw<ReadonlyMap<string, BlockTextView[]>>(new Map());
  bytes = $state.raw<RequestBytesView | null>(null);
  /** The tokens that the chosen request became, once they are read. */
  tokens = $state.raw<TokenView[] | null>(null);
  /** The block of the chosen request that is looked at, by its place. */
  block = $state<number | null>(null);
  /** The block that was opened last, and how often one was. */
  opened = $state.raw<Opened>(NOTHING_OPENED);
  isReading = $state(false);
  readonly request = $derived(this.all.find(({ id }) => id === this.chosen) ?? null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Shows the requests of a turn. Another turn begins with the one behind its answer. */
  async show(turn: string | null): Promise<void> {
    if (turn !== this.turn) {
      this.turn = turn;
      this.all = [];
      this.texts = new Map();
      this.choose(null);
    }
    if (turn === null) return;
    this.isReading = this.all.length === 0;
    try {
      const all = await this.#backend.turn_requests({ turn });
      if (this.turn !== turn) return;
      const followed = this.chosen === null || this.chosen === behindAnswer(this.all)?.id;
      this.all = all;
      if (followed) this.choose(behindAnswer(all)?.id ?? null);
    } finally {
      this.isReading = false;
    }
  }

  /** Looks at another request, of which no block is looked at yet. */
  choose(request: string | null): void {
    if (request !== this.chosen) {
      this.bytes = null;
      this.tokens = null;
      this.block = null;
      this.opened = { block: -1, n: this.opened.n };
    }
    this.chosen = request;
  }

  /** Opens a block of the chosen request, wherever one came from. */
  open(block: number): void {
    this.block = block;
    this.opened = { block, n: this.opened.n + 1 };
  }

  /** Texts of a request's blocks, read once. */
  async readTexts(request: string): Promise<BlockTextView[]> {
    const known = this.texts.get(request);
    if (known) return known;
    const texts = await this.#backend.request_texts({ request });
    this.texts = new Map(this.texts).set(request, texts);
    return texts;
  }

  async readBytes(request: string): Promise<void> {
    const bytes = await this.#backend.request_bytes({ request });
    if (this.chosen === request) this.bytes = bytes;
  }

  async readTokens(request: string): Promise<void> {
    const tokens = await this.#backend.request_tokens({ request });
    if (this.chosen === request) this.tokens = tokens;
  }
}

/** The last request that led to the answer; that of a summary comes after it and leads to none. */
function behindAnswer(requests: RequestView[]): RequestView | undefined {
  return requests.findLast(({ purpose }) => purpose !== 'summary') ?? requests.at(-1);
}
