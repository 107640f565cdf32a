/** Draws the PNGs of the icon from its SVG: `node dev/icons.mjs`. */
import { chromium } from 'playwright-core';
import { readFileSync } from 'node:fs';

const svg = readFileSync('../assets/icon/recto.svg', 'utf8');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const [name, size] of [
  ['32x32', 32],
  ['128x128', 128],
  ['128x128@2x', 256],
  ['icon', 512],
]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  await page.setContent(`<style>*{margin:0}</style><img src="${source}" width="${size}" height="${size}">`);
  await page.waitForTimeout(100);
  await page.screenshot({ path: `../src-tauri/icons/${name}.png`, omitBackground: true });
}
await browser.close();
