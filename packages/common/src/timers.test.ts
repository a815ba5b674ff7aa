import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_TIMER_MS, pause, startInterval, startTimer, timeoutSignal } from './timers.ts';

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a timer of thirty days fires after thirty days, not after one millisecond', () => {
  const fired = vi.fn();
  startTimer(fired, 30 * DAY_MS);
  vi.advanceTimersByTime(30 * DAY_MS - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fired).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([0, 1, MAX_TIMER_MS, MAX_TIMER_MS + 1, 2 * MAX_TIMER_MS])('a timer of %d ms is exact', (ms) => {
  const fired = vi.fn();
  startTimer(fired, ms);
  if (ms > 1) {
    vi.advanceTimersByTime(ms - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
  } else vi.advanceTimersByTime(ms);
  expect(fired).toHaveBeenCalledOnce();
});

test('Node never gets a delay that it would treat as one millisecond', () => {
  const delays: unknown[] = [];
  const fake = globalThis.setTimeout;
  globalThis.setTimeout = ((callback: () => void, delayMs: number) => {
    delays.push(delayMs);
    return fake(callback, delayMs);
  }) as typeof setTimeout;
  for (const ms of [1, 2 ** 31, 2 ** 32, 2 ** 53, Number.POSITIVE_INFINITY]) startTimer(() => {}, ms).clear();
  globalThis.setTimeout = fake;
  expect(delays.length).toBeGreaterThan(3);
  for (const delayMs of delays) expect(delayMs).toBeLessThanOrEqual(MAX_TIMER_MS);
});

test('a timer without an end never fires, and one that is cleared does not either', () => {
  const fired = vi.fn();
  startTimer(fired, Number.POSITIVE_INFINITY);
  const cleared = startTimer(fired, 30 * DAY_MS);
  vi.advanceTimersByTime(26 * DAY_MS);
  cleared.clear();
  vi.advanceTimersByTime(100 * DAY_MS);
  expect(fired).not.toHaveBeenCalled();
});

test.each([1_000, 30 * DAY_MS])('refresh starts the whole delay of %d ms again', (ms) => {
  const fired = vi.fn();
  const timer = startTimer(fired, ms);
  vi.advanceTimersByTime(ms - 1);
  timer.refresh();
  vi.advanceTimersByTime(ms - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fired).toHaveBeenCalledOnce();
});

test('an interval of thirty days fires every thirty days', () => {
  const fired = vi.fn();
  const interval = startInterval(fired, 30 * DAY_MS);
  vi.advanceTimersByTime(30 * DAY_MS - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60 * DAY_MS + 1);
  expect(fired).toHaveBeenCalledTimes(3);
  interval.clear();
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(fired).toHaveBeenCalledTimes(3);
});

test('an interval that is cleared in its own callback ends', () => {
  const fired = vi.fn(() => interval.clear());
  const interval = startInterval(fired, 10);
  vi.advanceTimersByTime(100);
  expect(fired).toHaveBeenCalledOnce();
});

test('a pause of thirty days ends when its signal aborts, with the reason', async () => {
  const abort = new AbortController();
  const paused = pause(30 * DAY_MS, { signal: abort.signal });
  const outcome = expect(paused).rejects.toThrow('enough');
  vi.advanceTimersByTime(DAY_MS);
  abort.abort(new Error('enough'));
  await outcome;
  expect(vi.getTimerCount()).toBe(0);
});

test('a signal of thirty days aborts with a TimeoutError after thirty days', () => {
  const signal = timeoutSignal(30 * DAY_MS);
  vi.advanceTimersByTime(30 * DAY_MS - 1);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('a delay that is not a number is refused', () => {
  expect(() => startTimer(() => {}, Number.NaN)).toThrow(RangeError);
});
