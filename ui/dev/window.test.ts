import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import App from '../src/App.svelte';
import { ARMING_MS } from '../src/view/arming';
import { Fake } from './fake';

/** The whole window on the fake backend, as a person meets it. */

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(state = 'usual', speed = 0) {
  const fake = new Fake({ state, theme: 'light', language: 'en', speed });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: fake.backend });
  const composer = await screen.findByRole('textbox', { name: 'Your question' });
  await waitFor(() => expect(composer).toHaveFocus());
  return { fake, user, composer };
}

const card = () => screen.findByRole('region', { name: 'A change waits for your yes' });
const answers = (fake: Fake) =>
  fake.asked.filter(({ command }) => command === 'approval_answer').map(({ args }) => args);

async function toCard() {
  const opened = await open();
  await opened.user.type(opened.composer, 'Write it down{Enter}');
  await card();
  return opened;
}

describe('an approval card', () => {
  test('permission_p5_the_focus_starts_on_deny_and_approve_arms_later', async () => {
    await toCard();
    const deny = within(await card()).getByRole('button', { name: 'Deny' });
    expect(deny).toHaveFocus();
    const approve = within(await card()).getByRole('button', { name: 'Approve' });
    expect(approve).toBeDisabled();
    vi.advanceTimersByTime(ARMING_MS + 50);
    await waitFor(() => expect(approve).toBeEnabled());
    expect(deny).toHaveFocus();
  });

  test('permission_p3_it_shows_the_path_the_sizes_and_the_change', async () => {
    await toCard();
    const shown = within(await card());
    expect(shown.getByText('notes/run.md')).toBeVisible();
    expect(shown.getByText('new file, 148 B')).toBeVisible();
    expect(shown.getByText('7 lines added, 0 removed')).toBeInTheDocument();
    expect(shown.getByText('- Start: `make serve PORT=7070`')).toBeVisible();
  });

  test('permission_p5_escape_denies', async () => {
    const { fake, user } = await toCard();
    await user.keyboard('{Escape}');
    await waitFor(() =>
      expect(answers(fake)).toEqual([{ approval: expect.stringMatching(/ap1$/), isApproved: false }]),
    );
  });

  test('permission_p9_cards_come_one_by_one_and_a_second_click_has_no_effect', async () => {
    const { fake, user, composer } = await toCard();
    vi.advanceTimersByTime(ARMING_MS + 50);
    const approve = within(await card()).getByRole('button', { name: 'Approve' });
    await waitFor(() => expect(approve).toBeEnabled());
    await user.dblClick(approve);
    await waitFor(() => expect(screen.getByText('Makefile')).toBeVisible());
    const second = within(await card());
    // The next card begins closed, so the second click could not fall through to it.
    expect(second.getByRole('button', { name: 'Approve' })).toBeDisabled();
    await user.click(second.getByRole('button', { name: 'Deny' }));
    expect(answers(fake)).toEqual([{ approval: expect.stringMatching(/ap1$/), isApproved: true }]);
    vi.advanceTimersByTime(ARMING_MS + 50);
    await waitFor(() => expect(second.getByRole('button', { name: 'Approve' })).toBeEnabled());
    expect(second.getByText('Another program runs or obeys this file later.')).toBeVisible();
    await user.click(second.getByRole('button', { name: 'Deny' }));
    await waitFor(() => expect(answers(fake)).toHaveLength(2));
    // The last card gives the focus back.
    await waitFor(() => expect(composer).toHaveFocus());
  });

  test('permission_p5_keys_that_were_under_way_answer_nothing_and_do_nothing_else', async () => {
    const { fake, user } = await toCard();
    await user.keyboard(' n{Enter}');
    expect(answers(fake)).toEqual([]);
    expect(within(await card()).getByText('notes/run.md')).toBeVisible();
    vi.advanceTimersByTime(ARMING_MS + 50);
    await user.keyboard(' ');
    await waitFor(() =>
      expect(answers(fake)).toEqual([{ approval: expect.stringMatching(/ap1$/), isApproved: false }]),
    );
  });

  test('permission_p5_whoever_writes_keeps_the_focus_and_tab_leads_to_the_card', async () => {
    const { fake, user, composer } = await open('usual', 1);
    await user.type(composer, 'Write it down{Enter}');
    await waitFor(() => expect(composer).toHaveValue(''));
    await user.type(composer, 'and then');
    await vi.advanceTimersByTimeAsync(10_000);
    await card();
    expect(composer).toHaveFocus();
    await user.keyboard(' this');
    expect(composer).toHaveValue('and then this');
    expect(answers(fake)).toEqual([]);
    expect(screen.getByRole('button', { name: '2 questions wait for your yes' })).toBeVisible();
    await user.keyboard('{Tab}');
    expect(within(await card()).getByRole('button', { name: 'Deny' })).toHaveFocus();
    expect(screen.queryByRole('button', { name: '2 questions wait for your yes' })).toBeNull();
  });

  test('permission_p3_a_change_that_is_not_shown_whole_cannot_be_approved_and_says_why', async () => {
    const { user, composer, fake } = await open('long');
    await user.type(composer, 'Write it down{Enter}');
    const shown = within(await card());
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    expect(shown.getByRole('button', { name: 'Approve' })).toBeDisabled();
    expect(shown.getByText('Show all lines first: your yes is for what you have seen.')).toBeVisible();
    await user.click(shown.getByRole('button', { name: 'Show all 900 lines' }));
    await waitFor(() => expect(shown.getByRole('button', { name: 'Approve' })).toBeEnabled());
    await user.click(shown.getByRole('button', { name: 'Approve' }));
    await waitFor(() => expect(screen.getByText('Makefile')).toBeVisible());
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    const second = within(await card());
    expect(second.getByText('8000 more lines of this change are not shown')).toBeVisible();
    expect(second.getByRole('button', { name: 'Approve' })).toBeDisabled();
    expect(second.getByText(/it cannot be approved/)).toBeVisible();
    expect(answers(fake)).toHaveLength(1);
  });
});

describe('a rule made on a card', () => {
  const NAME = 'Approve, and do the same without asking in this session';

  test('permission_p2_it_is_the_quieter_way_says_what_it_covers_and_is_not_offered_where_there_is_a_flag', async () => {
    const { fake, user } = await toCard();
    const make = within(await card()).getByRole('button', { name: NAME });
    expect(make).toBeDisabled();
    expect(make).toHaveAccessibleDescription(/^writing files ending in \.md in notes\. At most 50 files and 5 MiB/);
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    await user.click(make);
    expect(fake.asked.filter(({ command }) => command === 'rule_make')).toHaveLength(1);
    await waitFor(() => expect(screen.getByText('Makefile')).toBeVisible());
    expect(within(await card()).queryByRole('button', { name: NAME })).toBeNull();
    expect(answers(fake)).toEqual([]);
  });

  test('permission_p2_a_chip_counts_it_and_stops_it', async () => {
    const { fake, user, composer } = await toCard();
    expect(screen.queryByRole('list', { name: 'Rules of this conversation' })).toBeNull();
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    await user.click(within(await card()).getByRole('button', { name: NAME }));
    const chips = within(await screen.findByRole('list', { name: 'Rules of this conversation' }));
    expect(chips.getByText('Without asking: writing files ending in .md in notes')).toBeVisible();
    expect(chips.getByText('0 of 50')).toBeVisible();
    await user.click(chips.getByRole('button', { name: /^Stop this rule/ }));
    expect(fake.asked.some(({ command }) => command === 'rule_stop')).toBe(true);
    await waitFor(() => expect(screen.queryByRole('list', { name: 'Rules of this conversation' })).toBeNull());
    await waitFor(() => expect(composer).toHaveFocus());
  });

  test('permission_p7_the_audit_tab_lists_it_with_what_it_matched', async () => {
    const { user } = await toCard();
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    await user.click(within(await card()).getByRole('button', { name: NAME }));
    await user.click(screen.getByRole('tab', { name: /Audit/ }));
    const title = await screen.findByText('Rules of this session: 1');
    await user.click(title);
    const list = within(screen.getByRole('list', { name: 'Rules of this session: 1' }));
    expect(list.getByText('writing files ending in .md in notes')).toBeVisible();
    expect(list.getByText('Nothing yet.')).toBeVisible();
    await user.click(list.getByRole('button', { name: /^Stop this rule/ }));
    expect(await list.findByText('you stopped it')).toBeVisible();
  });
});

describe('several changes on one card', () => {
  const list = () => screen.findByRole('region', { name: 'Several changes wait for your yes' });

  async function toList() {
    const opened = await open('together');
    await opened.user.type(opened.composer, 'Write it down{Enter}');
    await list();
    return opened;
  }

  test('permission_p5_the_focus_starts_on_deny_all_and_nothing_can_be_approved_at_once', async () => {
    await toList();
    const shown = within(await list());
    expect(shown.getByRole('button', { name: 'Deny all' })).toHaveFocus();
    expect(shown.getByRole('button', { name: 'Approve notes/run.md' })).toBeDisabled();
    expect(shown.getByRole('button', { name: /^Approve the/ })).toBeDisabled();
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    expect(shown.getByRole('button', { name: 'Approve notes/run.md' })).toBeEnabled();
  });

  test('permission_p9_each_is_decided_on_its_own_and_a_yes_to_all_is_for_what_is_shown_without_a_warning', async () => {
    const { fake, user } = await toList();
    const shown = within(await list());
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    // The Makefile has a warning, so a yes to all does not stand for it.
    expect(shown.getByRole('button', { name: 'Approve the one that is shown' })).toBeEnabled();
    const [fold] = shown.getAllByRole('button', { name: 'Hide the lines' });
    await user.click(fold ?? document.body);
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    expect(shown.getByRole('button', { name: 'Approve the 0 that are shown' })).toBeDisabled();
    expect(shown.getByRole('button', { name: 'Approve notes/run.md' })).toBeDisabled();
    await user.click(shown.getByRole('button', { name: 'Show all 7 lines' }));
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    await user.click(shown.getByRole('button', { name: 'Approve the one that is shown' }));
    await waitFor(() => expect(answers(fake)).toEqual([{ approval: expect.stringMatching(/ap1$/), isApproved: true }]));
    // What is left stays on the card, closed for a moment.
    await waitFor(() => expect(shown.queryByText('notes/run.md')).toBeNull());
    expect(shown.getByRole('button', { name: 'Deny Makefile' })).toBeDisabled();
    await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
    await user.click(shown.getByRole('button', { name: 'Deny all' }));
    await waitFor(() => expect(answers(fake)).toHaveLength(2));
    expect(answers(fake)[1]).toEqual({ approval: expect.stringMatching(/ap2$/), isApproved: false });
  });
});

test('a question is sent by Enter, kept whole with Shift Enter, and its answer is announced once', async () => {
  const { fake, user, composer } = await open();
  await user.type(composer, 'one{Shift>}{Enter}{/Shift}two{Enter}');
  expect(fake.asked[0]).toMatchObject({ args: { question: 'one\ntwo', policy: 'ask', folder: 'fd_1' } });
  await card();
  await user.keyboard('{Escape}');
  await card();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByText('The answer is here.')).toBeInTheDocument());
});

test('only the keys move the page: neither a press in a turn nor a stream does', async () => {
  const { user, composer } = await open();
  const scrolled: string[] = [];
  const spy = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.querySelector('.question')?.textContent ?? this.tagName);
  });
  composer.blur();
  await user.keyboard('{ArrowUp}');
  await user.keyboard('{ArrowDown}');
  expect(scrolled).toEqual(['What is in this folder?', 'How do I run and verify this project?']);
  await user.keyboard('{ArrowUp}');
  scrolled.length = 0;
  await user.type(composer, 'Go on{Enter}');
  await user.click(within(screen.getAllByRole('article')[0] as HTMLElement).getByRole('button', { name: 'Copy' }));
  await user.keyboard('{Escape}');
  await card();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByText('The answer is here.')).toBeInTheDocument());
  expect(scrolled.filter((text) => text !== 'SECTION')).toEqual([]);
  spy.mockRestore();
});

test('the find bar leads to a place when the text changes, and stays there while turns come', async () => {
  const { user, composer } = await open();
  await user.type(composer, 'Go on{Enter}');
  await card();
  await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  await user.keyboard('{Control>}f{/Control}');
  await user.type(await screen.findByRole('searchbox', { name: 'Find in this conversation' }), 'tide');
  await waitFor(() => expect(screen.getByText(/^1 of/, { selector: '.count' })).toBeVisible());
  scrolled.mockClear();
  await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
  await user.click(within(await card()).getByRole('button', { name: 'Deny' }));
  await vi.advanceTimersByTimeAsync(1000);
  expect(scrolled.mock.contexts.filter((at) => (at as Element).tagName !== 'SECTION')).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Next place' }));
  expect(scrolled.mock.contexts.filter((at) => (at as Element).tagName !== 'SECTION')).toHaveLength(1);
  scrolled.mockRestore();
});

test('stop ends the turn and says so', async () => {
  const { user } = await toCard();
  await user.click(screen.getByRole('button', { name: /Stop/ }));
  await waitFor(() => expect(screen.getByText('You stopped here.')).toBeVisible());
});

test('an Escape that comes twice denies and does not stop the turn as well', async () => {
  const { fake, user } = await toCard();
  await user.keyboard('{Escape}');
  await user.keyboard('{Escape>3/}');
  await waitFor(() => expect(answers(fake)).toHaveLength(2));
  expect(screen.queryByText('You stopped here.')).toBeNull();
  await waitFor(() => expect(screen.getByText('The answer is here.')).toBeInTheDocument());
});

test('Escape empties a search field, and the question behind it stays open', async () => {
  const { fake, user } = await toCard();
  await vi.advanceTimersByTimeAsync(ARMING_MS + 50);
  const search = screen.getByRole('searchbox', { name: 'Search' });
  await user.type(search, 'Oslo{Escape}');
  expect(search).toHaveValue('');
  expect(screen.getByText('Names for the boat')).toBeVisible();
  expect(answers(fake)).toEqual([]);
});

test('on a narrow window Escape closes the panel that slid over before anything else', async () => {
  const { fake, user } = await toCard();
  window.innerWidth = 1000;
  await fireEvent(window, new Event('resize'));
  await user.click(screen.getByRole('button', { name: 'Show the panel' }));
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('tabpanel')).toBeNull();
  expect(answers(fake)).toEqual([]);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(answers(fake)).toHaveLength(1));
  window.innerWidth = 1280;
});

test('the find bar is closed by Escape from each of its parts, and gives the focus back', async () => {
  const { user, composer } = await open();
  const field = () => screen.findByRole('searchbox', { name: 'Find in this conversation' });
  await user.keyboard('{Control>}f{/Control}');
  await waitFor(async () => expect(await field()).toHaveFocus());
  screen.getByRole('button', { name: 'Next place' }).focus();
  await user.keyboard('{Control>}f{/Control}');
  await waitFor(async () => expect(await field()).toHaveFocus());
  screen.getByRole('button', { name: 'Next place' }).focus();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('searchbox', { name: 'Find in this conversation' })).toBeNull();
  await waitFor(() => expect(composer).toHaveFocus());
});

test('letters in an open menu are its own, and a new name gives the focus back', async () => {
  const { user, composer } = await open();
  await user.click(screen.getByRole('button', { name: 'More about “Tidewatch notes”' }));
  await user.keyboard('n');
  expect(screen.getByRole('menu')).toBeVisible();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Tidewatch notes');
  await user.click(screen.getByRole('menuitem', { name: 'Rename' }));
  const field = screen.getByRole('textbox', { name: 'Rename' });
  await fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(field).toBeVisible();
  await user.keyboard('Harbour{Enter}');
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Harbour'));
  await waitFor(() => expect(composer).toHaveFocus());
});

test('a conversation that is deleted leaves the focus in the composer', async () => {
  const { user, composer } = await open();
  const remove = async (title: string) => {
    await user.click(screen.getByRole('button', { name: `More about “${title}”` }));
    await user.click(screen.getByRole('menuitem', { name: 'Delete' }));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: `More about “${title}”` })).toBeNull());
    await waitFor(() => expect(composer).toHaveFocus());
  };
  await remove('Trip to Oslo');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Tidewatch notes');
  await remove('Tidewatch notes');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('New conversation');
});

test('an Enter that ends a composition chooses nothing in the palette', async () => {
  const { user } = await open();
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox');
  await fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(field).toBeVisible();
});

test('where nothing has the focus, keys go on acting on the window', async () => {
  const { user, composer } = await open();
  composer.blur();
  await user.keyboard('[[');
  expect(screen.queryByRole('navigation', { name: 'Conversations' })).toBeNull();
  await user.keyboard('[[');
  expect(screen.getByRole('navigation', { name: 'Conversations' })).toBeVisible();
  expect(composer).toHaveValue('');
});

test('the focus is never lost: a column folds, a turn stops', async () => {
  const { user, composer } = await toCard();
  await user.click(screen.getByRole('button', { name: 'Fold the panel' }));
  await waitFor(() => expect(composer).toHaveFocus());
  await user.click(screen.getByRole('button', { name: /Stop/ }));
  await waitFor(() => expect(screen.getByText('You stopped here.')).toBeVisible());
  expect(composer).toHaveFocus();
  expect(screen.getByRole('article', { name: 'Write it down' })).toBeInTheDocument();
});

test('a copy shows and is told, and a failed one is not called a copy', async () => {
  const { user } = await open();
  const last = () => within(screen.getAllByRole('article').at(-1) as HTMLElement);
  await user.click(last().getByRole('button', { name: 'Copy' }));
  await waitFor(() => expect(screen.getAllByText('Copied.')).toHaveLength(2));
  expect(screen.getByText('Copied.', { selector: '.copied' })).toBeVisible();
  await vi.advanceTimersByTimeAsync(2000);
  expect(screen.queryByText('Copied.', { selector: '.copied' })).toBeNull();
  cleanup();
  const again = await open();
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
  await again.user.click(last().getByRole('button', { name: 'Copy' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('not allowed');
  expect(screen.queryByText('Copied.')).toBeNull();
});

test('before the window has read what there is, it does not say that there is no model', async () => {
  const fake = new Fake({ state: 'usual', theme: 'light', language: 'en', speed: 0 });
  render(App, { backend: { ...fake.backend, model_list: () => new Promise<never>(() => undefined) } });
  await vi.advanceTimersByTimeAsync(100);
  expect(screen.queryByText('No model')).toBeNull();
  expect(screen.queryByText('The answer, and what it was made from')).toBeNull();
  expect(screen.getByRole('button', { name: 'Model: Reading…' })).toBeVisible();
});

test('a folder that is not among the remembered ones stays when it is chosen again', async () => {
  const fake = new Fake({ state: 'endings', theme: 'light', language: 'en', speed: 0 });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: fake.backend });
  await user.click(await screen.findByRole('button', { name: 'Folder: desk' }));
  await user.click(screen.getByRole('menuitemradio', { name: /desk/ }));
  expect(screen.getByRole('button', { name: 'Folder: desk' })).toBeVisible();
});

test('todo_t9_the_plan_is_shown_decoded_with_what_changed_and_its_past', async () => {
  const { user } = await open();
  const panel = within(await screen.findByRole('tabpanel'));
  await waitFor(() => expect(panel.getByText('3 of 4 done')).toBeVisible());
  expect(panel.getAllByText('把结果写进 notes/run.md')[0]).toBeVisible();
  await user.click(panel.getByRole('button', { name: 'Earlier version' }));
  expect(panel.getByText('Version 2 of 3', { exact: false })).toBeVisible();
  expect(panel.getByText('reworded')).toBeVisible();
});

test('the request behind an answer is one key away, with its verdicts and the text of a block', async () => {
  const { user, composer } = await open();
  composer.blur();
  await user.keyboard('i');
  const panel = within(await screen.findByRole('tabpanel', { name: 'Request' }));
  await waitFor(() => expect(panel.getByText('cut: lines 1–84 of 213')).toBeVisible());
  expect(panel.getByText(/^the oldest exchanges go first when not all fits/)).toBeVisible();
  await user.click(panel.getByRole('button', { name: /read_file README.md/ }));
  await waitFor(() => expect(panel.getByText(/A small server that shows the tides/)).toBeVisible());
});

test('the window speaks Chinese at once when it is told to', async () => {
  const { user, composer } = await open();
  composer.blur();
  await user.keyboard(',');
  await user.click(await screen.findByText('简体中文'));
  expect(await screen.findByRole('textbox', { name: '你的问题' })).toBeInTheDocument();
  expect(document.documentElement.lang).toBe('zh-CN');
});

describe('a page', () => {
  const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

  test('takes the middle, begins at its title, and Escape gives the focus and the draft back', async () => {
    const { fake, user, composer } = await toCard();
    await user.type(composer, 'half a thought');
    await user.click(screen.getByRole('button', { name: /^Memories/ }));
    expect(await heading('Memories')).toHaveFocus();
    expect(composer).not.toBeVisible();
    expect(screen.queryByRole('tabpanel')).toBeNull();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('button', { name: /^Memories/ })).toHaveFocus());
    expect(composer).toBeVisible();
    expect(composer).toHaveValue('half a thought');
    expect(screen.getByRole('tabpanel')).toBeVisible();
    // What Escape closed was the page; the card behind it was not answered.
    expect(answers(fake)).toEqual([]);
  });

  test('is left by a conversation, by a new one and by what shows the panel', async () => {
    const { user, composer } = await open();
    const toOslo = async () => {
      await user.keyboard('{Control>}k{/Control}');
      await user.type(await screen.findByRole('combobox'), 'Oslo{Enter}');
    };
    for (const leave of [toOslo, () => user.keyboard('n'), () => user.keyboard('2')]) {
      composer.blur();
      await user.keyboard('a');
      await heading('Assistants');
      await leave();
      await waitFor(() => expect(composer).toBeVisible());
      expect(screen.queryByRole('heading', { level: 1, name: 'Assistants' })).toBeNull();
      await waitFor(() => expect(composer).toHaveFocus());
    }
    expect(await screen.findByRole('tabpanel', { name: 'Request' })).toBeVisible();
  });

  test('is in the palette, one page follows another, and its button closes it', async () => {
    const { user, composer } = await open();
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('combobox'), 'Assis{Enter}');
    expect(await heading('Assistants')).toHaveFocus();
    await user.keyboard('m');
    expect(await heading('Memories')).toHaveFocus();
    expect(screen.getByRole('button', { name: /^Memories/ })).toHaveAttribute('aria-current', 'page');
    await user.click(screen.getByRole('button', { name: 'Close the page' }));
    await waitFor(() => expect(composer).toHaveFocus());
  });
});

describe('the library', () => {
  async function openLibrary() {
    const opened = await open();
    opened.composer.blur();
    await opened.user.keyboard('l');
    await screen.findByRole('heading', { level: 1, name: 'Library' });
    return opened;
  }

  test('is empty in words, takes a folder, says what it holds and what it could not read', async () => {
    const { user } = await openLibrary();
    expect(screen.getByText(/Nothing is in the library yet/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Add a folder…' }));
    const root = within(await screen.findByRole('list', { name: 'What was added' }));
    expect(root.getByText(/14 documents · 212 passages · 1.8 MiB · read /)).toBeVisible();
    await user.click(screen.getByText('3 files could not be read'));
    expect(screen.getByText(/a scan has to go through text recognition first/)).toBeVisible();
  });

  test('shows what a question would be given, with its score and its place', async () => {
    const { user } = await openLibrary();
    await user.click(screen.getByRole('button', { name: 'Add a folder…' }));
    await user.type(await screen.findByRole('searchbox', { name: /A question/ }), 'threshold{Enter}');
    expect(await screen.findByText('0.45')).toBeVisible();
    expect(screen.getByText('潮位 › North pier · lines 3–4')).toBeVisible();
    expect(screen.getByText('sheet Gauges · row 2')).toBeVisible();
    await user.clear(screen.getByRole('searchbox', { name: /A question/ }));
    await user.type(screen.getByRole('searchbox', { name: /A question/ }), 'nothing{Enter}');
    expect(await screen.findByText(/No passage has words of “nothing”/)).toBeVisible();
  });

  test('asks before a folder is removed, and Cancel leaves it', async () => {
    const { fake, user } = await openLibrary();
    await user.click(screen.getByRole('button', { name: 'Add a folder…' }));
    const remove = await screen.findByRole('button', { name: 'Remove desk from the library' });
    const asks = () => fake.asked.filter(({ command }) => command === 'library_remove').length;
    await user.click(remove);
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(asks()).toBe(0);
    await user.click(remove);
    await user.click(screen.getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(asks()).toBe(1));
    expect(await screen.findByText(/Nothing is in the library yet/)).toBeVisible();
  });

  test('reads in a tray that is seen from the conversation and can be stopped there', async () => {
    const { fake, user } = await open();
    fake.tellLibrary({
      progress: { nDone: 3, nFiles: 12, nBytesDone: 1_048_576, nBytes: 4_194_304, elapsedMs: 5_000 },
    });
    const tray = within(await screen.findByRole('region', { name: 'What goes on in the background' }));
    expect(tray.getByText('3 of 12 files · 1 MiB of 4 MiB · about 15 s left')).toBeVisible();
    await user.click(tray.getByRole('button', { name: 'Stop' }));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'What goes on in the background' })).toBeNull());
  });

  test('axe finds nothing wrong with it', async () => {
    const { user } = await openLibrary();
    await user.click(screen.getByRole('button', { name: 'Add a folder…' }));
    await user.type(await screen.findByRole('searchbox', { name: /A question/ }), 'threshold{Enter}');
    await screen.findByText('0.45');
    vi.useRealTimers();
    const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  });
});

test.each(['usual', 'first', 'missing', 'endings'])('axe finds nothing wrong with the state %s', async (state) => {
  await open(state);
  vi.useRealTimers();
  // Colours cannot be computed here; the journey in the real window checks them.
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
});

test('fault_f27_an_answer_that_was_cut_can_be_gone_on_with', async () => {
  const { fake, user } = await open('endings');
  const go = await screen.findByRole('button', { name: 'Continue' });
  // Only the last turn offers it: what comes after an earlier one is already there.
  expect(screen.getAllByRole('button', { name: 'Continue' })).toHaveLength(1);
  await user.click(go);
  await waitFor(() =>
    expect(fake.asked.find(({ command }) => command === 'turn_start')?.args).toMatchObject({
      question: 'Continue the answer exactly where it was cut off. Do not repeat what is there already.',
    }),
  );
});
