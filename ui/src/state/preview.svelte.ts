import { failureOf, type Backend } from '../ipc/backend';
import type { IpcError, PreviewParams, PreviewView } from '../ipc/generated/types';

/** What would be asked, and of whom. */
export type NextQuestion = Omit<PreviewParams, 'window'>;

/** How long nobody types, and how long nobody moves the slider, before it is read again, in milliseconds. */
const TYPING_MS = 300;
const SLIDING_MS = 150;

/** What the next question would be sent with. Nothing is read while nobody looks, for it may load the model. */
export class Preview {
  isOpen = $state(false);
  /** The last one that was composed; it stays while the next one is. */
  view = $state.raw<PreviewView | null>(null);
  /** Why none could be composed. */
  failure = $state.raw<IpcError | null>(null);
  isReading = $state(false);
  /** Another window than the model's, in tokens; `null` is the model's own. */
  window = $state<number | null>(null);
  readonly #backend: Backend;
  #next: NextQuestion | null = null;
  #isLookedAt = false;
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Composes what is typed and chosen now; where only the text is another, once nobody has typed for a moment. */
  async follow(next: NextQuestion): Promise<void> {
    const before = this.#next ?? next;
    const isTyping = this.#isLookedAt && isTyped(before, next);
    this.#next = next;
    this.#isLookedAt = true;
    if (before.model !== next.model) this.window = null;
    if (before.conversation !== next.conversation) this.view = null;
    await this.#read(isTyping ? TYPING_MS : 0);
  }

  /** Composes it for another window, once the slider rests. */
  async resize(window: number | null): Promise<void> {
    this.window = window;
    await this.#read(SLIDING_MS);
  }

  /** Nobody looks any more: what was asked for is not waited for. */
  rest(): void {
    this.#asked++;
    this.#isLookedAt = false;
    this.isReading = false;
  }

  async #read(pauseMs: number): Promise<void> {
    const asked = ++this.#asked;
    if (pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs));
    // A slow answer to an earlier question must not replace a newer one.
    const isWanted = () => asked === this.#asked;
    if (this.#next === null || !isWanted()) return;
    this.isReading = true;
    try {
      const view = await this.#backend.preview_read({ params: { ...this.#next, window: this.window } });
      if (!isWanted()) return;
      this.view = view;
      this.failure = null;
    } catch (thrown) {
      if (isWanted()) this.failure = failureOf(thrown);
    } finally {
      if (isWanted()) this.isReading = false;
    }
  }
}

/** Whether the text is all that differs. */
function isTyped(before: NextQuestion, now: NextQuestion): boolean {
  const isSamePlace = before.conversation === now.conversation && before.folder === now.folder;
  const isSameHand = before.model === now.model && before.assistant === now.assistant;
  return isSamePlace && isSameHand && before.question !== now.question;
}
