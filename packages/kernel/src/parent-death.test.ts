import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** A node process that starts a kernel, keeps it busy and prints the kernel's process id. */
const PARENT = (directory: string) => `
  import { startKernel } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
  const log = { info() {}, warn() {}, error() {} };
  const kernel = await startKernel({ directory: ${JSON.stringify(directory)}, readableDirectories: [],
    memoryLimitBytes: 1e8, threads: 1, bootstrap: [], log });
  const session = await kernel.session();
  session.scalar('SELECT count(*) FROM range(10000000000) a WHERE a.range + random() < 0').catch(() => {});
  process.stdout.write(String(kernel.status().pid));
`;

test.skipIf(!existsSync('/proc/self/cmdline'))(
  'the kernel ends with its parent, however that ends (skipped without /proc)',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kernel-parent-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT(join(directory, 'kernel'))]);
    const pid = await new Promise<string>((resolve) =>
      parent.stdout.once('data', (text) => resolve(String(text))),
    );
    expect(commandLine(pid)).toContain('kernel-process');
    parent.kill('SIGKILL');
    await expect.poll(() => commandLine(pid)).toBe('');
  },
);

/** Empty for a process that is gone or is a zombie. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
