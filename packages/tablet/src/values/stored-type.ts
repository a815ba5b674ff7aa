import { TesseraError } from '@tessera/common';
import { type KernelType, typeToSql } from '@tessera/kernel';
import { parseType } from './parse-type.ts';

/**
 * Types that Parquet files of the kernel would change: 128-bit integers to DOUBLE, INTERVAL to milliseconds,
 * …
 */
const AS_TEXT: ReadonlySet<string> = new Set([
  'HUGEINT',
  'UHUGEINT',
  'INTERVAL',
  'TIMETZ',
  'BIT',
  'BIGNUM',
  'TIMESTAMPTZ_NS',
]);
const AS_OTHER: Readonly<Record<string, KernelType>> = { TIMESTAMP_S: { id: 'TIMESTAMP' } };
const REFUSED: ReadonlySet<string> = new Set(['UNION', 'VARIANT', 'GEOMETRY', 'NULL']);

/**
 * The type in which tablet bodies store values of a column's type, as SQL; undefined if they are stored
 * unchanged. CAST converts in both directions without loss.
 * @throws TesseraError NOT_SUPPORTED for types that tablets cannot hold
 */
export function storedType(type: string): string | undefined {
  const parsed = parseType(type);
  if (parsed === undefined) return undefined;
  const stored = storedForm(parsed);
  return stored === parsed ? undefined : typeToSql(stored);
}

/** The value of a column of `type`, given an expression over a tablet's body. */
export const fromStored = (expression: string, type: string): string => {
  const parsed = parseType(type);
  const changed = parsed !== undefined && (storedForm(parsed) !== parsed || readsOtherwise(parsed));
  return changed ? `CAST(${expression} AS ${type})` : expression;
};

/** Returns the same object if nothing changes. */
function storedForm(type: KernelType): KernelType {
  if (REFUSED.has(type.id)) throw TesseraError.of('NOT_SUPPORTED', { what: `A column of type ${type.id}` });
  if (AS_TEXT.has(type.id)) return { id: 'VARCHAR' };
  switch (type.id) {
    case 'LIST':
    case 'ARRAY': {
      const child = storedForm(type.child);
      return child === type.child ? type : { ...type, child };
    }
    case 'STRUCT': {
      const fields = type.fields.map((field) => ({ ...field, type: storedForm(field.type) }));
      return fields.every((field, i) => field.type === type.fields[i]!.type) ? type : { ...type, fields };
    }
    case 'MAP': {
      const [key, value] = [storedForm(type.key), storedForm(type.value)];
      return key === type.key && value === type.value ? type : { ...type, key, value };
    }
    default:
      return AS_OTHER[type.id] ?? type;
  }
}

/** Whether the kernel writes a type unchanged but reads it back as another type with the same values. */
function readsOtherwise(type: KernelType): boolean {
  switch (type.id) {
    case 'ARRAY':
    case 'ENUM':
    case 'TIMESTAMP_MS':
      return true;
    case 'LIST':
      return readsOtherwise(type.child);
    case 'STRUCT':
      return type.fields.some((field) => readsOtherwise(field.type));
    case 'MAP':
      return readsOtherwise(type.key) || readsOtherwise(type.value);
    default:
      return false;
  }
}
