import { formulaAt } from './formula';
import { inlinesOf, type Reading } from './inlines';
import type { Known } from './known';
import { isBlankLine } from './lines';
import type { Block, Cell } from './tree';

type Align = Cell['align'];
/** A wider table is text. */
const MOST_COLUMNS = 200;

/** Whether a table begins at `at`: a line with columns, and below it a line of dashes with as many. */
export function isTable(lines: string[], at: number): boolean {
  return alignsAt(lines, at) !== null;
}

function alignsAt(lines: string[], at: number): Align[] | null {
  const [head = '', below = ''] = [lines[at], lines[at + 1]];
  if (!head.includes('|') || !/^ {0,3}[|:-]/.test(below) || !below.includes('|')) return null;
  const aligns = alignsOf(below);
  return aligns && stretchesOf(head, aligns.length).length === aligns.length ? aligns : null;
}

function alignsOf(line: string): Align[] | null {
  const dashes = split(line, false);
  if (dashes.length > MOST_COLUMNS || !dashes.every((cell) => /^:?-+:?$/.test(cell))) return null;
  return dashes.map((cell) => {
    if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right';
    return cell.startsWith(':') ? 'left' : null;
  });
}

/** The table at `at` and where the text goes on. `ends` says which line is no longer a row. */
export function tableAt(
  lines: string[],
  at: number,
  reading: Reading & { known: Known },
  ends: (line: string) => boolean,
): { block: Block; end: number } | null {
  const aligns = alignsAt(lines, at);
  if (!aligns) return null;
  const row = (line: string, isGrowing: boolean): Cell[] => {
    const cells = cellsOf(line, aligns.length);
    return aligns.map((align, column) => ({
      align,
      children: inlinesOf(cells[column] ?? '', { ...reading, isGrowing, isCell: true }),
    }));
  };
  let end = at + 2;
  const rows: Cell[][] = [];
  for (let line = lines[end]; line !== undefined && !isBlankLine(line) && !ends(line); line = lines[++end]) {
    const whole = line;
    const isGrowing = reading.isGrowing && end + 1 === lines.length;
    rows.push(
      isGrowing ? row(whole, true) : reading.known.get(`row ${aligns.join()} ${whole}`, () => row(whole, false)),
    );
  }
  return { block: { type: 'table', head: row(lines[at] ?? '', false), rows }, end };
}

/** The cells of a row. What is too much is in the last one. */
function cellsOf(line: string, n: number): string[] {
  const all = stretchesOf(line, n);
  return all.length <= n ? all : [...all.slice(0, n - 1), all.slice(n - 1).join(' | ')];
}

/** What stands between the bars. Where that is more than `n`, bars within formulas are their own. */
function stretchesOf(line: string, n: number): string[] {
  const cells = split(line, false);
  if (cells.length <= n) return cells;
  const whole = split(line, true);
  return whole.length <= n ? whole : cells;
}

/** A bar that is escaped or stands in code does not part. */
function split(line: string, hasFormulas: boolean): string[] {
  const text = line.trim();
  const cells: string[] = [];
  let cell = '';
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length; at++) {
    const letter = text.charAt(at);
    const end = letter === '`' ? endOfCode(text, at) : hasFormulas && letter === '$' ? endOfFormula(text, at) : at;
    if (end > at) {
      cell += text.slice(at, end).replaceAll('\\|', '|');
      at = end - 1;
    } else if (letter === '\\' && at + 1 < text.length) {
      cell += text[at + 1] === '|' ? '|' : text.slice(at, at + 2);
      at++;
    } else if (letter === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += letter;
  }
  return cell.trim() === '' && text.endsWith('|') ? cells : [...cells, cell.trim()];
}

function endOfCode(text: string, from: number): number {
  let opened = from;
  while (text[opened] === '`') opened++;
  const run = text.slice(from, opened);
  const at = text.slice(opened, opened + 500).indexOf(run);
  return at < 0 ? opened : opened + at + run.length;
}

function endOfFormula(text: string, from: number): number {
  return formulaAt(text, from, false)?.end ?? from;
}
