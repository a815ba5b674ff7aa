import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { interruptOnAbort } from './client/interrupt-on-abort.ts';
import { type Kernel, startKernel } from './kernel.ts';

const ENDLESS = 'SELECT count(*) FROM range(100000000000) AS r(n) WHERE n % 7 = 3';
/** One function call that takes minutes. */
const STUCK = "SELECT levenshtein(repeat('ab', 100000), repeat('ba', 100000))";
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

it('the signal of a session interrupts its calls', async () => {
  const query = new AbortController();
  const session = await kernel.session({ signal: query.signal });
  const running = session.scalar(ENDLESS);
  query.abort();
  await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await expect(session.scalar(ENDLESS)).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
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

  /** Passes the time after which the process of an abandoned call is replaced. */
  async function replaced(pid: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(25_000);
    expect(logged.splice(0)).toEqual(['A cancelled statement does not end; a new process takes over']);
    await expect.poll(() => kernel.status().pid).not.toBe(pid);
    const next = await kernel.session();
    expect(await next.scalar('SELECT 1')).toBe(1);
    await next.close();
  }

  it('ends with its process if it does not end by itself', async () => {
    await replaced(await abandonedCall());
    await expect.poll(() => readdirSync(join(directory, 'kernel'))).toEqual(['process-1']);
  });

  it('ends with its process if its session was closed meanwhile', async () => {
    const session = await kernel.session();
    const call = session.scalar(ENDLESS);
    const pid = kernel.status().pid!;
    process.kill(pid, 'SIGSTOP');
    await session.close();
    await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await vi.advanceTimersByTimeAsync(5_000);
    await replaced(pid);
    await expect.poll(() => readdirSync(join(directory, 'kernel'))).toEqual(['process-2']);
  });

  it('ends with its process although another session stays open; other calls go on meanwhile', async () => {
    const [session, other] = [await kernel.session(), await kernel.session()];
    const pid = kernel.status().pid!;
    // The first call of a connection begins with settings, which an interrupt ends.
    await session.scalar('SELECT 1');
    const call = session.scalar(STUCK);
    // An interrupt that arrives together with the call ends it before it begins.
    await other.scalar('SELECT 1');
    await session.close();
    await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(kernel.status()).toMatchObject({ ready: true, pid });
    expect(await other.scalar('SELECT 1')).toBe(1);
    await expect.poll(() => kernel.status().pid).not.toBe(pid);
    expect(await other.scalar('SELECT 2')).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(other.scalar('SELECT 3')).rejects.toMatchObject({ name: 'KERNEL_LOST' });
    await other.close();
    logged.length = 0;
  });

  it('leaves the quarantine at once', async () => {
    const session = await kernel.session({ quarantine: true });
    const call = session.scalar(ENDLESS);
    await session.close();
    await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await expect.poll(() => logged.splice(0)).toContain('the quarantine kernel process exited');
  });
});
