import type { Backend } from '../ipc/backend';
import type { ModelView } from '../ipc/generated/types';

/** Models that can be chosen. */
export class Models {
  all = $state.raw<ModelView[]>([]);
  isRead = $state(false);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async read(): Promise<void> {
    this.all = await this.#backend.model_list();
    this.isRead = true;
  }

  /** The model of that id, else the first one that can be used, else the first. */
  chosen(id: string | null): ModelView | null {
    return this.all.find((model) => model.id === id) ?? this.all.find(isReady) ?? this.all[0] ?? null;
  }
}

function isReady(model: ModelView): boolean {
  return model.state.state === 'ready';
}
