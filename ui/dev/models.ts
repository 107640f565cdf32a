import type { Backend } from '../src/ipc/backend';
import type { CheckupView, ModelsPageView } from '../src/ipc/generated/types';

type Given = Pick<
  Backend,
  | 'models_watch'
  | 'model_add_file'
  | 'model_remove_file'
  | Extract<keyof Backend, `key_${string}` | `checkup_${string}` | `offered_${string}`>
  | 'server_allow_unencrypted'
  | 'server_test'
  | 'server_find'
  | 'server_remove'
>;

const CARD: CheckupView = {
  findings: [
    { check: 'nativeCalls', mark: 'fails', said: '{"name":"weather","arguments":{"city":"Oslo"}}' },
    { check: 'systemBesideTools', mark: 'works', said: 'PELICAN' },
    { check: 'structuredSteps', mark: 'works', said: '{"city":"Oslo"}' },
    { check: 'consecutiveRoles', mark: 'works', said: '4711' },
    { check: 'window', mark: 'works', said: 'MARZIPAN' },
    { check: 'prefix', mark: 'unknown', said: '' },
  ],
  nTried: 2010,
  window: 8192,
  readPerS: 57,
  writtenPerS: 9,
  tookMs: 50_500,
  checkedAtMs: Date.UTC(2026, 10, 30, 9),
};

/** Models, servers and keys made of samples. A key that comes in is never kept, only that one came. */
export class FakeModels {
  #view: ModelsPageView;
  #tell: (view: ModelsPageView) => void = () => undefined;
  readonly #asked: { command: string; args: unknown }[];
  #stop: () => void = () => undefined;
  #stopGetting: () => void = () => undefined;
  /** Whether the keychain of the system can be used. */
  hasKeychain = true;

  constructor(asked: { command: string; args: unknown }[]) {
    this.#asked = asked;
    const model = { nBytes: null, memory: null, licence: null, isLoaded: false, isChosen: false, checkup: null };
    const cloud = 'https://api.example.com';
    this.#view = {
      folder: '/home/ada/.cache/recto/models',
      freeMemory: 4_000_000_000,
      checking: null,
      downloads: [],
      offered: [
        {
          id: 'qwen3-4b',
          title: 'Qwen3 4B (Q4_K_M)',
          nBytes: null,
          licence: 'Apache-2.0',
          publisher: 'Qwen',
          memoryMib: null,
          contextLength: 32_768,
        },
      ],
      models: [
        {
          ...model,
          id: 'qwen',
          title: 'Qwen2.5 Coder 1.5B',
          kind: 'embedded',
          location: '/home/ada/.cache/recto/models/qwen.gguf',
          nBytes: 1_117_320_768,
          memory: 1_660_000_000,
          licence: 'Apache-2.0',
          window: null,
          isLoaded: true,
          isChosen: true,
        },
        { ...model, id: `${cloud}#large`, title: 'large', kind: 'server', location: cloud, window: 131_072 },
      ],
      servers: [{ address: cloud, nModels: 1, key: null }],
    };
  }

  #change(change: Partial<ModelsPageView>) {
    this.#view = { ...this.#view, ...change };
    this.#tell(this.#view);
  }

  #key(address: string, key: ModelsPageView['servers'][number]['key']) {
    const servers = this.#view.servers.map((server) => (server.address === address ? { ...server, key } : server));
    this.#change({ servers });
  }

  readonly commands: Given = {
    models_watch: async ({ channel }) => {
      this.#tell = channel;
      channel(this.#view);
    },
    server_allow_unencrypted: async () => {},
    server_test: async ({ address }) => {
      if (address.includes('8080')) return { address, models: ['a', 'b'] };
      throw {
        code: 'modelUnusable',
        params: {},
        detail: 'Nothing answers at 127.0.0.1:1. Start the server or choose another model.',
      };
    },
    server_find: async () => [{ address: 'http://127.0.0.1:11434', models: ['qwen3:8b'] }],
    server_remove: async ({ address }) => {
      this.#asked.push({ command: 'server_remove', args: { address } });
      const servers = this.#view.servers.filter((server) => server.address !== address);
      this.#change({ servers, models: this.#view.models.filter(({ location }) => location !== address) });
    },
    key_write: async ({ params: { address, key, isForSession } }) => {
      this.#asked.push({ command: 'key_write', args: { address, isForSession } });
      if (!isForSession && !this.hasKeychain) {
        const detail =
          'the keychain of this system cannot be used: there is none, or it is locked. Keep the key for this session only, or put it into RECTO_API_KEY';
        throw { code: 'keychainUnusable', params: {}, detail };
      }
      this.#key(address, { place: isForSession ? 'session' : 'keychain', lastFour: key.slice(-4) });
    },
    key_remove: async ({ address }) => this.#key(address, null),
    checkup_start: async ({ model }) => {
      this.#change({ checking: { model, nDone: 2, nChecks: 6 } });
      const isStopped = await new Promise<boolean>((resolve) => {
        this.#stop = () => resolve(true);
        setTimeout(() => resolve(false), 1_000);
      });
      const checked = (id: string) => id === model && !isStopped;
      const models = this.#view.models.map((row) =>
        checked(row.id) ? { ...row, checkup: CARD, window: CARD.window } : row,
      );
      this.#change({ checking: null, models });
      if (isStopped)
        throw { code: 'checkupStopped', params: {}, detail: 'the check-up was stopped; nothing of it was kept' };
    },
    checkup_stop: async () => this.#stop(),
    offered_sizes: async () =>
      this.#change({ offered: this.#view.offered.map((file) => ({ ...file, nBytes: 2_400_000_000 })) }),
    offered_get: async ({ offered }) => {
      const download = {
        id: offered,
        title: 'Qwen3 4B (Q4_K_M)',
        nBefore: 0,
        nBytes: 2_400_000_000,
        isChecking: false,
      };
      this.#change({ downloads: [{ ...download, nDone: 600_000_000, elapsedMs: 20_000 }] });
      await new Promise<void>((resolve) => (this.#stopGetting = resolve));
      this.#change({ downloads: [] });
      throw { code: 'downloadStopped', params: {}, detail: '' };
    },
    offered_stop: async () => this.#stopGetting(),
    model_add_file: async () => undefined,
    model_remove_file: async ({ model }) => {
      this.#asked.push({ command: 'model_remove_file', args: { model } });
      this.#change({ models: this.#view.models.filter(({ id }) => id !== model) });
    },
  };
}
