import { afterAll, expect, vi } from 'vitest';

/**
 * The globals that a test file in a shared process must restore. Otherwise the following files would run with a
 * stopped clock or without a network. A spy on a fake timer is such a case: it is restored once more after the
 * real timers are back.
 */
const globals = () => ({
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  Date: globalThis.Date,
  fetch: globalThis.fetch,
});

const before = Object.entries(globals());

afterAll(() => {
  const after: Record<string, unknown> = globals();
  const changed = before.filter(([name, value]) => after[name] !== value).map(([name]) => name);
  expect(changed, 'global names that this file has changed for the files after it').toEqual([]);
});

// Native libraries are loaded once in a process: modules that load them cannot be evaluated a second time.
vi.resetModules = () => {
  throw new Error('Tests in a shared process must not reset modules');
};
