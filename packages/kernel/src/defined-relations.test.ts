import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KernelSession } from './index.ts';
import { type TestKernel, testKernel } from './testing/test-kernel.ts';

const PLAN =
  'SELECT json_serialize_plan($1::VARCHAR, optimize := true, skip_null := true, skip_empty := true)';

let fixture: TestKernel;
let session: KernelSession;

beforeAll(async () => {
  fixture = await testKernel({ definesRelations: true, bootstrap: ['CREATE SCHEMA managed'] });
  session = await fixture.kernel.session();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const KEYED = [
  { name: 'k', type: 'INTEGER' },
  { name: 'Other name', type: "STRUCT(a DECIMAL(12,3), b ENUM('x', 'y')[])" },
];

test('statements are bound over columns and types', async () => {
  await session.defineRelation('r1', KEYED, 10);
  const { columns } = await session.describe('SELECT * FROM managed.r1');
  expect(columns).toEqual([
    { name: 'k', type: { id: 'INTEGER' } },
    {
      name: 'Other name',
      type: {
        id: 'STRUCT',
        fields: [
          { name: 'a', type: { id: 'DECIMAL', width: 12, scale: 3 } },
          { name: 'b', type: { id: 'LIST', child: { id: 'ENUM', values: ['x', 'y'] } } },
        ],
      },
    },
  ]);
  expect(await session.scalar('SELECT count(*) FROM managed.r1')).toBe(0);
});

test('other sessions see it, until it is dropped', async () => {
  await session.defineRelation('r2', KEYED, 10);
  const other = await fixture.kernel.session();
  expect((await other.describe('FROM managed.r2')).columns).toHaveLength(2);
  await other.dropRelation('r2');
  await expect(session.describe('FROM managed.r2')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  await other.close();
});

test('a relation replaces one of the same name, and a table hides it', async () => {
  await session.defineRelation('r3', KEYED, 10);
  await session.defineRelation('r3', [{ name: 'z', type: 'DATE' }], 10);
  expect((await session.describe('FROM managed.r3')).columns).toEqual([{ name: 'z', type: { id: 'DATE' } }]);
  await session.execute('CREATE TABLE managed.r3 (t INTEGER)');
  expect((await session.describe('FROM managed.r3')).columns.map(({ name }) => name)).toEqual(['t']);
});

test('a relation with an unknown type is refused', async () => {
  await expect(session.defineRelation('r4', [{ name: 'z', type: 'NO_TYPE' }], 10)).rejects.toThrow(/NO_TYPE/);
  await expect(session.describe('FROM managed.r4')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
});

test('the join order depends on the numbers of rows', async () => {
  const order = async (a: number, b: number, c: number): Promise<string[]> => {
    for (const [name, rows] of Object.entries({ a, b, c }))
      await session.defineRelation(`size_${name}`, KEYED, rows);
    const plan = await session.scalar(PLAN, [
      'SELECT 1 FROM size_a a, size_b b, size_c c WHERE a.k = b.k AND b.k = c.k',
    ]);
    return [...String(plan).matchAll(/"value":"size_(.)"/g)].map((match) => match[1]!);
  };
  expect((await order(1_000_000, 1_000, 10))[0]).toBe('a');
  expect((await order(10, 1_000, 1_000_000))[0]).toBe('c');
});

test('many sessions bind at once, also while relations come and go', async () => {
  await session.defineRelation('r5', KEYED, 10);
  const bind = async () => {
    const own = await fixture.kernel.session();
    for (let i = 0; i < 40; i++) await own.describe('FROM managed.r5 AS x JOIN managed.r5 AS y USING (k)');
    await own.close();
  };
  const change = async () => {
    for (let i = 0; i < 40; i++) await session.defineRelation(`r6_${i}`, KEYED, i);
  };
  await Promise.all([change(), ...Array.from({ length: 8 }, bind)]);
});

test('a kernel without this option has none', async () => {
  await using plain = await testKernel();
  const own = await plain.kernel.session();
  await expect(own.defineRelation('r', KEYED, 1)).rejects.toThrow(/defined relations/);
});
