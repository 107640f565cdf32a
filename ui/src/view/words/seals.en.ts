/** What a check of the audit log found, by its chain, its seals and its anchor. */
export const seals = {
  'audit.intact': '{n|The one row agrees|All {n} rows agree} with the one before.',
  'audit.fault.altered': 'Row {row} was altered, or a row that it follows.',
  'audit.fault.missing': 'Row {row} is missing.',
  'audit.fault.reordered': 'Row {row} stands at another place than it was added at.',
  'audit.fault.cut': 'The log was cut: row {row} and what followed is not there.',
  'audit.fault.unsealed': 'The seal of row {row} is not there.',
  'audit.fault.anchorBehind':
    'Row {row} has no seal and came after the last note in the keychain: it was added without a keychain, or by somebody else.',
  'audit.seal.from': 'Sealed from row {row} on, with a key in the keychain of this system.',
  'audit.seal.notYet': 'No row is sealed.',
  'audit.seal.noKeychain':
    'The keychain of this system cannot be used, so seals were not checked: whoever changes the file and computes the chain anew is not found.',
  'audit.seal.keyGone': 'The keychain has no key for this log any more, so its seals cannot be checked.',
  'audit.seal.unsealed':
    '{n|One row|{n} rows} after that {n|has|have} no seal: there was no keychain at that time, or somebody else added {n|it|them}.',
  'audit.seal.behind': 'The note in the keychain is {n|one row|{n} rows} behind.',
} as const;

/** A name of a text of theirs. */
export type SealWord = keyof typeof seals;
