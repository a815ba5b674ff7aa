import type { TableObject } from '@tessera/catalog';
import type { ScanSource } from '@tessera/planner';
import type { ClusterNode } from '@tessera/scheduler';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TableFixture } from '../testing/table-fixture.ts';
import { assignScan } from './scan-assignment.ts';

const NODES = ['a', 'b', 'c'].map((name, index) => ({ name, index })) as unknown as readonly ClusterNode[];

let fixture: TableFixture;
let table: TableObject;
beforeAll(async () => {
  fixture = await TableFixture.open();
  table = await fixture.table('t', 'SELECT range AS a FROM range(0, 1000)');
  for (let piece = 1; piece < 6; piece++)
    await fixture.insert(table, `SELECT range AS a FROM range(${piece * 1000}, ${piece * 1000 + 1000})`);
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function assigned(changes: Partial<ScanSource>) {
  const scan: ScanSource = {
    kind: 'scan',
    relation: 't',
    columns: ['a'],
    filters: [],
    partitioning: 'source',
    dynamicFilters: [],
    ...changes,
  };
  const { agent, snapshot } = fixture;
  const scope = { agent, snapshot, signal: new AbortController().signal };
  return assignScan(table, scan, NODES, new Map(), scope);
}

const rowsOf = ({ assignments }: Awaited<ReturnType<typeof assigned>>) =>
  assignments.map(({ source }) => {
    const { tablets } = source as { tablets: readonly { tablet: { rows: number } }[] };
    return tablets.reduce((sum, { tablet }) => sum + tablet.rows, 0);
  });

it('parts of a sharded scan are the whole table together', async () => {
  expect(rowsOf(await assigned({})).reduce((a, b) => a + b)).toBe(6000);
  expect(rowsOf(await assigned({ partitioning: 'replicated' }))).toEqual([6000, 6000, 6000]);
});

it('the ranges that limit a replicated scan cover every key exactly once', async () => {
  const keyed = await fixture.table('keyed', 'SELECT range AS k FROM range(9000)', { primaryIndex: ['k'] });
  const withinKeys = { column: 'a', domain: keyed.id };
  const { assignments } = await assigned({ partitioning: 'replicated', withinKeys });
  const ranges = assignments.flatMap(({ ownKeys }) => ownKeys!.ranges!);
  const numbered = ranges.map(({ from = '-1', to = '9999' }) => [Number(from), Number(to)] as const);
  const sorted = numbered.sort(([a], [b]) => a - b);
  expect(sorted.map(([from]) => from)).toEqual([-1, ...sorted.map(([, to]) => to).slice(0, -1)]);
  expect(sorted.at(-1)![1]).toBe(9999);
  expect(assignments.map(({ ownKeys }) => ownKeys!.column)).toEqual(['a', 'a', 'a']);
  expect((await assigned({ partitioning: 'replicated' })).assignments[0]).not.toHaveProperty('ownKeys');
});

it('a scan without tablets still has one part without rows', async () => {
  const filters = [{ kind: 'compare', column: 'a', operator: '>', value: '100000' }] as const;
  const scan = await assigned({ filters });
  expect(rowsOf(scan)).toEqual([0]);
  expect(scan.access).toMatchObject({ tabletsTotal: 6, tabletsPrunedByRange: 6 });
});
