import type { Backend } from '../ipc/backend';
import type { ConversationRow } from '../ipc/generated/types';

/** The list of conversations. */
export class Conversations {
  rows = $state.raw<ConversationRow[]>([]);
  isRead = $state(false);
  search = $state('');
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async read(): Promise<void> {
    this.rows = await this.#backend.conversation_list();
    this.isRead = true;
  }

  async create(): Promise<string> {
    return this.#backend.conversation_create();
  }

  async rename(conversation: string, title: string): Promise<void> {
    await this.#backend.conversation_rename({ conversation, title });
    await this.read();
  }

  async delete(conversation: string): Promise<void> {
    await this.#backend.conversation_delete({ conversation });
    await this.read();
  }

  titleOf(conversation: string): string {
    return this.rows.find(({ id }) => id === conversation)?.title ?? '';
  }
}
