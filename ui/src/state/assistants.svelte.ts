import { SvelteSet } from 'svelte/reactivity';
import type { Backend } from '../ipc/backend';
import type { AssistantLine, AssistantView, KnowledgeView } from '../ipc/generated/types';
import { Saver } from './saver.svelte';

/** The assistants, and the one whose page is open. `null` is the one that comes with the program. */
export class Assistants {
  all = $state.raw<AssistantLine[]>([]);
  /** What every assistant is told first. */
  rules = $state('');
  /** Who works in the next conversation. */
  last = $state<string | null>(null);
  isRead = $state(false);
  /** The one that is being changed; what is typed is in here first. */
  open = $state<AssistantView | null>(null);
  readonly saver: Saver;
  readonly #backend: Backend;
  #isChanged = false;
  readonly #changedTexts = new SvelteSet<string>();

  /** `attempt` does something that may fail, shows the failure and throws it again. */
  constructor(backend: Backend, attempt: (act: () => Promise<void>) => Promise<void>) {
    this.#backend = backend;
    this.saver = new Saver(() => attempt(() => this.#save()));
  }

  async read(): Promise<void> {
    const { assistants, last, rules } = await this.#backend.assistant_list();
    this.all = assistants;
    this.last = last;
    this.rules = rules;
    this.isRead = true;
  }

  /** The name of the assistant of that id; `null` where it is the program's own. */
  lineOf(id: string | null): AssistantLine | null {
    return this.all.find((line) => line.id === id) ?? null;
  }

  /** Opens another one, after what was typed about this one is saved. */
  async show(id: string | null): Promise<void> {
    if (!(await this.saver.flush())) return;
    this.open = id === null ? null : await this.#backend.assistant_read({ assistant: id });
  }

  async create(name: string): Promise<void> {
    await this.#goTo(await this.#backend.assistant_create({ name }));
  }

  async copy(name: string): Promise<void> {
    if (!(await this.saver.flush())) return;
    await this.#goTo(await this.#backend.assistant_copy({ params: { assistant: this.open?.id ?? null, name } }));
  }

  async remove(id: string): Promise<void> {
    this.saver.drop();
    this.#isChanged = false;
    this.#changedTexts.clear();
    await this.#backend.assistant_delete({ assistant: id });
    this.open = null;
    await this.read();
  }

  async choose(conversation: string | null, assistant: string | null): Promise<void> {
    this.last = assistant;
    await this.#backend.assistant_choose({ params: { conversation, assistant } });
  }

  /** Something about the open one was changed. */
  change(part: Partial<AssistantView>): void {
    if (!this.open) return;
    Object.assign(this.open, part);
    this.#isChanged = true;
    this.saver.touch();
  }

  /** Something that the open one always knows was changed. */
  changeKnown(id: string, part: Partial<KnowledgeView>): void {
    const known = this.open?.knowledge.find((one) => one.id === id);
    if (!known) return;
    Object.assign(known, part);
    this.#changedTexts.add(id);
    this.saver.touch();
  }

  async addText(title: string): Promise<string | null> {
    const assistant = this.open?.id;
    if (!assistant || !(await this.saver.flush())) return null;
    const params = { knowledge: null, assistant, title, text: '', isOn: true };
    const id = await this.#backend.knowledge_write({ params });
    await this.#readKnown();
    return id;
  }

  async pickFile(): Promise<void> {
    const assistant = this.open?.id;
    if (!assistant || !(await this.saver.flush())) return;
    if (await this.#backend.knowledge_pick({ assistant })) await this.#readKnown();
  }

  async raise(knowledge: string): Promise<void> {
    if (!(await this.saver.flush())) return;
    await this.#backend.knowledge_raise({ knowledge });
    await this.#readKnown();
  }

  async removeKnown(knowledge: string): Promise<void> {
    this.#changedTexts.delete(knowledge);
    if (!(await this.saver.flush())) return;
    await this.#backend.knowledge_delete({ knowledge });
    await this.#readKnown();
  }

  async #goTo(id: string): Promise<void> {
    await this.read();
    await this.show(id);
  }

  /** Reads what it knows again; a text that is being typed is newer than what was read. */
  async #readKnown(): Promise<void> {
    const { open } = this;
    if (!open) return;
    const { knowledge } = await this.#backend.assistant_read({ assistant: open.id });
    if (this.open?.id !== open.id) return;
    const typed = (one: KnowledgeView) =>
      (this.#changedTexts.has(one.id) ? open.knowledge : []).find(({ id }) => id === one.id);
    this.open.knowledge = knowledge.map((one) => typed(one) ?? one);
  }

  async #save(): Promise<void> {
    const { open } = this;
    if (!open) return;
    if (this.#isChanged) await this.#saveOpen(open);
    for (const id of [...this.#changedTexts]) {
      const known = open.knowledge.find((one) => one.id === id);
      if (known) {
        const { title, text, isOn } = known;
        // While a title is empty, the text goes on under its first words.
        const named = title.trim() || text.trim().slice(0, 40) || '…';
        await this.#backend.knowledge_write({
          params: { knowledge: id, assistant: open.id, title: named, text, isOn },
        });
      }
      this.#changedTexts.delete(id);
    }
  }

  async #saveOpen({ id, name, instructions, replyLanguage, folder, model, tools }: AssistantView): Promise<void> {
    // While a name is empty, it is the one that the list shows.
    const named = name.trim() || (this.lineOf(id)?.name ?? '…');
    this.#isChanged = false;
    try {
      await this.#backend.assistant_write({
        params: {
          assistant: id,
          name: named,
          instructions,
          replyLanguage,
          folder: folder?.id ?? null,
          model,
          tools: [...tools],
        },
      });
    } catch (thrown) {
      this.#isChanged = true;
      throw thrown;
    }
    await this.read();
  }
}
