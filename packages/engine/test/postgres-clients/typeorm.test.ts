import { DataSource, EntitySchema, Raw } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { placeOf } from './programs.ts';

interface Item {
  id: number;
  name: string | null;
  code?: string | null;
  state?: string;
  rank?: number | null;
  price?: string | null;
  note?: string | null;
}

const ITEM = new EntitySchema<Item>({
  name: 'Item',
  tableName: 'items',
  columns: {
    id: { type: Number, primary: true },
    name: { type: String, nullable: true },
    code: { type: 'varchar', length: 12, nullable: true },
    state: { type: 'char', length: 2, default: 'ok' },
    rank: { type: 'smallint', nullable: true },
    price: { type: 'numeric', precision: 10, scale: 2, nullable: true },
    note: { type: 'text', nullable: true },
  },
});

interface Paper {
  id?: number;
  facts: unknown;
  notes?: unknown;
}

const PAPER = new EntitySchema<Paper>({
  name: 'Paper',
  tableName: 'papers',
  columns: {
    id: { type: Number, primary: true, generated: true },
    facts: { type: 'jsonb', default: {} },
    notes: { type: 'json', nullable: true },
  },
});

/** The columns that no test sets. */
const UNSET = { code: null, state: 'ok', rank: null, price: null, note: null };

let node: SharedNode;
let db: DataSource;
beforeAll(async () => {
  node = await takeSharedNode();
  const { host, port, user, database } = placeOf(node);
  db = await new DataSource({
    type: 'postgres',
    host,
    port,
    username: user,
    database,
    entities: [ITEM, PAPER],
  }).initialize();
});
afterAll(async () => {
  await db?.destroy();
  await node[Symbol.asyncDispose]();
});

const items = () => db.getRepository(ITEM);

it('synchronizes the schema', async () => {
  await db.synchronize();
  expect(await items().count()).toBe(0);
});

it('synchronizes again and changes nothing', async () => {
  const row = { id: 100, name: 'a', code: 'x', state: 'up', rank: 3, price: '1.50', note: 'n' };
  await items().insert(row);
  const { upQueries } = await db.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
  await db.synchronize();
  expect(await items().find()).toEqual([row]);
  await items().delete({ id: 100 });
});

it('saves, finds, updates and deletes', async () => {
  await items().save([
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ]);
  await items().save({ id: 2, name: 'changed' });
  expect(await items().find({ order: { id: 'ASC' } })).toEqual([
    { ...UNSET, id: 1, name: 'a' },
    { ...UNSET, id: 2, name: 'changed' },
  ]);
  expect((await items().update({ id: 1 }, { name: null })).affected).toBe(1);
  expect((await items().delete({ id: 2 })).affected).toBe(1);
  expect(await items().createQueryBuilder('i').where('i.name IS NULL').getMany()).toEqual([
    { ...UNSET, id: 1, name: null },
  ]);
});

it('inserts or updates', async () => {
  await items().upsert({ id: 50, name: 'first', rank: 1 }, ['id']);
  await items().upsert(
    [
      { id: 50, name: 'second' },
      { id: 51, name: 'new' },
    ],
    { conflictPaths: ['id'], skipUpdateIfNoValuesChanged: true },
  );
  const insert = () => items().createQueryBuilder().insert();
  await insert().values({ id: 51, name: 'ignored' }).orIgnore().execute();
  await insert().values({ id: 51, name: 'again', rank: 5 }).orUpdate(['rank'], ['id']).execute();
  expect(await items().find({ where: [{ id: 50 }, { id: 51 }], order: { id: 'ASC' } })).toEqual([
    { ...UNSET, id: 50, name: 'second', rank: 1 },
    { ...UNSET, id: 51, name: 'new', rank: 5 },
  ]);
  await items().delete([50, 51]);
});

it('stores and queries documents', async () => {
  const papers = db.getRepository(PAPER);
  const facts = { a: { b: [1, 'two'] }, tags: ['x', "y's"], n: 7 };
  const made = await papers.save({ facts, notes: [1, { x: null }] });
  expect(made.id).toEqual(expect.any(Number));
  await papers.insert([{ facts: { n: 8 } }, { facts: [] }]);
  const found = async (condition: string, parameters = {}) =>
    (await papers.createQueryBuilder('p').where(condition, parameters).orderBy('p.id').getMany()).map(
      (paper) => paper.facts,
    );
  expect(await found('true')).toEqual([facts, { n: 8 }, []]);
  expect(await found('p.facts @> :part', { part: { tags: ['x'] } })).toEqual([facts]);
  expect(await found("p.facts ->> 'n' = :n", { n: '8' })).toEqual([{ n: 8 }]);
  expect(await found("p.notes -> 1 -> 'x' IS NOT NULL")).toEqual([facts]);
  expect(
    (await papers.find({ where: { facts: Raw((name) => `${name} ? 'tags'`) } })).map((p) => p.notes),
  ).toEqual([[1, { x: null }]]);
  await papers.save({ id: made.id!, facts: { n: 9 } });
  expect(await papers.findOneBy({ id: made.id! })).toEqual({
    id: made.id,
    facts: { n: 9 },
    notes: [1, { x: null }],
  });
});

it('rolls the inner one of two transactions back', async () => {
  await db.transaction(async (outer) => {
    await outer.getRepository(ITEM).insert({ id: 10, name: 'kept' });
    const inner = outer.transaction(async (part) => {
      await part.getRepository(ITEM).insert({ id: 11, name: 'undone' });
      throw new Error('on purpose');
    });
    await expect(inner).rejects.toThrow('on purpose');
  });
  expect(await items().countBy({ name: 'kept' })).toBe(1);
  expect(await items().countBy({ name: 'undone' })).toBe(0);
});
