import { describe, expect, test } from 'vitest';
import { CASES } from './Markdown.cases';
import { markupOf } from './Markdown.markup';

describe.each(Object.entries(CASES))('%s', (_kind, cases) => {
  test.each(cases)('%j', (input, markup) => expect(markupOf(input)).toBe(markup));
});
