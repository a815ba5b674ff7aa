import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKernel } from '@tessera/kernel';
import { expect, test, vi } from 'vitest';
import { kernelBootstrap } from '../src/index.ts';

const DEFINITIONS = `SELECT to_json(list(row(function_name, parameters, parameter_types, macro_definition) ORDER BY ALL))::VARCHAR
  FROM (FROM duckdb_functions() WHERE NOT internal)`;

test('every macro that a kernel copies from the file of an earlier one is defined as it was created', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kept-macros-'));
  vi.stubEnv('NODE_COMPILE_CACHE', join(directory, 'cache'));
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const definitions: string[] = [];
  try {
    for (const name of ['created', 'copied']) {
      const kernel = await startKernel({
        directory: join(directory, name),
        readableDirectories: [],
        memoryLimitBytes: 1e9,
        threads: 2,
        bootstrap: kernelBootstrap,
        log,
      });
      try {
        const session = await kernel.session();
        definitions.push(String(await session.scalar(DEFINITIONS)));
      } finally {
        await kernel.close();
      }
      const kept = readdirSync(join(directory, 'cache'), { recursive: true, encoding: 'utf8' });
      expect(kept.filter((file) => file.includes('macros-'))).toHaveLength(1);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  expect(definitions[0]!.length).toBeGreaterThan(50_000);
  expect(definitions[1]).toBe(definitions[0]);
});
