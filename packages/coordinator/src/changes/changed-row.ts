import type { TableObject } from '@tessera/catalog';
import { type KernelSession, quoteName } from '@tessera/kernel';
import type { RowValue } from '@tessera/tablet';
import { CHANGED } from './returned-rows.ts';

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

/**
 * The number of rows in `CHANGED`, and the row itself if it is the only one. Its values are left to the kernel if one of them
 * is infinite or not a number, or has a type without a value in JavaScript here.
 */
export async function changedRow(
  session: KernelSession,
  { columns }: TableObject,
): Promise<{ readonly rows: number; readonly row?: ChangedRow | undefined }> {
  const texts = columns.map(({ storedName, type }) =>
    valueText(`CAST(first(${quoteName(storedName)}) AS ${type})`, type),
  );
  if (texts.some((text) => text === undefined)) {
    return { rows: Number(await session.scalar(`SELECT count(*) FROM ${CHANGED}`)) };
  }
  const items = ['first("$tablet")::VARCHAR', 'first("$row")::VARCHAR', ...texts];
  const names = items.map((_, i) => `c${i}`);
  const length = names.map((name) => `coalesce(strlen(${name}), 0)`).join(' + ');
  const found = String(
    await session.scalar(
      `SELECT CASE WHEN n = 1 AND ${length} < ${MAX_TEXT_BYTES} THEN to_json([${names.join(', ')}])::VARCHAR ELSE n::VARCHAR END ` +
        `FROM (SELECT count(*) AS n, ${items.map((item, i) => `${item} AS ${names[i]}`).join(', ')} FROM ${CHANGED})`,
    ),
  );
  if (!found.startsWith('[')) return { rows: Number(found) };
  const [tablet, row, ...rest] = JSON.parse(found) as (string | null)[];
  const values = rest.map((text, i) => (text === null ? null : rowValue(text, columns[i]!.type)));
  if (values.includes(undefined)) return { rows: 1 };
  return { rows: 1, row: { tablet: Number(tablet), row: Number(row), values: values as RowValue[] } };
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
