import { quoteText } from '@tessera/kernel';
import type { QueryParameter } from '../rewrites/parameters.ts';
import type { SqlType } from '../types/sql-type.ts';

/** The kinds of parameters that a column of a type stores as they are, if the value fits. */
const STORED: Readonly<Record<string, readonly SqlType['kind'][]>> = {
  INTEGER: ['int', 'long'],
  BIGINT: ['int', 'long'],
  FLOAT: ['float'],
  DOUBLE: ['double'],
  BOOLEAN: ['boolean'],
  DATE: ['date'],
  TIMESTAMP: ['timestamp'],
  'TIMESTAMP WITH TIME ZONE': ['timestamptz'],
};
const NUMERIC: ReadonlySet<SqlType['kind']> = new Set([
  'int',
  'long',
  'float',
  'double',
  'decimal',
  'boolean',
]);
/** A parameter keeps the sign of zero, a literal of digits does not. */
const NEGATIVE_ZERO = /^-[0.]*$/;

/**
 * The literal that means in a column of a type what a parameter means there; null for NULL. Undefined if that is for the
 * binder to decide.
 * @param columnType SQL of the kernel
 */
export function parameterLiteral(
  { value, type }: QueryParameter,
  columnType: string,
): string | null | undefined {
  if (value === null) return null;
  if (type === undefined) return untyped(value, columnType);
  const { kind } = type;
  const text = String(value);
  if (kind === 'text') {
    const isPlain = type.length === undefined && (type.postgres === undefined || type.postgres === 'varchar');
    return isPlain && typeof value === 'string' ? quoteText(text) : undefined;
  }
  if (kind === 'decimal') {
    return `DECIMAL(${type.precision},${type.scale})` === columnType ? text : undefined;
  }
  const isStored = STORED[columnType]?.includes(kind) === true && !('postgres' in type);
  if (!isStored || NEGATIVE_ZERO.test(text)) return undefined;
  return NUMERIC.has(kind) ? text : quoteText(text);
}

const KINDS = { boolean: 'boolean', bigint: 'long', number: 'double', string: 'text' } as const;

function untyped(value: boolean | bigint | number | string, columnType: string): string | null | undefined {
  const kind = KINDS[typeof value as keyof typeof KINDS];
  return parameterLiteral({ name: '', value, type: { kind } }, columnType);
}
