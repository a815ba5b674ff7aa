import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Writes packages/rpc/src/generated from proto/, offline. With `--check` it only reports stale files. */
const root = dirname(import.meta.dirname);
const generated = join(root, 'packages/rpc/src/generated');
const fresh = mkdtempSync(join(tmpdir(), 'tessera-rpc-'));
try {
  buf('lint');
  buf('generate', '--template', 'buf.gen.yaml', '--output', fresh);
  if (process.argv.includes('--check')) check();
  else {
    rmSync(generated, { recursive: true, force: true });
    cpSync(fresh, generated, { recursive: true });
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function buf(...args: string[]): void {
  const bin = join(root, 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  const { status, error } = spawnSync(join(bin, 'buf'), args, {
    cwd: join(root, 'proto'),
    env,
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) process.exit(1);
}

function check(): void {
  const stale = [...new Set([...filesOf(fresh), ...filesOf(generated)])].filter(
    (file) => textOf(join(fresh, file)) !== textOf(join(generated, file)),
  );
  for (const file of stale)
    process.stdout.write(`packages/rpc/src/generated/${file} is stale: run node scripts/generate-rpc.ts\n`);
  if (stale.length > 0) process.exitCode = 1;
}

function filesOf(directory: string): string[] {
  return globSync('**/*.ts', { cwd: directory });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
