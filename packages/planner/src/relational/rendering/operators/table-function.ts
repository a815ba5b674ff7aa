import { quoteIdentifier } from '@tessera/sql';
import type { FunctionRelation } from '../../relation.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, source } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';

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
