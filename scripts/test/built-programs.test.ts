import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('a run starts the programs that it has built, and not those of an earlier run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'built-programs-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const plugin = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'built-programs.ts')).href);
    write(
      'vitest.config.ts',
      `import { startBuilt } from ${plugin};
       export default { plugins: [startBuilt(import.meta.dirname, process.env.PROGRAMS)] };`,
    );
    write('source.ts', `export const PROGRAM = new URL('./program.ts', import.meta.url).href;`);
    write(
      'source.test.ts',
      `import { expect, test } from 'vitest';
       import { PROGRAM } from './source.ts';
       test('program', () => expect(PROGRAM).toBe(process.env.EXPECTED));`,
    );
    for (const run of ['first', 'second']) {
      const programs = join(folder, run);
      mkdirSync(programs);
      write(join(run, 'program.js'), '');
      const { status, stdout } = spawnSync(
        process.execPath,
        [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', folder],
        {
          encoding: 'utf8',
          // The runner must not believe that it is part of the run that contains this test.
          env: {
            PATH: process.env.PATH,
            PROGRAMS: programs,
            EXPECTED: pathToFileURL(join(programs, 'program.js')).href,
          },
        },
      );
      expect(status, stdout).toBe(0);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
