import { asQueryId } from '@tessera/common';
import { beforeEach, expect, it } from 'vitest';

const REQUEST = { user: 'ada', database: undefined, parameters: [] } as const;

let processes = 0;

/** Computes keys as a newly started process would: with an instance of the module that no other call shares. */
async function freshProcess(): Promise<(text: string) => string> {
  const module = `./request-statements.ts?process=${processes++}`;
  const { idempotencyKeyOf }: typeof import('./request-statements.ts') = await import(module);
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
