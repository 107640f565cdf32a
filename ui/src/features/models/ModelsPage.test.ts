import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Fake } from '../../../dev/fake';
import App from '../../App.svelte';

const CANARY = 'sk-canary-0123456789abcdef';

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function toPage(language: 'en' | 'zh' = 'en') {
  const fake = new Fake({ state: 'usual', theme: 'light', language, speed: 0 });
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  render(App, { backend: fake.backend });
  const composer = await screen.findByRole('textbox', { name: language === 'en' ? 'Your question' : '你的问题' });
  await waitFor(() => expect(composer).toHaveFocus());
  composer.blur();
  await user.keyboard('g');
  await screen.findByRole('heading', { level: 1, name: language === 'en' ? 'Models' : '模型' });
  return { fake, user };
}

const asked = (fake: Fake, command: string) =>
  fake.asked.filter((one) => one.command === command).map(({ args }) => args);

test('each model is shown with where it runs and what is known of it', async () => {
  await toPage();
  const lines = within(screen.getByRole('list', { name: 'Models' })).getAllByRole('listitem');
  expect(lines.map((line) => line.querySelector('.facts')?.textContent)).toEqual([
    'in this program · 1 GiB · needs 1.5 GiB of memory · Apache-2.0',
    'https://api.example.com · window 128k',
  ]);
  expect(within(lines[0] as HTMLElement).getByText('New conversations use it')).toBeVisible();
});

test('an address is tested with what it offers or with what is wrong', async () => {
  const { user } = await toPage();
  const field = screen.getByRole('textbox', { name: 'Address' });
  await user.type(field, '127.0.0.1:1');
  await user.click(screen.getByRole('button', { name: 'Test' }));
  expect(await screen.findByText(/^Nothing answers at 127\.0\.0\.1:1\./)).toBeVisible();
  await user.clear(field);
  expect(screen.queryByText(/^Nothing answers/)).toBeNull();
  await user.type(field, '127.0.0.1:8080');
  await user.click(screen.getByRole('button', { name: 'Test' }));
  expect(await screen.findByText('It answers and offers: a, b')).toBeVisible();
});

test('a key is entered, shown by its end only, and forgotten', async () => {
  const { fake, user } = await toPage();
  await user.click(screen.getByRole('button', { name: 'Enter a key for https://api.example.com' }));
  const field = screen.getByLabelText('Key for https://api.example.com');
  expect(field).toHaveAttribute('type', 'password');
  await user.type(field, CANARY);
  await user.click(screen.getByRole('button', { name: 'Keep in the keychain' }));
  expect(await screen.findByText(/key in the keychain, ends in cdef/)).toBeVisible();
  expect(asked(fake, 'key_write')).toEqual([{ address: 'https://api.example.com', isForSession: false }]);
  const fields = [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value);
  expect([document.documentElement.textContent, ...fields].join('\n')).not.toContain(CANARY);
  await user.click(screen.getByRole('button', { name: 'Forget the key' }));
  expect(await screen.findByText(/no key/)).toBeVisible();
});

test('a key can be entered for a server that is not added yet', async () => {
  const { fake, user } = await toPage();
  await user.type(screen.getByRole('textbox', { name: 'Address' }), 'api.other.example');
  await user.click(screen.getByRole('button', { name: 'Enter a key…' }));
  await user.type(screen.getByLabelText('Key for api.other.example'), CANARY);
  await user.click(screen.getByRole('button', { name: 'Only for this session' }));
  await waitFor(() => expect(screen.queryByLabelText('Key for api.other.example')).toBeNull());
  expect(asked(fake, 'key_write')).toEqual([{ address: 'api.other.example', isForSession: true }]);
});

test('without a keychain it is said, and the key can be kept for the session', async () => {
  const { fake, user } = await toPage('zh');
  fake.models.hasKeychain = false;
  await user.click(screen.getByRole('button', { name: '为 https://api.example.com 输入密钥' }));
  await user.type(screen.getByLabelText('https://api.example.com 的密钥'), CANARY);
  await user.click(screen.getByRole('button', { name: '保存到钥匙串' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('本系统的钥匙串不能使用：没有钥匙串，或者它锁着。');
  await user.click(screen.getByRole('button', { name: '仅本次使用' }));
  expect(await screen.findByText(/密钥保留到 Recto 关闭，末尾是 cdef/)).toBeVisible();
});

test('a check-up shows how far it is, can be stopped, and leaves its card', async () => {
  const { user } = await toPage();
  const button = { name: 'Check what works with Qwen2.5 Coder 1.5B' };
  await user.click(screen.getByRole('button', button));
  expect(await screen.findByText('Checking: 2 of 6 done…')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Check what works with large' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(screen.getByRole('button', button)).toBeEnabled());
  expect(screen.queryByText(/^Checked/)).toBeNull();
  await user.click(screen.getByRole('button', button));
  await vi.advanceTimersByTimeAsync(1_000);
  const card = await screen.findByText(/^Checked .* in 51 s$/);
  await user.click(card);
  const findings = [...document.querySelectorAll('dd strong')].map((mark) => mark.textContent);
  expect(findings).toEqual(['no', 'yes', 'yes', 'yes', 'yes', 'unknown']);
  expect(
    screen.getByText(
      'in this program · 1 GiB · needs 1.5 GiB of memory · Apache-2.0 · window 8k · reads 57 tokens/s · writes 9 tokens/s',
    ),
  ).toBeVisible();
});

test('servers on this computer are found, and a server is removed after a question', async () => {
  const { fake, user } = await toPage();
  await user.click(screen.getByRole('button', { name: 'Look for servers on this computer' }));
  expect(await screen.findByRole('button', { name: 'Add http://127.0.0.1:11434' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Remove https://api.example.com' }));
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(screen.queryByText('Servers')).toBeNull());
  expect(asked(fake, 'server_remove')).toEqual([{ address: 'https://api.example.com' }]);
});

test('a download is shown from everywhere with speed and time left, and can be stopped', async () => {
  const { user } = await toPage();
  await user.click(screen.getByText('Download a model'));
  await user.click(screen.getByRole('button', { name: 'Ask for the sizes' }));
  expect(
    await screen.findByText('Qwen · 2.2 GiB · Apache-2.0 · needs about 2.9 GiB of memory · reads up to 32k'),
  ).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Download Qwen3 4B (Q4_K_M)' }));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('heading', { level: 1, name: 'Models' })).toBeNull());
  const tray = screen.getByRole('region', { name: 'What goes on in the background' });
  expect(within(tray).getByText('572.2 MiB of 2.2 GiB · 28.6 MiB per second · about 1 min 0 s left')).toBeVisible();
  await user.click(within(tray).getByRole('button', { name: 'Stop downloading Qwen3 4B (Q4_K_M)' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'What goes on in the background' })).toBeNull());
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a model file is removed after a question', async () => {
  const { fake, user } = await toPage();
  await user.click(screen.getByRole('button', { name: 'Remove Qwen2.5 Coder 1.5B' }));
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(asked(fake, 'model_remove_file')).toEqual([{ model: 'qwen' }]));
});

test('the page is sound for those who hear it', async () => {
  await toPage();
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
});
