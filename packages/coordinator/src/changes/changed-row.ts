import type { TableObject } from '@tessera/catalog';
import { type KernelParams, type KernelSession, quoteName } from '@tessera/kernel';
import type { RowValue } from '@tessera/tablet';

/** The only row that a statement changed; it can be stored without the kernel. */
export interface ChangedRow {
  /** The position of the row's tablet in the query, and of the row in the tablet. */
  readonly tablet: number;
  readonly row: number;
  /** The new values of all columns of the table, in order. */
  readonly values: readonly RowValue[];
}

/** Longer texts would make the row too large for the commit. */
const MAX_TEXT_BYTES = 65_536;
const WHOLE = /^-?\d+$/;

/** The rows of a change: positions and new values. */
export interface ChangedRows {
  readonly session: KernelSession;
  /** A relation or a query for FROM. */
  readonly from: string;
  readonly params?: KernelParams;
}

/** The row of a change, if it is the only one. */
export interface OnlyRow {
  readonly isEmpty: boolean;
  /** Undefined if there is no row or another one too, or if its values are left to the kernel. */
  readonly row: ChangedRow | undefined;
}

/**
 * Looks for the only row of a change. Its values are left to the kernel if one of them is infinite, not a number or very long.
 * Undefined if the table has a column of a type without a value in JavaScript here.
 */
export async function onlyRow(
  { session, from, params = [] }: ChangedRows,
  { columns }: TableObject,
): Promise<OnlyRow | undefined> {
  const values = columns.map(({ storedName, type }) =>
    valueText(`CAST(${quoteName(storedName)} AS ${type})`, type),
  );
  if (values.some((text) => text === undefined)) return undefined;
  const lengths = columns
    .filter(({ type }) => type === 'VARCHAR')
    .map(({ storedName }) => `coalesce(strlen(${quoteName(storedName)}), 0)`);
  const isShort = `${['0', ...lengths].join(' + ')} < ${MAX_TEXT_BYTES}`;
  const items = ['"$tablet"::VARCHAR', '"$row"::VARCHAR', ...values].join(', ');
  const sql = `SELECT CASE WHEN ${isShort} THEN to_json([${items}])::VARCHAR ELSE '[]' END FROM ${from} LIMIT 2`;
  const { batches } = await session.query(sql, params, { fewRows: true });
  let rows = 0;
  let found = '[]';
  for await (const batch of batches) {
    if (rows === 0) found = new TextDecoder().decode(batch.textColumn(0));
    rows += batch.rows;
  }
  return { isEmpty: rows === 0, row: rows === 1 ? rowOf(found, columns) : undefined };
}

/** @param text a JSON array of the position and the values */
function rowOf(text: string, columns: TableObject['columns']): ChangedRow | undefined {
  const [tablet, row, ...texts] = JSON.parse(text) as (string | null)[];
  if (tablet === undefined) return undefined;
  const values = texts.map((value, i) => (value === null ? null : rowValue(value, columns[i]!.type)));
  if (values.includes(undefined)) return undefined;
  return { tablet: Number(tablet), row: Number(row), values: values as RowValue[] };
}

/** SQL for the text that `rowValue` reads; undefined for types that are left to the kernel. */
function valueText(value: string, type: string): string | undefined {
  const finite = (text: string) =>
    `CASE WHEN ${value} IS NULL THEN NULL WHEN isfinite(${value}) THEN (${text})::VARCHAR ELSE 'infinity' END`;
  switch (type) {
    case 'BOOLEAN':
    case 'INTEGER':
    case 'BIGINT':
    case 'FLOAT':
    case 'DOUBLE':
    case 'VARCHAR':
      return `${value}::VARCHAR`;
    case 'DATE':
      return finite(`${value} - DATE '1970-01-01'`);
    case 'TIMESTAMP':
    case 'TIMESTAMP WITH TIME ZONE':
      return finite(`epoch_us(${value})`);
    default:
      return type.startsWith('DECIMAL(') ? `${value}::VARCHAR` : undefined;
  }
}

function rowValue(text: string, type: string): RowValue | undefined {
  switch (type) {
    case 'BOOLEAN':
      return text === 'true';
    case 'FLOAT':
    case 'DOUBLE':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'VARCHAR':
      return text;
    case 'INTEGER':
    case 'DATE':
      return WHOLE.test(text) ? Number(text) : undefined;
    default: {
      const digits = text.replace('.', '');
      return WHOLE.test(digits) ? BigInt(digits) : undefined;
    }
  }
}
