import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN, logIn, queryAs, writeNativeConfig, writeSigningKey } from '../native-node.ts';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';
import { type Chromium, executablePath, startChromium } from './chromium.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core');
let directory: string;
let node: TesseraProcess;
let token: string;
let chromium: Chromium;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];

/** Opens the console as a user who is logged in. */
async function open(options: Parameters<Browser['newContext']>[0] = {}, path = '/'): Promise<Page> {
  context = await chromium.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(20_000);
  await context.addInitScript((value) => sessionStorage.setItem('tessera.token', value), token);
  page = await context.newPage();
  pageErrors = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('console', (message) => {
    // The browser itself reports every answer with an error status.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      pageErrors.push(message.text());
  });
  await page.goto(node.url + path);
  await runButton().waitFor();
  return page;
}
const runButton = () => page.locator('.toolbar button.primary');
const editor = () => page.getByRole('textbox', { name: 'SQL statements' });
/** The text of the editor. */
const text = async () => (await page.locator('.cm-line').allTextContents()).join('\n');
const grid = () => page.getByRole('grid');
const results = () => page.getByRole('region', { name: 'Results' });
const cells = () => grid().getByRole('gridcell');
const status = () => page.locator('.statistics');

/** Replaces the text of the editor, as pasting does. */
async function write(sql: string): Promise<void> {
  await editor().press('Control+a');
  await editor().press('Delete');
  await page.evaluate(`
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(sql)});
    document.querySelector('.editor').shadowRoot.querySelector('.cm-content')
      .dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  `);
}

async function run(sql: string): Promise<void> {
  await write(sql);
  await page.keyboard.press('Control+Enter');
}

/** The name of the element that has the focus. */
const focused = () =>
  page.evaluate<string>(
    '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()',
  );

/** Presses a key until the element of this name has the focus. */
async function reach(name: RegExp, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60 && !name.test(await focused()); presses++)
    await page.keyboard.press(key);
  expect(await focused()).toMatch(name);
}

describe.skipIf(executablePath === undefined)(
  'the console in Chromium (skipped where it is not installed)',
  () => {
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'tessera-console-'));
      const native = { signing_keys: [writeSigningKey(directory, 'one')], signing_algorithm: 'ES256' };
      [node, chromium] = await Promise.all([
        startTessera({ args: ['--config', writeNativeConfig(directory, native)] }),
        startChromium(),
      ]);
      token = await logIn(node);
      const tables = [
        'CREATE TABLE stations (id int NOT NULL, city text, opened date) PRIMARY INDEX id',
        "INSERT INTO stations VALUES (1, 'Berlin', '2020-01-01'), (2, 'Paris', NULL), (10, 'Rome', '2022-03-04')",
        'CREATE TABLE many AS SELECT n FROM generate_series(1, 50000) AS g(n)',
        'CREATE VIEW northern AS SELECT city FROM stations WHERE id < 3',
      ];
      for (const sql of tables) expect((await queryAs(token, node, sql)).status).toBe(200);
    });
    afterAll(async () => {
      await chromium?.[Symbol.asyncDispose]();
      await node?.[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    });
    beforeEach(async () => {
      await open();
    });
    afterEach(async () => {
      await context.close();
      expect(pageErrors).toEqual([]);
    });

    test('without a token it asks for a password, and the token travels from then on', async () => {
      await context.close();
      context = await chromium.browser.newContext();
      context.setDefaultTimeout(20_000);
      page = await context.newPage();
      await page.goto(node.url);
      await page.getByLabel('User').fill(ADMIN.name);
      await page.getByLabel('Password').fill('wrong');
      await page.keyboard.press('Enter');
      await page.locator('dialog .problem', { hasText: /\w/ }).waitFor();
      await page.getByLabel('Password').fill(ADMIN.password);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Log out ${ADMIN.name}` }).waitFor();
      await page.getByRole('button', { name: /stations/ }).waitFor();
      await run('SELECT current_user AS who');
      await cells().getByText(ADMIN.name).waitFor();
      expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('eyJ');
      // A token that the engine no longer accepts leads back to the login.
      await page.evaluate(() => sessionStorage.setItem('tessera.token', 'garbage'));
      await page.reload();
      await page.getByText('Your access has ended: log in again.').waitFor();
    });

    test('the first screen shows the version and examples that run at a click', async () => {
      await page.locator('h1', { hasText: 'Tessera 0.2.0' }).waitFor();
      await page.getByRole('button', { name: /A table of your own/ }).click();
      await page.getByRole('tab', { name: /3 SELECT .* 15 rows/ }).waitFor();
      await expect.poll(() => cells().first().textContent()).toBe('2026-01-01');
      await page.getByRole('tab', { name: /2 INSERT INTO example_sales 10,000 rows/ }).click();
      await page.getByText('Done: 10,000 rows changed.').waitFor();
      await page.getByRole('button', { name: /example_sales/ }).waitFor();
    });

    test('the header is there before any script, and the page before the editor', async () => {
      const held = new Map<string, () => void>();
      await page.route('**/console/*.js', async (route) => {
        const name = route.request().url().split('/').at(-1)!;
        await new Promise<void>((resolve) => held.set(name, resolve));
        await route.continue();
      });
      const loaded = page.reload();
      await page.locator('h1', { hasText: 'Tessera' }).waitFor();
      expect(await runButton().count()).toBe(0);
      await expect.poll(() => held.has('console.js')).toBe(true);
      held.get('console.js')!();
      await runButton().waitFor();
      expect(await editor().count()).toBe(0);
      // The page keeps a click that comes before the editor, and runs the statement when the editor is there.
      await page.getByRole('button', { name: /Rows to look at/ }).click();
      await expect.poll(() => held.has('editor.js')).toBe(true);
      held.get('editor.js')!();
      await loaded;
      await cells().first().waitFor();
      await expect.poll(text).toContain('four sensors');
    });

    test('Ctrl-Enter runs the statement at the cursor, the selection or all; the first failure ends a run', async () => {
      await write("SELECT 'first' AS a;\nSELECT 'second' AS b;\nSELECT 'third' AS c");
      await editor().press('Control+Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Control+Enter');
      await cells().getByText('second').waitFor();
      await expect.poll(() => cells().count()).toBe(1);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('tab', { name: /3 SELECT 'third' AS 1 row/ }).waitFor();
      await write('SELECT 1;\nSELECT 1 / 0;\nSELECT 3');
      await page.keyboard.press('Control+Shift+Enter');
      await page.getByRole('tab', { name: /2 SELECT 1 \/ failed/ }).waitFor();
      await page.getByRole('tab', { name: /3 SELECT 3 not run/ }).waitFor();
      await page.locator('.error').getByText('ivision by zero').waitFor();
    });

    test('names of the catalog are completed, keywords are highlighted', async () => {
      await page.getByRole('button', { name: /stations/ }).waitFor();
      await editor().click();
      await page.keyboard.type('SELECT count(*) FROM sta');
      const list = page.getByRole('listbox');
      await list.getByRole('option', { name: 'stations' }).waitFor();
      await expect.poll(() => list.getByRole('option').first().textContent()).toContain('stations');
      // The list ignores keys that come too soon after it has opened, so a test cannot press one.
      await list.getByRole('option').first().click();
      await expect.poll(text).toContain('FROM stations');
      await editor().press('Control+Enter');
      await cells().getByText('3').waitFor();
      // Columns of the tables of the statement, and after a dot nothing but columns.
      await write('SELECT  FROM stations s WHERE s.');
      await page.keyboard.type('i');
      const options = () => list.getByRole('option').allTextContents();
      await expect.poll(options).toEqual(['idinteger']);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Home');
      for (let i = 0; i < 'SELECT '.length; i++) await page.keyboard.press('ArrowRight');
      await page.keyboard.type('open');
      await expect.poll(options).toContain('openeddate');
      await page.keyboard.press('Escape');
      // A run closes the list that the last key has opened.
      await write('');
      await page.keyboard.type('SELECT 8 AS b');
      await list.waitFor();
      await page.keyboard.press('Control+Enter');
      await cells().getByText('8').waitFor();
      expect(await list.count()).toBe(0);
      const keyword = page.getByText('SELECT', { exact: true });
      const weight =
        "getComputedStyle(document.querySelector('.editor').shadowRoot.querySelector('.cm-line span')).fontWeight";
      await keyword.waitFor();
      await expect.poll(() => page.evaluate(weight)).toBe('600');
    });

    test('an error is marked where it is, in the answer and in the editor', async () => {
      await write('SELECT 1;\n\nSELECT\n  nope\nFROM stations');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('alert').getByText('Line 4, Column 3: Column "nope" does not exist').waitFor();
      await expect.poll(() => page.locator('.error mark').textContent()).toBe('nope');
      await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('nope');
      await page.getByRole('button', { name: 'Show in the statement' }).click();
      await page.keyboard.type('city');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Enter');
      await cells().getByText('Berlin').waitFor();
      await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(0);
      // The place is shown in a long line too.
      await write(`SELECT ${'1, '.repeat(300)} nope`);
      await page.keyboard.press('Control+Enter');
      const mark = page.locator('.error mark').filter({ hasText: 'nope' });
      await mark.waitFor();
      const right = () => mark.boundingBox().then((box) => (box === null ? 0 : box.x + box.width));
      await expect.poll(right).toBeLessThan(page.viewportSize()!.width);
    });

    test('a result of 10,000 rows and 60 columns renders only what is visible, everywhere', async () => {
      const columns = Array.from({ length: 60 }, (_, i) => `n * ${i + 1} AS column_${i + 1}`).join(', ');
      await run(`SELECT ${columns} FROM generate_series(1, 12000) AS g(n) ORDER BY n`);
      await status().getByText('The first 10,000 rows').waitFor();
      await expect.poll(() => cells().count()).toBeLessThan(1_000);
      await grid().focus();
      await page.keyboard.press('Control+End');
      await cells().getByText('600000', { exact: true }).waitFor();
      await page.keyboard.press('Control+Home');
      await grid()
        .getByRole('columnheader', { name: /column_1 / })
        .waitFor();
      await expect.poll(() => cells().count()).toBeLessThan(1_000);
    });

    test('rows are sorted, filtered and copied, and a cell is shown in full', async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await run(`SELECT id, city, opened, {'a': id, 'b': [1, NULL]} AS more FROM stations ORDER BY id`);
      const column = async (name: string) => {
        const at = { id: 1, city: 2, opened: 3 }[name];
        return grid().locator(`[role=gridcell][aria-colindex="${at}"]`).allTextContents();
      };
      await cells().getByText('Rome').waitFor();
      await expect.poll(() => column('opened')).toEqual(['2020-01-01', 'NULL', '2022-03-04']);
      await page.getByRole('button', { name: /id ?↑? ?integer/ }).click();
      await page.getByRole('button', { name: /id ?↑? ?integer/ }).click();
      await expect.poll(() => column('id')).toEqual(['10', '2', '1']);
      await page.getByRole('searchbox', { name: 'Filter rows' }).fill('r');
      await expect.poll(() => column('city')).toEqual(['Rome', 'Paris', 'Berlin']);
      await page.getByRole('searchbox', { name: 'Filter rows' }).fill('Rom');
      await expect.poll(() => column('city')).toEqual(['Rome']);
      await page.getByRole('searchbox', { name: 'Filter rows' }).fill('Nobody');
      await page.getByText('No row contains “Nobody”.').waitFor();
      await page.getByRole('searchbox', { name: 'Filter rows' }).fill('');
      await cells().getByText('Rome').click();
      await grid().press('Shift+ArrowRight');
      await grid().press('Shift+ArrowDown');
      await grid().press('Control+c');
      await page.getByText('Copied 2 rows of 2 columns.').waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('Rome\t2022-03-04\nParis\t');
      await cells().getByText('Rome').hover();
      await page.mouse.down();
      await cells().getByText('Berlin').hover();
      await page.mouse.up();
      await grid().press('Control+c');
      await page.getByText('Copied 3 rows of 1 column.').waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('Rome\nParis\nBerlin');
      await cells().getByText('Paris').click();
      await grid().press('End');
      await grid().press('Enter');
      const shown = () => page.locator('.cell pre').textContent();
      await expect.poll(shown).toBe('{\n  "a": 2,\n  "b": [\n    1,\n    null\n  ]\n}');
      await run('SELECT id FROM stations WHERE id > 99');
      await page.getByText('No rows. The columns are id (integer).').waitFor();
    });

    test('a repeated statement says that its result comes from the result cache', async () => {
      await run('SELECT sum(n) FROM many');
      await cells().getByText('1250025000').waitFor();
      await run('SELECT sum(n) FROM many');
      await expect.poll(() => status().textContent()).toContain(' · from the result cache');
    });

    test('a whole result is saved as CSV, JSON, Parquet and Arrow', async () => {
      await run('SELECT n FROM generate_series(1, 10500) AS g(n)');
      await status().waitFor();
      for (const [name, extension, check] of [
        ['CSV', 'csv', (body: Buffer) => body.toString().trimEnd().split('\n').length === 10_501],
        ['JSON', 'json', (body: Buffer) => JSON.parse(body.toString()).data.length === 10_500],
        ['Parquet', 'parquet', (body: Buffer) => body.subarray(0, 4).toString() === 'PAR1'],
        ['Arrow', 'arrows', (body: Buffer) => body.readUInt32LE(0) === 0xffffffff],
      ] as const) {
        await page.getByText('Export', { exact: true }).click();
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name, exact: true }).click();
        const file = await download;
        expect(file.suggestedFilename()).toBe(`result.${extension}`);
        expect(check(await buffer(await file.createReadStream()))).toBe(true);
      }
    });

    test('tabs, their names and their texts outlive a reload', async () => {
      await write("SELECT 'one'");
      await page.getByRole('button', { name: 'New tab' }).click();
      await write("SELECT 'two'");
      await page.getByRole('tab', { name: 'Statement 2' }).press('F2');
      await page.getByLabel('Name of the tab').fill('Second');
      await page.keyboard.press('Enter');
      await page.reload();
      await page.getByRole('tab', { name: 'Second', selected: true }).waitFor();
      await expect.poll(() => text()).toBe("SELECT 'two'");
      await page.getByRole('tab', { name: 'Second' }).press('ArrowLeft');
      await expect.poll(() => text()).toBe("SELECT 'one'");
      await page.getByRole('tab', { name: 'Second' }).locator('.icon-close').click();
      await expect.poll(() => page.getByRole('tab').count()).toBe(1);
    });

    test('a dropped file brings its statement and its columns with types, and only what is read travels', async () => {
      const data = await page.evaluateHandle(`
        const transfer = new DataTransfer();
        transfer.items.add(new File(['day,amount\\n2026-01-01,1.5\\n2026-01-02,2.5\\n'], 'my trips.csv'));
        transfer.items.add(new File(['a\\n', 'unused\\n'.repeat(10_000)], 'other.csv'));
        transfer`);
      await page.dispatchEvent('main', 'dragover', { dataTransfer: data });
      await page.getByText('Drop files to query them').waitFor();
      await page.dispatchEvent('main', 'drop', { dataTransfer: data });
      await page.getByRole('tab', { name: 'my trips.csv' }).click();
      await expect.poll(() => text()).toContain("FROM 'upload://my_trips.csv'");
      await expect.poll(() => page.locator('.files li.unused').count()).toBe(1);
      const entry = page
        .getByRole('complementary', { name: 'Schema' })
        .getByRole('button', { name: /my_trips/ });
      await entry.click();
      await page.getByRole('button', { name: 'day date' }).waitFor();
      await page.getByRole('button', { name: /^amount / }).waitFor();
      const request = page.waitForRequest((r) => r.url().includes('JSON_CompactLimited'));
      await runButton().click();
      expect(Number(await (await request).headerValue('content-length'))).toBeLessThan(10_000);
      await cells().getByText('2.5').waitFor();
      // A renamed file is read by its new name; a name that is not valid is not taken.
      const name = page.getByLabel('Name of my trips.csv');
      await name.fill('not a name');
      await name.press('Tab');
      await expect.poll(() => name.inputValue()).toBe('my_trips.csv');
      await name.fill('t.csv');
      await name.press('Tab');
      await write('');
      await page.getByRole('button', { name: 'Read my trips.csv' }).click();
      await expect.poll(() => text()).toContain("'upload://t.csv'");
    });

    test('a running statement shows its time and is cancelled on the engine', async () => {
      await write(
        'SELECT 1; SELECT count(*) FROM generate_series(1, 3000000) AS a(x), generate_series(1, 3000000) AS b(y) WHERE x * y % 7 = 3',
      );
      await page.keyboard.press('Control+Shift+Enter');
      await results()
        .getByText(/^Running/)
        .waitFor();
      const running = async () => {
        const sql =
          "SELECT count(*) FROM information_schema.engine_running_queries WHERE query_text LIKE '%3000000%7 = 3'";
        return (await queryAs(token, node, sql)).json().data[0][0];
      };
      await expect.poll(running).toBe('1');
      const tabs = await results().getByRole('tablist').boundingBox();
      expect(tabs!.height).toBeLessThan(50);
      await results().getByRole('button', { name: 'Cancel' }).click();
      await page.getByText(/^Cancelled after/).waitFor();
      await expect.poll(running).toBe('0');
    });

    test('SET lasts for the following statements, until it is taken back', async () => {
      await run("SET timezone = 'Asia/Tokyo'");
      await page.getByText('timezone = Asia/Tokyo').waitFor();
      await run('SHOW timezone');
      await cells().getByText('Asia/Tokyo').waitFor();
      await page.getByRole('button', { name: 'Forget timezone' }).click();
      await run('SHOW timezone');
      await cells().getByText('UTC').waitFor();
    });

    test('a link carries the text, recent statements come back, the text is formatted on demand', async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await run("select 'a & b' as x from stations");
      await cells().first().waitFor();
      await page.getByRole('button', { name: 'Format' }).click();
      await expect.poll(() => text()).toBe("SELECT\n  'a & b' AS x\nFROM\n  stations");
      await page.getByRole('button', { name: 'Link' }).click();
      await page.getByText('Copied the link.').waitFor();
      const link = await page.evaluate<string>('navigator.clipboard.readText()');
      await page.getByRole('button', { name: 'Recent' }).click();
      await page.getByRole('dialog').getByText("select 'a & b' as x from stations").click();
      await page.getByRole('tab', { name: 'Statement 2' }).waitFor();
      await expect.poll(() => text()).toBe("select 'a & b' as x from stations");
      await context.close();
      await open({}, new URL(link).hash);
      await expect.poll(() => text()).toBe("SELECT\n  'a & b' AS x\nFROM\n  stations");
      expect(new URL(page.url()).hash).toBe('#/query');
    });

    test('the schema tree shows tables and views with columns, previews them and shows their DDL', async () => {
      await page.getByRole('button', { name: /stations/ }).click();
      await page.getByText(/^Table · 3 rows · .* · 1 tablet$/).waitFor();
      await page.getByRole('button', { name: 'opened date' }).waitFor();
      await page.getByRole('button', { name: 'Preview' }).click();
      await cells().getByText('Paris').waitFor();
      await page.getByRole('button', { name: 'DDL' }).click();
      await expect.poll(() => text()).toContain('CREATE FACT TABLE');
      await page.getByRole('button', { name: 'New tab' }).click();
      await page.getByRole('button', { name: 'Insert name' }).click();
      await page.getByRole('button', { name: 'city text' }).click();
      await expect.poll(() => text()).toBe('stationscity');
      await page.getByRole('searchbox', { name: 'Find tables and columns' }).fill('north');
      await page.getByRole('button', { name: /northern/ }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: /stations/ }).count()).toBe(0);
    });

    test('a result is drawn as a chart of the chosen kind and columns', async () => {
      await page.getByRole('button', { name: /Rows to look at/ }).click();
      await cells().first().waitFor();
      await page.getByRole('button', { name: 'Chart' }).click();
      await page.getByRole('img', { name: 'Line of temperature, humidity, 1,000 rows' }).waitFor();
      await page.getByRole('checkbox', { name: 'humidity' }).uncheck();
      await page.getByRole('img', { name: 'Line of temperature, 1,000 rows' }).waitFor();
      for (const kind of ['Bars', 'Points', 'Histogram']) {
        await page.getByLabel('Chart', { exact: true }).selectOption(kind);
        await page.getByRole('img', { name: `${kind} of temperature, 1,000 rows` }).waitFor();
        await page.locator('.chart-host canvas').waitFor();
      }
      const drawn = () => page.evaluate<string>('[...new Set(globalThis.drawn.splice(0))].join(" ")');
      await page.evaluate(`
        globalThis.drawn = [];
        const { fillText } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
          drawn.push(text);
          return fillText.call(this, text, ...rest);
        };
      `);
      await run("SELECT date '2026-01-07' + n::int AS day, n FROM generate_series(0, 9) AS g(n)");
      await page.getByRole('button', { name: 'Chart' }).click();
      await expect.poll(drawn).toMatch(/\b9 Jan\b.*\b15 Jan\b/);
      await run("SELECT 'no number' AS text");
      await page.getByRole('button', { name: 'Chart' }).click();
      await page.getByText('A chart needs a column of numbers').waitFor();
    });

    test('a plan is a graph of operators with their rows, also after it was run', async () => {
      await write('SELECT city, count(*) FROM stations WHERE id > 1 GROUP BY city ORDER BY 2');
      await page.getByText('Explain', { exact: true }).click();
      await page.getByRole('button', { name: 'Plan', exact: true }).click();
      const plan = page.getByRole('region', { name: 'Plan' });
      await plan.getByRole('button', { name: /scan/i }).click();
      const operator = page.getByRole('complementary', { name: 'Operator' });
      await expect.poll(() => operator.textContent()).toContain('stations');
      await expect.poll(() => plan.getByRole('button').count()).toBeGreaterThan(2);
      await expect.poll(() => plan.getByText(/rows/).count()).toBeGreaterThan(0);
      await run('EXPLAIN SELECT max(n) FROM many');
      await page.locator('pre', { hasText: /Aggregate[\s\S]*Scan table/ }).waitFor();
    });

    test('the pages show what runs, what ran, nodes, tables with their tablets, and settings', async () => {
      const link = (name: string) =>
        page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
      await run(
        'SELECT count(*) FROM generate_series(1, 3000000) AS a(x), generate_series(1, 3000000) AS b(y) WHERE x * y % 7 = 4',
      );
      await page
        .getByText(/^Running/)
        .first()
        .waitFor();
      await link('Running').click();
      const row = page.getByRole('row').filter({ hasText: '3000000' });
      await row.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Nothing is running.').waitFor();
      await link('History').click();
      await page
        .getByRole('row')
        .filter({ hasText: '3000000' })
        .locator('.status', { hasText: 'cancelled' })
        .first()
        .waitFor();
      await page.getByRole('searchbox', { name: 'Find in statements' }).fill('INTO stations');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /INSERT INTO stations/ }).click();
      await expect.poll(text).toContain('INSERT INTO stations');
      await link('Nodes').click();
      await page.getByRole('img', { name: /^Memory: .*B$/ }).waitFor();
      await page.getByText('running', { exact: true }).waitFor();
      await link('Tables').click();
      await page.getByRole('button', { name: 'stations', exact: true }).click();
      await page
        .getByRole('region', { name: 'Tablets of stations', exact: true })
        .getByRole('cell', { name: '3' })
        .first()
        .waitFor();
      await link('Settings').click();
      await page
        .getByRole('row')
        .filter({ hasText: 'statement_timeout' })
        .getByText('Time limit of a statement in milliseconds; 0 means no limit.')
        .waitFor();
      await page.getByRole('row').filter({ hasText: 'engine.termination_grace_period' }).waitFor();
    });

    test('with the keyboard alone: from the editor to the results and back', async () => {
      await editor().focus();
      await page.keyboard.insertText('SELECT 7 AS seven; SELECT 8 AS eight');
      await page.keyboard.press('Control+Shift+Enter');
      await page.getByRole('tab', { name: /2 SELECT 8/ }).waitFor();
      // While statements run, the key skips the button.
      await expect.poll(() => page.getByRole('button', { name: 'Run all' }).isEnabled()).toBe(true);
      await reach(/^Run all$/);
      await reach(/^2 SELECT 8/);
      await page.keyboard.press('ArrowLeft');
      expect(await focused()).toMatch(/^1 SELECT 7/);
      await cells().getByText('7').waitFor();
      await reach(/^Rows of the result$/);
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Cell' }).getByText('7', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('complementary', { name: 'Cell' }).count()).toBe(0);
    });

    test('with the keyboard alone: cancelling, the history, the schema, a plan and the other pages', async () => {
      await editor().focus();
      await page.keyboard.insertText(
        'SELECT count(*) FROM generate_series(1, 3000000) AS a(x), generate_series(1, 3000000) AS b(y) WHERE x * y % 7 = 5',
      );
      await page.keyboard.press('Control+Enter');
      await results()
        .getByText(/^Running/)
        .waitFor();
      await reach(/^Cancel$/);
      await page.keyboard.press('Enter');
      await page.getByText(/^Cancelled after/).waitFor();

      await reach(/^History$/, 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('row').filter({ hasText: '% 7 = 5' }).first().waitFor();
      await reach(/% 7 = 5$/);
      await page.keyboard.press('Enter');
      await expect.poll(text).toContain('% 7 = 5');

      await reach(/^Find tables and columns$/, 'Shift+Tab');
      await page.keyboard.type('stations');
      await reach(/^stations/);
      await page.keyboard.press('ArrowRight');
      await page.getByRole('button', { name: 'city text' }).waitFor();
      await reach(/^city/, 'ArrowDown');
      await page.keyboard.press('ArrowUp');
      await reach(/^stations/, 'ArrowUp');
      await reach(/^Preview$/);
      await page.keyboard.press('Enter');
      await cells().getByText('Paris').waitFor();

      await reach(/^Explain$/);
      await page.keyboard.press('Enter');
      await reach(/^Plan$/);
      await page.keyboard.press('Enter');
      expect(await focused()).toBe('Explain');
      await page.getByRole('region', { name: 'Plan' }).getByRole('button').first().waitFor();
      await reach(/scan/i);
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Operator' }).waitFor();

      for (const [link, shown] of [
        ['Nodes', page.getByRole('img', { name: /^Memory/ })],
        ['Tables', page.getByRole('button', { name: 'stations', exact: true })],
        ['Settings', page.getByRole('row').filter({ hasText: 'statement_timeout' })],
      ] as const) {
        await reach(new RegExp(`^${link}$`), 'Shift+Tab');
        await page.keyboard.press('Enter');
        await shown.waitFor();
      }
    });

    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 400],
    ] as const)(
      'no serious finding of axe, %s at a width of %d',
      async (colorScheme, width) => {
        await context.close();
        await open({ colorScheme, viewport: { width, height: 800 } });
        await page.evaluate(readFileSync(AXE, 'utf8'));
        const findings = async () => {
          // Otherwise axe also describes each element that passes.
          const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
          return violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => `${id}: ${nodes.map((n) => `${n.html} ${n.failureSummary}`).join('\n')}`);
        };
        expect(await findings()).toEqual([]);
        await write('SELECT id, city, NULL AS nothing FROM stations; SELECT nope');
        await page.keyboard.press('Control+Shift+Enter');
        await page.getByRole('alert').waitFor();
        expect(await findings()).toEqual([]);
        await page.getByRole('tab', { name: /1 SELECT/ }).click();
        await cells().first().waitFor();
        expect(await findings()).toEqual([]);
        await page.getByRole('button', { name: 'Chart' }).click();
        await page.locator('.chart-host canvas').waitFor();
        expect(await findings()).toEqual([]);
        // The plan is that of the statement at the cursor.
        await editor().press('Control+Home');
        await page.getByText('Explain', { exact: true }).click();
        expect(await findings()).toEqual([]);
        await page.getByRole('button', { name: 'Plan with times (runs it)' }).click();
        await page.getByRole('region', { name: 'Plan' }).getByRole('button', { name: /scan/i }).click();
        await page.getByRole('complementary', { name: 'Operator' }).waitFor();
        expect(await findings()).toEqual([]);
        for (const [link, shown] of [
          ['Nodes', page.getByRole('img', { name: /^Memory/ })],
          ['History', page.getByRole('cell', { name: 'failed' }).first()],
          ['Running', page.getByText('Nothing is running.')],
          ['Tables', page.getByRole('button', { name: 'stations', exact: true })],
          ['Settings', page.getByRole('row').filter({ hasText: 'statement_timeout' })],
        ] as const) {
          await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: link }).click();
          await shown.waitFor();
          expect(await findings(), link).toEqual([]);
        }
      },
      90_000,
    );
  },
);
