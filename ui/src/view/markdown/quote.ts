import { blocksOf, interrupts, type Place } from './blocks';
import { Lazy } from './lazy';
import { isBlankLine, isQuote, withoutTabs } from './lines';
import type { Block } from './tree';

/** The quote that begins at `from`; its last text goes on in lines without the mark. */
export function quoteAt(lines: string[], from: number, place: Place): { block: Block; end: number } {
  const inside: string[] = [];
  const lazy = new Lazy();
  let end = from;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (isQuote(line)) inside.push(withoutTabs(line.replace(/^ {0,3}> ?/, '')));
    else if (!isBlankLine(line) && lazy.isText && !interrupts(lines, end, place)) inside.push(line);
    else break;
    lazy.see(inside.at(-1) ?? '');
  }
  const isGrowing = place.isGrowing && end === lines.length;
  const children = blocksOf(inside, { ...place, isGrowing, depth: place.depth + 1, isItem: false });
  return { block: { type: 'quote', children }, end };
}
