import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open();
});
afterAll(() => node[Symbol.asyncDispose]());

/** Types, each with a value. */
const TYPES = [
  ['BOOLEAN', 'true'],
  ['INTEGER', '1'],
  ['BIGINT', '1'],
  ['REAL', '1.5'],
  ['DOUBLE PRECISION', "'nan'"],
  ['NUMERIC(4, 1)', '1.5'],
  ['NUMERIC(18, 2)', '1.5'],
  ['NUMERIC(38, 9)', '1.5'],
  ['TEXT', "repeat('long text ', 1000)"],
  ['TEXT', "''"],
  ['BYTEA', "'\\x00ff'::bytea"],
  ['DATE', "'2024-01-01'"],
  ['TIMESTAMP', "'2024-01-01 10:00:00'"],
  ['TIMESTAMPTZ', "'2024-01-01 10:00:00+02'"],
  ['JSON', `'{"a": null}'::json`],
  ['ARRAY(TEXT)', '[NULL]'],
  ['STRUCT(a INT)', "{'a': NULL}"],
  ['ARRAY(STRUCT(a INT))', "[{'a': 1}]"],
] as const;

const FEW = TYPES.map(([type, value]) => [type, 5, value] as const);
/** More rows than one granule holds. */
const MANY = [
  ['BIGINT', 300_000, '1'],
  ['TEXT', 300_000, "'x' || i"],
  ['ARRAY(TEXT)', 300_000, '[NULL]'],
] as const;

it.each([...FEW, ...MANY])(
  '%s NOT NULL: %i rows of %s are kept, and refused with one NULL',
  async (type, count, value) => {
    await node.run('DROP TABLE IF EXISTS n');
    await node.run(`CREATE TABLE n (k BIGINT, v ${type} NOT NULL) PRIMARY INDEX k`);
    const from = `FROM generate_series(1, ${count}) AS g(i)`;
    await node.run(`INSERT INTO n SELECT i, ${value} ${from}`);
    await expect(
      node.run(`INSERT INTO n SELECT i, CASE WHEN i <> ${count - 1} THEN ${value} END ${from}`),
    ).rejects.toMatchObject({
      name: 'NOT_NULL_VIOLATION',
      message: 'NULL in column "v" of table "n", which is NOT NULL',
    });
    await expect(node.run('INSERT INTO n (k) SELECT 1')).rejects.toMatchObject({
      name: 'NOT_NULL_VIOLATION',
    });
    expect(await node.rows('SELECT count(*), count(v) FROM n')).toEqual([[String(count), String(count)]]);
  },
);
