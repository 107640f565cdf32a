import type { UndoWord } from './undo.en';

/** 撤销对文件做过的改动。 */
export const undo = {
  'undo.title': '可以撤销的改动：{n}',
  'undo.what': '对文件的每个改动七天内都可以撤销，前提是文件此后没有再改过。',
  'undo.act': '撤销',
  'undo.actOn': '撤销对 {path} 的改动',
} satisfies Record<UndoWord, string>;
