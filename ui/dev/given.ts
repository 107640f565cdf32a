import type { Backend } from '../src/ipc/backend';
import type { AssistantView, MemoryView, TurnEventView } from '../src/ipc/generated/types';

type Given = Pick<
  Backend,
  Extract<keyof Backend, `assistant_${string}` | `knowledge_${string}` | `memory_${string}` | `profile_${string}`>
>;

const DAY = 24 * 3_600_000;

/** A turn in which the one thing that is asked is a sentence to remember. */
export function remembering(steps: (TurnEventView | number | string)[]): (TurnEventView | number | string)[] {
  return steps.flatMap((step): (TurnEventView | number | string)[] => {
    if (typeof step === 'string') return step.endsWith('ap1') ? [step] : [];
    if (typeof step === 'number') return [step];
    if (step.event === 'call' && step.call === 'c5') return [];
    if (step.event === 'call' && step.call === 'c4') return [{ ...step, tool: 'remember' }];
    if (step.event !== 'asked') return [step];
    if (!step.approval.id.endsWith('ap1')) return [];
    const approval = {
      ...step.approval,
      tool: 'remember',
      path: 'memories',
      operation: 'remember' as const,
      nBytesBefore: 41,
      nBytesAfter: 65,
      nAdded: 1,
      offer: null,
      diff: [{ kind: 'added' as const, text: 'Prefers metric units.' }],
    };
    return [{ ...step, approval }];
  });
}

/** Assistants and memories made of samples, kept as a record would keep them. */
export class FakeGiven {
  readonly assistants: AssistantView[] = [
    {
      id: 'as_1',
      name: 'Skipper',
      instructions: 'Answer like a sailor, in three sentences at most.',
      replyLanguage: 'en',
      folder: null,
      model: 'server',
      tools: ['reading', 'memories'],
      knowledge: [
        {
          id: 'kn_1',
          title: 'The boat',
          text: 'She is called Petrel, is 9.4 metres long and lies in Oslo.',
          path: null,
          isOn: true,
          nCharacters: 58,
          trouble: null,
        },
        {
          id: 'kn_2',
          title: 'tides.md',
          text: '',
          path: '/home/ada/boat/tides.md',
          isOn: true,
          nCharacters: 0,
          trouble: 'There is no file `tides.md` in its folder any more.',
        },
      ],
    },
  ];
  memories: MemoryView[] = [
    {
      id: 'me_1',
      text: 'Is allergic to nuts.',
      isPinned: true,
      updatedAtMs: Date.now() - 3 * DAY,
      lastUsedAtMs: Date.now() - DAY,
      source: null,
    },
    {
      id: 'me_2',
      text: 'Prefers metric units.',
      isPinned: false,
      updatedAtMs: Date.now() - 9 * DAY,
      lastUsedAtMs: null,
      source: { conversation: 'cv_3', title: 'Trip to Oslo' },
    },
    {
      id: 'me_3',
      text: '喜欢简短的回答',
      isPinned: false,
      updatedAtMs: Date.now() - 40 * DAY,
      lastUsedAtMs: null,
      source: { conversation: 'cv_99', title: null },
    },
  ];
  profile = 'I am Ada and live in Oslo.';
  mayRemember = false;
  last: string | null = null;
  /** Where it is set, nothing can be saved. */
  fault: string | null = null;
  readonly #asked: { command: string; args: unknown }[];
  readonly #forgotten = new Map<string, MemoryView>();
  #n = 0;

  constructor(asked: { command: string; args: unknown }[]) {
    this.#asked = asked;
  }

  readonly commands: Given = {
    assistant_list: async () => ({
      assistants: this.assistants.map(({ id, name, folder, model }) => ({ id, name, folder, model })),
      last: this.last,
      rules: 'You are Recto, a careful assistant on the user’s own computer.',
    }),
    assistant_read: async ({ assistant }) => structuredClone(this.#assistant(assistant)),
    assistant_create: async ({ name }) =>
      this.#add({
        id: '',
        name,
        instructions: '',
        replyLanguage: 'auto',
        folder: null,
        model: null,
        tools: ['reading', 'writing', 'memories'],
        knowledge: [],
      }),
    assistant_copy: async ({ params: { assistant, name } }) => {
      if (assistant === null) return this.commands.assistant_create({ name });
      return this.#add({ ...structuredClone(this.#assistant(assistant)), name });
    },
    assistant_write: async ({ params }) => {
      this.#note('assistant_write', params);
      const { assistant, folder, ...rest } = params;
      const own = this.#assistant(assistant);
      Object.assign(own, rest, { folder: folder === null ? null : own.folder });
    },
    assistant_delete: async ({ assistant }) =>
      void this.assistants.splice(this.assistants.indexOf(this.#assistant(assistant)), 1),
    assistant_choose: async ({ params }) => {
      this.#note('assistant_choose', params);
      this.last = params.assistant;
    },
    knowledge_write: async ({ params }) => {
      this.#note('knowledge_write', params);
      const { knowledge: id, assistant, title, text, isOn } = params;
      const { knowledge } = this.#assistant(assistant);
      const own = knowledge.find((one) => one.id === id);
      if (own) Object.assign(own, { title, text, isOn, nCharacters: text.length });
      const fresh = `kn_new${++this.#n}`;
      if (!own) knowledge.push({ id: fresh, title, text, path: null, isOn, nCharacters: text.length, trouble: null });
      return own?.id ?? fresh;
    },
    knowledge_pick: async ({ assistant }) => {
      const id = `kn_file${++this.#n}`;
      const path = '/home/ada/boat/log.md';
      this.#assistant(assistant).knowledge.push({
        id,
        title: 'log.md',
        text: '',
        path,
        isOn: true,
        nCharacters: 1840,
        trouble: null,
      });
      return id;
    },
    knowledge_raise: async ({ knowledge }) => {
      for (const { knowledge: all } of this.assistants) {
        const at = all.findIndex(({ id }) => id === knowledge);
        if (at > 0) all.splice(at - 1, 2, ...all.slice(at - 1, at + 1).reverse());
      }
    },
    knowledge_delete: async ({ knowledge }) => {
      for (const assistant of this.assistants) {
        assistant.knowledge = assistant.knowledge.filter(({ id }) => id !== knowledge);
      }
    },
    memory_list: async () => ({
      memories: [...this.memories].sort(
        (a, b) => Number(b.isPinned) - Number(a.isPinned) || b.updatedAtMs - a.updatedAtMs,
      ),
      profile: this.profile,
      mayRemember: this.mayRemember,
    }),
    memory_add: async ({ text }) => {
      this.#note('memory_add', text);
      const id = `me_new${++this.#n}`;
      const memory = { id, text, isPinned: false, updatedAtMs: Date.now(), lastUsedAtMs: null, source: null };
      this.memories = [...this.memories, memory];
      return id;
    },
    memory_write: async ({ params: { memory, text } }) => this.#change(memory, { text, updatedAtMs: Date.now() }),
    memory_pin: async ({ params: { memory, isPinned } }) => this.#change(memory, { isPinned }),
    memory_forget: async ({ memory }) => {
      const own = this.memories.find(({ id }) => id === memory);
      if (own) this.#forgotten.set(memory, own);
      this.memories = this.memories.filter(({ id }) => id !== memory);
    },
    memory_restore: async ({ memory }) => {
      const own = this.#forgotten.get(memory);
      if (own) this.memories = [...this.memories, own];
    },
    memory_always: async ({ allowed }) => {
      this.#note('memory_always', allowed);
      this.mayRemember = allowed;
    },
    profile_write: async ({ text }) => {
      this.#note('profile_write', text);
      this.profile = text;
    },
  };

  #note(command: string, args: unknown): void {
    if (this.fault !== null) throw { code: 'failed', params: {}, detail: this.fault };
    this.#asked.push({ command, args });
  }

  #add(assistant: AssistantView): string {
    const id = `as_new${++this.#n}`;
    this.assistants.push({ ...assistant, id });
    return id;
  }

  #assistant(id: string): AssistantView {
    const own = this.assistants.find((assistant) => assistant.id === id);
    if (!own) throw { code: 'notFound', params: {}, detail: '' };
    return own;
  }

  #change(memory: string, part: Partial<MemoryView>): void {
    this.memories = this.memories.map((one) => (one.id === memory ? { ...one, ...part } : one));
  }
}
