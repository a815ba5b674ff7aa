import { describe, expect, test } from 'vitest';
import { closedLoop } from './closed-loop.ts';
import { openLoop } from './open-loop.ts';
import type { Session } from './session.ts';
import { FakeClock } from './testing/fake-clock.ts';

const ANSWER_MS = 2;
const TEN_SECONDS = { warmUpMs: 0, measuredMs: 10_000 };
const STALL = { from: 5_000, to: 6_000 };

/** A server that answers after 2 ms, and answers nothing for one second in ten. */
const stalling = (clock: FakeClock): Session => ({
  send: async () => {
    const ready = clock.now() + ANSWER_MS;
    await clock.until(ready > STALL.from && ready < STALL.to ? STALL.to : ready);
  },
  close: async () => undefined,
});

const many = (count: number, clock: FakeClock) => Array.from({ length: count }, () => stalling(clock));

const openAt = (clock: FakeClock, perSecond: number, connections: number, drainMs = 60_000) =>
  clock.run(
    openLoop(many(connections, clock), {
      clock,
      ...TEN_SECONDS,
      arrivals: { perSecond, spread: 'even', seed: 1 },
      drainMs,
    }),
  );

describe('a server that stalls for one second in ten', () => {
  test('is hidden by a closed loop, except for one request', async () => {
    const clock = new FakeClock();
    const { latencies, perSecond } = await clock.run(closedLoop(many(1, clock), { clock, ...TEN_SECONDS }));
    expect(latencies.percentile(99)).toBeCloseTo(ANSWER_MS, 1);
    expect(latencies.percentile(99.9)).toBeCloseTo(ANSWER_MS, 1);
    expect(latencies.percentile(100)).toBeCloseTo(1_000, -1);
    expect(perSecond).toBeCloseTo(450, -1);
  });

  test('shows in the percentiles of an open loop, counted from when requests were to be sent', async () => {
    const { latencies, service, backlog, unsent } = await openAt(new FakeClock(), 200, 1);
    expect(latencies.count).toBe(1_999);
    expect(latencies.percentile(50)).toBeCloseTo(ANSWER_MS, 1);
    expect(latencies.percentile(90)).toBeGreaterThan(300);
    expect(latencies.percentile(99)).toBeGreaterThan(900);
    // These latencies are counted from the send time, as naive clients do.
    expect(service.percentile(99)).toBeCloseTo(ANSWER_MS, 1);
    expect(backlog).toBeGreaterThanOrEqual(198);
    expect(unsent).toBe(0);
  });
});

test('an open loop that exceeds the server reports its backlog and the requests that it did not send', async () => {
  const { latencies, backlog, unsent } = await openAt(new FakeClock(), 1_000, 1, 0);
  expect(unsent).toBeGreaterThan(5_000);
  expect(backlog).toBeGreaterThan(5_000);
  expect(latencies.count).toBe(9_999);
  expect(latencies.percentile(50)).toBeGreaterThan(2_000);
});

test('failures are counted by class and do not end a load', async () => {
  const clock = new FakeClock();
  const failing: Session = {
    send: async (n) => {
      await clock.until(clock.now() + 1);
      if (n % 2 === 0) throw Object.assign(new Error('busy'), { status: 503, sqlState: '53300' });
    },
    close: async () => undefined,
  };
  const arrivals = { perSecond: 100, spread: 'even', seed: 1 } as const;
  const times = { clock, warmUpMs: 0, measuredMs: 1_000 };
  const open = await clock.run(openLoop([failing], { ...times, arrivals, drainMs: 0 }));
  expect([...open.failures]).toEqual([['HTTP 503 53300', 50]]);
  expect(open.latencies.count).toBe(49);
  const closed = await clock.run(closedLoop([failing], times));
  expect(closed.failed).toBeGreaterThan(100);
});

test('requests during the warm-up do not count', async () => {
  const clock = new FakeClock();
  const slowAtFirst: Session = {
    send: () => clock.until(clock.now() + (clock.now() < 1_000 ? 500 : 1)),
    close: async () => undefined,
  };
  const { latencies } = await clock.run(
    closedLoop([slowAtFirst], { clock, warmUpMs: 1_100, measuredMs: 1_000 }),
  );
  expect(latencies.percentile(100)).toBeCloseTo(1, 1);
});

test('an answer that takes longer than the measurement counts, with the time it took', async () => {
  const clock = new FakeClock();
  const slow: Session = { send: () => clock.until(clock.now() + 700), close: async () => undefined };
  const times = { clock, warmUpMs: 100, measuredMs: 200 };
  const { latencies, seconds } = await clock.run(closedLoop([slow, slow], times));
  expect(latencies.count).toBe(2);
  expect(latencies.percentile(50)).toBeCloseTo(700, -1);
  expect(seconds).toBeCloseTo(1.3, 5);
});
