import type { TableObject } from '@tessera/catalog';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TableFixture } from '../testing/table-fixture.ts';
import { keyOfTable, keyPlacement } from './key-placements.ts';

const NAMES = ['a:1', 'b:1', 'c:1'];

let fixture: TableFixture;
let [lines, orders]: TableObject[] = [];
beforeAll(async () => {
  fixture = await TableFixture.open();
  const sorted = { primaryIndex: ['k'] };
  lines = await fixture.table('lines', 'SELECT range // 4 AS k, range AS v FROM range(40000)', sorted);
  orders = await fixture.table('orders', 'SELECT range AS k, range AS v FROM range(9500)', sorted);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const scope = () => {
  const { agent, snapshot } = fixture;
  return { agent, snapshot, signal: new AbortController().signal };
};
const keyOf = (table: TableObject) => keyOfTable(table, NAMES, scope());

it('tables with about the same keys use the ranges of the largest one', async () => {
  const smaller = await fixture.table('smaller', 'SELECT range AS k FROM range(5000)', {
    primaryIndex: ['k'],
  });
  expect(await keyOf(lines!)).toEqual({ column: 'k', domain: lines!.id });
  expect(await keyOf(orders!)).toEqual({ column: 'k', domain: lines!.id });
  expect(await keyOf(smaller)).toEqual({ column: 'k', domain: smaller.id });
});

it('a foreign key shows that a table with other keys has the same domain', async () => {
  const returns = await fixture.table('returns', 'SELECT range + 9000 AS k FROM range(400)', {
    primaryIndex: ['k'],
  });
  expect(await keyOf(returns)).toEqual({ column: 'k', domain: returns.id });
  const more: TableObject = {
    ...returns,
    constraints: [
      {
        kind: 'foreign_key',
        name: 'of',
        columns: [1],
        table: orders!.id,
        references: [1],
        onUpdate: 'NO ACTION',
        onDelete: 'NO ACTION',
      },
    ],
  };
  fixture.change({ kind: 'alter', object: more });
  expect(await keyOf(more)).toEqual({ column: 'k', domain: lines!.id });
});

it('tables without a key that can be divided evenly are divided by tablets', async () => {
  const make = (name: string, sql: string, primaryIndex: readonly string[] = ['k']) =>
    fixture.table(name, sql, { primaryIndex });
  const unsorted = await make('unsorted', 'SELECT range AS k FROM range(9000)', []);
  const doubles = await make('doubles', 'SELECT range::DOUBLE AS k FROM range(9000)');
  const texts = await make('texts', 'SELECT range::VARCHAR AS k FROM range(9000)');
  const heavy = await make(
    'heavy',
    'SELECT CASE WHEN range < 6000 THEN 70000 ELSE range * 100 END AS k FROM range(9000)',
  );
  const constant = await make('constant', "SELECT 'x' AS k FROM range(9000)");
  const empty = await make('empty', 'SELECT range AS k FROM range(0)');
  for (const table of [unsorted, doubles, heavy, constant, empty]) expect(await keyOf(table)).toBeUndefined();
  expect(await keyOf(texts)).toEqual({ column: 'k', domain: texts.id });
  expect(await keyOf({ ...lines!, tableType: 'DIMENSION' })).toBeUndefined();
});

it('ranges do not change when a few rows are added, and are computed once', async () => {
  const before = await keyPlacement(lines!.id, NAMES, scope());
  await fixture.insert(lines!, 'SELECT 17::BIGINT AS k, 0::BIGINT AS v');
  expect(await keyPlacement(lines!.id, NAMES, scope())).toBe(before);
  expect((await keyPlacement(lines!.id, NAMES.slice(1), scope())).names).toEqual(['b:1', 'c:1']);
});
