import type { Word } from './words';

/** What can be done from the keyboard and from the palette. */
export type Action =
  | 'palette'
  | 'new'
  | 'folder'
  | 'find'
  | 'plan'
  | 'request'
  | 'audit'
  | 'requestOf'
  | 'where'
  | 'next'
  | 'previousTurn'
  | 'nextTurn'
  | 'stop'
  | 'list'
  | 'panel'
  | 'light'
  | 'dark'
  | 'assistants'
  | 'memories'
  | 'library'
  | 'evidence'
  | 'models'
  | 'settings';

/** Those that look into the conversation; a page that lies over it keeps their keys for itself. */
export const IN_CONVERSATION: Action[] = ['previousTurn', 'nextTurn', 'panel'];

export interface Command {
  action: Action;
  word: Word;
  /** As it is shown; empty where there is none. */
  key: string;
}

/** Every action with its key, in the order in which the palette lists them. */
export const COMMANDS: Command[] = [
  { action: 'new', word: 'action.new', key: 'N' },
  { action: 'folder', word: 'action.folder', key: 'O' },
  { action: 'find', word: 'action.find', key: 'F' },
  { action: 'plan', word: 'action.plan', key: '1' },
  { action: 'request', word: 'action.request', key: '2' },
  { action: 'audit', word: 'action.audit', key: '3' },
  { action: 'requestOf', word: 'action.requestOf', key: 'I' },
  { action: 'where', word: 'action.where', key: 'W' },
  { action: 'next', word: 'action.next', key: '' },
  { action: 'previousTurn', word: 'action.previousTurn', key: '↑' },
  { action: 'nextTurn', word: 'action.nextTurn', key: '↓' },
  { action: 'stop', word: 'action.stop', key: 'Esc' },
  { action: 'list', word: 'action.list', key: '[' },
  { action: 'panel', word: 'action.panel', key: ']' },
  { action: 'assistants', word: 'action.assistants', key: 'A' },
  { action: 'memories', word: 'action.memories', key: 'M' },
  { action: 'library', word: 'action.library', key: 'L' },
  { action: 'models', word: 'action.models', key: 'G' },
  { action: 'light', word: 'action.light', key: '' },
  { action: 'dark', word: 'action.dark', key: '' },
  { action: 'evidence', word: 'action.evidence', key: '' },
  { action: 'settings', word: 'action.settings', key: ',' },
];

const BY_KEY: Record<string, Action> = {
  n: 'new',
  o: 'folder',
  f: 'find',
  '1': 'plan',
  '2': 'request',
  '3': 'audit',
  i: 'requestOf',
  w: 'where',
  a: 'assistants',
  m: 'memories',
  l: 'library',
  g: 'models',
  ArrowUp: 'previousTurn',
  ArrowDown: 'nextTurn',
  Escape: 'stop',
  '[': 'list',
  ']': 'panel',
  ',': 'settings',
};

/** With Ctrl or ⌘, in a field as well. */
const BY_COMMAND: Record<string, Action> = { k: 'palette', f: 'find' };

export interface Stroke {
  key: string;
  hasCommand: boolean;
  hasAlt: boolean;
  isComposing: boolean;
  /** Whether the stroke belongs to a field that takes text. */
  isInField: boolean;
  /** Whether it belongs to a menu that is open. */
  isInMenu: boolean;
}

/** The action of a key stroke; `null` where the stroke belongs to whatever has the focus. */
export function actionOf(stroke: Stroke): Action | null {
  if (stroke.isComposing || stroke.hasAlt) return null;
  if (stroke.hasCommand) return BY_COMMAND[stroke.key.toLowerCase()] ?? null;
  if ((stroke.isInField || stroke.isInMenu) && stroke.key !== 'Escape') return null;
  return BY_KEY[stroke.key.length === 1 ? stroke.key.toLowerCase() : stroke.key] ?? null;
}

/** Whether a stroke belongs to an input-method composition; some engines tell that by the code 229 alone. */
export function composes(event: { isComposing: boolean; keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether an Enter sends: alone, and not the one that ends an input-method composition. */
export function sends(event: { key: string; shiftKey: boolean; isComposing: boolean; keyCode: number }): boolean {
  return event.key === 'Enter' && !event.shiftKey && !composes(event);
}
