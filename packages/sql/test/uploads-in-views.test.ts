import { expect, test } from 'vitest';
import { prepareQuery, type RelationResolver } from '../src/index.ts';
import { Dialect } from './dialect.ts';

test('the query of a view reads no upload, however it came into the catalog', async () => {
  await using dialect = await Dialect.open();
  await dialect.file('x', 'a\n1\n');
  const relations = {
    resolve: async () => ({
      kind: 'view',
      sql: "SELECT * FROM read_csv('upload://x', header => true)",
      columnNames: undefined,
      database: 'tessera',
      id: 'v',
    }),
  } as unknown as RelationResolver;
  const context = { ...dialect.context(), relations };
  await expect(prepareQuery('SELECT * FROM v', context)).rejects.toMatchObject({
    name: 'INVALID_ARGUMENT',
    message: expect.stringContaining('not in a view'),
  });
  await expect(
    prepareQuery("SELECT * FROM read_csv('upload://x', header => true)", context),
  ).resolves.toMatchObject({ columns: [{ name: 'a' }] });
});
