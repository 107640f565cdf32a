/** Pictures of the window's states on the fake backend: `npm run fake`, then `node dev/shots.mjs [folder]`. */
import { chromium } from 'playwright-core';
import { mkdirSync } from 'node:fs';

const folder = process.argv[2] ?? '../tests/artifacts/states';
const only = process.argv[3];
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

const at = async (name, { state = 'usual', theme = 'light', language = 'en', size = [1280, 800], speed = 1 }, act) => {
  if (only && !name.includes(only)) return;
  const page = await browser.newPage({ viewport: { width: size[0], height: size[1] } });
  page.on('pageerror', (error) => console.error(name, error.message));
  page.on('console', (message) => message.type() === 'error' && console.error(name, message.text()));
  await page.goto(`http://localhost:5199/?state=${state}&theme=${theme}&language=${language}&speed=${speed}`);
  await page.waitForSelector('#composer');
  await page.waitForTimeout(150);
  await act?.(page);
  await page.waitForTimeout(150);
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.close();
};
const ask = async (page, text = 'How do I run and verify this project?') => {
  await page.keyboard.press('Escape');
  await page.fill('#composer', text);
  await page.keyboard.press('Enter');
};
const toCard = async (page) => {
  await ask(page);
  await page.waitForSelector('text=notes/run.md >> nth=0');
  await page.waitForTimeout(900);
};

await at('usual-light', {});
await at('usual-dark', { theme: 'dark' });
await at('usual-zh', { language: 'zh' });
await at('usual-900', { size: [900, 600] });
await at('first-light', { state: 'first' });
await at('first-zh-dark', { state: 'first', theme: 'dark', language: 'zh' });
await at('first-900', { state: 'first', size: [900, 600] });
await at('missing', { state: 'missing' });
await at('loading-zh', { state: 'loading', language: 'zh' });
await at('endings', { state: 'endings' });
const toPage = (key) => async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(key);
  await page.waitForTimeout(300);
};
const toSkipper = async (page) => {
  await toPage('a')(page);
  await page.click('text=Skipper');
  await page.waitForTimeout(300);
};
await at('page-memories', {}, toPage('m'));
await at('page-memories-dark-zh-900', { theme: 'dark', language: 'zh', size: [900, 600] }, toPage('m'));
await at('page-assistants', {}, toPage('a'));
await at('page-assistant', {}, toSkipper);
await at('page-assistant-dark-zh-900', { theme: 'dark', language: 'zh', size: [900, 600] }, toSkipper);
await at('card-remember', { state: 'memory', speed: 4 }, async (page) => {
  await ask(page, 'Remember that I prefer metric units');
  await page.waitForSelector('text=Remember this?');
  await page.waitForTimeout(900);
});
await at('running', {}, async (page) => {
  await ask(page);
  await page.waitForTimeout(2500);
});
await at('card-light', { speed: 4 }, toCard);
await at('card-dark-zh', { theme: 'dark', language: 'zh', speed: 4 }, toCard);
await at('card-900', { size: [900, 600], speed: 4 }, toCard);
await at('card-flag', { speed: 4 }, async (page) => {
  await toCard(page);
  await page.click('text=Approve');
  await page.waitForSelector('text=Makefile >> nth=0');
  await page.waitForTimeout(800);
});
await at('streaming', { speed: 4 }, async (page) => {
  await toCard(page);
  await page.click('text=Approve');
  await page.waitForTimeout(300);
  await page.keyboard.press('Escape');
  await page.waitForTimeout(1500);
});
await at('request-light', {}, async (page) => {
  await page.click('body');
  await page.keyboard.press('Escape');
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('i');
  await page.waitForTimeout(300);
});
await at('request-open-dark', { theme: 'dark' }, async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('2');
  await page.waitForTimeout(300);
  await page.click('li .line:has-text("read_file README.md")');
  await page.fill('label input[type=search]', 'health');
  await page.waitForTimeout(200);
});
await at('request-bytes', { size: [1280, 1100] }, async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('2');
  await page.click('text=Exact bytes');
  await page.waitForTimeout(300);
});
await at('request-900-zh', { size: [900, 600], language: 'zh' }, async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('2');
  await page.waitForTimeout(300);
});
await at('audit', {}, async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('3');
  await page.waitForTimeout(200);
  await page.click('text=Check the chain');
});
await at('palette', {}, async (page) => {
  await page.keyboard.press('Control+k');
  await page.waitForTimeout(150);
});
await at('settings-zh', { language: 'zh' }, async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(',');
});
await at('menu-folder', {}, async (page) => {
  await page.click('button[aria-label^="Model"]');
});
await at('trail-open', {}, async (page) => {
  await page.click('button[aria-expanded=false].line >> nth=1');
  await page.click('summary:has-text("README")');
});
await at('server-dialog', { state: 'missing' }, async (page) => {
  await page.click('button[aria-label^="Model"]');
  await page.click('text=Name a server…');
  await page.fill('dialog input', 'http://127.0.0.1:9');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(200);
});
await at('summary', { state: 'folded', size: [1280, 1000] }, async (page) => {
  await page.click('article > button');
});
await at('next-dark-zh', { state: 'folded', theme: 'dark', language: 'zh' }, async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('2');
  await page.click('text=下一个请求');
  await page.locator('input[type=range]').fill('3072');
  await page.waitForTimeout(400);
});
await browser.close();
