/** How long is waited for the next key before what was typed is saved. */
const PAUSE_MS = 600;

/** How far what is on the page has come into the record. */
export type Saving = 'saved' | 'waiting' | 'saving' | 'failed';

/** Saves what is typed: a moment after the last key, or at once before something else happens to it. */
export class Saver {
  state = $state<Saving>('saved');
  readonly #save: () => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | null = null;
  #isDirty = false;

  /** `save` shows its own failure and throws it again, so that what it saves counts as not saved. */
  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Something was typed. */
  touch(): void {
    this.#isDirty = true;
    this.state = 'waiting';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), PAUSE_MS);
  }

  /** Saves now whatever is not saved yet. Returns whether everything is. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    // What is typed while one save is under way is saved by the next.
    while (this.#running) await this.#running;
    if (this.#isDirty) {
      this.#running = this.#saveOnce();
      await this.#running;
      this.#running = null;
    }
    return !this.#isDirty;
  }

  async #saveOnce(): Promise<void> {
    this.#isDirty = false;
    this.state = 'saving';
    try {
      await this.#save();
      this.state = this.#isDirty ? 'waiting' : 'saved';
    } catch {
      this.#isDirty = true;
      this.state = 'failed';
    }
  }

  /** Forgets what is not saved, because it is gone. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#isDirty = false;
    this.state = 'saved';
  }
}
