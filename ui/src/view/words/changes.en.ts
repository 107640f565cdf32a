/** Adding to a file, deleting it, moving it, and making a folder. */
export const changes = {
  'trail.tool.append_file': 'preparing to add to {target}…',
  'trail.tool.delete_file': 'about to delete {target}…',
  'trail.tool.move_file': 'about to move {target}…',
  'trail.tool.make_dir': 'about to make the folder {target}…',
  'trail.did.append_file': 'added to {target}',
  'trail.did.delete_file': 'deleted {target}',
  'trail.did.move_file': 'moved {target}',
  'trail.did.make_dir': 'made the folder {target}',
  'trail.denied.append_file': 'not allowed to add to {target}',
  'trail.denied.delete_file': 'not allowed to delete {target}',
  'trail.denied.move_file': 'not allowed to move {target}',
  'trail.denied.make_dir': 'not allowed to make the folder {target}',
  'step.append_file': 'add to a file',
  'step.delete_file': 'delete a file',
  'step.move_file': 'move a file',
  'step.make_dir': 'make a folder',

  'approval.append': 'Add to',
  'approval.delete': 'Delete',
  'approval.move': 'Move',
  'approval.makeDir': 'New folder',
  'approval.goes': '{before}; it can be undone for seven days',
  'approval.empty.nothing': 'The file is empty.',
  'approval.empty.delete': 'Its lines are not shown.',
  'approval.empty.move': 'The content stays as it is.',
  'approval.empty.makeDir': 'An empty folder is made.',
  'approval.flag.notShown': 'What goes is no text, or too long a one to be shown line by line.',
  'approval.boundPlace': 'Your yes holds for exactly this.',

  'undo.did.create': 'created',
  'undo.did.overwrite': 'replaced',
  'undo.did.edit': 'edited',
  'undo.did.append': 'added to',
  'undo.did.delete': 'deleted',
  'undo.did.move': 'moved',
} as const;

/** A name of a text of theirs. */
export type ChangesWord = keyof typeof changes;
