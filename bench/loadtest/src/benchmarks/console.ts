import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Benchmark, repeat } from '../benchmark.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';

const CHROMIUM = [process.env.TESSERA_TEST_CHROMIUM ?? '', '/usr/bin/chromium'].find(
  (path) => path !== '' && existsSync(path),
);
const RUNS = 5;
const SLOWER = 4;
const COLUMNS = Array.from({ length: 60 }, (_, i) => `n * ${i + 1} AS column_${i + 1}`).join(', ');
const GRID = `SELECT ${COLUMNS} FROM generate_series(1, 10000) AS g(n) ORDER BY n`;
/** Wheel events of the scrolling, one per frame. */
const SCROLLS = 120;

const atMost = (value: number) => ({ at: 'most', value }) as const;

/** Why it cannot run here; undefined if it can. */
export const consoleNeeds = (): string | undefined =>
  CHROMIUM === undefined
    ? 'there is no Chromium; install it, or name it in TESSERA_TEST_CHROMIUM'
    : undefined;

/** Opens the console in Chromium and looks at a large result, as a user does. */
export const webConsole: Benchmark = async ({ options, progress }) => {
  const node = await startTessera();
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--headless', '--no-sandbox'] });
  try {
    const runs = options.runs ?? RUNS;
    const open = async () => {
      progress('console: opening it');
      return opened(browser, node.url);
    };
    // The first one fills the caches of the file system and of the browser's code.
    await open();
    const opens = await repeat(runs, open);
    const grids = await repeat(runs, async () => {
      progress('console: a result of 10,000 rows and 60 columns');
      return shownGrid(browser, node.url);
    });
    return {
      benchmark: 'console',
      title: 'The console',
      method: `The console of a node in headless Chromium, which draws without a GPU, ${runs} times with empty caches. *Opening*: with a processor that is ${SLOWER} times slower (the developer tools of Chromium slow the page down); *interactive*: until a typed text is in the editor. *Grid*: 10,000 rows of 60 columns; *first rows*: from the last byte of the answer to the frame that shows them; *longest frame*: the time between two frames while a wheel scrolls ${SCROLLS} times in both directions. *CPU*: of the main thread of the page, which does not depend on other load of the machine.`,
      lines: [
        {
          what: 'opening',
          figures: {
            'first paint': figure(
              's',
              opens.map(({ paint }) => paint),
              atMost(0.5),
            ),
            interactive: figure(
              's',
              opens.map(({ interactive }) => interactive),
              atMost(1.5),
            ),
            CPU: figure(
              's',
              opens.map(({ cpu }) => cpu),
            ),
            'assets, gzip': figure(
              'MB',
              opens.map(({ bytes }) => bytes / 1e6),
              atMost(0.35),
            ),
          },
        },
        {
          what: 'grid',
          figures: {
            'first rows': figure(
              's',
              grids.map(({ rows }) => rows),
              atMost(0.3),
            ),
            'longest frame': figure(
              's',
              grids.map(({ frame }) => frame),
              atMost(0.05),
            ),
            'CPU of a frame': figure(
              's',
              grids.map(({ cpu }) => cpu),
            ),
          },
        },
      ],
    };
  } finally {
    await browser.close();
    await node.stop();
  }
};

/** A page whose main thread's CPU time can be read, in seconds. */
async function measuredPage(browser: Browser, slower: number) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const cpu = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  return { page, cpu, bytes: () => bytes, close: () => context.close() };
}

/** Resolves in the page, with its clock, as soon as the condition is true. */
const whenTrue = (page: Page, condition: string): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => (${condition}) ? resolve(performance.now()) : requestAnimationFrame(look);
    look();
  })`);

async function opened(browser: Browser, url: string) {
  const { page, cpu, bytes, close } = await measuredPage(browser, SLOWER);
  try {
    await page.goto(url, { waitUntil: 'commit' });
    const editor = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')";
    await whenTrue(page, `${editor} !== null && ${editor} !== undefined`);
    await page.locator('.cm-content').focus();
    await page.keyboard.insertText('S');
    const interactive = (await whenTrue(page, `${editor}.textContent === 'S'`)) / 1000;
    const used = await cpu();
    const loaded = bytes();
    const paint: number = await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000",
    );
    return { paint, interactive, cpu: used, bytes: loaded };
  } finally {
    await close();
  }
}

async function shownGrid(browser: Browser, url: string) {
  const { page, cpu, close } = await measuredPage(browser, 1);
  try {
    await page.goto(url);
    await page.locator('.cm-content').focus();
    await page.keyboard.insertText(GRID);
    await page.keyboard.press('Control+Enter');
    const shown = await whenTrue(page, "document.querySelectorAll('[role=gridcell]').length > 100");
    const answered: number = await page.evaluate(
      "Math.max(...performance.getEntriesByType('resource').filter(({ name }) => name.includes('JSON_CompactLimited')).map(({ responseEnd }) => responseEnd))",
    );
    const before = await cpu();
    const frame: number = await page.evaluate(`new Promise((resolve) => {
      const grid = document.querySelector('[role=grid]');
      let longest = 0, last = performance.now(), left = ${SCROLLS};
      const step = (now) => {
        longest = Math.max(longest, now - last);
        last = now;
        if (left-- === 0) return resolve(longest / 1000);
        grid.scrollBy(left % 3 === 0 ? 300 : 0, 700);
        requestAnimationFrame(step);
      };
      requestAnimationFrame((now) => { last = now; step(now); });
    })`);
    return { rows: (shown - answered) / 1000, frame, cpu: ((await cpu()) - before) / SCROLLS };
  } finally {
    await close();
  }
}
