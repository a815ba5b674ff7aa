import { type Generated, Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { placeOf } from './programs.ts';

interface Schema {
  people: { id: number; name: string | null; born: Date | null; score: Generated<number> };
  pets: { owner: number; kind: string };
}

let node: SharedNode;
let db: Kysely<Schema>;
beforeAll(async () => {
  node = await takeSharedNode();
  const pool = new pg.Pool({ ...placeOf(node), max: 3 });
  db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
});
afterAll(async () => {
  await db?.destroy();
  await node[Symbol.asyncDispose]();
});

const DEFINITIONS: Migration = {
  async up(schema: Kysely<unknown>) {
    await schema.schema.createSchema('archive').ifNotExists().execute();
    await schema.schema
      .createTable('people')
      .ifNotExists()
      .addColumn('id', 'integer', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('born', 'timestamptz')
      .addColumn('score', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.schema.createTable('pets').addColumn('owner', 'integer').addColumn('kind', 'text').execute();
    await schema.schema.createTable('gone').addColumn('a', 'integer').execute();
    await schema.schema.dropTable('gone').execute();
    await schema.schema
      .createView('named')
      .as(sql`SELECT id, name FROM people WHERE name IS NOT NULL`)
      .execute();
    await schema.schema.alterTable('pets').addColumn('age', 'integer').execute();
    await schema.schema.alterTable('pets').dropColumn('age').execute();
  },
};

it('defines tables, views and schemas', async () => {
  await DEFINITIONS.up(db);
  const tables = await db.introspection.getTables();
  const found = Object.fromEntries(tables.map((table) => [`${table.schema}.${table.name}`, table]));
  expect(Object.keys(found).sort()).toEqual(['public.named', 'public.people', 'public.pets']);
  expect(found['public.named']?.isView).toBe(true);
  expect(found['public.people']?.columns).toMatchObject([
    { name: 'id', dataType: 'int4', isNullable: false, hasDefaultValue: false },
    { name: 'name', dataType: 'text', isNullable: true },
    { name: 'born', dataType: 'timestamptz', isNullable: true },
    { name: 'score', dataType: 'float8', isNullable: false, hasDefaultValue: true },
  ]);
  const schemas = (await db.introspection.getSchemas()).map(({ name }) => name);
  expect(schemas).toEqual(expect.arrayContaining(['archive', 'public']));
});

it('inserts, updates and deletes', async () => {
  const born = new Date('2000-02-29T12:00:00Z');
  const inserted = await db
    .insertInto('people')
    .values([
      { id: 1, name: 'Ann', born },
      { id: 2, name: null, born: null, score: 2.5 },
      { id: 3, name: "O'Neil", born, score: 3 },
    ])
    .executeTakeFirst();
  expect(inserted.numInsertedOrUpdatedRows).toBe(3n);
  const updated = await db.updateTable('people').set({ score: 9 }).where('id', '=', 1).executeTakeFirst();
  expect(updated.numUpdatedRows).toBe(1n);
  const deleted = await db.deleteFrom('people').where('name', 'is', null).executeTakeFirst();
  expect(deleted.numDeletedRows).toBe(1n);
  expect(await db.selectFrom('people').selectAll().orderBy('id').execute()).toEqual([
    { id: 1, name: 'Ann', born, score: 9 },
    { id: 3, name: "O'Neil", born, score: 3 },
  ]);
});

it('selects by joins, subqueries, groups and windows', async () => {
  await db
    .insertInto('pets')
    .values(['cat', 'dog', 'cat'].map((kind, i) => ({ kind, owner: i === 2 ? 3 : 1 })))
    .execute();
  const counted = await db
    .selectFrom('people')
    .leftJoin('pets', 'pets.owner', 'people.id')
    .select(({ fn }) => [
      'people.name',
      fn.count<string>('pets.kind').as('pets'),
      fn.max('pets.kind').as('last'),
    ])
    .where('people.id', 'in', [1, 3])
    .where((where) => where.or([where('people.score', '>', 1), where('people.name', 'like', 'X%')]))
    .groupBy('people.name')
    .having(({ fn }) => fn.count('pets.kind'), '>', 0)
    .orderBy('people.name')
    .execute();
  expect(counted).toEqual([
    { name: 'Ann', pets: '2', last: 'dog' },
    { name: "O'Neil", pets: '1', last: 'cat' },
  ]);
  const ranked = await db
    .with('cats', (cte) => cte.selectFrom('pets').select('owner').where('kind', '=', 'cat'))
    .selectFrom('people')
    .select(({ fn }) => [
      'id',
      fn
        .agg<string>('row_number')
        .over((over) => over.orderBy('score', 'desc'))
        .as('place'),
    ])
    .where('id', 'in', ({ selectFrom }) => selectFrom('cats').select('owner'))
    .orderBy('place')
    .limit(5)
    .offset(0)
    .execute();
  expect(ranked).toEqual([
    { id: 1, place: '1' },
    { id: 3, place: '2' },
  ]);
});

it('keeps transactions, and leaves nothing of those that fail', async () => {
  await db.transaction().execute(async (inner) => {
    await inner.insertInto('pets').values({ owner: 9, kind: 'kept' }).execute();
  });
  const failing = db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (inner) => {
      await inner.insertInto('pets').values({ owner: 9, kind: 'lost' }).execute();
      await sql`SELECT 1/0`.execute(inner);
    });
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  const kinds = await db.selectFrom('pets').select('kind').where('owner', '=', 9).execute();
  expect(kinds).toEqual([{ kind: 'kept' }]);
});

it('runs SQL with parameters', async () => {
  const numbers = sql<{
    n: number;
  }>`SELECT i::int AS n FROM generate_series(1, 5) AS i WHERE i > ${2} ORDER BY i`;
  expect((await numbers.execute(db)).rows).toEqual([{ n: 3 }, { n: 4 }, { n: 5 }]);
});

it('migrates under its advisory lock', async () => {
  const notes: Migration = {
    up: (schema: Kysely<unknown>) => schema.schema.createTable('notes').addColumn('a', 'integer').execute(),
  };
  const migrator = () => new Migrator({ db, provider: { getMigrations: async () => ({ one: notes }) } });
  const [first, second] = await Promise.all([migrator().migrateToLatest(), migrator().migrateToLatest()]);
  expect([first.error, second.error]).toEqual([undefined, undefined]);
  // The second migration found nothing to do, because it had waited for the first.
  expect([...(first.results ?? []), ...(second.results ?? [])].map(({ status }) => status)).toEqual([
    'Success',
  ]);
});
