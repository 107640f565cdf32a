import type { Backend } from '../ipc/backend';
import type { SettingsView } from '../ipc/generated/types';
import { languageOf, Words } from '../view/words';

/** The person's wishes for the window. */
export class Settings {
  value = $state.raw<SettingsView>({
    theme: 'system',
    language: 'system',
    listWidth: null,
    panelWidth: null,
    folders: [],
  });
  readonly words = $derived(new Words(languageOf(this.value.language, systemLanguage())));
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async read(): Promise<void> {
    this.value = await this.#backend.settings_read();
  }

  /** Changes at once and saves afterwards. */
  async change(wishes: Partial<SettingsView>): Promise<void> {
    this.value = { ...this.value, ...wishes };
    await this.#backend.settings_write({ settings: this.value });
  }
}

function systemLanguage(): string {
  return typeof navigator === 'undefined' ? 'en' : navigator.language;
}
