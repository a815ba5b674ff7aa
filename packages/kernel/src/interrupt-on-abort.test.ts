import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { interruptOnAbort } from './client/interrupt-on-abort.ts';
import { type Kernel, startKernel } from './kernel.ts';

const ENDLESS = 'SELECT count(*) FROM range(100000000000) AS r(n) WHERE n % 7 = 3';
const silent = { info: () => {}, warn: () => {}, error: () => {} };

let directory: string;
let kernel: Kernel;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-interrupt-'));
  kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [],
    memoryLimitBytes: 500_000_000,
    threads: 1,
    bootstrap: [],
    log: silent,
  });
});
afterAll(async () => {
  await kernel.close();
  await rm(directory, { recursive: true });
});

it('a call that begins after the signal fired is interrupted too', async () => {
  const session = await kernel.session();
  const query = new AbortController();
  const stop = interruptOnAbort(session, query.signal);
  query.abort();
  await expect(session.scalar(ENDLESS)).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  stop();
  expect(await session.scalar('SELECT 42')).toBe(42);
  await session.close();
});

it('a call that hears no interrupt is left to itself', async () => {
  const session = await kernel.session();
  const call = session.scalar(ENDLESS);
  const pid = kernel.status().pid!;
  // The stopped process simulates one in a long native call.
  process.kill(pid, 'SIGSTOP');
  session.interrupt();
  await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await session.close();
  process.kill(pid, 'SIGCONT');
  const next = await kernel.session();
  expect(await next.scalar('SELECT 1')).toBe(1);
  await next.close();
});
