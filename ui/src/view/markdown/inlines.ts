import { paired, runAt, type Part } from './emphasis';
import { entityAt } from './entities';
import { formulaAt } from './formula';
import { angledAt, bareAt, targetAt } from './links';
import type { Definitions, Inline } from './tree';

export interface Reading {
  definitions: Definitions;
  /** The text may go on at its end. */
  isGrowing: boolean;
  /** In a cell of a table, which has no other way to say it, `<br>` is a new line. */
  isCell?: boolean;
}

/** The nodes of a stretch of text: one walk from left to right. */
export function inlinesOf(text: string, reading: Reading): Inline[] {
  const walk = new Walk(text, reading);
  return paired(walk.parts(), reading.isGrowing);
}

interface Bracket {
  /** Its place among the parts, and where its text begins. */
  part: number;
  from: number;
  isImage: boolean;
}

/** More open brackets than this are text, the oldest first. */
const MOST_BRACKETS = 50;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const PLAIN = /[^\\`$*_~[\]!<&\nhwHW]+/y;

class Walk {
  readonly #text: string;
  readonly #reading: Reading;
  #parts: Part[] = [];
  #brackets: Bracket[] = [];
  #at = 0;
  /** Where runs of backticks stand, by their length and the last one first; made when one is met. */
  #ticks: Map<number, number[]> | null = null;

  constructor(text: string, reading: Reading) {
    this.#text = text;
    this.#reading = reading;
  }

  parts(): Part[] {
    while (this.#at < this.#text.length) this.#step();
    return this.#parts;
  }

  #step(): void {
    const letter = this.#text.charAt(this.#at);
    PLAIN.lastIndex = this.#at;
    const plain = PLAIN.exec(this.#text);
    if (plain) return this.#say(plain[0], this.#at + plain[0].length);
    if (letter === '\n') return this.#lineEnd();
    if ((letter === '$' || letter === '\\') && this.#formula()) return;
    if (letter === '\\') return this.#escape();
    if (letter === '`') return this.#code();
    if (letter === '*' || letter === '_' || letter === '~') return this.#run();
    if (letter === '[') return this.#bracket(false, 1);
    if (letter === '!' && this.#text[this.#at + 1] === '[') return this.#bracket(true, 2);
    if (letter === ']') return this.#closeBracket();
    if (letter === '<' && this.#angled()) return;
    if (letter === '&' && this.#entity()) return;
    if (/[hw]/i.test(letter) && this.#bare()) return;
    this.#say(letter, this.#at + 1);
  }

  #put(inline: Inline, end: number): void {
    this.#parts.push({ inline });
    this.#at = end;
  }

  #say(text: string, end: number): void {
    this.#put({ type: 'text', text }, end);
  }

  #lineEnd(): void {
    const last = this.#parts.at(-1);
    const text = last && 'inline' in last && last.inline.type === 'text' ? last.inline.text : '';
    const kept = text.replace(/ +$/, '');
    if (kept !== text) this.#parts[this.#parts.length - 1] = { inline: { type: 'text', text: kept } };
    if (text.endsWith('  ')) this.#put({ type: 'break' }, this.#at + 1);
    else this.#say('\n', this.#at + 1);
  }

  #escape(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next === '\n') this.#put({ type: 'break' }, this.#at + 2);
    else if (ESCAPABLE.test(next)) this.#say(next, this.#at + 2);
    else this.#say('\\', this.#at + 1);
  }

  #formula(): boolean {
    const found = formulaAt(this.#text, this.#at, this.#reading.isGrowing);
    if (found) this.#put({ type: 'maths', tex: found.tex, isDisplay: found.isDisplay }, found.end);
    return found !== null;
  }

  #code(): void {
    let from = this.#at;
    while (this.#text[from] === '`') from++;
    const length = from - this.#at;
    const closing = this.#closingTicks(length, from);
    if (closing === null) return this.#say('`'.repeat(length), from);
    const inside = this.#text.slice(from, closing).replaceAll('\n', ' ');
    const isPadded = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '';
    this.#put({ type: 'code', text: isPadded ? inside.slice(1, -1) : inside }, closing + length);
  }

  #closingTicks(length: number, from: number): number | null {
    if (this.#ticks === null) {
      this.#ticks = new Map();
      for (const run of [...this.#text.matchAll(/`+/g)].reverse()) {
        const places = this.#ticks.get(run[0].length) ?? [];
        places.push(run.index);
        this.#ticks.set(run[0].length, places);
      }
    }
    const places = this.#ticks.get(length) ?? [];
    while ((places.at(-1) ?? from) < from) places.pop();
    return places.at(-1) ?? null;
  }

  #run(): void {
    const run = runAt(this.#text, this.#at);
    if (run.canOpen || run.canClose) this.#parts.push({ run });
    else this.#parts.push({ inline: { type: 'text', text: run.mark.repeat(run.length) } });
    this.#at += run.length;
  }

  #bracket(isImage: boolean, length: number): void {
    if (this.#brackets.length >= MOST_BRACKETS) this.#brackets.shift();
    this.#brackets.push({ part: this.#parts.length, from: this.#at + length, isImage });
    this.#say(this.#text.slice(this.#at, this.#at + length), this.#at + length);
  }

  #closeBracket(): void {
    const bracket = this.#brackets.pop();
    const label = this.#text.slice(bracket?.from ?? 0, this.#at);
    const target = bracket ? targetAt(this.#text, label, this.#at + 1, this.#reading.definitions) : null;
    if (!bracket || !target) return this.#say(']', this.#at + 1);
    const children = paired(this.#parts.splice(bracket.part).slice(1), false);
    if (bracket.isImage) return this.#put({ type: 'image', url: target.url, text: wordsOf(children) }, target.end);
    // A link holds no link: what stands in brackets around it is text.
    this.#brackets = this.#brackets.filter(({ isImage }) => isImage);
    this.#put({ type: 'link', url: target.url, children: withoutLinks(children) }, target.end);
  }

  #angled(): boolean {
    if (this.#reading.isCell) {
      const rest = /^<br\s{0,4}\/?>/i.exec(this.#text.slice(this.#at, this.#at + 10));
      if (rest) this.#put({ type: 'break' }, this.#at + rest[0].length);
      if (rest) return true;
    }
    return this.#link(angledAt(this.#text, this.#at));
  }

  #bare(): boolean {
    return this.#link(bareAt(this.#text, this.#at));
  }

  #link(found: { url: string; end: number } | null): boolean {
    if (!found) return false;
    this.#put({ type: 'link', url: found.url, children: [{ type: 'text', text: found.url }] }, found.end);
    return true;
  }

  #entity(): boolean {
    const found = entityAt(this.#text, this.#at);
    if (found) this.#say(found.text, found.end);
    return found !== null;
  }
}

function withoutLinks(children: Inline[]): Inline[] {
  return children.flatMap((child): Inline[] => {
    if (child.type === 'link') return child.children;
    return 'children' in child ? [{ ...child, children: withoutLinks(child.children) }] : [child];
  });
}

/** The words of a text without its marks. */
export function wordsOf(inlines: Inline[]): string {
  return inlines
    .map((inline) => {
      if ('children' in inline) return wordsOf(inline.children);
      if (inline.type === 'maths') return inline.tex;
      return inline.type === 'break' ? ' ' : inline.text;
    })
    .join('');
}
