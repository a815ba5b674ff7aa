import { beforeEach, describe, expect, it } from 'vitest';
import { TestTimer } from '../testing/test-timer.ts';
import { FailureDelays } from './failure-delays.ts';

let timer: TestTimer;
let delays: FailureDelays;
beforeEach(() => {
  timer = new TestTimer();
  delays = new FailureDelays(timer);
});

/** Fails `times` times and returns how long each attempt was delayed. */
async function waits(
  times: number,
  name: string | ((i: number) => string),
  address: string | ((i: number) => string),
) {
  const waited: number[] = [];
  for (let i = 0; i < times; i++) {
    const before = timer.nowMs;
    await delays.attempt(text(name, i), text(address, i), async () => undefined);
    waited.push(timer.nowMs - before);
  }
  return waited;
}
const text = (made: string | ((i: number) => string), i: number) =>
  typeof made === 'string' ? made : made(i);
const succeed = (name: string, address: string) => delays.attempt(name, address, async () => 'in');
const zeros = (n: number) => Array.from({ length: n }, () => 0);

describe('failures wait twice as long each time', () => {
  const rising = [250, 500, 1000, 2000, 4000, 5000, 5000];

  it('under a name from an address', async () => {
    expect(await waits(10, 'alice', '192.0.2.1')).toEqual([...zeros(3), ...rising]);
  });

  it('under a name, from wherever', async () => {
    expect(await waits(18, 'alice', (i) => `192.0.2.${i}`)).toEqual([...zeros(11), ...rising]);
  });

  it('from an address, under whatever name', async () => {
    expect(await waits(28, (i) => `user ${i}`, '192.0.2.1')).toEqual([...zeros(21), ...rising]);
  });

  it('even if the address changes within its network', async () => {
    expect(
      await waits(
        28,
        (i) => `user ${i}`,
        (i) => `2001:db8::${i}`,
      ),
    ).toEqual([...zeros(21), ...rising]);
  });
});

describe('failures are forgotten', () => {
  it('after a success under the same name from the same address', async () => {
    await waits(6, 'alice', '192.0.2.1');
    await succeed('alice', '192.0.2.1');
    expect(await waits(4, 'alice', '192.0.2.1')).toEqual([0, 0, 0, 250]);
  });

  it('at a rate of one per minute', async () => {
    await waits(30, 'alice', '192.0.2.1');
    timer.nowMs += 60 * 60_000;
    expect(await waits(4, 'alice', '192.0.2.1')).toEqual([0, 0, 0, 250]);
  });
});

describe('nobody is locked out', () => {
  it('an attempt waits five seconds at most', async () => {
    await waits(100, 'alice', '192.0.2.1');
    expect(Math.max(...timer.sleeps)).toBe(5000);
    expect(await succeed('alice', '198.51.100.1')).toBe('in');
  });

  it('a user known at an address does not wait for the failures of others', async () => {
    await succeed('alice', '192.0.2.1');
    await waits(30, 'alice', (i) => `198.51.100.${i}`);
    await waits(30, (i) => `user ${i}`, '192.0.2.1');
    expect(await waits(3, 'alice', '192.0.2.1')).toEqual([0, 0, 0]);
  });

  it('a user known at an address does not queue behind its attackers', async () => {
    const held: (() => void)[] = [];
    await succeed('alice', '192.0.2.1');
    const attack = Array.from({ length: 260 }, (_, i) =>
      delays.attempt(
        `user ${i}`,
        '192.0.2.1',
        () => new Promise<undefined>((resolve) => held.push(() => resolve(undefined))),
      ),
    );
    const one = delays.attempt('bob', '192.0.2.1', async () => 'in');
    await expect(one).rejects.toMatchObject({ name: 'TOO_MANY_LOGINS' });
    expect(await succeed('alice', '192.0.2.1')).toBe('in');
    expect(await succeed('bob', '198.51.100.1')).toBe('in');
    // At most four attempts run at a time; each one that ends lets the next one start.
    let ended = 0;
    const all = Promise.all(attack.map((attempt) => attempt.then(() => ended++)));
    while (ended < attack.length) {
      expect(held.length).toBeLessThanOrEqual(4);
      held.shift()?.();
      await new Promise(setImmediate);
    }
    await all;
    expect(await succeed('bob', '192.0.2.1')).toBe('in');
  });
});

it('requests of a burst are delayed by the failures of the others', async () => {
  let checks = 0;
  const failing = () => delays.attempt('alice', '192.0.2.1', async () => void checks++);
  await Promise.all(Array.from({ length: 100 }, failing));
  expect(checks).toBe(100);
  expect(timer.sleeps.length).toBeGreaterThan(80);
});

it('an internal error does not count as a failed login', async () => {
  for (let i = 0; i < 20; i++) {
    const broken = delays.attempt('alice', '192.0.2.1', () => Promise.reject(new Error('no catalog')));
    await expect(broken).rejects.toThrow('no catalog');
  }
  expect(timer.sleeps).toEqual([]);
});

it('closing ends the waiting', async () => {
  const asleep = Promise.withResolvers<void>();
  const real = new FailureDelays({
    now: () => 0,
    sleep: (_, signal) =>
      new Promise((_, reject) => {
        asleep.resolve();
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  for (let i = 0; i < 3; i++) await real.attempt('alice', '192.0.2.1', async () => undefined);
  const waiting = real.attempt('alice', '192.0.2.1', () => expect.unreachable());
  await asleep.promise;
  real.close();
  await expect(waiting).rejects.toMatchObject({ name: 'DRAINING' });
});
