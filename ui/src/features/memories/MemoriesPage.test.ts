import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Fake } from '../../../dev/fake';
import App from '../../App.svelte';
import { ARMING_MS } from '../../view/arming';

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(language: 'en' | 'zh' = 'en', state = 'usual') {
  const fake = new Fake({ state, theme: 'light', language, speed: 0 });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: fake.backend });
  const composer = await screen.findByRole('textbox', { name: language === 'en' ? 'Your question' : '你的问题' });
  await waitFor(() => expect(composer).toHaveFocus());
  return { fake, user, composer };
}

async function toPage(language: 'en' | 'zh' = 'en') {
  const opened = await open(language);
  opened.composer.blur();
  await opened.user.keyboard('m');
  await screen.findByRole('heading', { level: 1, name: language === 'en' ? 'Memories' : '记忆' });
  await screen.findByText('Prefers metric units.');
  return opened;
}

const sentences = () =>
  screen.getAllByRole('listitem').flatMap((line) => {
    const text = line.querySelector('.text')?.textContent;
    return text ? [text] : [];
  });
const asked = (fake: Fake, command: string) =>
  fake.asked.filter((one) => one.command === command).map(({ args }) => args);

test('what is known is listed with where it comes from, and a search narrows it', async () => {
  const { user } = await toPage();
  expect(sentences()).toEqual(['Is allergic to nuts.', 'Prefers metric units.', '喜欢简短的回答']);
  expect(screen.getByText('written by you')).toBeVisible();
  expect(screen.getByText('from a conversation that was deleted')).toBeVisible();
  await user.type(screen.getByRole('searchbox', { name: 'Search the memories' }), 'metric');
  expect(sentences()).toEqual(['Prefers metric units.']);
  await user.type(screen.getByRole('searchbox', { name: 'Search the memories' }), ' tea');
  expect(screen.getByText('No memory has “metric tea” in it.')).toBeVisible();
});

test('a sentence leads to its conversation', async () => {
  const { user, composer } = await toPage();
  await user.click(screen.getByRole('button', { name: 'from “Trip to Oslo”' }));
  await waitFor(() => expect(composer).toBeVisible());
  expect(screen.queryByRole('heading', { level: 1, name: 'Memories' })).toBeNull();
});

test('a sentence is added, pinned and changed in place, and Escape leaves it as it was', async () => {
  const { fake, user } = await toPage();
  await user.type(screen.getByRole('textbox', { name: 'A sentence to remember' }), ' Likes tea. {Enter}');
  await waitFor(() => expect(sentences()).toContain('Likes tea.'));
  expect(asked(fake, 'memory_add')).toEqual(['Likes tea.']);
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'A sentence to remember' })).toHaveValue(''));
  await user.click(screen.getByRole('button', { name: 'Pin “Likes tea.”' }));
  await screen.findByRole('button', { name: 'Unpin “Likes tea.”' });
  await user.click(screen.getByRole('button', { name: 'Change “Likes tea.”' }));
  await user.keyboard('{Control>}a{/Control}Likes green tea.{Enter}');
  await waitFor(() => expect(sentences()).toContain('Likes green tea.'));
  await user.click(screen.getByRole('button', { name: 'Change “Likes green tea.”' }));
  await user.keyboard('never mind{Escape}');
  expect(sentences()).toContain('Likes green tea.');
  // Escape ended the change and did not close the page.
  expect(screen.getByRole('heading', { level: 1, name: 'Memories' })).toBeVisible();
});

test('what was forgotten can be brought back, and the focus is never lost', async () => {
  const { user } = await toPage();
  await user.click(screen.getByRole('button', { name: 'Forget “Prefers metric units.”' }));
  await screen.findByText('Forgotten: Prefers metric units.');
  expect(sentences()).not.toContain('Prefers metric units.');
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'A sentence to remember' })).toHaveFocus());
  await user.click(screen.getByRole('button', { name: 'Bring it back' }));
  await waitFor(() => expect(sentences()).toContain('Prefers metric units.'));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'A sentence to remember' })).toHaveFocus());
});

test('what one says about oneself is saved, and a failure says so and loses nothing', async () => {
  const { fake, user } = await toPage();
  const about = screen.getByRole('textbox', { name: 'About you' });
  await waitFor(() => expect(about).toHaveValue('I am Ada and live in Oslo.'));
  await user.type(about, ' I sail.');
  expect(screen.getByText('Not saved yet…')).toBeVisible();
  await waitFor(() => expect(screen.getByText('Saved')).toBeVisible());
  expect(fake.given.profile).toBe('I am Ada and live in Oslo. I sail.');
  fake.given.fault = 'the disk is full';
  await user.type(about, '!');
  await screen.findByText(/Not saved. It stays here/);
  expect(about).toHaveValue('I am Ada and live in Oslo. I sail.!');
  fake.given.fault = null;
  await user.type(about, '!');
  // It is saved even where the page is left before the pause is over.
  await user.click(screen.getByRole('button', { name: 'Close the page' }));
  await waitFor(() => expect(fake.given.profile).toBe('I am Ada and live in Oslo. I sail.!!'));
});

test('permission_p2_the_rule_that_nothing_is_asked_is_given_on_the_card_and_taken_back_on_the_page', async () => {
  const { fake, user, composer } = await open('en', 'memory');
  await user.type(composer, 'Remember that I prefer metric units{Enter}');
  const card = await screen.findByRole('region', { name: 'A change waits for your yes' });
  expect(within(card).getByText('Remember this?')).toBeVisible();
  expect(within(card).getByText('Prefers metric units.')).toBeVisible();
  expect(within(card).queryByText('memories')).toBeNull();
  await user.click(within(card).getByRole('checkbox', { name: 'Always remember without asking' }));
  // The rule alone does nothing: it goes with a yes.
  expect(asked(fake, 'memory_always')).toEqual([]);
  await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
  await user.click(within(card).getByRole('button', { name: 'Approve' }));
  await waitFor(() => expect(asked(fake, 'approval_answer')).toHaveLength(1));
  expect(fake.asked.map(({ command }) => command).slice(-2)).toEqual(['memory_always', 'approval_answer']);
  await user.click(screen.getByRole('button', { name: /^Memories/ }));
  const rule = await screen.findByRole('checkbox', { name: 'Remember without asking' });
  await waitFor(() => expect(rule).toBeChecked());
  await user.click(rule);
  expect(asked(fake, 'memory_always')).toEqual([true, false]);
});

test('a no with the rule ticked allows nothing', async () => {
  const { fake, user, composer } = await open('en', 'memory');
  await user.type(composer, 'Remember that I prefer metric units{Enter}');
  const card = await screen.findByRole('region', { name: 'A change waits for your yes' });
  await user.click(within(card).getByRole('checkbox', { name: 'Always remember without asking' }));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(asked(fake, 'approval_answer')).toHaveLength(1));
  expect(asked(fake, 'memory_always')).toEqual([]);
});

test.each(['en', 'zh'] as const)('axe finds nothing wrong with the page in %s', async (language) => {
  await toPage(language);
  vi.useRealTimers();
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
});
