import type { Definitions } from './tree';

/** Addresses in a text. They are shown and copied, never followed. */
export interface Target {
  url: string;
  end: number;
}

/** Longer ones are text. */
const LONGEST = 2000;
const BARE =
  /(?:https?:\/\/|www\.)[^\s<>[\]`|\u2018-\u201d\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\ufe30-\ufe4f\uff00-\uffef]{1,2000}/iy;
const ANGLED = /<((?:[a-z][a-z0-9+.-]{1,31}:|[\w.+-]{1,64}@[\w-]{1,64}\.)[^\s<>]{0,2000})>/iy;

/** What follows the `]` of a text: `(address "title")`, `[label]`, or nothing where the text itself is a label. */
export function targetAt(text: string, label: string, from: number, definitions: Definitions): Target | null {
  if (text[from] === '(') {
    const direct = inParentheses(text, from);
    if (direct) return direct;
  }
  const named = text[from] === '[' ? text.indexOf(']', from) : -1;
  const isNamed = named >= 0 && named - from < 1000;
  const name = isNamed && named > from + 1 ? text.slice(from + 1, named) : label;
  const url = definitions.get(keyOf(name));
  return url === undefined ? null : { url, end: isNamed ? named + 1 : from };
}

export function keyOf(label: string): string {
  return label.trim().replace(/\s+/gu, ' ').toLowerCase();
}

function inParentheses(text: string, from: number): Target | null {
  let at = skipBlanks(text, from + 1);
  const found = text[at] === '<' ? inAngles(text, at) : balanced(text, at);
  if (!found) return null;
  at = skipBlanks(text, found.end);
  const quote = text[at] ?? '';
  if (at > found.end && /["'(]/.test(quote)) {
    const closing = endOfTitle(text, at + 1, quote === '(' ? ')' : quote);
    if (closing === null) return null;
    at = skipBlanks(text, closing);
  }
  return text[at] === ')' ? { url: unescaped(found.url), end: at + 1 } : null;
}

function endOfTitle(text: string, from: number, closing: string): number | null {
  for (let at = from; at < Math.min(text.length, from + LONGEST); at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === closing) return at + 1;
  }
  return null;
}

function inAngles(text: string, from: number): Target | null {
  const stretch = text.slice(from + 1, from + 1 + LONGEST);
  const length = stretch.search(/[<>\n]/);
  return length >= 0 && stretch[length] === '>' ? { url: stretch.slice(0, length), end: from + length + 2 } : null;
}

function balanced(text: string, from: number): Target | null {
  let depth = 0;
  let at = from;
  for (; at < text.length && at - from < LONGEST; at++) {
    const letter = text[at] ?? '';
    if (letter === '\\') at++;
    else if (letter <= ' ') break;
    else if (letter === '(') depth++;
    else if (letter === ')' && depth-- === 0) break;
  }
  return { url: text.slice(from, at), end: at };
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at - from < LONGEST && /[ \t\n]/.test(text[at] ?? '')) at++;
  return at;
}

function unescaped(url: string): string {
  return url.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

/** `<https://…>` or `<a@b.c>`. */
export function angledAt(text: string, from: number): Target | null {
  ANGLED.lastIndex = from;
  const found = ANGLED.exec(text);
  return found?.[1] === undefined ? null : { url: found[1], end: from + found[0].length };
}

/** An address in prose, without the punctuation that ends the sentence. */
export function bareAt(text: string, from: number): Target | null {
  if (/[\p{L}\p{N}_]/u.test(text[from - 1] ?? '') && text.charCodeAt(from - 1) < 128) return null;
  BARE.lastIndex = from;
  let url = BARE.exec(text)?.[0] ?? '';
  for (let last = url.at(-1) ?? ''; /[?!.,:;*_~'"$]/.test(last) || isUnmatched(url); last = url.at(-1) ?? '')
    url = url.slice(0, -1);
  return /[^/.:](?:\.|:\/\/)./.test(url) ? { url, end: from + url.length } : null;
}

function isUnmatched(url: string): boolean {
  return url.endsWith(')') && url.split(')').length > url.split('(').length;
}
