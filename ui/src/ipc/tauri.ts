import { Channel, invoke } from '@tauri-apps/api/core';
import type { Backend } from './backend';

/** The shell. A function among the arguments becomes a channel that the shell writes into. */
export const tauri = new Proxy({} as Backend, {
  get: (_, command: string) => (args?: Record<string, unknown>) => {
    const entries = Object.entries(args ?? {}).map(([name, value]) => [
      name,
      typeof value === 'function' ? new Channel(value as (message: unknown) => void) : value,
    ]);
    return invoke(command, Object.fromEntries(entries));
  },
});
