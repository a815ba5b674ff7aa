import { expect, it, onTestFinished, vi } from 'vitest';
import { MANAGED_SCHEMA } from '../relations/relation-resolver.ts';
import type { ColumnRefNode, TableRef } from '../tree.ts';
import { fromScope } from './column-scope.ts';

const COLUMNS = 1_000;
const table = {
  type: 'BASE_TABLE',
  alias: 't',
  schema_name: MANAGED_SCHEMA,
  table_name: 't',
  column_name_alias: [],
};
const columns = Array.from({ length: COLUMNS }, (_, i) => ({
  name: `c${i}`,
  nullable: i % 2 === 0,
  type: 'INTEGER',
}));
const reference = (...column_names: string[]) => ({ column_names }) as unknown as ColumnRefNode;

it('a statement that names all columns of a wide table does not compare each name with all others', () => {
  const compared = vi.spyOn(String.prototype, 'toLowerCase');
  onTestFinished(() => compared.mockRestore());
  const scope = fromScope(table as unknown as TableRef, {
    catalog: () => columns as never,
    cte: () => undefined,
    subquery: () => undefined,
  });
  const facts = columns.map(({ name }, i) =>
    scope.column(i % 3 === 0 ? reference('T', name) : reference(name)),
  );
  expect(facts.map((found) => found?.notNull)).toEqual(columns.map(({ nullable }) => !nullable));
  expect(compared.mock.calls.length).toBeLessThan(5 * COLUMNS);
  expect(scope.column(reference('C7'))?.kind).toBe('number');
  expect(scope.column(reference('nothing'))).toBeUndefined();
});
