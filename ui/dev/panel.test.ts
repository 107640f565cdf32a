import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import App from '../src/App.svelte';
import type { Backend } from '../src/ipc/backend';
import type { ReplacedView } from '../src/ipc/generated/types';
import { Fake } from './fake';

/** The next request and the summary in the Request panel, as a person meets them. */

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(over: Partial<Backend> = {}) {
  const fake = new Fake({ state: 'folded', theme: 'light', language: 'en', speed: 0 });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: { ...fake.backend, ...over } });
  const composer = await screen.findByRole('textbox', { name: 'Your question' });
  await waitFor(() => expect(composer).toHaveFocus());
  const previews = () => fake.asked.filter(({ command }) => command === 'preview_read').map(({ args }) => args);
  return { fake, user, composer, previews };
}

const NOTE = 'One earlier exchange no longer fits and is in the summary now (version 2)';

async function toSummary(over: Partial<Backend> = {}) {
  const opened = await open(over);
  await opened.user.click(await screen.findByRole('button', { name: NOTE }));
  const panel = within(await screen.findByRole('tabpanel', { name: 'Request' }));
  await panel.findByText(/The folder holds a small tide server/);
  return { ...opened, panel };
}

async function toNext() {
  const opened = await open();
  await opened.user.keyboard('{Control>}k{/Control}');
  await opened.user.type(await screen.findByRole('combobox'), 'next request{Enter}');
  const next = within(await screen.findByRole('region', { name: 'Next request' }));
  await next.findByText(/everything fits/);
  return { ...opened, next };
}

test('the next request is composed only while someone looks, with what is typed and chosen', async () => {
  const { user, composer, previews } = await open();
  await user.type(composer, 'Why');
  await user.click(screen.getByRole('tab', { name: 'Request' }));
  await vi.advanceTimersByTimeAsync(1000);
  expect(previews()).toEqual([]);
  const row = screen.getByRole('button', { name: 'Next request' });
  expect(row).toHaveAttribute('aria-pressed', 'false');
  await user.click(row);
  expect(row).toHaveAttribute('aria-pressed', 'true');
  await screen.findByText('The next question would be sent with 1,996 tokens; everything fits.');
  const before = previews().length;
  await user.type(composer, '?!');
  await vi.advanceTimersByTimeAsync(400);
  await screen.findByText('The next question would be sent with 1,998 tokens; everything fits.');
  expect(previews().slice(before)).toEqual([
    {
      conversation: expect.any(String),
      question: 'Why?!',
      folder: 'fd_1',
      assistant: null,
      model: 'qwen',
      window: null,
    },
  ]);
  await user.click(row);
  await user.type(composer, ' And how');
  await vi.advanceTimersByTimeAsync(1000);
  expect(previews()).toHaveLength(before + 1);
});

test('a smaller window shows what would not fit, and its right end is the model’s own', async () => {
  const { next, previews } = await toNext();
  const slider = next.getByRole('slider', { name: /Window/ });
  expect(slider).toHaveAttribute('aria-valuetext', '8,192 tokens, the model’s own');
  await fireEvent.input(slider, { target: { value: '3072' } });
  await vi.advanceTimersByTimeAsync(200);
  await next.findByText(/one earlier exchange would enter the summary first/);
  expect(slider).toHaveAttribute('aria-valuetext', '3,072 tokens');
  expect(next.getByText(/^the oldest exchanges go first when not all fits/)).toBeVisible();
  await fireEvent.input(slider, { target: { value: '1024' } });
  await vi.advanceTimersByTimeAsync(200);
  await next.findByText(/Nothing could be sent: this does not fit/);
  await fireEvent.input(slider, { target: { value: '8192' } });
  await vi.advanceTimersByTimeAsync(200);
  await next.findByText(/everything fits/);
  const windows = previews().map((args) => (args as { window: number | null }).window);
  expect(windows.slice(-4)).toEqual([null, 3072, 1024, null]);
});

test('blocks of the next request are read and searched like those of a real one', async () => {
  const { user, composer, next } = await toNext();
  await user.type(composer, 'Where is the harbour?');
  await vi.advanceTimersByTimeAsync(400);
  await next.findByText(/sent with 2,014 tokens/);
  expect(next.getByRole('heading', { name: 'What would be sent' })).toBeVisible();
  expect(next.getByText('Nothing would be left out.')).toBeVisible();
  await user.type(next.getByRole('searchbox', { name: 'Find in these blocks' }), 'harbour');
  expect(next.getByText('in one block')).toBeVisible();
});

test('what cannot be composed is said in its place', async () => {
  const detail = 'Nothing answers at http://127.0.0.1:8080. Start the server or choose another model.';
  const { user } = await open({
    preview_read: () => Promise.reject({ code: 'modelUnusable', params: {}, detail }),
  });
  await user.click(screen.getByRole('tab', { name: 'Request' }));
  await user.click(screen.getByRole('button', { name: 'Next request' }));
  expect(await screen.findByText(`This model cannot be used: ${detail}`)).toBeVisible();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('assembly_e9_a_turn_says_what_it_lacks_and_leads_to_the_summary', async () => {
  const { panel } = await toSummary();
  expect(screen.getByText(/the model is given 3,100 of its 52,000 tokens, beginning and end/)).toBeVisible();
  const summary = panel.getByText('Earlier, in short');
  await waitFor(() => expect(summary).toHaveFocus());
  expect(panel.getByText(/^Version 2 · written by the model · .* stands for 3 exchanges$/)).toBeVisible();
  expect(panel.getByText('notes/run.md', { selector: '.section > ul li' })).toBeVisible();
  expect(panel.getByText('Do not touch the Makefile.', { selector: '.section > ul li' })).toBeVisible();
});

test('assembly_e9_from_the_summary_one_press_leads_to_the_original_words_of_an_earlier_page', async () => {
  const { user, panel } = await toSummary();
  expect(screen.queryByRole('article', { name: 'What is in it?' })).toBeNull();
  const scrolled: string[] = [];
  const spy = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.id);
  });
  const all = within(panel.getByRole('list', { name: 'Every exchange that it stands for' }));
  await user.click(all.getByRole('button', { name: 'What is in it?' }));
  const article = await screen.findByRole('article', { name: 'What is in it?' });
  await waitFor(() => expect(scrolled).toEqual([article.id]));
  // What a rule took leads there line by line.
  await user.click(panel.getByText(/^Version 1 · taken by rule/));
  await user.click(panel.getByRole('button', { name: '- Does it run? → Yes, it does.' }));
  await waitFor(() => expect(scrolled.at(-1)).toBe(screen.getByRole('article', { name: 'Does it run?' }).id));
  spy.mockRestore();
});

test('assembly_e9_the_text_of_the_summary_is_changed_and_the_focus_comes_back', async () => {
  const { user, panel, fake } = await toSummary();
  const change = () => panel.getByRole('button', { name: 'Change the text' });
  await user.click(change());
  const field = panel.getByRole('textbox', { name: 'Text of the summary' });
  expect(field).toHaveFocus();
  await user.clear(field);
  expect(panel.getByRole('button', { name: 'Save' })).toBeDisabled();
  await user.type(field, 'It is a tide server.');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  await panel.findByText('It is a tide server.');
  expect(panel.getByText(/^Version 3 · written by you/)).toBeVisible();
  expect(fake.asked.at(-1)).toMatchObject({ command: 'summary_edit', args: { prose: 'It is a tide server.' } });
  await waitFor(() => expect(change()).toHaveFocus());
  await user.click(change());
  await user.click(panel.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(change()).toHaveFocus());
});

test('a text that cannot be kept stays in its field', async () => {
  const { user, panel } = await toSummary({ summary_edit: () => Promise.reject(new Error('the disk is full')) });
  await user.click(panel.getByRole('button', { name: 'Change the text' }));
  await user.type(panel.getByRole('textbox', { name: 'Text of the summary' }), ' More.');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('the disk is full');
  expect(panel.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text of the summary' }).value).toMatch(/ More\.$/);
});

test('axe finds nothing wrong with the next request and the summary', async () => {
  const { user, panel } = await toSummary();
  await user.click(panel.getByRole('button', { name: 'Next request' }));
  await panel.findByText(/everything fits/);
  await user.click(panel.getByRole('button', { name: 'Change the text' }));
  vi.useRealTimers();
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
});

test('a write is undone from the audit tab, and a refusal is said in words', async () => {
  const write: ReplacedView = {
    id: 7,
    conversation: 'elsewhere',
    folder: '/notes',
    path: 'list.md',
    to: null,
    operation: 'delete',
    atMs: Date.now(),
  };
  let writes = [write, { ...write, id: 6, path: 'mine.md', to: 'old/mine.md', operation: 'move' as const }];
  const undone: number[] = [];
  const { user } = await open({
    undo_list: async () => writes,
    undo_write: async ({ id }) => {
      const detail =
        '`mine.md` was changed after Recto wrote it, so it was left as it is. Undo the later change first, or copy what you need.';
      if (id === 6) throw { code: 'failed', params: {}, detail };
      undone.push(id);
      writes = writes.filter((one) => one.id !== id);
    },
  });
  await user.click(await screen.findByRole('tab', { name: 'Audit' }));
  const panel = within(await screen.findByRole('tabpanel', { name: 'Audit' }));
  await user.click(await panel.findByRole('checkbox', { name: 'Only this conversation' }));
  await user.click(await panel.findByText('Changes that can be undone: 2'));
  await user.click(panel.getByRole('button', { name: 'Undo the change of list.md' }));
  await panel.findByText('Changes that can be undone: 1');
  expect(undone).toEqual([7]);
  expect(panel.getByText('moved')).toBeVisible();
  await user.click(panel.getByRole('button', { name: 'Undo the change of mine.md → old/mine.md' }));
  await screen.findByText(/was changed after Recto wrote it/);
  expect(panel.getByRole('button', { name: 'Undo the change of mine.md → old/mine.md' })).toBeEnabled();
});
