import { failureOf, type Backend } from '../ipc/backend';
import type { FoundServerView, ModelsPageView } from '../ipc/generated/types';

/** What the page about models shows: what is known of each, servers with their keys, the check-up that runs. */
export class ModelsPage {
  view = $state.raw<ModelsPageView | null>(null);
  /** Servers that were found on this computer; `null` before anyone looked. */
  found = $state.raw<FoundServerView[] | null>(null);
  isLooking = $state(false);
  readonly #backend: Backend;
  readonly #changed: () => void;

  /** `changed` is told when models may have come or gone. */
  constructor(backend: Backend, changed: () => void) {
    this.#backend = backend;
    this.#changed = changed;
  }

  /** Is told what there is, and from now on whatever becomes of it. */
  async watch(): Promise<void> {
    await this.#backend.models_watch({
      channel: (view) => {
        const had = this.view;
        this.view = view;
        if (had) this.#changed();
      },
    });
  }

  async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      this.found = await this.#backend.server_find();
    } finally {
      this.isLooking = false;
    }
  }

  /** What a server offers, or what is wrong with it, in one sentence. */
  async test(address: string): Promise<{ names: string[] } | { trouble: string; isUnencrypted: boolean }> {
    try {
      const { models } = await this.#backend.server_test({ address });
      return { names: models };
    } catch (thrown) {
      const { code, detail } = failureOf(thrown);
      return { trouble: detail, isUnencrypted: code === 'unencrypted' };
    }
  }

  /** Only a person says that everything may go to a server unencrypted. */
  async allowUnencrypted(address: string): Promise<void> {
    await this.#backend.server_allow_unencrypted({ address });
  }

  async add(address: string): Promise<void> {
    await this.#backend.server_add({ address });
    this.found = this.found?.filter((found) => found.address !== address) ?? null;
  }

  async remove(address: string): Promise<void> {
    await this.#backend.server_remove({ address });
  }

  async choose(model: string): Promise<void> {
    await this.#backend.model_choose({ model });
  }

  /** Keeps a key. It goes from the field to this one command and is not held here. */
  async keepKey(address: string, key: string, isForSession: boolean): Promise<void> {
    await this.#backend.key_write({ params: { address, key, isForSession } });
  }

  async forgetKey(address: string): Promise<void> {
    await this.#backend.key_remove({ address });
  }

  /** Checks a model; says whether it came to an end, which it does not when it is stopped. */
  async check(model: string): Promise<boolean> {
    try {
      await this.#backend.checkup_start({ model });
      return true;
    } catch (thrown) {
      if (failureOf(thrown).code === 'checkupStopped') return false;
      throw thrown;
    }
  }

  async askForSizes(): Promise<void> {
    await this.#backend.offered_sizes();
  }

  /** Downloads a model; says whether it came to an end, which it does not when it is stopped. */
  async get(offered: string): Promise<boolean> {
    try {
      await this.#backend.offered_get({ offered });
      return true;
    } catch (thrown) {
      if (failureOf(thrown).code === 'downloadStopped') return false;
      throw thrown;
    }
  }

  async stopGetting(offered: string): Promise<void> {
    await this.#backend.offered_stop({ offered });
  }

  async addFile(): Promise<void> {
    await this.#backend.model_add_file();
  }

  async removeFile(model: string): Promise<void> {
    await this.#backend.model_remove_file({ model });
  }

  async stopCheck(): Promise<void> {
    await this.#backend.checkup_stop();
  }
}
