import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTessera } from './tessera-process.ts';

it('log files follow their configuration, and SIGHUP reopens them', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-logs-'));
  const path = join(directory, 'logs', 'engine.log');
  const config = {
    schema_version: '1.0',
    logging: {
      format: 'json',
      sinks: [{ type: 'stderr' }, { type: 'file', level: 'debug', file: { path } }],
    },
  };
  await writeFile(join(directory, 'tessera.json'), JSON.stringify(config));
  try {
    await using server = await startTessera({ args: ['--config', join(directory, 'tessera.json')] });
    const read = (file: string) => readFile(file, 'utf8').catch(() => '');
    await expect.poll(() => read(path)).toContain('"msg":"listening"');
    await rename(path, `${path}.1`);
    server.child.kill('SIGHUP');
    // The file exists again as soon as the signal was handled.
    await expect.poll(() => existsSync(path)).toBe(true);
    await server.stop();
    expect(await read(path)).toContain('"msg":"drained"');
    expect(await read(`${path}.1`)).not.toContain('"msg":"drained"');
  } finally {
    await rm(directory, { recursive: true });
  }
});
