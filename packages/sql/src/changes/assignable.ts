import type { SqlType } from '../types/sql-type.ts';

const NUMBERS = new Set(['int', 'long', 'float', 'double', 'decimal']);
const TIMES = new Set(['date', 'timestamp', 'timestamptz']);

/**
 * Whether a value of one type may be stored in a column of another. PostgreSQL's assignment casts are
 * allowed, and so is text, which is parsed as the column's type: untyped literals and the cells of files
 * without a schema are text.
 */
export function isAssignable(from: SqlType, to: SqlType): boolean {
  if (to.kind === 'text' || from.kind === 'text') return true;
  if (to.kind === 'json') return from.kind !== 'bytea' && from.kind !== 'geography';
  if (from.kind === 'array') return to.kind === 'array' && isAssignable(from.element, to.element);
  if (from.kind === 'struct') {
    if (to.kind !== 'struct' || to.fields.length !== from.fields.length) return false;
    return to.fields.every((field) => {
      const source = from.fields.find((f) => f.name.toLowerCase() === field.name.toLowerCase());
      return source !== undefined && isAssignable(source.type, field.type);
    });
  }
  if (from.kind === to.kind) return true;
  return [NUMBERS, TIMES].some((group) => group.has(from.kind) && group.has(to.kind));
}
