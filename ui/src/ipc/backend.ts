import type { Commands, IpcError } from './generated/types';

/** What the window can ask for: every command of the shell, and nothing else. */
export type Backend = {
  [Name in keyof Commands]: (
    ...args: keyof Parameters<Commands[Name]>[0] extends never ? [] : Parameters<Commands[Name]>
  ) => Promise<ReturnType<Commands[Name]>>;
};

/** A failure of a command, whatever was thrown. */
export function failureOf(thrown: unknown): IpcError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'detail' in thrown) {
    return thrown as IpcError;
  }
  return { code: 'failed', params: {}, detail: thrown instanceof Error ? thrown.message : String(thrown) };
}
