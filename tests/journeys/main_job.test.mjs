import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test as step } from 'node:test';
import { Key } from 'selenium-webdriver';
import { Window } from './window.mjs';

/** A step without the one before it would only wait in vain. */
let isBroken = false;
const test = (name, act) =>
  step(name, async () => {
    assert.ok(!isBroken, 'an earlier step failed');
    isBroken = true;
    await act();
    isBroken = false;
  });

/** The main job in the real window, step by step; each step goes on where the one before it ended. */
describe('the main job', { concurrency: 1 }, () => {
  let window;

  before(async () => {
    window = await Window.open('script.txt');
  });
  after(async () => {
    await window?.close();
  });

  test('the first start says what there is, and takes a server and a folder', async () => {
    await window.find('h2', 'The answer, and what it was made from');
    await window.find('[role=status]', 'There is no model yet');
    assert.deepEqual(await window.seriousFaults(), []);
    await window.picture('1-first-start');

    await window.click('button[aria-haspopup]', 'Model: No model');
    await window.click('[role=menuitem]', 'Name a server…');
    const address = await window.find('dialog input');
    await address.clear();
    await address.sendKeys(window.model, Key.ENTER);
    await window.find('button[aria-haspopup]', 'Model: journey-model');

    await window.click('main button', 'Choose a folder');
    await window.find('button[aria-haspopup]', 'Folder: desk');
  });

  /** The card on which the changes of one reply stand. */
  const card = 'section[aria-label="Several changes wait for your yes"]';

  test('permission_p5_a_question_leads_to_a_card_that_begins_on_deny', async () => {
    const composer = await window.find('#composer');
    await composer.sendKeys('How do I run this project? Write it down for me.', Key.ENTER);
    await window.find(`${card} .path`, 'denied.md');
    await window.find(`${card} .facts`, 'new file, 22 B');
    await window.find(`${card} .path`, 'notes/run.md');
    assert.equal(await (await window.driver.switchTo().activeElement()).getText(), 'Deny all');
    assert.equal(existsSync(join(window.desk, 'denied.md')), false);
  });

  test('todo_t9_the_plan_is_decoded_and_says_what_changed', async () => {
    await window.find('[role=tabpanel]', '把运行方法写下来');
    await window.find('[role=tabpanel]', '1 of 3 done');
    assert.deepEqual(await window.texts('.changes li'), [
      'done Read README.md',
      'begun 把运行方法写下来',
      'added Tell how to run it',
    ]);
    await window.click('button', 'Earlier version');
    await window.find('[role=tabpanel]', 'Version 1 of 2');
    await window.click('button', 'Later version');
    assert.deepEqual(await window.seriousFaults(), []);
    await window.picture('2-card-and-plan');
  });

  test('one write is denied by Escape, the next is approved, and the disk has exactly that', async () => {
    await window.press(Key.ESCAPE);
    await window.gone(`${card} .path`, 'denied.md');
    await window.find(`${card} .path`, 'notes/run.md');
    await window.picture('3-second-card');
    await window.find(`${card} li button:enabled`, 'Approve');
    await window.click(`${card} li button:enabled`, 'Approve');
    await window.gone('article', 'waiting for your yes');
    await window.find('article .answer', 'was not written, because you did not allow it.');
    assert.equal(existsSync(join(window.desk, 'denied.md')), false);
    assert.equal(readFileSync(join(window.desk, 'notes/run.md'), 'utf8'), '# 运行\n\nmake serve PORT=7070\n');
  });

  test('answer_a1_the_answer_is_read_and_its_trail_says_what_was_done', async () => {
    await window.find('article .trail', 'read README.md');
    assert.match(
      (await window.texts('article .trail .line'))[0],
      /^kept a plan, read README\.md, not allowed to write denied\.md, and 1 more · 5 steps · [\d.]+ s$/,
    );
    assert.equal(
      await window.driver.executeScript('return document.querySelectorAll("article .answer ol li").length'),
      2,
    );
    await window.click('article .trail button');
    await window.click('article .trail summary', 'README.md');
    await window.find('article .trail pre', 'Tidewatch reads the water level');
    await window.picture('4-answer-and-trail');
    await window.click('article .trail button.line');
    await window.click('article .actions button', 'Copy');
    await window.find('div[role=status]', 'Copied.');
  });

  test('the request behind the answer holds the fact, and says where a sentence went', async () => {
    await window.pressOutside('i');
    await window.find('[role=tab][aria-selected=true]', 'Request');
    await window.find('.purpose', 'Answer request');
    await window.click('li button.line', 'README.md');
    await window.find('li .text pre', 'make serve PORT=7070');
    const where = await window.find('[role=tabpanel] label input[type=search]');
    await where.sendKeys('duty officer');
    await window.find('.found', 'in one block');
    assert.deepEqual(await window.seriousFaults(), []);
    await window.picture('5-request');
    await window.click('details summary', 'Exact bytes');
    await window.find('details pre', 'Tidewatch reads the water level');
    await window.find('details', 'the hash agrees');
    await window.find('details', 'Copy as curl');
  });

  test('a fact is followed with three keys, and the two requests are compared', async () => {
    await window.pressOutside('w');
    const field = await window.find('#where-field');
    await field.sendKeys('duty officer', Key.ENTER);
    await window.find('[role=tabpanel] li button', 'whole, in');
    assert.deepEqual(await window.seriousFaults(), []);
    await window.picture('5-where');
    await window.click('[role=tabpanel] details summary', 'Compare with another request');
    await window.find('[role=tabpanel] details li', 'moved');
    await window.find('[role=tabpanel] details p', 'the common beginning ends in');
  });

  test('permission_p7_the_audit_log_names_each_decision_and_its_chain_holds', async () => {
    await window.pressOutside('3');
    await window.find('[role=tabpanel] li', 'you said yes');
    await window.click('button', 'Check the chain');
    await window.find('.check', 'rows agree');
    const rows = await window.texts('[role=tabpanel] ol li .what');
    assert.deepEqual(
      rows.filter((row) => row.includes('write_file')).map((row) => row.replace(/ [\d:]+$/, '')),
      ['done write_file notes/run.md', 'allowed write_file notes/run.md', 'refused write_file denied.md'],
    );
    await window.picture('6-audit');
  });

  test('the palette, dark and Chinese, are a few keys away', async () => {
    await window.press(Key.CONTROL, 'k');
    const field = await window.find('dialog input');
    await field.sendKeys('dark');
    await window.picture('7-palette');
    await window.press(Key.ENTER);
    await window.pressOutside(',');
    await window.click('dialog label', '简体中文');
    await window.press(Key.ESCAPE);
    await window.find('#composer', '你的问题');
    assert.equal(await window.driver.executeScript('return document.documentElement.dataset.theme'), 'dark');
    assert.deepEqual(await window.seriousFaults(), []);
    await window.picture('8-dark-chinese');
  });

  test('everything fits into 900 by 600', async () => {
    await window.driver.manage().window().setRect({ width: 900, height: 600 });
    await window.gone('aside', '审计');
    // The frame cuts off what is too wide, so what could be cut off is measured itself.
    const cutOff = await window.driver.executeScript(`
      return [...document.querySelectorAll('button, input, textarea, h1')]
        .filter((element) => element.checkVisibility())
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.left < 0 || box.right > innerWidth)
        .map(({ element }) => element.outerHTML.slice(0, 120));
    `);
    assert.deepEqual(cutOff, []);
    const composer = await (await window.find('#composer')).getRect();
    const height = await window.driver.executeScript('return innerHeight');
    assert.ok(composer.width >= 200, `the composer is ${composer.width} wide`);
    assert.ok(
      composer.y + composer.height <= height,
      `the composer ends at ${composer.y + composer.height} of ${height}`,
    );
    assert.deepEqual(await window.seriousFaults(), []);
    await window.picture('9-small');
    await window.driver.manage().window().setRect({ width: 1280, height: 800 });
  });

  test('a reloaded window shows everything again', async () => {
    await window.driver.navigate().refresh();
    await window.find('article .answer', 'was not written, because you did not allow it.');
    await window.find('[role=tabpanel]', '把运行方法写下来');
  });

  test('store_s1_a_window_that_is_killed_over_an_open_card_writes_nothing_and_says_so_afterwards', async () => {
    const composer = await window.find('#composer');
    await composer.sendKeys('And write never.md', Key.ENTER);
    await window.find('section .path', 'never.md');
    await window.find('nav [aria-current=page] .badge', '1');
    await window.reopen();
    await window.find('article .question', 'And write never.md');
    await window.find('article', '处理过程中程序退出了，已有的内容都保留着。');
    assert.deepEqual(await window.texts('section .path'), []);
    assert.equal(existsSync(join(window.desk, 'never.md')), false);
    await window.find('article .answer', 'was not written, because you did not allow it.');
    await window.picture('10-after-a-kill');
  });

  test('the page can leave its place by no way, and calls nothing but its commands', async () => {
    // A server that gives everyone what is asked for: whatever is refused, the window refuses.
    const visits = [];
    const outside = createServer((request, response) => {
      visits.push(request.url);
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'image/gif' });
      response.end(Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64'));
    });
    await new Promise((done) => outside.listen(0, '127.0.0.1', done));
    outside.unref();
    const address = `http://127.0.0.1:${outside.address().port}`;
    assert.equal((await fetch(`${address}/here`)).ok, true);
    const outcome = await window.driver.executeAsyncScript(`
      const done = arguments[0];
      const refused = async (act) => { try { await act(); return 'done'; } catch { return 'refused'; } };
      (async () => {
        const invoke = (command, args) => window.__TAURI_INTERNALS__.invoke(command, args);
        const script = document.createElement('script');
        script.textContent = 'window.wasRun = true';
        document.body.append(script);
        const image = new Image();
        const loaded = new Promise((ok, no) => { image.onload = ok; image.onerror = no; });
        image.src = '${address}/image.gif';
        done({
          opened: String(window.open('https://example.org/')),
          inline: window.wasRun === true,
          fetched: await refused(() => fetch('${address}/fetched')),
          image: await refused(() => loaded),
          emitted: await refused(() => invoke('plugin:event|emit', { event: 'x', payload: 1 })),
          listened: await refused(() => invoke('plugin:event|listen', { event: 'x', target: { kind: 'Any' }, handler: 1 })),
          dialog: await refused(() => invoke('plugin:dialog|open', { options: {} })),
          made: await refused(() => invoke('plugin:webview|create_webview_window', { options: { label: 'x' } })),
          own: await refused(() => invoke('settings_read', {})),
        });
      })();
    `);
    assert.deepEqual(outcome, {
      opened: 'null',
      inline: false,
      fetched: 'refused',
      image: 'refused',
      emitted: 'refused',
      listened: 'refused',
      dialog: 'refused',
      made: 'refused',
      own: 'done',
    });
    assert.deepEqual(visits, ['/here']);
    outside.close();
    const before = await window.driver.getCurrentUrl();
    await window.driver.executeScript('location.href = "https://example.org/"');
    await window.find('#composer');
    assert.equal(await window.driver.getCurrentUrl(), before);
  });
});
