import { expect, test } from 'vitest';
import { LongStatements } from './long-statements.ts';

const SHORT = 'x'.repeat(1_000);
const LONG = 'INSERT '.padEnd(100_000, 'x');
const LONG_QUERY = 'SELECT '.padEnd(100_000, 'x');
/** Room for two long INSERTs at a time. */
const MEMORY_BYTES = 2.5 * 128 * LONG.length;
const NEVER = new AbortController().signal;

const waiter = (signal: AbortSignal) => ({
  signal,
  activity: { isQueued: false, queuedMicroseconds: 0 },
});

/** Running statements, each until `end` ends it. */
class RunningStatements {
  readonly #statements = new LongStatements(MEMORY_BYTES);
  readonly #ends = new Map<string, () => void>();

  get running(): readonly string[] {
    return [...this.#ends.keys()];
  }

  async start(name: string, text: string, signal = NEVER): Promise<void> {
    await this.#statements.inTurn(
      waiter(signal),
      text,
      () => new Promise<void>((end) => this.#ends.set(name, end)),
    );
  }

  async end(name: string, ended: Promise<void>): Promise<void> {
    this.#ends.get(name)!();
    this.#ends.delete(name);
    await ended;
  }
}

test('as many long statements run at once as their memory allows, the others in order of arrival', async () => {
  const all = new RunningStatements();
  const a = all.start('a', LONG);
  const b = all.start('b', LONG);
  const c = all.start('c', LONG);
  const d = all.start('d', LONG);
  const short = all.start('short', SHORT);
  await expect.poll(() => all.running).toEqual(['short', 'a', 'b']);
  await all.end('short', short);
  await all.end('a', a);
  await expect.poll(() => all.running).toEqual(['b', 'c']);
  await all.end('b', b);
  await expect.poll(() => all.running).toEqual(['c', 'd']);
  await all.end('c', c);
  await all.end('d', d);
});

test('a statement that takes more than there is runs alone', async () => {
  const all = new RunningStatements();
  const a = all.start('a', LONG);
  const huge = all.start('huge', LONG.repeat(4));
  const b = all.start('b', LONG);
  await expect.poll(() => all.running).toEqual(['a']);
  await all.end('a', a);
  await expect.poll(() => all.running).toEqual(['huge']);
  await all.end('huge', huge);
  await expect.poll(() => all.running).toEqual(['b']);
  await all.end('b', b);
});

test('a query counts for more than an INSERT of the same length', async () => {
  const all = new RunningStatements();
  const a = all.start('a', LONG);
  const query = all.start('query', LONG_QUERY);
  await expect.poll(() => all.running).toEqual(['a']);
  await all.end('a', a);
  await expect.poll(() => all.running).toEqual(['query']);
  await all.end('query', query);
});

test('a statement that is cancelled while it waits holds up nobody', async () => {
  const all = new RunningStatements();
  const cancellation = new AbortController();
  const a = all.start('a', LONG);
  const huge = all.start('huge', LONG.repeat(4), cancellation.signal);
  const b = all.start('b', LONG);
  cancellation.abort(new Error('cancelled'));
  await expect(huge).rejects.toThrow('cancelled');
  await expect.poll(() => all.running).toEqual(['a', 'b']);
  await all.end('a', a);
  await all.end('b', b);
  await expect(all.start('late', LONG, cancellation.signal)).rejects.toThrow('cancelled');
});

test('a statement that fails makes room', async () => {
  const statements = new LongStatements(1);
  const failed = statements.inTurn(waiter(NEVER), LONG, () => Promise.reject(new Error('failed')));
  await expect(failed).rejects.toThrow('failed');
  expect(await statements.inTurn(waiter(NEVER), LONG, async () => 1)).toBe(1);
});
