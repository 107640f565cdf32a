/** What a line of a text begins, seen by itself. */
export interface Marker {
  indent: number;
  /** The kind of list: `-`, `*`, `+`, `.` or `)`. */
  kind: string;
  start: number | null;
  /** Where the text of the item begins. */
  offset: number;
}

export interface Fence {
  indent: number;
  mark: string;
  length: number;
  language: string;
}

/** A longer beginning of a line is not looked at. */
const MARKER = /^( *)(?:([-+*])|(\d{1,9})([.)]))( +|$)/;
const FENCE = /^( *)(`{3,}|~{3,})(.*)$/;

/** Tabs at the beginning of a line, and behind the mark of an item there, reach to the next fourth column. */
export function withoutTabs(line: string): string {
  const found = /^([ \t]*)(?:([-+*]|\d{1,9}[.)])([ \t]+))?/.exec(line);
  if (!found?.[0].includes('\t')) return line;
  const [whole, blanks = '', sign = '', gap = ''] = found;
  const before = widened(blanks, 0) + sign;
  return before + widened(gap, before.length) + line.slice(whole.length);
}

function widened(blanks: string, from: number): string {
  let column = from;
  for (const blank of blanks) column += blank === '\t' ? 4 - (column % 4) : 1;
  return ' '.repeat(column - from);
}

export function indentOf(line: string): number {
  let at = 0;
  while (line[at] === ' ') at++;
  return at;
}

export function isBlankLine(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}

/** Takes up to `width` blanks from the beginning. */
export function dedented(line: string, width: number): string {
  return line.slice(Math.min(width, indentOf(line)));
}

export function markerOf(line: string): Marker | null {
  const found = MARKER.exec(line);
  if (!found || isRule(line)) return null;
  const [, blanks = '', bullet, number, delimiter, gap = ''] = found;
  const sign = bullet ?? `${number}${delimiter}`;
  const width = gap.length >= 1 && gap.length <= 4 && found[0].length < line.length ? gap.length : 1;
  return {
    indent: blanks.length,
    kind: bullet ?? delimiter ?? '',
    start: number === undefined ? null : Number(number),
    offset: blanks.length + sign.length + width,
  };
}

export function isRule(line: string): boolean {
  return indentOf(line) <= 3 && /^([-*_])\1{2,}$/.test(line.replace(/[ \t]/g, ''));
}

export function fenceOf(line: string): Fence | null {
  const found = FENCE.exec(line);
  if (!found) return null;
  const [, blanks = '', run = '', rest = ''] = found;
  if (run.startsWith('`') && rest.includes('`')) return null;
  return {
    indent: blanks.length,
    mark: run.charAt(0),
    length: run.length,
    language: rest.trim().split(/\s/, 1)[0] ?? '',
  };
}

export function closesFence(line: string, fence: Fence): boolean {
  const found = fenceOf(line);
  return (
    found !== null &&
    found.mark === fence.mark &&
    found.length >= fence.length &&
    line.trim() === found.mark.repeat(found.length)
  );
}

/** `# Title`, with its level. */
export function headingOf(line: string): { level: number; text: string } | null {
  const found = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line);
  if (!found?.[1]) return null;
  const text = line.slice(found[0].length).trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  const isClosed = end === 0 || (end < text.length && /[ \t]/.test(text[end - 1] ?? ''));
  return { level: found[1].length, text: isClosed ? text.slice(0, end).trim() : text };
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** A line under a text that makes it a heading. */
export function underlineOf(line: string): 1 | 2 | null {
  if (indentOf(line) > 3) return null;
  const text = line.trim();
  if (/^=+$/.test(text)) return 1;
  return /^-+$/.test(text) ? 2 : null;
}
