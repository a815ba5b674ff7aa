import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consolePage } from '../index.ts';

const executablePath = [
  process.env.TESSERA_TEST_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

interface Received {
  readonly url: URL;
  readonly type: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** An engine as far as the page can tell: it serves the page and answers statements as `answer` says. */
let answer: (request: Received, response: ServerResponse) => void;
const received: Received[] = [];
/** The `auth` of the discovery document; undefined: there is none. */
let auth: object | undefined;
let server: Server;
let browser: Browser;
let page: Page;
let pageErrors: string[];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://engine');
  if (url.pathname === '/.well-known/firebolt' && auth !== undefined) {
    response.end(JSON.stringify({ instance: { auth } }));
    return;
  }
  if (request.method === 'GET') {
    const { html, headers } = consolePage();
    response.writeHead(200, headers).end(html);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const got = {
    url,
    type: request.headers['content-type'] ?? '',
    body: Buffer.concat(chunks).toString('utf8'),
    authorization: request.headers.authorization,
  };
  received.push(got);
  answer(got, response);
}

const json =
  (value: unknown, status = 200) =>
  (_: Received, response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  };
const rows = (data: unknown[][], type = 'long null') => ({
  meta: [{ name: 'n', type }],
  data,
  rows: data.length,
  statistics: { elapsed: 0.25 },
});

describe('the page in Chromium', () => {
  beforeAll(async () => {
    if (executablePath === undefined) return;
    server = createServer(serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });
  beforeEach(async (t) => {
    if (executablePath === undefined) return t.skip('no Chromium here (Debian: apt-get install chromium)');
    received.length = 0;
    auth = undefined;
    pageErrors = [];
    page = await browser.newPage();
    page.on('pageerror', (error) => pageErrors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  afterEach(async () => {
    await page?.close();
  });

  test('Ctrl-Enter runs the statement and shows its rows, markup as text', async () => {
    answer = json(rows([['<b>7</b>'], [null]]));
    await page.fill('#sql', 'SELECT n FROM t');
    await page.press('#sql', 'Control+Enter');
    await page.waitForSelector('#answer table');
    expect(await page.locator('tbody td').allTextContents()).toEqual(['<b>7</b>', 'NULL']);
    expect(await page.locator('thead th').nth(1).textContent()).toBe('nlong null');
    expect(await page.textContent('#status')).toMatch(/^2 rows in .* \(engine 250 ms\)$/);
    expect(received[0]?.body).toBe('SELECT n FROM t');
    expect(received[0]?.url.searchParams.get('output_format')).toBe('JSON_CompactLimited');
    expect(received[0]?.url.searchParams.get('query_id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    expect(pageErrors).toEqual([]);
  });

  test('a thousand rows are shown of more', async () => {
    answer = json(rows(Array.from({ length: 1_001 }, (_, i) => [i])));
    await page.fill('#sql', 'SELECT 1');
    await page.click('#run');
    await page.waitForSelector('#answer table');
    expect(await page.locator('tbody tr').count()).toBe(1_000);
    expect(await page.textContent('#answer .note')).toBe('The first 1,000 rows are shown.');
    expect(await page.textContent('#status')).toMatch(/^1,001 rows/);
  });

  test('only the attached files that the statement names travel with it, under their part names', async () => {
    answer = json(rows([[1]]));
    await page.setInputFiles('#picker', [
      { name: 'my trips.csv', mimeType: 'text/csv', buffer: Buffer.from('a\n1\n') },
      { name: 'other.csv', mimeType: 'text/csv', buffer: Buffer.from('secret\n') },
    ]);
    expect(await page.inputValue('#sql')).toContain("READ_CSV('upload://my_trips.csv', HEADER => TRUE");
    expect(await page.locator('#files li.unused').count()).toBe(1);
    await page.click('#run');
    await page.waitForSelector('#answer table');
    expect(received[0]?.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(received[0]?.body).toContain('name="sql"\r\n\r\nSELECT *');
    expect(received[0]?.body).toContain('name="my_trips.csv"; filename="my trips.csv"');
    expect(received[0]?.body).not.toContain('secret');
  });

  test('files dropped on the page are attached', async () => {
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'dropped.parquet'));
      return transfer;
    });
    await page.dispatchEvent('main', 'dragover', { dataTransfer: data });
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    expect(await page.inputValue('#files input')).toBe('dropped.parquet');
    expect(await page.inputValue('#sql')).toContain("READ_PARQUET('upload://dropped.parquet')");
  });

  test('a renamed file is read by its new name; a bad name is not taken', async () => {
    await page.setInputFiles('#picker', { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('') });
    await page.fill('#files input', 'not a name');
    expect(await page.locator('#files input:invalid').count()).toBe(1);
    await page.press('#files input', 'Tab');
    expect(await page.inputValue('#files input')).toBe('a.csv');
    await page.fill('#files input', 'b');
    await page.press('#files input', 'Tab');
    expect(await page.locator('#files li.unused').count()).toBe(1);
  });

  test('an error shows its line with the place marked, which selects it in the statement', async () => {
    const location = { failing_line: 2, start_offset: 3, end_offset: 3 };
    const failure = {
      description: 'Line 2, Column 3: no column nope',
      name: 'UNDEFINED_NAME',
      code: '42703',
      location,
    };
    answer = json({ errors: [failure] }, 400);
    await page.fill('#sql', 'SELECT\n  nope\nFROM t');
    await page.click('#run');
    await page.waitForSelector('.error');
    expect(await page.textContent('.error mark')).toBe('nope');
    expect(await page.textContent('.error p')).toBe('Line 2, Column 3: no column nope');
    await page.click('.error button');
    const selected = await page.evaluate(() => getSelection()?.toString());
    expect(selected).toBe('nope');
  });

  test('Cancel tells the engine and ends the request', async () => {
    const open: ServerResponse[] = [];
    answer = (request, response) => {
      if (request.url.pathname === '/cancel') response.end();
      else open.push(response);
    };
    await page.fill('#sql', 'SELECT slow');
    await page.click('#run');
    await page.click('#cancel');
    await page.waitForSelector('text=Cancelled.');
    const [query, cancel] = received;
    expect(cancel?.url.pathname).toBe('/cancel');
    expect(cancel?.url.searchParams.get('query_id')).toBe(query?.url.searchParams.get('query_id'));
    await expect.poll(() => open[0]?.destroyed || open[0]?.closed).toBe(true);
    expect(await page.isEnabled('#run')).toBe(true);
  });

  test('what was run is in the history after a reload, and the theme stays', async () => {
    answer = json(rows([[1]]));
    await page.fill('#sql', 'SELECT 1');
    await page.click('#run');
    await page.waitForSelector('#answer table');
    await page.click('#theme');
    const theme = await page.getAttribute('html', 'data-theme');
    await page.reload();
    expect(await page.getAttribute('html', 'data-theme')).toBe(theme);
    await page.click('#history-open');
    await page.click('#history-list button');
    expect(await page.inputValue('#sql')).toBe('SELECT 1');
  });

  test('an engine that is gone is an error, not silence', async () => {
    answer = (_, response) => response.destroy();
    await page.fill('#sql', 'SELECT 1');
    await page.click('#run');
    await page.waitForSelector('.error');
    expect(await page.textContent('.error p')).toContain('could not be reached');
  });

  const issuedBy = (name: string) => ({ oauth: { authorizationServers: [{ name }] } });

  test('where the engine issues tokens, a password is asked for and its token sent along', async () => {
    auth = issuedBy('_local');
    answer = ({ url, body }, response) => {
      if (url.pathname !== '/oauth/token') response.end(JSON.stringify(rows([[1]])));
      else if (new URLSearchParams(body).get('password') === 'p&=w') response.end('{"access_token":"abc"}');
      else {
        response.statusCode = 400;
        response.end('{"error":"invalid_grant","error_description":"wrong name or password"}');
      }
    };
    await page.reload();
    await page.fill('#login-name', 'alice');
    await page.fill('#login-password', 'wrong');
    await page.press('#login-password', 'Enter');
    await expect.poll(() => page.textContent('#login-problem')).toBe('wrong name or password');
    await page.fill('#login-password', 'p&=w');
    await page.press('#login-password', 'Enter');
    await page.waitForSelector('#login', { state: 'hidden' });
    expect(await page.textContent('#login-open')).toBe('Log out alice');
    await page.fill('#sql', 'SELECT 1');
    await page.click('#run');
    await page.waitForSelector('#answer table');
    expect(received.at(-1)?.authorization).toBe('Bearer abc');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('abc');
  });

  test('where a provider issues them, a token is asked for, again when it has ended', async () => {
    auth = issuedBy('login');
    await page.reload();
    await page.fill('#login-token', 'Bearer xyz');
    await page.press('#login-token', 'Enter');
    await page.waitForSelector('#login', { state: 'hidden' });
    answer = json({ errors: [{ description: 'expired' }] }, 401);
    await page.fill('#sql', 'SELECT 1');
    await page.click('#run');
    await page.waitForSelector('#login', { state: 'visible' });
    expect(received.at(-1)?.authorization).toBe('Bearer xyz');
    expect(await page.textContent('#login-problem')).toContain('has ended');
    expect(await page.textContent('#login-open')).toBe('Log in');
  });
});
