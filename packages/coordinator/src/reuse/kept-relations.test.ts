import type { Kernel } from '@tessera/kernel';
import { encodedRelation } from '@tessera/system-catalog';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TakenKernel, takeKernel } from '../testing/shared-kernels.ts';
import { KeptRelations } from './kept-relations.ts';

let taken: TakenKernel;
let kernel: Kernel;
beforeAll(async () => {
  taken = await takeKernel();
  ({ kernel } = taken);
});
afterAll(() => taken?.[Symbol.asyncDispose]());

const names = (...values: readonly (string | null)[]) =>
  encodedRelation({
    columns: [
      { name: 'n', type: 'INTEGER' },
      { name: 'name', type: 'VARCHAR' },
    ],
    rows: values.map((value, i) => [i, value]),
  });

async function scalar(sql: string): Promise<unknown> {
  const session = await kernel.session({});
  try {
    return await session.scalar(sql);
  } finally {
    await session.close();
  }
}

const shown = (table: string) => scalar(`SELECT string_agg(name, ',' ORDER BY n) FROM kept.main.${table}`);
const exists = async (table: string) =>
  Number(await scalar(`SELECT count(*) FROM duckdb_tables() WHERE table_name = '${table}'`)) > 0;

test('the same rows are kept when they occur for the second time, and then shared', async () => {
  const relations = new KeptRelations(kernel);
  expect(await relations.use(names('a', null, 'b'))).toBeUndefined();
  const [second, third] = await Promise.all([
    relations.use(names('a', null, 'b')),
    relations.use(names('a', null, 'b')),
  ]);
  expect(await shown(second!.name)).toBe('a,b');
  expect(third!.name).toBe(second!.name);
  expect(relations.size).toBe(1);
});

test.each([
  ['other rows', names('a', 'c')],
  ['the same values in other rows', names('ab')],
  ['no rows', names()],
])('%s are another table', async (_, other) => {
  const relations = new KeptRelations(kernel);
  const ofTwo = async (relation: typeof other) => (await relations.use(relation)) ?? relations.use(relation);
  const [one, another] = [await ofTwo(names('a', 'b')), await ofTwo(other)];
  expect(another!.name).not.toBe(one!.name);
  expect(await shown(one!.name)).toBe('a,b');
});

test('the table that was used least recently is dropped when nobody reads it any more', async () => {
  const relations = new KeptRelations(kernel);
  const kept = async (name: string) =>
    (await relations.use(names(name))) ?? (await relations.use(names(name)))!;
  const read = await kept('read');
  const unread = await kept('unread');
  unread.release();
  for (let i = 0; i < 64; i += 1) (await kept(`name ${i}`)).release();
  expect(relations.size).toBe(64);
  await expect.poll(() => exists(unread.name)).toBe(false);
  expect(await shown(read.name)).toBe('read');
  read.release();
  await expect.poll(() => exists(read.name)).toBe(false);
});

test('rows that do not fit into one statement are not kept', async () => {
  const relations = new KeptRelations(kernel);
  const many = Array.from({ length: 20_000 }, (_, i) => `${i}`);
  expect(await relations.use(names(...many))).toBeUndefined();
  expect(await relations.use(names(...many))).toBeUndefined();
  expect(relations.size).toBe(0);
});
