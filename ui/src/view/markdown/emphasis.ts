import { after, before, beginsCjk, endsCjk, isBlank, isCjk, isPunctuation } from './letters';
import type { Inline } from './tree';

/** A run of `*`, `_` or `~`, and what it may do where it stands. */
export interface Run {
  mark: string;
  length: number;
  canOpen: boolean;
  canClose: boolean;
}

export type Part = { inline: Inline } | { run: Run };

/** Open runs beyond this number end as text, the oldest first, so that neither time nor depth grows with a hostile text. */
const MOST_OPEN = 24;
/** A longer run is an ornament. */
const LONGEST = 6;

/** The run at `from`. Beside CommonMark's rules, a letter of a script that is written without blanks does what a blank does. */
export function runAt(text: string, from: number): Run {
  const mark = text.charAt(from);
  let to = from;
  while (text[to] === mark) to++;
  const [left, right] = [before(text, from), after(text, to)];
  const reachesRight =
    !isBlank(right) &&
    (!isPunctuation(right) ||
      isCjk(right) ||
      isBlank(left) ||
      isPunctuation(left) ||
      isCjk(left) ||
      beginsCjk(text, to));
  const reachesLeft =
    !isBlank(left) &&
    (!isPunctuation(left) ||
      isCjk(left) ||
      isBlank(right) ||
      isPunctuation(right) ||
      isCjk(right) ||
      endsCjk(text, from));
  const length = to - from;
  const isPossible = mark === '~' ? length === 2 : length <= LONGEST;
  const isWithin = mark === '_' && reachesLeft && reachesRight;
  return {
    mark,
    length,
    canOpen: isPossible && reachesRight && (!isWithin || isPunctuation(left)),
    canClose: isPossible && reachesLeft && (!isWithin || isPunctuation(right)),
  };
}

interface Frame {
  run: Run | null;
  left: number;
  children: Inline[];
}

/** Pairs the runs. A closing run takes the nearest open run that fits; what stays open is text. */
export function paired(parts: Part[], isGrowing: boolean): Inline[] {
  const open: Frame[] = [{ run: null, left: 0, children: [] }];
  for (const part of parts) {
    if ('inline' in part) add(top(open), part.inline);
    else meet(open, part.run);
  }
  if (isGrowing) closeLast(open);
  flatten(open, 0);
  return top(open).children;
}

function meet(open: Frame[], run: Run): void {
  let left = run.length;
  while (run.canClose && left > 0) {
    const at = open.findLastIndex((frame) => frame.run !== null && fits(frame.run, run));
    if (at < 0) break;
    flatten(open, at);
    left -= wrap(open, at, left);
  }
  if (left === 0) return;
  if (!run.canOpen) return add(top(open), { type: 'text', text: run.mark.repeat(left) });
  if (open.length > MOST_OPEN) flattenOldest(open);
  open.push({ run, left, children: [] });
}

/** CommonMark's rule of three keeps `*a**b*` and `**a*b**` apart; runs of four are the end of one and the beginning of the next. */
function fits(opening: Run, closing: Run): boolean {
  if (opening.mark !== closing.mark) return false;
  const [a, b] = [opening.length, closing.length];
  const isEither = opening.canClose || closing.canOpen;
  return !isEither || a > 3 || b > 3 || (a + b) % 3 !== 0 || (a % 3 === 0 && b % 3 === 0);
}

/** Puts what stands in the frame at `at`, the last one, into a node. Gives how many marks of the closing run that took. */
function wrap(open: Frame[], at: number, left: number): number {
  const frame = open[at];
  if (!frame?.run) return left;
  const took = frame.left >= 2 && left >= 2 ? 2 : 1;
  const type = frame.run.mark === '~' ? 'struck' : took === 2 ? 'strong' : 'emphasis';
  const node: Inline = { type, children: frame.children };
  frame.left -= took;
  if (frame.left > 0) frame.children = [node];
  else {
    open.pop();
    add(top(open), node);
  }
  return took;
}

/** While a text grows, what is being emphasised at its end is shown so, rather than with marks that go away later. */
function closeLast(open: Frame[]): void {
  const at = open.findLastIndex((frame) => frame.run?.mark === '*' && frame.left === 2 && frame.children.length > 0);
  if (at < 0) return;
  flatten(open, at);
  wrap(open, at, 2);
}

function flatten(open: Frame[], to: number): void {
  while (open.length > to + 1) {
    const frame = open.pop();
    if (frame?.run) spill(frame, top(open));
  }
}

function flattenOldest(open: Frame[]): void {
  const [frame] = open.splice(1, 1);
  if (frame && open[0]) spill(frame, open[0]);
}

function spill(frame: Frame, into: Frame): void {
  add(into, { type: 'text', text: (frame.run?.mark ?? '').repeat(frame.left) });
  for (const child of frame.children) add(into, child);
}

/** Adds a node; neighbouring texts are one. */
function add(frame: Frame, node: Inline): void {
  const last = frame.children.at(-1);
  if (node.type === 'text' && last?.type === 'text')
    frame.children[frame.children.length - 1] = { type: 'text', text: last.text + node.text };
  else frame.children.push(node);
}

function top(open: Frame[]): Frame {
  return open[open.length - 1] ?? { run: null, left: 0, children: [] };
}
