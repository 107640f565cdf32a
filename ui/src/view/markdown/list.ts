import { blocksOf, interrupts, type Place } from './blocks';
import { Lazy } from './lazy';
import { dedented, indentOf, isBlankLine, markerOf, withoutTabs, type Marker } from './lines';
import type { Block, Item } from './tree';

/** What stands this far right of an item's mark is part of it. CommonMark asks for the width of the mark, three for `1. `, and people
 * write two, three or four. */
const WITHIN = 2;

/** The list that begins at `from`: its items have the same kind of mark. */
export function listAt(lines: string[], from: number, first: Marker, place: Place): { block: Block; end: number } {
  const items: Item[] = [];
  let end = from;
  for (let marker: Marker | null = first; marker?.kind === first.kind;) {
    const item = itemAt(lines, end, marker, place);
    items.push(item.item);
    end = item.end;
    const next = skipBlank(lines, end);
    marker = markerOf(lines[next] ?? '');
    if (marker?.kind === first.kind) end = next;
  }
  return {
    block: { type: 'list', isOrdered: first.start !== null, start: first.start ?? 1, items },
    end,
  };
}

function itemAt(lines: string[], from: number, marker: Marker, place: Place): { item: Item; end: number } {
  const inside = [withoutTabs((lines[from] ?? '').slice(marker.offset))];
  const lazy = new Lazy();
  lazy.see(inside[0] ?? '');
  let end = from + 1;
  let hasNumbers = false;
  for (let at = end; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (isBlankLine(line)) inside.push('');
    else if (isWithin(line, marker, hasNumbers)) inside.push(dedented(line, marker.offset));
    else if (lazy.isText && !markerOf(line) && !interrupts(lines, at, place)) inside.push(line);
    else break;
    lazy.see(inside.at(-1) ?? '');
    hasNumbers ||= typeof markerOf(line)?.start === 'number';
    if (!isBlankLine(line)) end = at + 1;
  }
  inside.length = end - from;
  const task = /^\[([ xX])\] +(?=\S)/.exec(inside[0] ?? '');
  if (task) inside[0] = (inside[0] ?? '').slice(task[0].length);
  const isGrowing = place.isGrowing && skipBlank(lines, end) === lines.length;
  const make = (): Item => ({
    isChecked: task ? task[1] !== ' ' : null,
    children: blocksOf(inside, { ...place, isGrowing, depth: place.depth + 1, isItem: true }),
  });
  if (isGrowing) return { item: make(), end };
  return { item: place.known.get(`item ${place.depth} ${task?.[1] ?? '-'} ${inside.join('\n')}`, make), end };
}

function isWithin(line: string, marker: Marker, hasNumbers: boolean): boolean {
  const indent = indentOf(line);
  if (indent >= marker.offset) return true;
  // A number that goes on counting is the next item, however far right it stands.
  const isNext = !hasNumbers && marker.start !== null && markerOf(line)?.start === marker.start + 1;
  return indent >= marker.indent + WITHIN && !isNext;
}

function skipBlank(lines: string[], from: number): number {
  let at = from;
  while (at < lines.length && isBlankLine(lines[at])) at++;
  return at;
}
