import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const SEEDS = 4_000;
const run = promisify(execFile);

test.concurrent.each(MUTANTS.map(({ name }, position) => ({ name, position })))(
  'the simulation notices when $name',
  {
    timeout: 120_000,
  },
  async ({ position }) => {
    const program = join(import.meta.dirname, 'mutant-process.ts');
    const { stdout } = await run(process.execPath, [program, String(position), String(SEEDS)]);
    expect(stdout).toMatch(/^\d+$/);
  },
);
