/** Pictures of the parts in both themes, under the policy of the window: `node dev/look.mjs [folder]`. Says what the policy refused, what
 * was asked of anybody else, what axe finds, and what failed. Builds first, since only a build keeps to the policy. */
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { build } from 'vite';

const folder = process.argv[2] ?? '../tests/artifacts/parts';
mkdirSync(folder, { recursive: true });
const site = mkdtempSync(join(tmpdir(), 'parts-'));
await build({
  configFile: 'dev/vite.config.ts',
  logLevel: 'error',
  build: {
    outDir: site,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: 'dev/parts.html' },
  },
});

const security = JSON.parse(readFileSync('../src-tauri/tauri.conf.json', 'utf8')).app.security;
const policy = Object.entries(security.csp)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' };
const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://x').pathname;
  try {
    const bytes = readFileSync(join(site, path));
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? '', 'content-security-policy': policy });
    response.end(bytes);
  } catch {
    response.writeHead(path === '/favicon.ico' ? 204 : 404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
let nFaults = 0;
const fault = (...said) => {
  nFaults++;
  console.error(...said);
};
for (const theme of ['light', 'dark'])
  for (const language of ['en', 'zh']) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('pageerror', (error) => fault(theme, language, error.message));
    page.on('console', (message) => message.type() === 'error' && fault(theme, language, message.text()));
    page.on('request', (request) => request.url().startsWith(origin) || fault('asked for', request.url()));
    await page.addInitScript(() => Object.freeze(Object.prototype));
    await page.goto(`${origin}/parts.html?theme=${theme}&language=${language}`);
    await page.waitForFunction(
      () => document.querySelectorAll('math').length > 5 && document.querySelector('.keyword'),
    );
    await page.evaluate(() => document.fonts.ready);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => globalThis.axe.run('main'));
    for (const { id, nodes } of violations)
      for (const node of nodes) fault(theme, language, id, node.html.slice(0, 120), node.any[0]?.message ?? '');
    await page.screenshot({ path: `${folder}/parts-${theme}-${language}.png`, fullPage: true });
    await page.close();
  }
await browser.close();
server.close();
rmSync(site, { recursive: true });
console.log(nFaults === 0 ? `nothing to complain of; pictures in ${folder}` : `${nFaults} faults`);
process.exitCode = nFaults === 0 ? 0 : 1;
