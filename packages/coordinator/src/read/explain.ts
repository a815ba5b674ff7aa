import { fail } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import type { ExplainStatement } from '@tessera/sql';
import type { BoundQuery } from './bound-query.ts';

/** The query whose one row tells how a bound query runs; ANALYZE runs it. */
export async function explainQuery(
  { part, format }: ExplainStatement,
  query: BoundQuery,
): Promise<Pick<BoundQuery, 'session' | 'sql' | 'params' | 'columns'>> {
  if (part !== 'physical' && part !== 'analyze')
    fail('NOT_SUPPORTED', { what: `EXPLAIN (${part.toUpperCase()})` });
  const options = [...(part === 'analyze' ? ['ANALYZE'] : []), ...(format === 'json' ? ['FORMAT json'] : [])];
  const how = options.length === 0 ? '' : `(${options.join(', ')}) `;
  const result = await query.session.query(`EXPLAIN ${how}${query.sql}`, query.params);
  let plan = '';
  for await (const batch of result.batches) plan += Buffer.from(batch.textColumn(1)).toString('utf8');
  return {
    session: query.session,
    sql: `SELECT ${quoteText(plan)} AS explain`,
    params: {},
    columns: [{ name: 'explain', type: { kind: 'text' }, nullable: false }],
  };
}
