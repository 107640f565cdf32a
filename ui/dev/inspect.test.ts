import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import App from '../src/App.svelte';
import type { Backend } from '../src/ipc/backend';
import type { RequestView } from '../src/ipc/generated/types';
import { Fake } from './fake';

/** The inspector as a person meets it: what happened, where a text went, what differs, the bytes, evidence. */

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(language: 'en' | 'zh' = 'en', state = 'usual', over: Partial<Backend> = {}) {
  const fake = new Fake({ state, theme: 'light', language, speed: 0 });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: { ...fake.backend, ...over } });
  await screen.findByText(/How do I run and verify|Tidewatch/, { selector: 'h2.question' });
  const composer = screen.queryByRole('textbox', { name: language === 'en' ? 'Your question' : '你的问题' });
  if (composer) await waitFor(() => expect(composer).toHaveFocus());
  return { fake, user };
}

async function toRequest(language: 'en' | 'zh' = 'en', over: Partial<Backend> = {}) {
  const opened = await open(language, 'usual', over);
  await opened.user.click(screen.getByRole('tab', { name: language === 'en' ? 'Request' : '请求' }));
  const panel = within(await screen.findByRole('tabpanel'));
  await panel.findByLabelText(language === 'en' ? 'What happened in this turn' : '这一轮发生了什么');
  return { ...opened, panel };
}

test('the panel says in words what happened before it shows any bar', async () => {
  const { panel } = await toRequest();
  const said = panel.getByLabelText('What happened in this turn');
  expect(said.textContent).toMatch(
    /^The model was asked .* to work\. The answer was then written from a clean request/,
  );
  const bar = panel.getAllByRole('img')[0];
  expect(said.compareDocumentPosition(bar as Node) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
});

test('models_m1_a_cut_fact_is_found_from_the_answer_with_three_keys', async () => {
  const { fake, user } = await open();
  (document.activeElement as HTMLElement).blur();
  await user.keyboard('w');
  const field = await screen.findByRole('searchbox', { name: 'The text that is looked for' });
  await waitFor(() => expect(field).toHaveFocus());
  await user.paste('the pier is closed');
  await user.keyboard('{Enter}');
  const row = await screen.findByRole('button', { name: /cut off: it is on line 57, lines 1–40 of 312 are there/ });
  expect(fake.asked.filter(({ command }) => command === 'where_read')).toHaveLength(1);
  expect(screen.getByText('says another value')).toBeVisible();
  await user.click(row);
  // The block that it names is open in the request that it names.
  await waitFor(() => expect(document.querySelector('li.looked button[aria-expanded=true]')).not.toBeNull());
});

test('a block that is opened in a request is not opened in the next one', async () => {
  const { user, panel } = await toRequest();
  await user.click(panel.getByRole('button', { name: 'Next request' }));
  await screen.findByRole('region', { name: 'Next request' });
  await user.click(panel.getByText('Exact bytes'));
  await user.click(await panel.findByText(/You are Recto, an assistant that answers/, { selector: 'span.piece' }));
  await waitFor(() => expect(document.querySelectorAll('li.looked')).toHaveLength(1));
  expect(document.querySelectorAll('li button.line[aria-expanded=true]')).toHaveLength(1);
  // Another request begins with none.
  const work = document.querySelectorAll<HTMLElement>('li button[aria-pressed] .bar')[0]?.closest('button');
  await user.click(work as HTMLElement);
  await waitFor(() => expect(document.querySelectorAll('li.looked')).toHaveLength(0));
});

test('a text that never entered is said to stand elsewhere', async () => {
  const { user } = await toRequest();
  (document.activeElement as HTMLElement).blur();
  await user.keyboard('w');
  const field = await screen.findByRole('searchbox', { name: 'The text that is looked for' });
  await waitFor(() => expect(field).toHaveFocus());
  await user.paste('unread');
  await user.keyboard('{Enter}');
  expect(await screen.findByText('It never entered this conversation. It stands')).toBeVisible();
  expect(
    screen.getByText('in the answer of another conversation or branch, “Trip to Oslo”: word for word'),
  ).toBeVisible();
  expect(
    screen.getByText('in the file notes/keys.md, line 12, which no tool read: nearly: letters differ'),
  ).toBeVisible();
});

test('models_m1_the_tokens_of_a_request_are_shown_with_their_numbers_and_copied_as_numbers', async () => {
  const { user, panel } = await toRequest();
  await user.click(panel.getByText('Exact bytes'));
  await panel.findByText(/You are Recto, an assistant that answers/, { selector: 'span.piece' });
  await user.click(panel.getByRole('button', { name: 'Tokens' }));
  const first = await panel.findByText('<|im_start|>', { selector: 'span.token' });
  expect(first.title).toBe('151644');
  expect(panel.getByText('You', { selector: 'span.token' }).title).toMatch(/^2610 · /);
  await user.click(panel.getByRole('button', { name: 'Copy the bytes' }));
  expect(await navigator.clipboard.readText()).toBe('[151644,8948,2610,525,4371,983]');
});

test('a text that is nowhere is said to be nowhere, with what to try', async () => {
  const { user } = await toRequest();
  const flags = screen.getAllByRole('button', { name: 'Why did it not use …?' });
  await user.click(flags.at(-1) as HTMLElement);
  const field = await screen.findByRole('searchbox', { name: 'The text that is looked for' });
  await user.type(field, 'nowhere at all{Enter}');
  expect(await screen.findByText(/Try fewer words, or only the number/)).toBeVisible();
});

test('work and answer are compared, with where their common beginning ends and what that cost', async () => {
  const { user, panel } = await toRequest();
  await user.click(panel.getByText('Compare with another request'));
  expect(
    await panel.findByText(
      /The first 40 % of the bytes are the same; .* After it 940 tokens had to be read\. The model reused 798 tokens/,
    ),
  ).toBeVisible();
  expect(panel.getAllByText('new').length).toBeGreaterThan(0);
  expect(panel.getAllByText('gone').length).toBeGreaterThan(0);
});

test('a stretch of the bytes leads to its block, and the command that sends them again is copied', async () => {
  const { user, panel } = await toRequest();
  await user.click(panel.getByText('Exact bytes'));
  const stretch = await panel.findByText(/You are Recto, an assistant that answers/, { selector: 'span.piece' });
  await user.click(stretch);
  await waitFor(() => expect(document.querySelector('li.looked')).not.toBeNull());
  expect(panel.getByText(/data: \[DONE\]/)).toBeVisible();
  await user.click(panel.getByRole('button', { name: 'Copy as curl' }));
  expect(await navigator.clipboard.readText()).toMatch(/^curl -N /);
});

test('the arrows go from request to request and from block to block', async () => {
  const { user, panel } = await toRequest();
  const chosen = document.querySelector<HTMLElement>('li button[aria-pressed=true] .bar')?.closest('button');
  chosen?.focus();
  expect(document.activeElement?.textContent).toMatch(/Answer/);
  await user.keyboard('{ArrowUp}');
  await waitFor(() => expect(document.activeElement?.textContent).toMatch(/Work/));
  const bar = panel.getByRole('group', { name: 'Look at a block with ← and →, open it with Enter' });
  bar.focus();
  await user.keyboard('{ArrowRight}');
  expect(within(bar).getByRole('status').textContent).toMatch(/tokens$/);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.querySelector('li.looked button[aria-expanded=true]')).not.toBeNull());
});

test('evidence is saved with what was chosen and what is to be unreadable', async () => {
  const { fake, user, panel } = await toRequest();
  await user.click(panel.getByRole('button', { name: 'Save as evidence…' }));
  await user.click(screen.getByRole('radio', { name: 'The whole conversation', hidden: true }));
  await user.type(screen.getByLabelText('Make unreadable'), 'Ms Dahl\n\n12 Pier Road');
  await user.click(screen.getByRole('button', { name: 'Choose a folder and save', hidden: true }));
  expect(
    await screen.findByText(/^Saved: .*Oslo\.recto Something was made unreadable in 2 texts\.$/),
  ).toBeInTheDocument();
  const saved = fake.asked.find(({ command }) => command === 'evidence_save')?.args;
  expect(saved).toMatchObject({ isConversation: true, isPage: false, redacted: ['Ms Dahl', '12 Pier Road'] });
});

test('a window that looks into evidence says so and takes no question', async () => {
  await open('en', 'evidence');
  expect(await screen.findByRole('note')).toHaveTextContent(
    /This is a file of evidence with 2 turns, .* It can be looked into and not changed\. Texts in it were made unreadable\./,
  );
  expect(screen.queryByRole('textbox', { name: 'Your question' })).toBeNull();
});

test('a turn of forty requests stays a short list', async () => {
  const many = (all: RequestView[]): RequestView[] => {
    const work = all[0];
    if (!work) return all;
    return [
      ...Array.from({ length: 40 }, (_, at) => ({ ...work, id: `${work.turn}-m${at}`, number: at + 1 })),
      ...all.slice(-1).map((answer) => ({ ...answer, number: 41 })),
    ];
  };
  const fake = new Fake({ state: 'usual', theme: 'light', language: 'en', speed: 0 });
  const { panel } = await toRequest('en', {
    turn_requests: async (args) => many(await fake.backend.turn_requests(args)),
  });
  expect(panel.getByText(/^The model was asked 40 times to work/)).toBeVisible();
  expect(document.querySelector('ul.many')?.children).toHaveLength(41);
});

test.each(['en', 'zh'] as const)('axe finds nothing wrong with the inspector in %s', async (language) => {
  const { user } = await toRequest(language);
  await user.keyboard('{Escape}');
  (document.activeElement as HTMLElement).blur();
  await user.keyboard('w');
  const name = language === 'en' ? 'The text that is looked for' : '要查找的文字';
  await user.type(await screen.findByRole('searchbox', { name }), 'the pier{Enter}');
  await screen.findByText(language === 'en' ? 'says another value' : '说的是另一个值');
  const { violations } = await axe.run(document, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
});

test('models_m4_an_answer_from_a_shortened_prompt_is_marked_with_both_numbers', async () => {
  const fake = new Fake({ state: 'usual', theme: 'light', language: 'en', speed: 0 });
  await open('en', 'usual', {
    conversation_read: async (args) => {
      const view = await fake.backend.conversation_read(args);
      const turns = view.turns.map((turn) => ({
        ...turn,
        shortened: { ...turn.shortened, nRead: 16_387, ofRead: 160_000 },
      }));
      return { ...view, turns };
    },
  });
  const marks = await screen.findAllByText(/The server says it read 16,387 tokens of about 160,000 that were sent/);
  expect(marks[0]).toBeVisible();
});
