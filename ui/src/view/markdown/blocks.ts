import { inlinesOf, type Reading } from './inlines';
import type { Known } from './known';
import {
  closesFence,
  dedented,
  fenceOf,
  headingOf,
  indentOf,
  isBlankLine,
  isQuote,
  isRule,
  markerOf,
  underlineOf,
  withoutTabs,
} from './lines';
import { keyOf } from './links';
import { listAt } from './list';
import { quoteAt } from './quote';
import { isTable, tableAt } from './table';
import type { Block, Definitions } from './tree';

/** Where a stretch of lines stands. */
export interface Place extends Reading {
  known: Known;
  depth: number;
  isItem: boolean;
}

/** A block and the lines it is made of. */
export interface Placed {
  block: Block | null;
  from: number;
  end: number;
}

/** What stands deeper than this within quotes and lists is text, so that no text can exhaust the reader or the page. */
const DEEPEST = 16;
/** A formula between two lines of `$$` has no more lines. */
const MOST_FORMULA_LINES = 100;
const DEFINITION =
  /^ {0,3}\[([^[\]]{1,500})\]:[ \t]*(?:<([^<>]{0,2000})>|(\S{1,2000}))[ \t]*(?:"[^"]*"|'[^']*'|\([^()]*\))?[ \t]*$/;

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map(withoutTabs);
}

export function blocksOf(lines: string[], place: Place): Block[] {
  return placedOf(lines, place).flatMap(({ block }) => block ?? []);
}

/** All blocks of the lines, and between which lines each stands. */
export function placedOf(lines: string[], place: Place): Placed[] {
  const found: Placed[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlankLine(lines[at])) at++;
    else {
      const { block, end } = blockAt(lines, at, place);
      found.push({ block, from: at, end });
      at = end;
    }
  }
  return found;
}

interface Found {
  block: Block | null;
  end: number;
}

function blockAt(lines: string[], at: number, place: Place): Found {
  const line = lines[at] ?? '';
  const isDeep = place.depth >= DEEPEST;
  const marker = markerOf(line);
  if (indentOf(line) >= 4 && !(place.isItem && marker)) return indentedCode(lines, at);
  if (fenceOf(line)) return fencedCode(lines, at, place);
  const heading = headingOf(line);
  if (heading) {
    const isGrowing = place.isGrowing && at + 1 === lines.length;
    return { block: headingBlock(heading.level, heading.text, { ...place, isGrowing }), end: at + 1 };
  }
  if (isRule(line)) return { block: { type: 'rule' }, end: at + 1 };
  if (isQuote(line) && !isDeep) return quoteAt(lines, at, place);
  if (marker && !isDeep) return listAt(lines, at, marker, place);
  if (DEFINITION.test(line)) return { block: null, end: at + 1 };
  return (
    formulaBlock(lines, at, place.isGrowing) ??
    tableAt(lines, at, place, (row) => interrupts([row], 0, place)) ??
    paragraph(lines, at, place)
  );
}

function headingBlock(level: number, text: string, place: Place): Block {
  return { type: 'heading', level, children: inlinesOf(text, place) };
}

function indentedCode(lines: string[], from: number): Found {
  let end = from;
  for (let at = from; at < lines.length && (isBlankLine(lines[at]) || indentOf(lines[at] ?? '') >= 4); at++)
    if (!isBlankLine(lines[at])) end = at + 1;
  const text = lines.slice(from, end).map((line) => dedented(line, 4));
  return { block: { type: 'code', language: '', text: text.join('\n'), isOpen: false }, end };
}

function fencedCode(lines: string[], from: number, place: Place): Found {
  const fence = fenceOf(lines[from] ?? '');
  if (!fence) return paragraph(lines, from, place);
  let end = from + 1;
  while (end < lines.length && !closesFence(lines[end] ?? '', fence)) end++;
  const text = lines
    .slice(from + 1, end)
    .map((line) => dedented(line, fence.indent))
    .join('\n');
  const isClosed = end < lines.length;
  const next = isClosed ? end + 1 : end;
  if (fence.language === 'math') {
    return { block: { type: 'maths', tex: text.trim(), isOpen: !isClosed && place.isGrowing }, end: next };
  }
  const kept = isClosed ? text : text.replace(/\n+$/, '');
  return {
    block: { type: 'code', language: fence.language, text: kept, isOpen: !isClosed && place.isGrowing },
    end: next,
  };
}

/** `$$` or `\[` at the beginning of a line, up to its other half at the end of one, without a blank line between. */
function formulaBlock(lines: string[], from: number, isGrowing: boolean): Found | null {
  const first = (lines[from] ?? '').trim();
  const closing = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\]' : null;
  if (closing === null) return null;
  const inside: string[] = [];
  for (let at = from; at < Math.min(lines.length, from + MOST_FORMULA_LINES) && !isBlankLine(lines[at]); at++) {
    const line = at === from ? first.slice(2) : (lines[at] ?? '').trim();
    const place = line.indexOf(closing);
    if (place < 0) {
      inside.push(line.trim());
      continue;
    }
    const tex = [...inside, line.slice(0, place)].join('\n').trim();
    const isWhole = /^[\s.,;。，；]*$/.test(line.slice(place + 2));
    return isWhole && tex !== '' ? { block: { type: 'maths', tex, isOpen: false }, end: at + 1 } : null;
  }
  const reachesEnd = from + inside.length === lines.length;
  if (!isGrowing || !reachesEnd) return null;
  return { block: { type: 'maths', tex: inside.join('\n').trim(), isOpen: true }, end: lines.length };
}

function paragraph(lines: string[], from: number, place: Place): Found {
  let end = from + 1;
  for (; end < lines.length && !isBlankLine(lines[end]); end++) {
    const level = underlineOf(lines[end] ?? '');
    if (level) {
      const whole = { ...place, isGrowing: false };
      return { block: headingBlock(level, textOf(lines, from, end), whole), end: end + 1 };
    }
    if (interrupts(lines, end, place)) break;
  }
  const isLast = end === lines.length;
  const reading = { ...place, isGrowing: place.isGrowing && isLast };
  const text = textOf(lines, from, end);
  // Marks at the end may be half of what they will be.
  const shown = reading.isGrowing ? text.replace(/[*_~`$[\\]+$/, '') : text;
  return { block: { type: 'paragraph', children: inlinesOf(shown, reading) }, end };
}

function textOf(lines: string[], from: number, end: number): string {
  return lines
    .slice(from, end)
    .map((line) => line.trimStart())
    .join('\n')
    .trimEnd();
}

/** Whether something else begins at the line, right below a text. */
export function interrupts(lines: string[], at: number, place: Place): boolean {
  const line = lines[at] ?? '';
  const isDeep = place.depth >= DEEPEST;
  if (indentOf(line) <= 3 && (fenceOf(line) || headingOf(line) || isRule(line))) return true;
  if (isQuote(line) && !isDeep) return true;
  const marker = isDeep ? null : markerOf(line);
  // A year at the beginning of a line is not a list.
  if (marker && (place.isItem || marker.indent <= 3) && line.length > marker.offset)
    return place.isItem || marker.start === null || marker.start === 1;
  return isTable(lines, at) || formulaBlock(lines, at, place.isGrowing) !== null;
}

/** The definitions in the lines, wherever no code stands. */
export function defineFrom(lines: string[], into: Definitions): boolean {
  let isNew = false;
  let fence = null;
  for (const line of lines) {
    if (fence) fence = closesFence(line, fence) ? null : fence;
    else if ((fence = fenceOf(line)) === null) {
      const [, label, angled, bare] = DEFINITION.exec(line) ?? [];
      const key = keyOf(label ?? '');
      if (key === '' || into.has(key)) continue;
      into.set(key, angled ?? bare ?? '');
      isNew = true;
    }
  }
  return isNew;
}
