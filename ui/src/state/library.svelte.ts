import type { Backend } from '../ipc/backend';
import type { LibraryView, PassageView } from '../ipc/generated/types';

/** What is in the library, how far it was read, and what a question would be given of it. */
export class Library {
  view = $state.raw<LibraryView | null>(null);
  query = $state('');
  /** What was found for `asked`; `null` before anything was asked. */
  found = $state.raw<PassageView[] | null>(null);
  asked = $state('');
  isStopping = $state(false);
  readonly progress = $derived(this.view?.progress ?? null);
  readonly #backend: Backend;
  #nAsked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Is told what there is, and from now on whatever becomes of it. */
  async watch(): Promise<void> {
    await this.#backend.library_watch({
      channel: (view) => {
        this.view = view;
        if (view.progress === null) this.isStopping = false;
      },
    });
  }

  async addFolder(): Promise<void> {
    await this.#backend.library_add_folder();
  }

  async addFiles(): Promise<void> {
    await this.#backend.library_add_files();
  }

  async remove(root: number): Promise<void> {
    await this.#backend.library_remove({ root });
    if (this.found !== null) await this.search();
  }

  async switch(on: boolean): Promise<void> {
    await this.#backend.library_switch({ on });
  }

  async sync(): Promise<void> {
    await this.#backend.library_sync();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.#backend.library_stop();
  }

  /** Looks for what is in the field. An answer that comes after a newer question is not shown. */
  async search(): Promise<void> {
    const query = this.query.trim();
    const n = ++this.#nAsked;
    if (query === '') {
      this.found = null;
      return;
    }
    const found = await this.#backend.library_search({ query });
    if (n !== this.#nAsked) return;
    this.found = found;
    this.asked = query;
  }
}
