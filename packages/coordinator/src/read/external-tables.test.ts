import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOOTSTRAP_SCHEMA, type ExternalTableObject } from '@tessera/catalog';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectBase, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

const column = (name: string, type: string, id: number) => ({
  id,
  name,
  storedName: name,
  type,
  nullable: true,
  since: 0,
});

function external(name: string, more: Pick<ExternalTableObject, 'url' | 'format' | 'columns' | 'options'>) {
  fixture.create({ kind: 'external_table', ...objectBase(name), schemaId: BOOTSTRAP_SCHEMA.id, ...more });
}

beforeAll(async () => {
  fixture = await TableFixture.open();
  const files = join(fixture.directory, 'files');
  writeFileSync(join(files, 'a.csv'), 'id,price,day\n1,1.50,2024-02-29\n2,,2024-03-01\n');
  const columns = [column('k', 'BIGINT', 1), column('p', 'DECIMAL(18,2)', 2), column('d', 'DATE', 3)];
  external('ext', { url: join(files, 'a.csv'), format: 'CSV', columns, options: { header: 'true' } });
  const session = await fixture.kernel.session();
  await session.execute(
    `COPY (SELECT 7 AS a, [1, 2] AS l, 'x' AS s, 9 AS other) TO '${join(files, 'b.parquet')}' (FORMAT parquet)`,
  );
  await session.close();
  external('parquet', {
    url: join(files, 'b.parquet'),
    format: 'PARQUET',
    columns: [column('s', 'VARCHAR', 1), column('l', 'BIGINT[]', 2), column('a', 'INTEGER', 3)],
    options: {},
  });
  mkdirSync(join(files, 'm[1]'));
  writeFileSync(join(files, 'm[1]', 'x.csv'), '1\n2\n');
  writeFileSync(join(files, 'm[1]', 'y.csv'), '3\n');
  external('many', {
    url: join(files, 'm[[]1]', '*.csv'),
    format: 'CSV',
    columns: [column('n', 'BIGINT', 1)],
    options: {},
  });
  writeFileSync(join(files, 'fractions.csv'), '1\n1.75\n');
  external('fractions', {
    url: join(files, 'fractions.csv'),
    format: 'CSV',
    columns: [column('n', 'INTEGER', 1)],
    options: {},
  });
  await fixture.table('t', 'SELECT 2::BIGINT AS k, 5 AS v');
});
afterAll(() => fixture[Symbol.asyncDispose]());

test.for([
  [
    'SELECT * FROM ext ORDER BY k',
    [
      ['1', '1.50', '2024-02-29'],
      ['2', null, '2024-03-01'],
    ],
  ],
  ['SELECT s, l, a FROM parquet', [['x', '[1, 2]', '7']]],
  ['SELECT e.d, t.v FROM ext AS e JOIN t USING (k)', [['2024-03-01', '5']]],
  ["SELECT public.ext.k FROM ext WHERE d > DATE '2024-02-29'", [['2']]],
] as const)('%s', async ([sql, rows]) => {
  expect(await fixture.rows(sql)).toEqual(rows);
});

test('columns with the file of a row exist when they are named', async () => {
  const name = 'parse_filename($source_file_name)';
  expect(await fixture.rows(`SELECT *, ${name}, $source_file_size FROM many ORDER BY n`)).toEqual([
    ['1', 'x.csv', '4'],
    ['2', 'x.csv', '4'],
    ['3', 'y.csv', '2'],
  ]);
  const recent = "$SOURCE_FILE_TIMESTAMP > now() - INTERVAL '1 day'";
  expect(await fixture.rows(`SELECT many.* FROM many WHERE ${name} = 'y.csv' AND ${recent}`)).toEqual([
    ['3'],
  ]);
  expect(
    await fixture.rows(
      `SELECT f, * EXCLUDE (f) FROM (SELECT *, ${name} AS f FROM parquet JOIN t ON l[2] = k)`,
    ),
  ).toEqual([['b.parquet', 'x', '[1, 2]', '7', '2', '5']]);
  await expect(fixture.rows('SELECT $source_file_name FROM t')).rejects.toMatchObject({
    name: 'UNDEFINED_NAME',
  });
});

test('a text that is no integer is an error', async () => {
  await expect(fixture.rows('SELECT sum(n) FROM fractions')).rejects.toThrow(
    'invalid input syntax for type integer: "1.75"',
  );
});
