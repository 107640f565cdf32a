import { closesFence, fenceOf, isBlankLine, type Fence } from './lines';

/** Nothing but marks: what the line will be is not said yet. */
const ONLY_MARKS = /^[\s>]*(?:[-+*=_#|:`~$\\\s>[\]]|\d{1,9}[.)]?)*$/;
const ROW = /^[\s>]*\|/;
/** A label, which may be the beginning of a definition that is not shown at all. */
const LABEL = /^[ >]*\[[^\]\n]{0,200}(?:\]|\]:.{0,2000})?$/;
const DASHES = /^[\s>]*\|[-:|\s]*$/;

/** How many lines of a text that still grows can be shown without being taken back: a line of marks alone, the head of a table without
 * what is below it, and the beginning of a fence wait for what follows. */
export function settled(lines: string[]): number {
  const last = lines.length - 1;
  const fence = openFence(lines.slice(0, last));
  const line = lines[last] ?? '';
  if (fence) return isBlankLine(line) || /^\s*[`~]+$/.test(line) ? last : lines.length;
  const isWaiting = ONLY_MARKS.test(line) || LABEL.test(line) || fenceOf(withoutQuote(line)) !== null;
  return Math.min(isWaiting ? last : lines.length, headWaiting(lines));
}

function openFence(lines: string[]): Fence | null {
  let fence: Fence | null = null;
  for (const line of lines.map(withoutQuote)) {
    if (!fence) fence = fenceOf(line);
    else if (closesFence(line, fence)) fence = null;
  }
  return fence;
}

function withoutQuote(line: string): string {
  return line.replace(/^[\s>]{0,64}/, '').replace(/^(?:[-+*]|\d{1,9}[.)]) +/, '');
}

/** Where a table may begin whose line of dashes is not whole. */
function headWaiting(lines: string[]): number {
  let from = lines.length;
  // The line after the last break is empty while nothing of it has come.
  if (lines.at(-1) === '') from--;
  const end = from;
  while (from > 0 && end - from < 3 && ROW.test(lines[from - 1] ?? '')) from--;
  const n = end - from;
  if (n === 1) return from;
  const isBelowOpen = end === lines.length && DASHES.test(lines[end - 1] ?? '');
  return n === 2 && isBelowOpen ? from : lines.length;
}
