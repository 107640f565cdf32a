import type { Backend } from '../ipc/backend';
import type { RuleView } from '../ipc/generated/types';

/** Rules of this session: those that hold, and those that did. */
export class Rules {
  #rules = $state.raw<RuleView[]>([]);
  readonly #backend: Backend;
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Those of one conversation, or of all of them (`null`), newest first. */
  of(conversation: string | null): RuleView[] {
    return conversation === null ? this.#rules : this.#rules.filter((rule) => rule.conversation === conversation);
  }

  /** Those that hold in a conversation; a new page has none. */
  holdingIn(conversation: string | null): RuleView[] {
    return conversation === null ? [] : this.of(conversation).filter(({ ended }) => ended === null);
  }

  async read(): Promise<void> {
    const asked = ++this.#asked;
    const rules = await this.#backend.rule_list();
    // A slow answer to an earlier question must not replace a newer one.
    if (asked === this.#asked) this.#rules = rules;
  }

  async stop(rule: string): Promise<void> {
    await this.#backend.rule_stop({ rule });
    await this.read();
  }
}
