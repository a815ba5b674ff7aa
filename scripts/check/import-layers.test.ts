import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importProblems, notExamined } from './import-layers.ts';
import type { LayerTable } from './layer-table.ts';

const table: LayerTable = {
  layers: [
    { name: 'upper', packages: ['server', 'tool'] },
    { name: 'lower', packages: ['store', 'ground'] },
  ],
  friends: { store: ['ground'] },
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'layers-'));
  for (const name of ['server', 'tool', 'store', 'ground', 'stray']) {
    write(
      `packages/${name}/package.json`,
      JSON.stringify({ name: `@tessera/${name}`, type: 'module', exports: { '.': './src/index.ts' } }),
    );
    write(`packages/${name}/src/index.ts`, "export { value } from './value.ts';\n");
    write(`packages/${name}/src/value.ts`, 'export const value: number = 1;\nexport type Value = number;\n');
    mkdirSync(join(root, 'node_modules/@tessera'), { recursive: true });
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@tessera', name));
  }
  rmSync(join(root, 'packages/stray'), { recursive: true });
  write(
    'scripts/run.ts',
    "import { value } from '../packages/store/src/index.ts';\nexport const run = value;\n",
  );
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

test('downward imports and imports of friends are fine', async () => {
  write(
    'packages/server/src/use.ts',
    "import { value } from '@tessera/store';\nexport const used = value;\n",
  );
  write(
    'packages/store/src/use.ts',
    "import { value } from '@tessera/ground';\nexport const used = value;\n",
  );
  expect(await importProblems(root, table)).toEqual([]);
});

test.each([
  ['upwards', 'store', '@tessera/server', 'store may not use this package'],
  ['upwards, as a type', 'store', '@tessera/server|type', 'store may not use this package'],
  ['sideways to no friend', 'server', '@tessera/tool', 'server may not use this package'],
  ['against the direction of a friendship', 'ground', '@tessera/store', 'ground may not use this package'],
  ['past the face', 'server', '../../store/src/value.ts', 'imports past the index.ts of another package'],
  [
    'past the face, as a type',
    'server',
    '../../store/src/value.ts|type',
    'past the index.ts of another package',
  ],
  ['past the face, by name', 'server', '@tessera/store/src/value.ts', 'an import that leads nowhere'],
  ['by a relative path', 'server', '../../store/src/index.ts', 'imports another package by a relative path'],
  ['a script', 'server', '../../../scripts/run.ts', 'a package may use neither scripts nor what deploys it'],
  ['nothing', 'server', './gone.ts', 'an import that leads nowhere'],
])('an import %s is a problem', async (_, from, to, problem) => {
  const [specifier, type] = to.split('|');
  const named = to.endsWith('run.ts') ? 'run' : 'value';
  write(
    `packages/${from}/src/use.ts`,
    type === undefined
      ? `import { ${named} } from '${specifier}';\nexport const used = ${named};\n`
      : `import type { Value } from '${specifier}';\nexport const used: Value = 1;\n`,
  );
  const problems = await importProblems(root, table);
  expect(problems).toContainEqual(expect.stringContaining(`packages/${from}/src/use.ts: `));
  expect(problems).toContainEqual(expect.stringContaining(problem));
});

test('benchmarks use packages through their public interfaces, and only tests and benchmarks of a package use them', async () => {
  write(
    'bench/load/package.json',
    JSON.stringify({ name: '@tessera/load', type: 'module', exports: { '.': './src/index.ts' } }),
  );
  write('bench/load/src/index.ts', "export { value } from '@tessera/store';\n");
  symlinkSync(join(root, 'bench/load'), join(root, 'node_modules/@tessera/load'));
  const use = "import { value } from '@tessera/load';\nexport const used = value;\n";
  write('packages/ground/bench/use.ts', use);
  write('packages/ground/test/use.ts', use);
  expect(await importProblems(root, table)).toEqual([]);
  write('packages/server/src/use.ts', use);
  expect(await importProblems(root, table)).toEqual([
    'packages/server/src/use.ts: only tests and benchmarks of a package may use bench: bench/load/src/index.ts',
  ]);
  rmSync(join(root, 'packages/server/src/use.ts'));
  write('bench/load/src/past.ts', "export { value } from '../../../packages/store/src/value.ts';\n");
  expect(await importProblems(root, table)).toContainEqual(
    expect.stringContaining('imports past the index.ts of another package'),
  );
});

test('a dynamic import counts too', async () => {
  write('packages/store/src/use.ts', "export const used = () => import('@tessera/server');\n");
  expect(await importProblems(root, table)).toContainEqual(expect.stringContaining('store may not use'));
});

test('an import inside a `using` declaration counts too', async () => {
  write(
    'packages/store/src/use.ts',
    "export async function use() {\n  await using a = (await import('@tessera/server')).value as never;\n  using b = a;\n}\n",
  );
  expect(await importProblems(root, table)).toContainEqual(expect.stringContaining('store may not use'));
});

test('a cycle inside a package is a problem', async () => {
  write(
    'packages/store/src/value.ts',
    "import { other } from './other.ts';\nexport const value = () => other;\n",
  );
  write(
    'packages/store/src/other.ts',
    "import { value } from './value.ts';\nexport const other = () => value;\n",
  );
  expect(await importProblems(root, table)).toEqual([expect.stringContaining(': an import cycle: ')]);
});

test('a cycle through types is a problem, called by its name', async () => {
  write(
    'packages/store/src/value.ts',
    "import type { Other } from './other.ts';\nexport const value: Other = 1;\nexport type Value = number;\n",
  );
  write(
    'packages/store/src/other.ts',
    "import { value } from './value.ts';\nexport const other = () => value;\nexport type Other = number;\n",
  );
  expect(await importProblems(root, table)).toEqual([
    expect.stringContaining(': an import cycle through types: '),
  ]);
});

test('a package outside the table is a problem', async () => {
  write('packages/stray/src/index.ts', "export * from './value.ts';\n");
  write('packages/stray/src/value.ts', 'export const value = 1;\n');
  expect(await importProblems(root, table)).toContainEqual(
    expect.stringContaining('a package missing from layers.json'),
  );
});

test('a script may not bypass the public interface of a package', async () => {
  write(
    'scripts/run.ts',
    "import { value } from '../packages/store/src/value.ts';\nexport const run = value;\n",
  );
  expect(await importProblems(root, table)).toContainEqual(
    expect.stringContaining('imports past the index.ts of a package'),
  );
});

test('an empty tree is a problem, not a success', async () => {
  rmSync(join(root, 'packages'), { recursive: true });
  rmSync(join(root, 'scripts'), { recursive: true });
  mkdirSync(join(root, 'packages'));
  mkdirSync(join(root, 'scripts'));
  expect(await importProblems(root, table)).toContainEqual(expect.stringContaining('no source files found'));
});

test('a file that does not parse fails the check by name', async () => {
  write('packages/store/src/broken.ts', 'export const = ;\n');
  await expect(importProblems(root, table)).rejects.toThrow('broken.ts');
});

test('source files that were not examined are problems: without a TypeScript parser a cruise sees none', () => {
  expect(notExamined(['packages/a/src/index.ts', 'packages/a/src/b.ts'], ['packages/a/src/b.ts'])).toEqual([
    'packages/a/src/index.ts: not examined (does @swc/core fit dependency-cruiser?)',
  ]);
});
