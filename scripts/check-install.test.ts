import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'install-'));
  mkdirSync(join(root, 'scripts'));
  copyFileSync(join(import.meta.dirname, 'check-install.mjs'), join(root, 'scripts', 'check-install.mjs'));
  manifest('package.json', { name: 'workspace', devDependencies: { vitest: '5.1.1' } });
  manifest('node_modules/vitest/package.json', { version: '5.1.1' });
  manifest('packages/a/package.json', { name: '@tessera/a', dependencies: { '@tessera/b': 'workspace:*' } });
  manifest('packages/a/node_modules/@tessera/b/package.json', { version: '0.1.0' });
});
afterEach(() => rmSync(root, { recursive: true }));

function manifest(file: string, content: object): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), JSON.stringify(content));
}

function run(): { code: number | null; message: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'check-install.mjs')], {
    encoding: 'utf8',
  });
  return { code: status, message: stderr };
}

test('a complete installation passes without a word', () => {
  expect(run()).toEqual({ code: 0, message: '' });
});

test.each([
  ['a package of the root', 'node_modules/vitest', 'vitest is not installed for workspace'],
  ['a workspace link', 'packages/a/node_modules', '@tessera/b is not installed for @tessera/a'],
])('%s that is missing is named', (_, gone, line) => {
  rmSync(join(root, gone), { recursive: true });
  expect(run()).toEqual({ code: 1, message: expect.stringContaining(line) });
});

test('another version than the one asked for is named', () => {
  manifest('node_modules/vitest/package.json', { version: '5.1.0' });
  expect(run()).toEqual({
    code: 1,
    message: expect.stringContaining('vitest is 5.1.0 for workspace, which wants 5.1.1'),
  });
});
