import type { UndoWord } from './undo.en';

/** 把写入前的内容放回去。 */
export const undo = {
  'undo.title': '可以撤销的写入：{n}',
  'undo.what': '写入前的内容保留七天。只有文件此后没有再改过，才会放回去。',
  'undo.act': '撤销',
  'undo.actOn': '撤销对 {path} 的写入',
} satisfies Record<UndoWord, string>;
