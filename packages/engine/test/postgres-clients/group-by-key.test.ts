import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { placeOf } from './programs.ts';

let node: SharedNode;
let client: pg.Client;
beforeAll(async () => {
  node = await takeSharedNode();
  client = new pg.Client({ ...placeOf(node) });
  await client.connect();
  await client.query(`CREATE TABLE authors (id INT PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE books (id INT PRIMARY KEY, author_id INT, price INT);
    INSERT INTO authors VALUES (1, 'Ann', 'Rome'), (2, 'Bob', NULL), (3, 'Ann', 'Oslo');
    INSERT INTO books VALUES (1, 1, 5), (2, 1, 7), (3, 2, 9)`);
});
afterAll(async () => {
  await client.end();
  await node[Symbol.asyncDispose]();
});

const JOINED = 'FROM authors a LEFT JOIN books b ON b.author_id = a.id';

it.each([
  [`SELECT a.name, count(b.id)::INT ${JOINED} GROUP BY a.id ORDER BY a.id`, ['Ann', 2, 'Bob', 1, 'Ann', 0]],
  [`SELECT name, city, max(price) ${JOINED} GROUP BY a.id HAVING name = 'Bob'`, ['Bob', null, 9]],
  [`SELECT a.*, sum(price)::INT ${JOINED} GROUP BY a.id ORDER BY a.city LIMIT 1`, [3, 'Ann', 'Oslo', null]],
  ['SELECT id, upper(name) FROM authors GROUP BY authors.id ORDER BY 1 LIMIT 1', [1, 'ANN']],
  [
    `SELECT a.id, (SELECT max(price) FROM books x WHERE x.author_id = a.id AND a.city = 'Rome') ${JOINED}
     GROUP BY a.id ORDER BY 1 LIMIT 1`,
    [1, 7],
  ],
])('%s', async (text, values) => {
  expect((await client.query({ text, rowMode: 'array' })).rows.flat()).toEqual(values);
});

it.each(['SELECT a.name, b.price', 'SELECT b.id, a.name'])(
  '%s … GROUP BY a.name is refused',
  async (select) => {
    await expect(client.query(`${select} ${JOINED} GROUP BY a.city`)).rejects.toMatchObject({
      code: '42803',
    });
  },
);
