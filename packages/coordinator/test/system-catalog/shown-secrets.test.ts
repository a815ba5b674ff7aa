import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
  const file = join(node.directory, 'files', 'a.csv');
  writeFileSync(file, 'a,b\n1,2\n');
  await node.run(
    `CREATE VIEW with_keys AS SELECT * FROM READ_CSV('file://${file}', HEADER => true, AWS_ACCESS_KEY_ID => 'hidden', AWS_SECRET_ACCESS_KEY => 'hidden')`,
  );
  await node.run("CREATE LOCATION lake WITH SOURCE = AMAZON_S3 URL = 's3://user:hidden@lake/x'");
  await node.run("CREATE EXTERNAL TABLE ext (a INT) URL = 'https://user:hidden@h/x?sig=hidden' TYPE = (CSV)");
});
afterAll(() => node[Symbol.asyncDispose]());

it.each([
  'SHOW CREATE TABLE with_keys',
  'SHOW CREATE TABLE ext',
  'SELECT ddl FROM information_schema.tables',
  'SELECT view_definition FROM information_schema.views',
  'SELECT url FROM information_schema.locations',
  'SELECT definition FROM pg_views',
  "SELECT pg_get_viewdef('with_keys'::regclass)",
])('whoever may read through a view or location is not shown its secrets: %s', async (sql) => {
  const shown = JSON.stringify(await node.rows(sql));
  expect(shown).toMatch(/\*\*\*/);
  expect(shown).not.toContain('hidden');
});
