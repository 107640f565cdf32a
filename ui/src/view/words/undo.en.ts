/** Putting back what a write replaced. */
export const undo = {
  'undo.title': 'Writes that can be undone: {n}',
  'undo.what': 'What a write replaced is kept for seven days. It goes back only if the file was not changed since.',
  'undo.act': 'Undo',
  'undo.actOn': 'Undo the write to {path}',
} as const;

/** A name of a text of theirs. */
export type UndoWord = keyof typeof undo;
