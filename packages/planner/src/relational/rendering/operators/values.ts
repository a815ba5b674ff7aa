import type { ValuesRelation } from '../../relation.ts';
import { nullSql } from '../null-sql.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';

/**
 * Renders `VALUES …`; a single row is a SELECT without FROM, and no row is a SELECT with a false condition.
 */
export function renderValues({ rows, columns }: ValuesRelation, scope: RenderScope): QueryBlock {
  const [first, ...others] = rows;
  const texts = (row: (typeof rows)[number]) => row.map((value) => over(value, []));
  if (first === undefined)
    return {
      columns: columns.map(({ type }) => [nullSql(type)]),
      isPlain: false,
      where: ['false'],
      tail: [],
    };
  if (others.length === 0)
    return { columns: texts(first).map((text) => [text]), isPlain: false, where: [], tail: [] };
  const alias = scope.alias();
  const names = columns.map((_, i) => `c${i}`);
  const list = rows.map((row) => `(${columns.length === 0 ? 'NULL' : texts(row).join(', ')})`).join(', ');
  const header = columns.length === 0 ? 'c0' : names.join(', ');
  return plainBlock(
    sql`(VALUES ${list}) AS ${alias}(${header})`,
    names.map((name) => `${alias}.${name}`),
  );
}
