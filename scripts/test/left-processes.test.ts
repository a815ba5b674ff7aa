import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test.runIf(process.platform === 'linux')(
  'processes that tests have started end with a run that is ended by a signal',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'left-processes-'));
    const pidFile = join(folder, 'pid');
    try {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(
        join(folder, 'endless.test.ts'),
        `import { spawn } from 'node:child_process';
         import { writeFileSync } from 'node:fs';
         import { test } from 'vitest';
         test('endless', async () => {
           const options = { detached: true, stdio: 'ignore' } as const;
           const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
           writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
           await new Promise(() => {});
         });`,
      );
      const run = spawn(process.execPath, [join(root, 'scripts', 'test.ts'), '--root', folder], {
        stdio: 'ignore',
        // The runner must not believe that it is part of the run that contains this test.
        env: { PATH: process.env.PATH },
      });
      const ended = once(run, 'exit');
      const pid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0);
      await expect.poll(pid).toBeGreaterThan(0);
      run.kill('SIGTERM');
      await ended;
      await expect.poll(() => existsSync(`/proc/${pid()}/exe`)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
