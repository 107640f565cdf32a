import { defineFrom, linesOf, placedOf, type Placed } from './markdown/blocks';
import { Known } from './markdown/known';
import { isBlankLine } from './markdown/lines';
import { settled } from './markdown/settled';
import type { Block, Definitions } from './markdown/tree';

export type { Block, Cell, Inline, Item } from './markdown/tree';

/** The tree of a text. */
export function read(text: string): Block[] {
  return new Reader().read(text, false);
}

/** After so many definitions, what was already read stays as it is. */
const MOST_REREAD = 100;

/** Reads a text that grows. A block that is followed by a blank line and the next block cannot change any more: it is read once, and
 * stays the same value. So what more text costs depends on the block it belongs to, not on the length of what stands before. */
export class Reader {
  #closed: { text: string; blocks: Block[] } = { text: '', blocks: [] };
  #definitions: Definitions = new Map();
  readonly #known = new Known();
  #nReread = 0;

  /** `isGrowing`: the text may go on, so that what could still become something else is not shown yet. */
  read(text: string, isGrowing: boolean): Block[] {
    if (!text.startsWith(this.#closed.text)) this.#forget();
    const lines = linesOf(text.slice(this.#closed.text.length));
    // A definition further down changes what a link further up means.
    if (defineFrom(isGrowing ? lines.slice(0, -1) : lines, this.#definitions)) {
      this.#known.forget();
      if (this.#closed.text !== '' && this.#nReread++ < MOST_REREAD) {
        this.#closed = { text: '', blocks: [] };
        return this.read(text, isGrowing);
      }
    }
    this.#known.again();
    const shown = isGrowing ? lines.slice(0, settled(lines)) : lines;
    const place = { definitions: this.#definitions, known: this.#known, isGrowing, depth: 0, isItem: false };
    const found = placedOf(shown, place);
    const blocks = [...this.#closed.blocks, ...blocksIn(found)];
    this.#close(text, lines, found);
    return blocks;
  }

  #forget(): void {
    this.#closed = { text: '', blocks: [] };
    this.#definitions = new Map();
    this.#known.forget();
    this.#nReread = 0;
  }

  #close(text: string, lines: string[], found: Placed[]): void {
    const at = found.findLastIndex(({ from }) => from > 0 && isBlankLine(lines[from - 1]) && from < lines.length - 1);
    const next = found[at];
    if (!next) return;
    const from = this.#closed.text.length;
    this.#closed = {
      text: text.slice(0, from + lengthOf(text.slice(from), next.from)),
      blocks: [...this.#closed.blocks, ...blocksIn(found.slice(0, at))],
    };
  }
}

function blocksIn(found: Placed[]): Block[] {
  return found.flatMap(({ block }) => block ?? []);
}

/** The length of the first `n` lines, with their ends. */
function lengthOf(text: string, n: number): number {
  const ends = text.matchAll(/\r\n|\r|\n/g);
  let length = 0;
  for (let seen = 0; seen < n; seen++) {
    const end = ends.next().value;
    length = end ? end.index + end[0].length : text.length;
  }
  return length;
}
