import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const SEEDS = 4_000;
const run = promisify(execFile);

/** The seed that detects each mutant. One process tries all of them, because its start takes longer than most. */
let noticed: readonly string[];
beforeAll(async () => {
  const program = join(import.meta.dirname, 'mutant-process.ts');
  const { stdout } = await run(process.execPath, [program, String(SEEDS)]);
  noticed = stdout.split('\n');
}, 300_000);

test.each(MUTANTS.map(({ name }, position) => ({ name, position })))(
  'the simulation notices when $name',
  ({ position }) => expect(noticed[position]).toMatch(/^\d+$/),
);
