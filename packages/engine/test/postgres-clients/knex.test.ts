import knexOf, { type Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { placeOf } from './programs.ts';

let node: SharedNode;
let knex: Knex;
beforeAll(async () => {
  node = await takeSharedNode();
  knex = knexOf({ client: 'pg', connection: placeOf(node) });
});
afterAll(async () => {
  await knex?.destroy();
  await node[Symbol.asyncDispose]();
});

it('makes tables and reads their columns', async () => {
  await knex.schema.createTable('people', (table) => {
    table.integer('id').notNullable().primary();
    table.string('name');
    table.decimal('score', 10, 2).defaultTo(0);
    table.timestamp('born');
    table.json('data');
  });
  expect(await knex.schema.hasTable('people')).toBe(true);
  expect(await knex.schema.hasTable('nobody')).toBe(false);
  expect(await knex.schema.hasColumn('people', 'score')).toBe(true);
  expect(await knex('people').columnInfo()).toMatchObject({
    id: { type: 'integer', nullable: false },
    name: { nullable: true },
    score: { type: 'numeric' },
    born: { type: 'timestamp with time zone' },
  });
  const { rows } = await knex.raw<{ rows: unknown[] }>('DESCRIBE people');
  expect(rows).toContainEqual(expect.objectContaining({ column_name: 'score', data_type: 'numeric(10, 2)' }));
});

it('inserts, queries, updates and deletes', async () => {
  const people = () => knex('people');
  await people().insert([
    { id: 1, name: 'Ada', data: { a: 1 } },
    { id: 2, name: 'Grace' },
  ]);
  expect(await people().insert({ id: 3, name: 'Alan' }).returning('id')).toEqual([{ id: 3 }]);
  expect(await people().where('id', '>', 1).orderBy('id').pluck('name')).toEqual(['Grace', 'Alan']);
  expect(await people().where({ id: 1 }).first('name', 'score', 'data')).toEqual({
    name: 'Ada',
    score: '0.00',
    data: { a: 1 },
  });
  expect(await people().where({ id: 1 }).update({ name: 'Ada L.' })).toBe(1);
  expect(await people().where('name', 'Alan').del()).toBe(1);
  expect(await people().count('* as n')).toEqual([{ n: '2' }]);
});

it('stores and queries documents', async () => {
  await knex.schema.createTable('papers', (table) => {
    table.increments('id');
    table.jsonb('facts').notNullable().defaultTo('{}');
    table.json('notes');
  });
  const facts = { a: { b: [1, 'two'] }, tags: ['x', "y's"], n: 7 };
  const list = JSON.stringify([1, { x: null }]);
  const [first] = await knex('papers').insert({ facts, notes: list }).returning(['id', 'facts', 'notes']);
  expect(first).toEqual({ id: expect.any(Number), facts, notes: [1, { x: null }] });
  await knex('papers').insert([{ facts: { n: 8 } }, {}]);
  const papers = () => knex('papers').orderBy('id');
  expect(await papers().pluck('facts')).toEqual([facts, { n: 8 }, {}]);
  expect(await papers().whereJsonObject('facts', { n: 8 }).pluck('facts')).toEqual([{ n: 8 }]);
  expect(
    await papers()
      .whereJsonSupersetOf('facts', { tags: ['x'] })
      .pluck('facts'),
  ).toEqual([facts]);
  expect(await papers().whereJsonSubsetOf('facts', { n: 8, more: 1 }).pluck('facts')).toEqual([{ n: 8 }, {}]);
  expect(await papers().whereRaw('facts \\? ?', ['tags']).pluck('facts')).toEqual([facts]);
  expect(
    await papers()
      .whereRaw('facts \\?| ?', [['tags', 'n']])
      .pluck('facts'),
  ).toEqual([facts, { n: 8 }]);
  expect(await papers().whereRaw("facts ->> 'n' = ?", ['8']).pluck('facts')).toEqual([{ n: 8 }]);
  expect(
    await papers()
      .where({ id: first.id })
      .update({ facts: { n: 9 } }),
  ).toBe(1);
  expect(await papers().whereRaw("(facts -> 'n')::int > ?", [8]).pluck('facts')).toEqual([{ n: 9 }]);
  expect(await knex('papers').columnInfo('facts')).toMatchObject({ type: 'jsonb', nullable: false });
});

it('inserts or updates', async () => {
  const people = () => knex('people');
  const rows = [
    { id: 1, name: 'again', score: 7 },
    { id: 20, name: 'new', score: 8 },
  ];
  expect(await people().insert(rows).onConflict('id').ignore().returning('id')).toEqual([{ id: 20 }]);
  expect(await people().insert(rows).onConflict().ignore().returning('id')).toEqual([]);
  const merged = await people().insert(rows).onConflict('id').merge().returning(['id', 'name', 'score']);
  expect(merged).toEqual([
    { id: 1, name: 'again', score: '7.00' },
    { id: 20, name: 'new', score: '8.00' },
  ]);
  const some = people()
    .insert(rows)
    .onConflict(['id'])
    .merge({ score: knex.raw('people.score + 1') });
  expect((await some.where('people.score', '>', 7).returning('score')).map((row) => row.score)).toEqual([
    '9.00',
  ]);
  expect(await people().whereIn('id', [1, 20]).orderBy('id').pluck('score')).toEqual(['7.00', '9.00']);
});

it('rolls the inner one of two transactions back', async () => {
  await knex.transaction(async (outer) => {
    await outer('people').insert({ id: 10, name: 'kept' });
    const inner = outer.transaction(async (part) => {
      await part('people').insert({ id: 11, name: 'undone' });
      throw new Error('on purpose');
    });
    await expect(inner).rejects.toThrow('on purpose');
  });
  expect(await knex('people').whereIn('id', [10, 11]).pluck('name')).toEqual(['kept']);
});

it('truncates tables, whose numbers begin again', async () => {
  await knex.schema.createTable('notes', (table) => table.increments('id'));
  await knex('notes').insert({});
  await knex('notes').truncate();
  expect(await knex('notes').insert({}).returning('id')).toEqual([{ id: 1 }]);
  await knex.schema.dropTable('notes');
});

it('alters, renames and drops tables', async () => {
  await knex.schema.alterTable('people', (table) => table.integer('age'));
  await knex.schema.renameTable('people', 'humans');
  expect(await knex.schema.hasColumn('humans', 'age')).toBe(true);
  await knex.schema.dropTable('humans');
  await knex.schema.dropTableIfExists('humans');
  expect(await knex.schema.hasTable('humans')).toBe(false);
});
