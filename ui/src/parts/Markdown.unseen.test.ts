import { describe, expect, test } from 'vitest';
import { markupOf } from './Markdown.markup';
import { UNSEEN } from './Markdown.unseen';

describe.each(Object.entries(UNSEEN))('%s', (_kind, cases) => {
  test.each(cases)('%j', (input, markup) => expect(markupOf(input)).toBe(markup));
});
