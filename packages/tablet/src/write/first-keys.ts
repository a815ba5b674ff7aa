import type { Column, TableObject } from '@tessera/catalog';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import type { RowGroup } from '../body/parquet-footer.ts';
import type { KeyValue } from '../header/hybrid-header.ts';
import { parseType } from '../values/parse-type.ts';
import { cutText, lowerBound, MAX_TEXT_BYTES } from '../values/plain-value.ts';
import { fromStored } from '../values/stored-type.ts';
import { keyColumns } from './copy-rows.ts';

/** The first key of each row group of a body whose rows are sorted by the primary index. */
export async function firstKeys(
  session: KernelSession,
  table: TableObject,
  path: string,
  groups: readonly RowGroup[],
): Promise<readonly (readonly KeyValue[])[]> {
  const columns = keyColumns(table);
  return keysFromStatistics(columns, groups) ?? (await keysFromBody(session, columns, path, groups));
}

/**
 * Keys that follow from statistics: the first value of the first column is its minimum, and in a row group
 * with a single row this holds for every column. Undefined if statistics lack a value.
 */
export function keysFromStatistics(
  columns: readonly Column[],
  groups: readonly RowGroup[],
): (readonly KeyValue[])[] | undefined {
  const keys: KeyValue[][] = [];
  for (const group of groups) {
    if (columns.length > 1 && group.rows > 1) return undefined;
    const key: KeyValue[] = [];
    for (const column of columns) {
      const value = smallest(column, group);
      if (value === undefined) return undefined;
      key.push(value);
    }
    keys.push(key);
  }
  return keys;
}

function smallest(column: Column, group: RowGroup): KeyValue | undefined {
  const chunk = group.chunks.find(({ path }) => path.length === 1 && path[0] === column.storedName);
  const { nulls, min } = chunk?.statistics ?? {};
  if (nulls === group.rows) return { kind: 'null' };
  const type = parseType(column.type);
  if (type === undefined || min === undefined || nulls === undefined) return undefined;
  const text = lowerBound(type, min);
  if (text === undefined) return undefined;
  return { kind: type.id === 'VARCHAR' && min.length > MAX_TEXT_BYTES ? 'prefix' : 'value', text };
}

async function keysFromBody(
  session: KernelSession,
  columns: readonly Column[],
  path: string,
  groups: readonly RowGroup[],
): Promise<KeyValue[][]> {
  const starts: number[] = [];
  let next = 0;
  for (const { rows } of groups) {
    starts.push(next);
    next += rows;
  }
  const key = columns.map((column) => keyText(column)).join(', ');
  const answer = await session.scalar(
    `SELECT to_json(list([${key}] ORDER BY file_row_number))::VARCHAR ` +
      `FROM read_parquet(${quoteText(path)}, file_row_number = true) WHERE file_row_number IN (${starts.join(', ')})`,
  );
  return (JSON.parse(answer as string) as (string | null)[][]).map((texts) =>
    texts.map((text, i) => (text === null ? { kind: 'null' } : keyValue(columns[i]!, text))),
  );
}

/**
 * The text of a key: timestamps in UTC, whatever the session's zone; texts only as long as needed for
 * truncation.
 */
function keyText({ storedName, type }: Column): string {
  const value = fromStored(quoteName(storedName), type);
  const { id } = parseType(type) ?? {};
  if (id === 'TIMESTAMPTZ')
    return `CASE WHEN isinf(${value}) THEN ${value}::VARCHAR ELSE timezone('UTC', ${value})::VARCHAR || '+00' END`;
  if (id === 'VARCHAR') return `left(${value}, ${MAX_TEXT_BYTES + 1})`;
  return `${value}::VARCHAR`;
}

function keyValue({ type }: Column, text: string): KeyValue {
  if (parseType(type)?.id !== 'VARCHAR' || Buffer.byteLength(text) <= MAX_TEXT_BYTES)
    return { kind: 'value', text };
  return { kind: 'prefix', text: cutText(Buffer.from(text)) ?? '' };
}
