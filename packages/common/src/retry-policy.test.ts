import { expect, test } from 'vitest';
import { ERRORS, type ErrorName } from './error-table.ts';
import { TesseraError } from './errors.ts';
import { type RetriedWork, retryDecision } from './retry-policy.ts';

const failure = (name: ErrorName): TesseraError => TesseraError.fromData({ name, message: 'a failure' });

/** All errors after which each kind of work is retried, with the place of the retry. */
const EXPECTED: Readonly<Record<RetriedWork, Partial<Record<ErrorName, string>>>> = {
  query: { KERNEL_LOST: 'quarantine', OUT_OF_MEMORY: 'quarantine' },
  task: {
    OUT_OF_MEMORY: 'alone',
    KERNEL_LOST: 'elsewhere',
    DISK_FULL: 'elsewhere',
    DISK_FAILED: 'elsewhere',
    DRAINING: 'elsewhere',
    NOT_READY: 'elsewhere',
    QUERY_CANCELLED: 'elsewhere',
    NOT_LEADER: 'elsewhere',
    NODE_LOST: 'elsewhere',
    NODE_RESTARTED: 'elsewhere',
    FETCH_FAILED: 'elsewhere',
  },
  run: { NODE_LOST: 'elsewhere', NODE_RESTARTED: 'elsewhere', FETCH_FAILED: 'elsewhere' },
  fetch: {
    TRANSACTION_CONFLICT: 'again',
    DEADLOCK: 'again',
    NOT_LEADER: 'again',
    DISK_FAILED: 'again',
    OUT_OF_MEMORY: 'again',
    KERNEL_LOST: 'again',
    NODE_LOST: 'again',
    NODE_RESTARTED: 'again',
  },
  commit: { TRANSACTION_CONFLICT: 'newer snapshot', DUPLICATE_OBJECT: 'newer snapshot' },
  metadata: {
    NOT_LEADER: 'next leader',
    UNAUTHENTICATED: 'next leader',
    METADATA_UNAVAILABLE: 'next leader',
    STORAGE_UNAVAILABLE: 'next leader',
  },
};

test.for(Object.entries(EXPECTED))('%s is tried again after these errors and no others', ([work, places]) => {
  const found = (Object.keys(ERRORS) as ErrorName[]).flatMap((name) => {
    const retry = retryDecision(failure(name), work as RetriedWork);
    return retry === undefined ? [] : [[name, retry.place] as const];
  });
  expect(Object.fromEntries(found)).toEqual(places);
});

test('a failure that is not in the error table is never retried', () => {
  const works: readonly RetriedWork[] = ['query', 'task', 'run', 'fetch', 'commit', 'metadata'];
  for (const work of works) expect(retryDecision(new Error('a defect'), work)).toBeUndefined();
});
