import { expect, test } from 'vitest';
import { delaysIn } from './timer-delays.ts';

const lines = (text: string) => delaysIn(text).map((problem) => Number(/^:(\d+):/.exec(problem)?.[1]));

test.each([
  'setTimeout(stop, options.graceMs);',
  'const timer = setTimeout(() => {\n  stop();\n}, graceMs).unref();',
  'setInterval(look, frequency * 1_000);',
  'setInterval(look, EVERY_MS / parts);',
  'AbortSignal.timeout(limits.totalMs);',
  'socket.setTimeout(idleMs);',
  'setTimeout(stop, 2_147_483_648);',
  'createServer({ headersTimeout: limits.headersMs });',
  'new Client(url, { bodyTimeout: 1_000 * limits.seconds });',
  'createServer({ headersTimeout });',
  'server.headersTimeout = limits.headersMs;',
])('%j is refused', (text) => {
  expect(lines(text)).toEqual([1]);
});

test.each([
  'setTimeout(stop, 5_000);',
  'setTimeout(stop);',
  'setTimeout(stop, GRACE_MS).unref();',
  'setInterval(look, TIMES.everyMs);',
  'setTimeout(stop, 1_000 * SECONDS);',
  'AbortSignal.timeout(LIMIT_MS);',
  'createServer({ headersTimeout: 60_000, requestTimeout: 0 });',
  'new Client(url, { bodyTimeout: timerMs(limits.bodyMs) });',
  'startTimer(stop, options.graceMs);',
])('%j is fine', (text) => {
  expect(delaysIn(text)).toEqual([]);
});

test('timers of node:timers/promises are known by the name they are imported as', () => {
  const text =
    "import { setTimeout as delay } from 'node:timers/promises';\n\nawait delay(ms);\nawait delay(10);\n";
  expect(lines(text)).toEqual([3]);
  expect(lines('await delay(ms);')).toEqual([]);
});

test('the line is correct after characters of several bytes, and in a second text', () => {
  expect(lines('// ä €\n\nsetTimeout(stop, ms);\n')).toEqual([3]);
  expect(lines('\n// ä €\n\nsetTimeout(stop, ms);\n')).toEqual([4]);
});
