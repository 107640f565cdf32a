import { cleanup, render, screen, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { afterEach, expect, test } from 'vitest';
import type { Probe } from '../../../view/probe';
import { Words } from '../../../view/words';
import ProbeView from './ProbeView.svelte';

afterEach(cleanup);

const PROBE: Probe = {
  letters: [
    { letter: 'A', label: 'a question about files', probability: 0.8712 },
    { letter: 'B', label: 'a change of a file', probability: 0.124 },
    { letter: 'C', label: 'talk', probability: 0.004 },
    { letter: 'D', label: 'nothing', probability: 0 },
  ],
  offered: ['read_file', 'search_text'],
};
const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent.trim()).join(' | '));

test('each letter stands with its meaning and its probability, and the tools that followed', async () => {
  render(ProbeView, { words: new Words('en'), probe: PROBE });
  expect(screen.getByRole('group', { name: 'What the model was asked beforehand' })).toBeVisible();
  expect(rows()).toEqual([
    'A | a question about files | 87 %',
    'B | a change of a file | 12 %',
    'C | talk | under 1 %',
    'D | nothing | 0 %',
  ]);
  const bars = [...document.querySelectorAll<HTMLElement>('.bar')].map(({ style }) => style.width);
  expect(bars).toEqual(['87.1%', '12.4%', '0.4%', '0%']);
  const tools = within(screen.getByRole('list', { name: 'Offered because of it' })).getAllByRole('listitem');
  expect(tools.map(({ textContent }) => textContent)).toEqual(['read_file', 'search_text']);
  expect((await axe.run(document.body, { rules: { region: { enabled: false } } })).violations).toEqual([]);
});

test('it is Chinese where the window is, and says that no tool was offered', () => {
  const letters = [{ letter: 'A', label: '关于文件的问题', probability: 0.9991 }];
  render(ProbeView, { words: new Words('zh'), probe: { letters, offered: [] } });
  expect(rows()).toEqual(['A | 关于文件的问题 | 超过 99%']);
  expect(screen.getByText('没有因此提供任何工具。')).toBeVisible();
});
