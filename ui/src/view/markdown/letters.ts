/** Which letters stand beside a mark of emphasis, where CommonMark asks for blanks that Chinese, Japanese and Korean do not write. */
const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\u30fb\u30fc\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const LETTER = /\p{L}/u;
/** How far beyond the punctuation the next letter is looked for. */
const REACH = 16;

export function isBlank(letter: string): boolean {
  return letter === '' || /\s/u.test(letter);
}

export function isPunctuation(letter: string): boolean {
  return PUNCTUATION.test(letter);
}

export function isCjk(letter: string): boolean {
  return CJK.test(letter);
}

/** The whole character that ends at `at`; empty at the beginning. */
export function before(text: string, at: number): string {
  const last = text.charCodeAt(at - 1);
  return text.slice(Math.max(0, at - (last >= 0xdc00 && last <= 0xdfff ? 2 : 1)), at);
}

export function after(text: string, at: number): string {
  const letter = text.codePointAt(at);
  return letter === undefined ? '' : String.fromCodePoint(letter);
}

/** Whether the first letter before `at` is of a script without blanks: `步骤(1):` ends in one. */
export function endsCjk(text: string, at: number): boolean {
  for (let from = at; from > Math.max(0, at - REACH);) {
    const letter = before(text, from);
    if (LETTER.test(letter)) return isCjk(letter);
    if (isBlank(letter)) return false;
    from -= letter.length;
  }
  return false;
}

export function beginsCjk(text: string, at: number): boolean {
  for (let from = at; from < Math.min(text.length, at + REACH);) {
    const letter = after(text, from);
    if (LETTER.test(letter)) return isCjk(letter);
    if (isBlank(letter)) return false;
    from += letter.length;
  }
  return false;
}
