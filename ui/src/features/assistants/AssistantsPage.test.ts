import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Fake } from '../../../dev/fake';
import App from '../../App.svelte';

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open() {
  const fake = new Fake({ state: 'usual', theme: 'light', language: 'en', speed: 0 });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: fake.backend });
  const composer = await screen.findByRole('textbox', { name: 'Your question' });
  await waitFor(() => expect(composer).toHaveFocus());
  return { fake, user, composer };
}

const list = () => within(screen.getByRole('navigation', { name: 'Assistants' }));
const saved = (fake: Fake, command: string) =>
  fake.asked.filter((one) => one.command === command).map(({ args }) => args);

async function toSkipper() {
  const opened = await open();
  opened.composer.blur();
  await opened.user.keyboard('a');
  await screen.findByRole('heading', { level: 1, name: 'Assistants' });
  await opened.user.click(await list().findByRole('button', { name: 'Skipper' }));
  await screen.findByRole('textbox', { name: 'Instructions' });
  return opened;
}

test('the assistant of the program shows its rules and can only be copied', async () => {
  const { user, composer } = await open();
  composer.blur();
  await user.keyboard('a');
  await screen.findByText(/You are Recto, a careful assistant/);
  expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('Copy of Recto'));
});

test('what is typed is saved after a moment, all of it, and the list follows', async () => {
  const { fake, user } = await toSkipper();
  const name = screen.getByRole('textbox', { name: 'Name' });
  await user.clear(name);
  await user.type(name, 'Mate');
  await user.type(screen.getByRole('textbox', { name: 'Instructions' }), ' Be brief.');
  await user.click(screen.getByRole('radio', { name: '简体中文' }));
  await user.click(screen.getByRole('checkbox', { name: 'Write files, each with your yes' }));
  expect(screen.getByText('Not saved yet…')).toBeVisible();
  await waitFor(() => expect(screen.getByText('Saved')).toBeVisible());
  expect(saved(fake, 'assistant_write').at(-1)).toEqual({
    assistant: 'as_1',
    name: 'Mate',
    instructions: 'Answer like a sailor, in three sentences at most. Be brief.',
    replyLanguage: 'zh',
    folder: null,
    model: 'server',
    tools: ['reading', 'writing', 'memories'],
  });
  await list().findByRole('button', { name: 'Mate' });
});

test('another assistant is opened only after what was typed is saved, and a failure keeps it on the page', async () => {
  const { fake, user } = await toSkipper();
  const text = screen.getByRole('textbox', { name: 'Text of “The boat”' });
  fake.given.fault = 'the disk is full';
  await user.type(text, ' She is blue.');
  await user.click(list().getByRole('button', { name: /^Recto/ }));
  await screen.findByText(/Not saved. It stays here/);
  expect(text).toHaveValue('She is called Petrel, is 9.4 metres long and lies in Oslo. She is blue.');
  fake.given.fault = null;
  await user.click(list().getByRole('button', { name: /^Recto/ }));
  await screen.findByText(/You are Recto, a careful assistant/);
  expect(fake.given.assistants[0]?.knowledge[0]?.text).toBe(
    'She is called Petrel, is 9.4 metres long and lies in Oslo. She is blue.',
  );
});

test('texts and files are added, counted, moved and taken away, and a missing file says so', async () => {
  const { fake, user } = await toSkipper();
  expect(screen.getByText('There is no file `tides.md` in its folder any more.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Add a text' }));
  const text = await screen.findByRole('textbox', { name: 'Text of “Text 3”' });
  await waitFor(() => expect(text).toHaveFocus());
  await user.keyboard('Tea at four.');
  expect(screen.getByText('12 characters')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Move “Text 3” up' }));
  const order = () => fake.given.assistants[0]?.knowledge.map(({ title }) => title);
  await waitFor(() => expect(order()).toEqual(['The boat', 'Text 3', 'tides.md']));
  await user.click(screen.getByRole('button', { name: 'Add a file…' }));
  await screen.findByText('/home/ada/boat/log.md');
  expect(screen.getByText(/1,910 characters in every request\./)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Take “tides.md” away' }));
  await waitFor(() => expect(order()).toEqual(['The boat', 'Text 3', 'log.md']));
  expect(screen.getByRole('textbox', { name: 'Text of “Text 3”' })).toHaveValue('Tea at four.');
});

test('an assistant is deleted after a question', async () => {
  const { fake, user } = await toSkipper();
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const question = within(screen.getByRole('dialog'));
  await user.click(question.getByRole('button', { name: 'Cancel' }));
  expect(fake.given.assistants).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }));
  await screen.findByText('You have made no assistant yet. A copy of Recto is a good beginning.');
  expect(fake.given.assistants).toHaveLength(0);
});

test('who works is chosen above the conversation, and a new one begins with the same', async () => {
  const { fake, user, composer } = await open();
  await user.click(screen.getByRole('button', { name: 'Assistant: Recto' }));
  await user.click(screen.getByRole('menuitemradio', { name: 'Skipper' }));
  expect(saved(fake, 'assistant_choose')).toEqual([{ conversation: expect.stringMatching(/^cv_/), assistant: 'as_1' }]);
  expect(screen.getByRole('button', { name: 'Model: Qwen2.5 Coder 1.5B' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: /^New conversation/ }));
  // An empty page takes over the model of its assistant.
  expect(screen.getByRole('button', { name: 'Model: gemma-3-12b' })).toBeVisible();
  await user.type(composer, 'Ahoy{Enter}');
  await waitFor(() => expect(fake.asked.at(-1)).toMatchObject({ command: 'turn_start', args: { assistant: 'as_1' } }));
});

test('axe finds nothing wrong with the page', async () => {
  await toSkipper();
  vi.useRealTimers();
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
});
