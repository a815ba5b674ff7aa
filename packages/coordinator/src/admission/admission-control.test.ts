import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AdmissionControl, type AdmissionOptions, type AdmittedQuery } from './admission-control.ts';
import { SharedPlaces } from './shared-places.ts';

const MIB = 1 << 20;
const warn = vi.fn();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  warn.mockClear();
});

const control = ({
  maxQueries = 2,
  ...options
}: Partial<AdmissionOptions> & { readonly maxQueries?: number } = {}) =>
  new AdmissionControl({
    places: new SharedPlaces(maxQueries),
    memoryBytes: 1600 * MIB,
    maxRetries: 3,
    retryShare: 0.75,
    secondsAtFront: 10,
    secondsUntilWarning: 300,
    secondsBetweenWarnings: 3600,
    log: { warn },
    ...options,
  });

/** Records the names of queries in the order in which they are admitted. */
class Asker {
  readonly admitted = new Map<string, AdmittedQuery>();
  readonly refused = new Map<string, unknown>();
  readonly #control: AdmissionControl;

  constructor(asked: AdmissionControl) {
    this.#control = asked;
  }

  async ask(name: string, signal = new AbortController().signal): Promise<void> {
    void this.#control
      .admit({ kind: () => name, signal })
      .then((query) => this.admitted.set(name, query))
      .catch((error: unknown) => this.refused.set(name, error));
    await vi.advanceTimersByTimeAsync(0);
  }

  async release(name: string): Promise<void> {
    this.admitted.get(name)!.release();
    await vi.advanceTimersByTimeAsync(0);
  }

  get names(): string[] {
    return [...this.admitted.keys()];
  }
}

describe('places', () => {
  test('at most the limit of queries run; the others are admitted in order of arrival', async () => {
    const asked = control();
    const asker = new Asker(asked);
    for (let i = 0; i < 200; i++) await asker.ask(`q${i}`);
    expect(asker.names).toEqual(['q0', 'q1']);
    expect(asked.queued).toBe(198);
    for (let i = 0; i < 198; i++) {
      await asker.release(`q${i}`);
      expect(asked.running).toBe(2);
      expect(asker.names.at(-1)).toBe(`q${i + 2}`);
    }
    expect(asker.names).toHaveLength(200);
  });

  test('leaving twice frees one place', async () => {
    const asked = control();
    const asker = new Asker(asked);
    for (const name of ['a', 'b', 'c', 'd']) await asker.ask(name);
    await asker.release('a');
    await asker.release('a');
    expect(asker.names).toEqual(['a', 'b', 'c']);
    expect(asked.running).toBe(2);
  });

  test('a query that is cancelled while it waits leaves the queue, with the reason', async () => {
    const asked = control({ maxQueries: 1 });
    const asker = new Asker(asked);
    const abort = new AbortController();
    await asker.ask('a');
    await asker.ask('b', abort.signal);
    await asker.ask('c');
    abort.abort(new Error('no longer'));
    await vi.advanceTimersByTimeAsync(0);
    expect(asker.refused.get('b')).toEqual(new Error('no longer'));
    await asker.release('a');
    expect(asker.names).toEqual(['a', 'c']);
    expect(asked.reservedBytes).toBe(asker.admitted.get('c')!.memoryBytes);
  });

  test('a query that was cancelled before it asks is not admitted', async () => {
    const asker = new Asker(control());
    await asker.ask('a', AbortSignal.abort(new Error('over')));
    expect(asker.refused.get('a')).toEqual(new Error('over'));
  });
});

test('while a query of a transaction has a place, its other queries share that place', async () => {
  const asked = control({ maxQueries: 1 });
  const ask = (group: string) => asked.admit({ kind: () => '', group, signal: new AbortController().signal });
  const [cursor, beside] = [await ask('t'), await ask('t')];
  const asker = new Asker(asked);
  await asker.ask('another');
  beside.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(asker.names).toEqual([]);
  cursor.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(asker.names).toEqual(['another']);
  expect(asked).toMatchObject({ running: 1, reservedBytes: asker.admitted.get('another')!.memoryBytes });
  const later = vi.fn();
  void ask('t').then(later);
  await vi.advanceTimersByTimeAsync(0);
  expect(later).not.toHaveBeenCalled();
});

describe('memory', () => {
  /** A controller that has learnt that queries named `large` need 800 MiB. */
  async function withLarge(): Promise<Asker> {
    const asker = new Asker(control({ maxQueries: 100 }));
    await asker.ask('large');
    const large = asker.admitted.get('large')!;
    expect(large.memoryBytes).toBe(100 * MIB);
    for (let i = 0; i < 3; i++) expect(await large.retry()).toBe(true);
    expect(large.memoryBytes).toBe(800 * MIB);
    await asker.release('large');
    asker.admitted.clear();
    return asker;
  }

  test('a query that ran out of memory asks for twice as much, three times, and is known from then on', async () => {
    const asker = await withLarge();
    await asker.ask('large');
    expect(asker.admitted.get('large')!.memoryBytes).toBe(800 * MIB);
    await asker.ask('another');
    expect(asker.admitted.get('another')!.memoryBytes).toBe(100 * MIB);
  });

  test('not more retries than configured', async () => {
    const asker = new Asker(control({ maxRetries: 1 }));
    await asker.ask('a');
    expect(await asker.admitted.get('a')!.retry()).toBe(true);
    expect(await asker.admitted.get('a')!.retry()).toBe(false);
  });

  test('a retry requests at most its share in addition', async () => {
    const asker = new Asker(control({ maxQueries: 100, retryShare: 0.01 }));
    await asker.ask('a');
    await asker.admitted.get('a')!.retry();
    expect(asker.admitted.get('a')!.memoryBytes).toBe(116 * MIB);
  });

  test('small requests overtake a large one that does not fit, until it has waited long enough', async () => {
    const asker = await withLarge();
    for (let i = 0; i < 15; i++) await asker.ask(`small ${i}`);
    await asker.ask('large');
    await asker.ask('passes');
    expect(asker.names).toContain('passes');
    expect(asker.names).not.toContain('large');
    await asker.release('small 0');
    await asker.release('small 1');
    await vi.advanceTimersByTimeAsync(10_100);
    // The query is admitted with the 200 MiB that are free.
    expect(asker.admitted.get('large')!.memoryBytes).toBe(200 * MIB);
    await asker.ask('waits');
    expect(asker.names).not.toContain('waits');
    await asker.release('small 2');
    expect(asker.names).toContain('waits');
  });

  test('a query that has waited long enough gets the next memory that becomes free', async () => {
    const asker = await withLarge();
    for (let i = 0; i < 16; i++) await asker.ask(`small ${i}`);
    await asker.ask('large');
    await asker.ask('behind');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asker.names).toHaveLength(16);
    await asker.release('small 3');
    expect(asker.names.at(-1)).toBe('large');
    expect(asker.names).not.toContain('behind');
  });

  test('a retry that finds no memory runs anyway after its time at the head of the queue, since others may wait for it', async () => {
    const asker = new Asker(control({ maxQueries: 100 }));
    for (let i = 0; i < 16; i++) await asker.ask(`q${i}`);
    const retried = vi.fn();
    void asker.admitted.get('q0')!.retry().then(retried);
    await asker.ask('takes what q0 gave back');
    await vi.advanceTimersByTimeAsync(9_000);
    expect(retried).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(retried).toHaveBeenCalledWith(true);
  });
});

test('warns when queries wait and none is admitted for long, and again only after the time between warnings', async () => {
  const asker = new Asker(control({ maxQueries: 1, secondsUntilWarning: 60, secondsBetweenWarnings: 600 }));
  await asker.ask('a');
  await vi.advanceTimersByTimeAsync(120_000);
  expect(warn).not.toHaveBeenCalled();
  await asker.ask('b');
  await vi.advanceTimersByTimeAsync(59_000);
  expect(warn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(warn).toHaveBeenCalledExactlyOnceWith({ queued: 1, running: 1, seconds: 60 }, expect.any(String));
  await vi.advanceTimersByTimeAsync(590_000);
  expect(warn).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(warn).toHaveBeenCalledTimes(2);
  await asker.release('a');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(warn).toHaveBeenCalledTimes(2);
});
