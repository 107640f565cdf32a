import type { Backend } from '../ipc/backend';
import type { ModelView } from '../ipc/generated/types';

/** Models that can be chosen. */
export class Models {
  all = $state.raw<ModelView[]>([]);
  /** Where model files are looked for. */
  folder = $state('');
  isRead = $state(false);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async read(): Promise<void> {
    const { models, folder } = await this.#backend.model_list();
    this.all = models;
    this.folder = folder;
    this.isRead = true;
  }

  /** The model of that id; else the one that new conversations take. */
  chosen(id: string | null): ModelView | null {
    return this.all.find((model) => model.id === id) ?? this.all.find(({ isChosen }) => isChosen) ?? null;
  }

  async choose(model: string): Promise<void> {
    await this.#backend.model_choose({ model });
    await this.read();
  }

  /** Asks a server what it offers, and keeps it. */
  async addServer(address: string): Promise<string> {
    const model = await this.#backend.server_add({ address });
    await this.read();
    return model;
  }
}
