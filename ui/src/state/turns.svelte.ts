import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../ipc/backend';
import type { TurnEventView } from '../ipc/generated/types';
import { after, type Turn } from '../view/turn';

/** Turns that run, and those that ended since the window opened. The record is the truth; this is what is newer than it. */
export class Turns {
  readonly live = new SvelteMap<string, Turn>();
  readonly #backend: Backend;
  readonly #onEvent: (turn: Turn, event: TurnEventView) => void;
  readonly #conversations = new SvelteMap<string, string>();

  /** `onEvent` is told what happens from now on, not what had happened before the watch began. */
  constructor(backend: Backend, onEvent: (turn: Turn, event: TurnEventView) => void) {
    this.#backend = backend;
    this.#onEvent = onEvent;
  }

  /** Watches a turn that just began, from its first event on. Watching twice starts over, so nothing is missed and nothing doubled. */
  async watch(turn: Turn, conversation: string): Promise<void> {
    await this.#follow(turn, conversation, () => true);
  }

  /** Watches a turn that began before the window did. What had happened by then is shown and not told once more, but for its end. */
  async watchAgain(turn: Turn, conversation: string): Promise<void> {
    await this.#follow(turn, conversation, ({ event }) => event === 'ended');
  }

  async #follow(turn: Turn, conversation: string, isNews: (event: TurnEventView) => boolean): Promise<void> {
    this.#conversations.set(turn.id, conversation);
    this.live.set(turn.id, turn);
    let isFirst = true;
    await this.#backend.turn_watch({
      turn: turn.id,
      channel: ({ events }) => {
        const now = Date.now();
        const seen = isFirst ? { ...turn } : (this.live.get(turn.id) ?? turn);
        this.live.set(
          turn.id,
          events.reduce((so, event) => after(so, event, now), seen),
        );
        for (const event of events) if (!isFirst || isNews(event)) this.#tell(turn.id, event);
        isFirst = false;
      },
    });
  }

  /** The record has all of it now. */
  forget(turn: string): void {
    this.live.delete(turn);
  }

  /** Where a turn belongs. */
  conversationOf(turn: string): string | undefined {
    return this.#conversations.get(turn);
  }

  async stop(turn: string): Promise<void> {
    await this.#backend.turn_stop({ turn });
  }

  #tell(id: string, event: TurnEventView): void {
    const turn = this.live.get(id);
    if (turn) this.#onEvent(turn, event);
  }
}
