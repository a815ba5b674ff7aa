import { type KernelSession, quoteName } from '@tessera/kernel';
import type { SystemColumn, SystemRelation, SystemValue } from './system-relation.ts';

const ROWS_AT_ONCE = 20_000;

/** Makes the temp table `table` of the session with the columns and rows of a view. */
export async function loadSystemRelation(
  session: KernelSession,
  table: string,
  { columns, rows }: SystemRelation,
): Promise<void> {
  const target = `temp.${quoteName(table)}`;
  const list = columns.map((c) => `${quoteName(c.name)} ${c.type}`).join(', ');
  await session.execute(`CREATE TEMP TABLE ${quoteName(table)} (${list})`);
  const insert = `INSERT INTO ${target} ${rowsQuery(columns)}`;
  let chunk: (readonly SystemValue[])[] = [];
  const flush = async () => {
    if (chunk.length > 0) await session.execute(insert, [JSON.stringify(chunk)]);
    chunk = [];
  };
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length === ROWS_AT_ONCE) await flush();
  }
  await flush();
}

/** Rows come as one JSON array of arrays. */
function rowsQuery(columns: readonly SystemColumn[]): string {
  const items = columns.map((c, i) => `CAST(json_extract_string(r, '$[${i}]') AS ${c.type})`);
  return `SELECT ${items.join(', ')} FROM (SELECT unnest(from_json($1::VARCHAR, '["JSON"]')) AS r)`;
}
