import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startTessera } from '../tessera-process.ts';
import { startChromium } from './chromium.ts';

/** Takes the screenshots of docs/console: each state of the console, wide and narrow, light and dark. */
const TARGET = join(import.meta.dirname, '../../../../docs/console');

const VARIANTS = [
  { name: 'wide-light', colorScheme: 'light', viewport: { width: 1180, height: 720 } },
  { name: 'wide-dark', colorScheme: 'dark', viewport: { width: 1180, height: 720 } },
  { name: 'narrow-light', colorScheme: 'light', viewport: { width: 400, height: 760 } },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: { width: 400, height: 760 } },
] as const;

const TABLES = [
  `CREATE TABLE sales (day date NOT NULL, shop text, product text, amount double precision, tags array(text))
   PRIMARY INDEX day PARTITION BY date_trunc('month', day)`,
  `INSERT INTO sales SELECT date '2026-01-01' + (n % 120)::int, 'shop ' || (n % 7 + 1), 'product ' || (n * 7919 % 40),
     round(20 + 9 * sin((n % 120) / 14.0) + (n % 7) * 2 + n % 13, 2), ['web', 'card'] FROM generate_series(1, 60000) AS g(n)`,
  `CREATE DIMENSION TABLE shops AS SELECT 'shop ' || n AS shop, CASE WHEN n < 4 THEN 'north' ELSE 'south' END AS region
     FROM generate_series(1, 7) AS g(n)`,
  `CREATE VIEW revenue AS SELECT day, sum(amount) AS amount FROM sales GROUP BY day`,
];

const REVENUE = `SELECT region, date_trunc('week', day) AS week, round(sum(amount), 2) AS revenue
FROM sales JOIN shops USING (shop)
WHERE day < '2026-04-01'
GROUP BY region, week
ORDER BY week, region;`;
const SLOW =
  'SELECT count(*)\nFROM generate_series(1, 100000) AS a(x),\n  generate_series(1, 60000) AS b(y)\nWHERE x * y % 7 = 3';

async function run(page: Page, sql: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'SQL statements' });
  await editor.press('Control+a');
  await page.keyboard.insertText(sql);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Run all' }).click();
}

const grid = (page: Page) => page.getByRole('gridcell').first().waitFor();
const visit = async (page: Page, name: string) => {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
};

const STATES: readonly (readonly [name: string, reach: (page: Page) => Promise<void>])[] = [
  ['first-screen', (page) => page.getByText('Ask the first question').waitFor()],
  [
    'result',
    async (page) => {
      await run(page, REVENUE);
      await grid(page);
    },
  ],
  [
    'several-results',
    async (page) => {
      await run(
        page,
        `SELECT count(*) AS sales FROM sales;\n\nSELECT * FROM shops;\n\nSELECT * FROM revenue ORDER BY day;`,
      );
      await page.getByRole('tab', { name: /3 SELECT .* 120 rows/ }).waitFor();
      await grid(page);
    },
  ],
  [
    'cell',
    async (page) => {
      await run(page, 'SELECT * FROM sales ORDER BY day, amount DESC LIMIT 500');
      await page.getByRole('gridcell', { name: '["web","card"]' }).nth(2).dblclick();
      await page.getByRole('complementary', { name: 'Cell' }).waitFor();
    },
  ],
  [
    'error',
    async (page) => {
      await run(page, 'SELECT shop,\n  sum(amuont) AS revenue\nFROM sales\nGROUP BY shop');
      await page.getByRole('alert').waitFor();
    },
  ],
  [
    'running',
    async (page) => {
      await run(page, SLOW);
      await page.getByText(/^Running.* [1-9]\.\d s/).waitFor();
    },
  ],
  [
    'chart',
    async (page) => {
      await run(
        page,
        `SELECT day,
  sum(amount) FILTER (WHERE shop < 'shop 4') AS north,
  sum(amount) FILTER (WHERE shop >= 'shop 4') AS south
FROM sales
GROUP BY day`,
      );
      await page.getByRole('button', { name: 'Chart' }).click();
      await page.locator('.chart-host canvas').waitFor();
    },
  ],
  [
    'plan',
    async (page) => {
      await run(page, REVENUE);
      await grid(page);
      await page.getByText('Explain', { exact: true }).click();
      await page.getByRole('button', { name: 'Plan with times (runs it)' }).click();
      await page
        .getByRole('region', { name: 'Results' })
        .getByText(/Plan|explain/)
        .first()
        .waitFor();
      await page
        .locator('.plan-node')
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => {});
    },
  ],
  [
    'files',
    async (page) => {
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(join(import.meta.dirname, '../../../../examples/trips.csv'));
      await page.locator('.toolbar button.primary').click();
      await grid(page);
    },
  ],
  [
    'history',
    async (page) => {
      await visit(page, 'History');
      await page.getByRole('table').waitFor();
    },
  ],
  [
    'nodes',
    async (page) => {
      await visit(page, 'Nodes');
      await page.getByRole('img', { name: /^Memory/ }).waitFor();
    },
  ],
  [
    'tables',
    async (page) => {
      await visit(page, 'Tables');
      await page.getByRole('button', { name: 'sales', exact: true }).click();
      await page
        .getByRole('region', { name: 'Tablets of sales', exact: true })
        .getByRole('cell')
        .first()
        .waitFor();
    },
  ],
];

await mkdir(TARGET, { recursive: true });
await using node = await startTessera();
await using chromium = await startChromium();
for (const sql of TABLES) {
  const { ok, statusText } = await fetch(node.url, { method: 'POST', body: sql });
  if (!ok) throw new Error(`${statusText}: ${sql}`);
}
const wanted = process.argv.slice(2);
for (const { name, colorScheme, viewport } of VARIANTS)
  for (const [state, reach] of STATES.filter(([state]) => wanted.length === 0 || wanted.includes(state))) {
    const context = await chromium.browser.newContext({ colorScheme, viewport });
    const page = await context.newPage();
    await page.goto(node.url);
    await page.getByText(/^\d+\.\d+\.\d/).waitFor();
    // Narrow screens show the tables on demand.
    if (viewport.width > 800) await page.getByRole('button', { name: /^sales/ }).waitFor();
    await reach(page);
    await page.screenshot({ path: join(TARGET, `${state}-${name}.png`), animations: 'disabled' });
    await context.close();
  }
