/** Undoing what was done to files. */
export const undo = {
  'undo.title': 'Changes that can be undone: {n}',
  'undo.what': 'Each change of a file can be undone for seven days, and only if the file was not changed since.',
  'undo.act': 'Undo',
  'undo.actOn': 'Undo the change of {path}',
} as const;

/** A name of a text of theirs. */
export type UndoWord = keyof typeof undo;
