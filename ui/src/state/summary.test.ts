import { expect, test, vi } from 'vitest';
import type { Backend } from '../ipc/backend';
import type { SummaryView } from '../ipc/generated/types';
import { Summary } from './summary.svelte';

const version = (version: number, prose: string): SummaryView => ({
  version,
  author: 'rule',
  nExchanges: version,
  prose,
  marks: ['7070'],
  forbidden: [],
  entered: [],
  atMs: 0,
});

/** A summary over a record that keeps what is written. */
function kept() {
  const record = new Map([
    ['cv_1', [version(1, 'It is blue.')]],
    ['cv_2', [version(1, 'It is green.')]],
  ]);
  const read = vi.fn<Backend['summary_read']>(async ({ conversation }) => record.get(conversation) ?? []);
  const write = vi.fn<Backend['summary_edit']>(async ({ conversation, prose }) => {
    const versions = record.get(conversation) ?? [];
    record.set(conversation, [{ ...version(versions.length + 1, prose), author: 'person' }, ...versions]);
  });
  const summary = new Summary({ summary_read: read, summary_edit: write } as unknown as Backend);
  return { summary, read, write, record };
}

test('assembly_e9_a_changed_text_becomes_the_next_version', async () => {
  const { summary, write } = kept();
  await summary.show('cv_1');
  summary.begin();
  summary.change('It is dark blue.');
  await summary.save();
  expect(write).toHaveBeenCalledWith({ conversation: 'cv_1', prose: 'It is dark blue.' });
  expect(summary.versions.map(({ version, author, prose }) => `${version} ${author}: ${prose}`)).toEqual([
    '2 person: It is dark blue.',
    '1 rule: It is blue.',
  ]);
  expect(summary.edit).toBeNull();
});

test('what is being written stays while one looks elsewhere, and is told from a version that came meanwhile', async () => {
  const { summary, record } = kept();
  await summary.show('cv_1');
  summary.begin();
  summary.change('It is');
  await summary.show('cv_2');
  expect([summary.newest?.prose, summary.edit]).toEqual(['It is green.', null]);
  record.set('cv_1', [version(2, 'It is blue and red.'), version(1, 'It is blue.')]);
  await summary.show('cv_1');
  expect([summary.newest?.version, summary.edit]).toEqual([2, { prose: 'It is', version: 1 }]);
  summary.cancel();
  expect(summary.edit).toBeNull();
});

test('a text that was not kept is not lost', async () => {
  const { summary, write } = kept();
  await summary.show('cv_1');
  summary.begin();
  summary.change('It is red.');
  write.mockRejectedValueOnce(new Error('full'));
  await expect(summary.save()).rejects.toThrow('full');
  expect([summary.edit?.prose, summary.isSaving]).toEqual(['It is red.', false]);
});

test('an answer for a conversation that was left is not shown here', async () => {
  const { summary, read } = kept();
  let give: (versions: SummaryView[]) => void = () => undefined;
  read.mockReturnValueOnce(new Promise((done) => (give = done)));
  const reading = summary.show('cv_1');
  await summary.show('cv_2');
  give([version(1, 'It is blue.')]);
  await reading;
  expect(summary.newest?.prose).toBe('It is green.');
  await summary.show(null);
  expect(summary.newest).toBeNull();
});
