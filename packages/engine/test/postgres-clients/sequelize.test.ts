import { DataTypes, Op, QueryTypes, Sequelize, type WhereOptions } from 'sequelize';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { placeOf } from './programs.ts';

let node: SharedNode;
let db: Sequelize;
beforeAll(async () => {
  node = await takeSharedNode();
  const { host, port, user, database } = placeOf(node);
  db = new Sequelize(database, user, '', { host, port, dialect: 'postgres', logging: false });
  defineModels();
});
afterAll(async () => {
  await db?.close();
  await node[Symbol.asyncDispose]();
});

function defineModels(): void {
  const columns = {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    name: { type: DataTypes.STRING, allowNull: false },
    price: DataTypes.DECIMAL(10, 2),
    data: DataTypes.JSON,
    at: DataTypes.DATE,
  };
  db.define('item', columns, { timestamps: false });
}

const items = () => db.model('item');

it('makes the tables of models, again too, and describes them', async () => {
  await db.authenticate();
  await db.sync({ force: true });
  await db.sync();
  const described = await db.getQueryInterface().describeTable('items');
  expect(described).toMatchObject({ id: { type: 'INTEGER', primaryKey: true }, name: { allowNull: false } });
  expect(await db.getQueryInterface().showAllTables()).toEqual(['items']);
});

it('creates, finds, updates and destroys', async () => {
  const at = new Date('2024-02-29T12:34:56.789Z');
  const made = await items().create({ id: 1, name: 'a', price: '1.50', data: { deep: [1] }, at });
  expect(made.get('id')).toBe(1);
  await items().bulkCreate([
    { id: 2, name: 'b' },
    { id: 3, name: 'c' },
  ]);
  const found = await items().findByPk(1);
  expect(found?.get()).toEqual({ id: 1, name: 'a', price: '1.50', data: { deep: [1] }, at });
  expect(await items().count({ where: { at: { [Op.gte]: at } } })).toBe(1);
  expect(await items().count({ where: { at: { [Op.between]: [new Date(0), new Date(1000)] } } })).toBe(0);
  const typed = 'SELECT name FROM items WHERE id = $1 AND "at" >= \'2024-02-29 13:34:56 +01:00\'';
  expect(await db.query(typed, { bind: [1], type: QueryTypes.SELECT })).toEqual([{ name: 'a' }]);
  expect(await items().update({ name: 'z' }, { where: { id: { [Op.gte]: 2 } } })).toEqual([2]);
  expect(await items().destroy({ where: { id: 3 } })).toBe(1);
  const { count, rows } = await items().findAndCountAll({ order: [['id', 'DESC']], limit: 1 });
  expect([count, rows[0]?.get('name')]).toEqual([2, 'z']);
});

it('stores and queries documents', async () => {
  const columns = {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    facts: { type: DataTypes.JSONB, defaultValue: {} },
    notes: DataTypes.JSON,
  };
  const papers = db.define('paper', columns, { timestamps: false });
  await papers.sync();
  const facts = { a: { b: [1, 'two'] }, tags: ['x', "y's"], n: 7 };
  const made = await papers.create({ facts, notes: [1, { x: null }] });
  expect(made.get()).toEqual({ id: expect.any(Number), facts, notes: [1, { x: null }] });
  await papers.bulkCreate([{ facts: { n: 8, a: null } }, {}]);
  const found = async (where: WhereOptions) =>
    (await papers.findAll({ where, order: ['id'] })).map((paper) => paper.get('facts'));
  expect(await found({})).toEqual([facts, { n: 8, a: null }, {}]);
  expect(await found({ facts: { n: 8 } })).toEqual([{ n: 8, a: null }]);
  expect(await found({ facts: { n: { [Op.lt]: 8 } } })).toEqual([facts]);
  expect(await found({ facts: { a: { b: { 1: 'two' } } } })).toEqual([facts]);
  expect(await found({ facts: { [Op.contains]: { tags: ['x'] } } })).toEqual([facts]);
  expect(await found({ notes: { 1: { x: null } } })).toEqual([facts, { n: 8, a: null }, {}]);
  await made.update({ facts: { n: 9 } });
  expect(await found(db.literal("facts ? 'n' AND facts -> 'n' > '8'"))).toEqual([{ n: 9 }]);
  expect(await db.getQueryInterface().describeTable('papers')).toMatchObject({ facts: { type: 'JSONB' } });
  await papers.drop();
});

it('inserts or updates', async () => {
  const [made] = await items().upsert({ id: 30, name: 'first', price: '1.00' });
  expect(made.get()).toMatchObject({ id: 30, name: 'first', price: '1.00' });
  const [changed] = await items().upsert({ id: 30, name: 'second' });
  expect(changed.get()).toMatchObject({ id: 30, name: 'second', price: '1.00' });
  const rows = [
    { id: 30, name: 'third', price: '2.00' },
    { id: 31, name: 'new', price: '3.00' },
  ];
  await items().bulkCreate(rows, { ignoreDuplicates: true });
  expect((await items().findByPk(30))?.get('name')).toBe('second');
  await items().bulkCreate(rows, { updateOnDuplicate: ['price'] });
  expect((await items().findByPk(30))?.get()).toMatchObject({ name: 'second', price: '2.00' });
  const [found, isNew] = await items().findCreateFind({ where: { id: 32 }, defaults: { name: 'made' } });
  expect([found.get('name'), isNew]).toEqual(['made', true]);
  expect(await items().destroy({ where: { id: [30, 31, 32] } })).toBe(3);
});

it('rolls the inner one of two transactions back', async () => {
  await db.transaction(async (transaction) => {
    await items().create({ id: 10, name: 'kept' }, { transaction });
    const inner = db.transaction({ transaction }, async (part) => {
      await items().create({ id: 11, name: 'undone' }, { transaction: part });
      throw new Error('on purpose');
    });
    await expect(inner).rejects.toThrow('on purpose');
  });
  expect(await items().count({ where: { id: [10, 11] } })).toBe(1);
});

it('drops them', async () => {
  await db.drop();
  expect(await db.getQueryInterface().showAllTables()).toEqual([]);
});
