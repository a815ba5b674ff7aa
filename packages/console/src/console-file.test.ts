import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ConsoleFile, consoleFile } from './index.ts';

async function file(path: string): Promise<ConsoleFile> {
  const found = await consoleFile(path);
  if (found === undefined) throw new Error(`The console has no file ${path}`);
  return found;
}

test('the page names only files that the console has, and nothing inline', async () => {
  const { body, headers } = await file('/');
  const html = body.toString('utf8');
  expect(html).not.toMatch(/<style|\s(?:on\w+|style)=|<script(?![^>]*\bsrc=)/);
  const names = [...html.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map((match) => match[1]!);
  expect(names).toHaveLength(3);
  for (const name of names) expect((await file(name.replace(/^\.\//, '/'))).body.length).toBeGreaterThan(0);
  const policy = headers['Content-Security-Policy'];
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
});

test('a browser loads at most 350 kB for the first screen', async () => {
  const parts = await Promise.all(
    ['/', '/console/console.js', '/console/editor.js', '/console/style.css'].map(file),
  );
  const loaded = parts.reduce((sum, part) => sum + part.gzipped.length, 0);
  expect(loaded).toBeGreaterThan(50_000);
  expect(loaded).toBeLessThan(350_000);
});

test('code that the first screen does not need is in files of its own', () => {
  const names = readdirSync(join(import.meta.dirname, 'generated', 'console'));
  expect(names.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1);
  expect(names.length).toBeLessThan(10);
});

test('a file is sent as it is, or compressed, with a type and a tag', async () => {
  const { body, gzipped, headers } = await file('/console/style.css');
  expect(gunzipSync(gzipped).equals(body)).toBe(true);
  expect(headers).toMatchObject({
    'Content-Type': 'text/css; charset=utf-8',
    ETag: expect.stringMatching(/^".+"$/),
  });
  expect(await file('/console/style.css')).toBe(await file('/console/style.css'));
});

test.each([
  '/console/none.js',
  '/console/../console-file.ts',
  '/console/%2e%2e/x.js',
  '/index.html',
  '/console/',
])('there is nothing at %s', async (path) => {
  expect(await consoleFile(path)).toBeUndefined();
});
