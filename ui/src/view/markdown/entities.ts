/** The characters that models write by name. Others stay as they are written. */
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ensp: '\u2002',
  emsp: '\u2003',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  larr: '←',
  rarr: '→',
  le: '≤',
  ge: '≥',
  ne: '≠',
  euro: '€',
  pound: '£',
  yen: '¥',
  sect: '§',
  para: '¶',
};
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/y;

/** The entity at `from` and its length in the text. */
export function entityAt(text: string, from: number): { text: string; end: number } | null {
  ENTITY.lastIndex = from;
  const found = ENTITY.exec(text);
  if (!found) return null;
  const [whole, decimal, hex, name] = found;
  const end = from + whole.length;
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? { text: NAMED[name] ?? '', end } : null;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : parseInt(decimal, 10);
  const isLetter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return { text: isLetter ? String.fromCodePoint(code) : '\ufffd', end };
}
