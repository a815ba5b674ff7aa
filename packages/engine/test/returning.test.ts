import { afterAll, beforeAll, expect, it } from 'vitest';
import { query as ask } from './http.ts';
import { bind, describe, execute, parse, query, RawClient, sync } from './postgres-client.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let node: SharedNode;
beforeAll(async () => {
  node = await takeSharedNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const open = () => RawClient.open(node.postgres);

it('the simple protocol gives rows and the tag of the change', async () => {
  using client = await open();
  await client.ask(query("CREATE TABLE s (id INT, name TEXT DEFAULT 'none')"));
  const answer = (sql: string) => client.ask(query(sql));
  expect(await answer('INSERT INTO s (id) VALUES (1), (2) RETURNING id, name')).toEqual([
    'T',
    'D 1|none',
    'D 2|none',
    'C INSERT 0 2',
    'Z I',
  ]);
  expect(await answer("UPDATE s SET name = 'x' WHERE id = 2 RETURNING *")).toEqual([
    'T',
    'D 2|x',
    'C UPDATE 1',
    'Z I',
  ]);
  expect(await answer('DELETE FROM s WHERE id > 5 RETURNING id')).toEqual(['T', 'C DELETE 0', 'Z I']);
  expect(await answer('BEGIN; DELETE FROM s RETURNING id; ROLLBACK; SELECT count(*) FROM s')).toContain(
    'D 2',
  );
});

it('the extended protocol describes the rows, and changes nothing before Execute', async () => {
  using client = await open();
  await client.ask(query('CREATE TABLE e (id BIGINT, name TEXT)'));
  const insert = 'INSERT INTO e VALUES ($1, $2) RETURNING id, name';
  expect(await client.ask(parse(insert, 'i'), describe('S', 'i'), sync)).toEqual(['1', 't', 'T', 'Z I']);
  expect(await client.ask(bind(['1', 'a'], { statement: 'i' }), describe('P'), sync)).toEqual([
    '2',
    'T',
    'Z I',
  ]);
  expect(await client.ask(query('SELECT count(*) FROM e'))).toContain('D 0');
  expect(await client.ask(bind(['2', 'b'], { statement: 'i' }), execute(), sync)).toEqual([
    '2',
    'D 2|b',
    'C INSERT 0 1',
    'Z I',
  ]);
  const many = 'INSERT INTO e SELECT i, i::text FROM generate_series(1, 5) AS g(i) RETURNING id';
  expect(await client.ask(parse(many), bind(), execute(2), execute(), sync)).toEqual([
    '1',
    '2',
    'D 1',
    'D 2',
    's',
    'D 3',
    'D 4',
    'D 5',
    'C INSERT 0 5',
    'Z I',
  ]);
});

it('a prepared statement whose table has changed is refused before it changes anything', async () => {
  using client = await open();
  await client.ask(query('CREATE TABLE p (a INT)'));
  await client.ask(parse('INSERT INTO p VALUES (1) RETURNING *', 's'), describe('S', 's'), sync);
  await client.ask(query('ALTER TABLE p ADD COLUMN b TEXT'));
  const again = [bind([], { statement: 's' }), execute(), sync];
  expect((await client.ask(...again))[1]).toBe('E ERROR 0A000 cached plan must not change result type');
  expect(await client.ask(query('SELECT count(*) FROM p'))).toContain('D 0');
  expect(await client.ask(...again)).toContain('D 1|NULL');
});

it('over HTTP it is a result like any other', async () => {
  const run = (sql: string, params = {}) => ask(node, sql, params);
  await run('CREATE TABLE h (id BIGINT NOT NULL, price NUMERIC(9, 2))');
  const json = await run('INSERT INTO h VALUES (1, 2.5) RETURNING id, price * 2 AS double', {
    output_format: 'JSON',
  });
  expect(json.json()).toMatchObject({
    meta: [
      { name: 'id', type: 'long' },
      { name: 'double', type: expect.stringContaining('Decimal') },
    ],
    data: [{ id: '1', double: '5.00' }],
    rows: 1,
  });
  const csv = await run('UPDATE h SET price = 3 RETURNING *', { output_format: 'CSVWithNames' });
  expect(csv.text).toBe('"id","price"\n1,3.00\n');
  const missing = await run('INSERT INTO h VALUES (2, 1) RETURNING nosuch', { output_format: 'JSON' });
  expect([missing.status, missing.json().errors[0].location]).toMatchObject([400, { start_offset: 39 }]);
  const twice = { query_id: 'returning-twice' };
  expect((await run('INSERT INTO h VALUES (3, 1) RETURNING id', twice)).status).toBe(200);
  expect((await run('INSERT INTO h VALUES (3, 1) RETURNING id', twice)).status).toBe(409);
});
