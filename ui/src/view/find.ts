/** Every place in the texts below `root` where `sought` stands, in order, without regard to case. A match does not cross elements. */
export function places(root: Node, sought: string): Range[] {
  const needle = sought.toLowerCase();
  if (needle === '') return [];
  const found: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    // Lower case can be longer than the text itself; then the places would be wrong, so such a text is left out.
    if (text.length !== node.nodeValue?.length) continue;
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      found.push(range);
    }
  }
  return found;
}

/** The place to go to from `at`, round the ends; -1 where there is none. */
export function next(at: number, by: 1 | -1, n: number): number {
  if (n === 0) return -1;
  return at < 0 ? (by === 1 ? 0 : n - 1) : (at + by + n) % n;
}

/** Marks all places, and one of them more. Engines without highlights select that one instead. */
export function mark(all: Range[], now: Range | undefined): void {
  if (typeof CSS !== 'undefined' && 'highlights' in CSS) {
    CSS.highlights.set('found', new Highlight(...all));
    CSS.highlights.set('found-now', new Highlight(...(now ? [now] : [])));
    return;
  }
  const selection = getSelection();
  selection?.removeAllRanges();
  if (now) selection?.addRange(now);
}
