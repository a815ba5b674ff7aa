import { quoteIdentifier } from '@tessera/sql';
import type { FunctionRelation, ValuesRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import type { LeafRelation } from '../leaf-relation.ts';
import { nullSql } from '../null-sql.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, source } from '../render-scope.ts';
import { hole, sql } from '../sql-parts.ts';

/** Renders `<hole> AS t`, or a local relation as it is. */
export function renderLeaf(relation: LeafRelation, scope: RenderScope): QueryBlock {
  const alias = scope.alias();
  const leaf = scope.leaf(relation);
  if (leaf !== undefined)
    return plainBlock(sql`${hole(leaf.hole)} AS ${alias}`, qualified(alias, leaf.columns));
  if (relation.kind !== 'session') return unsupported(`a relation of kind ${relation.kind} without its rows`);
  return plainBlock(sql`${relation.sql} AS ${alias}`, qualified(alias, relation.names));
}

const qualified = (alias: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${alias}.${quoteIdentifier(name)}`);

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

/** Renders `name(…) AS t`, or for the rows of an input `input, LATERAL name(…) AS t`. */
export function renderFunction(relation: FunctionRelation, scope: RenderScope): QueryBlock {
  const { name, input, columns } = relation;
  const rows = input === undefined ? undefined : source(input, scope);
  const inputs = rows?.columns ?? [];
  const items = [
    ...relation.arguments.map((argument) => over(argument, inputs)),
    ...Object.entries(relation.namedArguments).map(
      ([key, value]) => `${quoteIdentifier(key)} := ${over(value, inputs)}`,
    ),
  ];
  const alias = scope.alias();
  const own = columns.slice(0, columns.length - inputs.length).map((_, i) => `c${i}`);
  const call = `"${name}"(${items.join(', ')}) AS ${alias}(${own.join(', ')})`;
  return plainBlock(
    rows === undefined ? [call] : sql`${rows.from} CROSS JOIN LATERAL ${call}`,
    [...own.map((column) => `${alias}.${column}`), ...inputs],
    rows !== undefined,
  );
}
