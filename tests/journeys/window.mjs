/** The real window under its own display and driver, over a data folder of its own, with a scripted model beside it. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { By, Capabilities, Key, WebDriver } from 'selenium-webdriver';
import * as http from 'selenium-webdriver/http/index.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const ARTIFACTS = resolve(HERE, '../artifacts');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

function needed(name) {
  const path = process.env[name];
  if (!path) throw new Error(`${name} has to name the built program`);
  return resolve(path);
}

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** The first line that a program writes to a stream. */
const firstLine = (stream, what) =>
  new Promise((done, fail) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')).trim());
    });
    stream.on('end', () => fail(new Error(`${what} ended before it was ready`)));
  });

export class Window {
  #programs = [];
  #port = 0;
  #folder = mkdtempSync(join(tmpdir(), 'recto-journey-'));

  /** Opens the window; `script` is what the model replies. */
  static async open(script) {
    const window = new Window();
    try {
      await window.#start(script);
    } catch (error) {
      await window.close();
      throw error;
    }
    return window;
  }

  async #start(script) {
    mkdirSync(ARTIFACTS, { recursive: true });
    this.desk = join(this.#folder, 'desk');
    cpSync(resolve(HERE, '../fixtures/desk'), this.desk, { recursive: true });
    const models = join(this.#folder, 'models');
    mkdirSync(models);
    const model = this.#run(needed('RECTO_FAKE_MODEL'), [
      '--script',
      join(HERE, script),
      '--log',
      join(this.#folder, 'requests.jsonl'),
    ]);
    this.model = await firstLine(model.stdout, 'the fake model');
    const screen = this.#run('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x900x24', '-nolisten', 'tcp'], {}, [
      'ignore',
      'ignore',
      'ignore',
      'pipe',
    ]);
    const display = await firstLine(screen.stdio[3], 'the display');
    const port = await freePort();
    // Whatever the machine is set to, the window starts as on one without a locale and without models.
    const { LANG: _, LC_ALL: __, RECTO_API_KEY: ___, ...machine } = process.env;
    const log = [];
    const driver = this.#run('WebKitWebDriver', ['--host=127.0.0.1', `--port=${port}`], {
      ...machine,
      DISPLAY: `:${display}`,
      TAURI_WEBVIEW_AUTOMATION: 'true',
      NO_AT_BRIDGE: '1',
      GTK_USE_PORTAL: '0',
      // A display without a graphics card.
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      RECTO_DATA: join(this.#folder, 'data'),
      RECTO_MODELS: models,
      // The keychain of whoever runs this is left alone.
      RECTO_KEYCHAIN: 'none',
      RECTO_TEST_FOLDER: this.desk,
    });
    for (const stream of [driver.stdout, driver.stderr]) stream.on('data', (chunk) => log.push(String(chunk)));
    this.log = log;
    this.#port = port;
    await this.#answers(port);
    await this.#connect();
  }

  async #connect() {
    const capabilities = new Capabilities();
    // A browserName would have to match the program's, which has none.
    capabilities.set('webkitgtk:browserOptions', { binary: needed('RECTO_WINDOW_BIN'), args: [] });
    const client = new http.HttpClient(`http://127.0.0.1:${this.#port}`);
    this.driver = WebDriver.createSession(new http.Executor(Promise.resolve(client)), capabilities);
    await this.driver.getSession();
    await this.driver.manage().window().setRect({ width: 1280, height: 800 });
  }

  /** Ends the window at once, which is how the driver closes it, and opens it again over the same data. */
  async reopen() {
    await this.driver.quit().catch(() => undefined);
    await this.#connect();
  }

  #run(program, args, env = process.env, stdio = ['ignore', 'pipe', 'pipe']) {
    const child = spawn(program, args, { env, stdio });
    this.#programs.push(child);
    child.on('error', (error) => console.error(`${program}: ${error.message}`));
    return child;
  }

  async #answers(port) {
    await this.#until('the driver answers', async () => {
      try {
        return (await fetch(`http://127.0.0.1:${port}/status`)).ok;
      } catch {
        return false;
      }
    });
  }

  async #until(what, check, ms = 20_000) {
    const end = Date.now() + ms;
    for (;;) {
      const value = await check();
      if (value) return value;
      if (Date.now() > end) throw new Error(`in vain: ${what}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** The element of that selector that has the text in its own words or its name, once it is there and shown. */
  async find(selector, text = '') {
    return this.#until(`${selector} “${text}”`, () =>
      this.driver.executeScript(
        `const [selector, text] = arguments;
         return [...document.querySelectorAll(selector)].find((element) => element.checkVisibility()
           && [element.textContent, element.getAttribute('aria-label') ?? ''].some((said) => said.replace(/\\s+/g, ' ').includes(text)));`,
        selector,
        text,
      ),
    );
  }

  /** Ends when no element of that selector has the text. */
  async gone(selector, text) {
    await this.#until(`no ${selector} “${text}”`, async () => {
      const shown = await this.driver.executeScript(
        'return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent)',
        selector,
      );
      return shown.every((said) => !said.includes(text));
    });
  }

  /** What the elements of that selector say, white space made one. */
  async texts(selector) {
    return this.driver.executeScript(
      `return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent.replace(/\\s+/g, ' ').trim())`,
      selector,
    );
  }

  async click(selector, text) {
    await (await this.find(selector, text)).click();
  }

  /** Keys, held together where one of them is a modifier. `Key.NULL` would not let go of it here. */
  async press(...keys) {
    const modifiers = keys.filter((key) => [Key.CONTROL, Key.SHIFT].includes(key));
    let actions = this.driver.actions();
    for (const key of modifiers) actions = actions.keyDown(key);
    actions = actions.sendKeys(...keys.filter((key) => !modifiers.includes(key)));
    for (const key of modifiers) actions = actions.keyUp(key);
    await actions.perform();
  }

  /** A key as it is when no field has the focus. */
  async pressOutside(key) {
    await this.driver.executeScript('document.activeElement?.blur()');
    await this.press(key);
  }

  async picture(name) {
    // The driver waits for a frame, and a page on which nothing moves gives none.
    await this.driver.executeScript(
      'let n = 0; const timer = setInterval(() => { document.body.style.opacity = ++n % 2 ? "0.999" : ""; if (n > 60) { clearInterval(timer); document.body.style.opacity = ""; } }, 16);',
    );
    writeFileSync(join(ARTIFACTS, `${name}.png`), await this.driver.takeScreenshot(), 'base64');
  }

  /** What axe finds serious or critical in the window as it is. */
  async seriousFaults() {
    await this.driver.executeScript(`if (!window.axe) { ${AXE} }`);
    const { violations } = await this.driver.executeAsyncScript(
      'const done = arguments[0]; axe.run().then(done, (error) => done({ violations: [{ id: String(error), impact: "critical", nodes: [] }] }));',
    );
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`)
            .join(' | ')}`,
      );
  }

  async close() {
    try {
      await this.driver?.quit();
    } catch {
      // The session may have ended with the window.
    }
    for (const program of this.#programs.reverse()) program.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
