import { failureOf, type Backend } from '../ipc/backend';
import type {
  ComparisonView,
  EvidenceNoteView,
  EvidenceParams,
  EvidenceSavedView,
  IpcError,
  RequestView,
  TraceView,
} from '../ipc/generated/types';

/** Where a text went, what differs between two requests, and evidence. */
export class Inspector {
  /** The text that is looked for, as it is typed. */
  wanted = $state('');
  isOpen = $state(false);
  /** Counts up when the field is to have the focus. */
  calls = $state(0);
  isLooking = $state(false);
  trace = $state.raw<TraceView | null>(null);
  failure = $state.raw<IpcError | null>(null);
  /** The evidence that this window looks into; `null` in the usual one. */
  note = $state.raw<EvidenceNoteView | null>(null);
  readonly #backend: Backend;
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async read(): Promise<void> {
    this.note = await this.#backend.evidence_note();
  }

  /** Asks for a text to be looked for: what is selected, or what will be typed. */
  begin(text: string): void {
    if (text.trim() !== '') this.wanted = text.trim();
    this.trace = null;
    this.failure = null;
    this.isOpen = true;
    this.calls++;
  }

  /** Follows the text up to this turn. */
  async look(turn: string): Promise<void> {
    const asked = ++this.#asked;
    const text = this.wanted.trim();
    if (text === '') return;
    this.isLooking = true;
    this.failure = null;
    try {
      const trace = await this.#backend.where_read({ params: { turn, text } });
      if (asked === this.#asked) this.trace = trace;
    } catch (thrown) {
      if (asked === this.#asked) this.failure = failureOf(thrown);
    } finally {
      if (asked === this.#asked) this.isLooking = false;
    }
  }

  /** Another turn or text: what was found does not hold for it. */
  forget(): void {
    this.#asked++;
    this.isLooking = false;
    this.trace = null;
    this.failure = null;
  }

  /** What differs between two requests. */
  async compare(first: string, second: string): Promise<ComparisonView> {
    return this.#backend.request_compare({ first, second });
  }

  /** The requests of a turn, to compare with. */
  async requestsOf(turn: string): Promise<RequestView[]> {
    return this.#backend.turn_requests({ turn });
  }

  /** Saves evidence; what was saved (nothing, where nobody chose a place), or why it was not. */
  async save(params: EvidenceParams): Promise<{ saved: EvidenceSavedView | null; failure: string }> {
    try {
      return { saved: await this.#backend.evidence_save({ params }), failure: '' };
    } catch (thrown) {
      return { saved: null, failure: failureOf(thrown).detail };
    }
  }

  /** Lets the person choose a file of evidence, which a window of its own looks into. */
  async openEvidence(): Promise<void> {
    await this.#backend.evidence_open();
  }
}
