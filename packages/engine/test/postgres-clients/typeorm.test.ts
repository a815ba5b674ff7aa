import { DataSource, EntitySchema } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TesseraProcess } from '../tessera-process.ts';
import { placeOf, startNode } from './programs.ts';

interface Item {
  id: number;
  name: string | null;
}

const ITEM = new EntitySchema<Item>({
  name: 'Item',
  tableName: 'items',
  columns: { id: { type: Number, primary: true }, name: { type: String, nullable: true } },
});

let node: TesseraProcess;
let db: DataSource;
beforeAll(async () => {
  node = await startNode();
  const { host, port, user, database } = placeOf(node);
  db = await new DataSource({
    type: 'postgres',
    host,
    port,
    username: user,
    database,
    entities: [ITEM],
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

it('saves, finds, updates and deletes', async () => {
  await items().save([
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ]);
  await items().save({ id: 2, name: 'changed' });
  expect(await items().find({ order: { id: 'ASC' } })).toEqual([
    { id: 1, name: 'a' },
    { id: 2, name: 'changed' },
  ]);
  expect((await items().update({ id: 1 }, { name: null })).affected).toBe(1);
  expect((await items().delete({ id: 2 })).affected).toBe(1);
  expect(await items().createQueryBuilder('i').where('i.name IS NULL').getMany()).toEqual([
    { id: 1, name: null },
  ]);
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
