import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { interruptOnAbort } from './client/interrupt-on-abort.ts';
import { type Kernel, startKernel } from './kernel.ts';

const ENDLESS = 'SELECT count(*) FROM range(100000000000) AS r(n) WHERE n % 7 = 3';
const logged: string[] = [];
const log = (_details: object, message: string) => void logged.push(message);

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
    log: { info: log, warn: log, error: log },
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

describe('a call that ignores the interrupt', () => {
  /** Fakes only these two, because everything else happens in other processes. */
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Stops the kernel process, which simulates a long native call, until the call is abandoned. */
  async function abandonedCall(): Promise<number> {
    const session = await kernel.session();
    const call = session.scalar(ENDLESS);
    const pid = kernel.status().pid!;
    process.kill(pid, 'SIGSTOP');
    session.interrupt();
    const failed = expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await vi.advanceTimersByTimeAsync(5_000);
    await failed;
    await session.close();
    return pid;
  }

  it('is abandoned', async () => {
    const pid = await abandonedCall();
    process.kill(pid, 'SIGCONT');
    const next = await kernel.session();
    expect(await next.scalar('SELECT 1')).toBe(1);
    await next.close();
    expect(kernel.status().pid).toBe(pid);
  });

  it('ends with its process if it does not end by itself', async () => {
    const pid = await abandonedCall();
    await vi.advanceTimersByTimeAsync(25_000);
    await vi.advanceTimersByTimeAsync(1);
    expect(logged).toEqual(['A cancelled statement does not end; a new process takes over']);
    const next = await kernel.session();
    expect(await next.scalar('SELECT 1')).toBe(1);
    await next.close();
    expect(kernel.status().pid).not.toBe(pid);
    await expect.poll(() => readdirSync(join(directory, 'kernel'))).toEqual(['process-1']);
  });
});
