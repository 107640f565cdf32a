// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';
import { next, places } from './find';

function page(html: string): HTMLElement {
  const root = document.createElement('div');
  root.append(...html.split('|').map((text) => Object.assign(document.createElement('p'), { textContent: text })));
  return root;
}

describe('finding in a conversation', () => {
  test('every place is found in order, whatever its case', () => {
    const found = places(page('Make serve|then make check, MAKE'), 'make');
    expect(found.map((range) => range.toString())).toEqual(['Make', 'make', 'MAKE']);
    expect(places(page('编写 README 的步骤|步骤'), '步骤')).toHaveLength(2);
    expect(places(page('anything'), '')).toEqual([]);
  });

  test('going on from the last place comes to the first, and back', () => {
    expect([next(-1, 1, 3), next(2, 1, 3), next(0, -1, 3), next(-1, -1, 3), next(0, 1, 0)]).toEqual([0, 0, 2, 2, -1]);
  });
});
