import { expect, it } from 'vitest';
import { query, rows } from './http.ts';
import { takeSharedNode } from './shared-node.ts';

const CREATED = [
  'CREATE ROLE readers',
  'CREATE USER eve',
  'CREATE TABLE items (id INT)',
  'CREATE VIEW shown AS SELECT id FROM items',
  'ALTER TABLE items OWNER TO eve',
  'CREATE SEQUENCE numbers',
  'CREATE SCHEMA other',
  'CREATE TABLE other.items (id INT)',
  'GRANT SELECT ON TABLE items TO readers',
  'CREATE DATABASE "Second one"',
  "CREATE LOCATION files WITH SOURCE = 'AMAZON_S3' URL = 's3://bucket/' CREDENTIALS = (AWS_ACCESS_KEY_ID = 'a' AWS_SECRET_ACCESS_KEY = 'b')",
];

const CATALOG = [
  'SELECT datname, datacl FROM pg_database ORDER BY 1',
  'SELECT nspname, nspowner, nspacl FROM pg_namespace ORDER BY 1',
  'SELECT relname, relnamespace FROM pg_class ORDER BY 1, 2',
  'SELECT rolname FROM pg_roles ORDER BY 1',
  'SELECT location_name FROM information_schema.locations',
  'SELECT grantee, object_schema, object_name, privilege_type FROM information_schema.object_privileges ORDER BY ALL',
];

it('a file gets the node as the file before it got it, with an empty database', async () => {
  const first = await takeSharedNode();
  const catalog = async () => {
    const answers = [];
    for (const sql of CATALOG) answers.push(await rows(first, sql));
    return answers;
  };
  const before = await catalog();
  for (const sql of CREATED) expect(await query(first, sql), sql).toMatchObject({ status: 200 });
  await expect(takeSharedNode()).rejects.toThrow('has taken the shared node already');
  const during = await catalog();
  for (const [i, answer] of during.entries()) expect(answer, CATALOG[i]).not.toEqual(before[i]);
  await first[Symbol.asyncDispose]();

  await using second = await takeSharedNode();
  expect(second.url).toBe(first.url);
  expect(await catalog()).toEqual(before);
});

it('a file gets another node if the file before it has not returned its own', async () => {
  const { testPath = '' } = expect.getState();
  const kept = await takeSharedNode();
  expect.setState({ testPath: 'the-next-file.test.ts' });
  try {
    await using other = await takeSharedNode();
    expect(other.url).not.toBe(kept.url);
  } finally {
    expect.setState({ testPath });
  }
});
