import { expect, test } from 'vitest';
import type { AuthorView, SummaryView } from '../ipc/generated/types';
import { exchangesOf, linesOf } from './summary';

const version = (author: AuthorView, prose: string, ...turns: string[]): SummaryView => ({
  version: 0,
  author,
  nExchanges: 0,
  prose,
  marks: [],
  forbidden: [],
  entered: turns.map((turn) => ({ turn, question: `${turn}?` })),
  atMs: 0,
});
/** Each line with the turn that it leads to. */
const led = (versions: SummaryView[]) => linesOf(versions).map(({ text, exchange }) => `${text} @${exchange?.turn}`);

const FIRST = version('rule', '- a? → yes\n- b? → no', 'a', 'b');

test('assembly_e9_a_line_that_a_rule_took_leads_to_its_exchange', () => {
  expect(led([FIRST])).toEqual(['- a? → yes @a', '- b? → no @b']);
  const second = version('rule', '- a?\n- b? → no\n- c? → yes', 'c');
  expect(led([second, FIRST])).toEqual(['- a? @a', '- b? → no @b', '- c? → yes @c']);
});

test('assembly_e9_where_the_oldest_lines_had_to_go_the_last_ones_lead_on', () => {
  const second = version('rule', '- (Older exchanges are not repeated here.)\n- d? → yes', 'c', 'd');
  expect(led([second, FIRST])).toEqual(['- (Older exchanges are not repeated here.) @c', '- d? → yes @d']);
});

test('assembly_e9_what_a_model_or_a_person_wrote_leads_nowhere_by_itself_but_lines_that_were_added_since_do', () => {
  const written = version('model', 'Two things were asked.\n- And one more.', 'c');
  expect(led([written, FIRST])).toEqual(['Two things were asked. @undefined', '- And one more. @undefined']);
  const added = version('rule', `${written.prose}\n- d? → yes`, 'd');
  expect(led([added, written, FIRST])).toEqual([
    'Two things were asked. @undefined',
    '- And one more. @undefined',
    '- d? → yes @d',
  ]);
  expect(exchangesOf([added, written, FIRST]).map(({ turn }) => turn)).toEqual(['a', 'b', 'c', 'd']);
});

test('assembly_e9_a_line_an_exchange_is_enough_whoever_wrote_it', () => {
  expect(led([version('person', '- a is so\n\n- b is not'), FIRST])).toEqual(['- a is so @a', '- b is not @b']);
});
