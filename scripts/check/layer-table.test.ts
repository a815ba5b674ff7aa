import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allowedFor, packagesOf, readLayerTable, tableProblems } from './layer-table.ts';

const root = join(import.meta.dirname, '..', '..');

test('the table of this repository is sound', () => {
  expect(tableProblems(readLayerTable(root))).toEqual([]);
});

test('docs/architecture.md shows the same layers and packages', () => {
  const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
  const [section] = page.slice(page.indexOf('\n## Packages')).split('\n## Processes');
  const rows = [...section!.matchAll(/^\| ([a-z ]+) \| (.*`.*) \|$/gm)].map(([, name, cell]) => ({
    name,
    packages: [...(cell ?? '').replaceAll(/\(.*?\)/g, '').matchAll(/`([a-z-]+)`/g)].map((m) => m[1]),
  }));
  expect(rows).toEqual(readLayerTable(root).layers);
});

test('a package may use the layers below and its friends', () => {
  const table = {
    layers: [
      { name: 'a', packages: ['a1', 'a2'] },
      { name: 'b', packages: ['b1'] },
    ],
    friends: { a1: ['a2'] },
  };
  expect(allowedFor(table, 'a1')).toEqual(['a2', 'b1']);
  expect(allowedFor(table, 'a2')).toEqual(['b1']);
  expect(allowedFor(table, 'b1')).toEqual([]);
  expect(packagesOf(table)).toEqual(['a1', 'a2', 'b1']);
});

test('mistakes in a table are named', () => {
  const layers = [
    { name: 'a', packages: ['a1', 'a2', 'a3', 'b1'] },
    { name: 'b', packages: ['b1', 'b2'] },
  ];
  const friends = { a1: ['a2'], a2: ['a3'], a3: ['a1', 'b2'] };
  expect(tableProblems({ layers, friends })).toEqual([
    'layers.json: b1 stands in two places',
    'layers.json: the friends of a1 lead back to it',
    'layers.json: the friends of a2 lead back to it',
    'layers.json: a3 and its friend b2 are not in one layer',
    'layers.json: the friends of a3 lead back to it',
  ]);
});
