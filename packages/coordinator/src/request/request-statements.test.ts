import { asQueryId } from '@tessera/common';
import { beforeEach, expect, it, vi } from 'vitest';

const REQUEST = { user: 'ada', database: undefined, parameters: [] } as const;

/** Computes keys as a newly started process would. */
async function freshProcess(): Promise<(text: string) => string> {
  vi.resetModules();
  const { idempotencyKeyOf } = await import('./request-statements.ts');
  return (text) => idempotencyKeyOf(asQueryId('q'), 0, text, REQUEST);
}

let nameOf: (text: string) => string;
beforeEach(async () => {
  nameOf = await freshProcess();
});

it('every process recognises a repeated statement', async () => {
  const sql = 'INSERT INTO t VALUES (1)';
  expect(nameOf(sql)).toBe(nameOf(sql));
  expect((await freshProcess())(sql)).toBe(nameOf(sql));
  expect(nameOf('INSERT INTO t VALUES (2)')).not.toBe(nameOf(sql));
});

it('the idempotency key of a statement with a password does not help to guess the password', async () => {
  const sql = "ALTER USER ada PASSWORD 'guess'";
  expect(nameOf(sql)).toBe(nameOf(sql));
  expect(nameOf("ALTER USER ada PASSWORD 'other'")).not.toBe(nameOf(sql));
  expect((await freshProcess())(sql)).not.toBe(nameOf(sql));
});
