/** Where formulas stand in a text, and where a dollar sign is a price. */
export interface Formula {
  tex: string;
  isDisplay: boolean;
  /** Where the text goes on. */
  end: number;
}

/** A formula is not longer; so a dollar sign without its other half costs no more than this to look at. */
const LONGEST = 2000;

/** The formula that begins at `from`. `isGrowing`: the text may go on where it ends. */
export function formulaAt(text: string, from: number, isGrowing: boolean): Formula | null {
  if (text.startsWith('$$', from)) return between(text, from, '$$', true);
  if (text.startsWith('\\(', from)) return between(text, from, '\\)', false);
  if (text.startsWith('\\[', from)) return between(text, from, '\\]', true);
  return text[from] === '$' ? inDollars(text, from, isGrowing) : null;
}

function between(text: string, from: number, closing: string, isDisplay: boolean): Formula | null {
  const stretch = text.slice(from + 2, from + 2 + LONGEST);
  const at = stretch.indexOf(closing);
  const tex = stretch.slice(0, at).trim();
  if (at < 0 || tex === '' || /\n[ \t]*\n/.test(tex)) return null;
  return { tex, isDisplay, end: from + 2 + at + closing.length };
}

/** `$…$` on one line, with no blank inside its ends and nothing beside them that would make it a price or a name. */
function inDollars(text: string, from: number, isGrowing: boolean): Formula | null {
  if (/[\w$]/.test(text[from - 1] ?? '') || /[\s$]/.test(text[from + 1] ?? ' ')) return null;
  const last = Math.min(text.length, from + LONGEST);
  for (let at = from + 1; at < last && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '$') {
      const next = text[at + 1];
      if (next === undefined ? isGrowing : /[\w${]/.test(next)) return null;
      if (/\s/.test(text[at - 1] ?? '')) return null;
      const tex = text.slice(from + 1, at);
      return isPrice(tex) || tex.includes('`') ? null : { tex, isDisplay: false, end: at + 1 };
    }
  }
  return null;
}

/** A number and then words, without a single sign of TeX: `5 per head up to 10`. */
function isPrice(tex: string): boolean {
  return /^\d/.test(tex) && /\p{L}{2}/u.test(tex) && !/[\\^_={}]/.test(tex);
}
