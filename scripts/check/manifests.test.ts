import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestProblems } from './manifests.ts';

const table = {
  layers: [
    { name: 'upper', packages: ['server'] },
    { name: 'lower', packages: ['store'] },
  ],
  friends: {},
};
const good = { license: 'Apache-2.0', exports: { '.': './src/index.ts' } };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'manifests-'));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ license: 'Apache-2.0' }));
  writeManifest('store', {});
  writeManifest('server', { dependencies: { '@tessera/store': 'workspace:*', pino: '10.4.0' } });
});
afterEach(() => rmSync(root, { recursive: true }));

function writeManifest(name: string, fields: object): void {
  mkdirSync(join(root, 'packages', name, 'src'), { recursive: true });
  writeFileSync(join(root, 'packages', name, 'src/index.ts'), 'export {};');
  writeManifestFile(name, fields);
}

function writeManifestFile(name: string, fields: object): void {
  const text = JSON.stringify({ name: `@tessera/${name}`, ...good, ...fields });
  writeFileSync(join(root, 'packages', name, 'package.json'), text);
}

test('manifests that keep the rules are fine', () => {
  expect(manifestProblems(root, table)).toEqual([]);
});

test.each([
  [{ dependencies: { '@tessera/server': 'workspace:*' } }, 'depends on @tessera/server, which layers.json'],
  [{ dependencies: { pino: '^10.4.0' } }, 'pino: "^10.4.0" is not an exact version'],
  [{ devDependencies: { pino: 'latest' } }, 'pino: "latest" is not an exact version'],
  [{ name: 'store' }, 'the name is not @tessera/store'],
  [{ license: 'MIT' }, 'the license is not Apache-2.0'],
  [
    { exports: { ...good.exports, './deep': './src/deep.ts' } },
    'exports something other than {".":"./src/index.ts"}',
  ],
])('%j is a problem', (fields, problem) => {
  writeManifest('store', fields);
  expect(manifestProblems(root, table)).toEqual([
    expect.stringContaining(`packages/store/package.json: ${problem}`),
  ]);
});

test('a program without an index.ts exports nothing', () => {
  rmSync(join(root, 'packages/server/src/index.ts'));
  expect(manifestProblems(root, table)).toEqual([
    'packages/server/package.json: exports something other than {}',
  ]);
  writeManifestFile('server', { exports: {} });
  expect(manifestProblems(root, table)).toEqual([]);
});

test('benchmarks use every package, and only the tests of a package use them', () => {
  const writeBench = (name: string, fields: object) => {
    mkdirSync(join(root, 'bench', name), { recursive: true });
    const text = JSON.stringify({ name: `@tessera/${name}`, license: 'Apache-2.0', exports: {}, ...fields });
    writeFileSync(join(root, 'bench', name, 'package.json'), text);
  };
  writeBench('load', { dependencies: { '@tessera/server': 'workspace:*' } });
  writeManifest('store', { devDependencies: { '@tessera/load': 'workspace:*' } });
  expect(manifestProblems(root, table)).toEqual([]);
  writeManifest('store', { dependencies: { '@tessera/load': 'workspace:*' } });
  expect(manifestProblems(root, table)).toEqual([
    'packages/store/package.json: depends on @tessera/load, which layers.json does not allow',
  ]);
  writeManifest('store', {});
  writeBench('server', {});
  expect(manifestProblems(root, table)).toEqual([
    'bench/server/package.json: server is outside the layers, but in layers.json',
  ]);
});

test('a package without a place in the table is a problem', () => {
  writeManifest('extra', {});
  expect(manifestProblems(root, table)).toEqual([
    'packages/extra/package.json: extra has no place in layers.json',
  ]);
});
