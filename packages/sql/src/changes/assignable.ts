import type { SqlType } from '../types/sql-type.ts';

const NUMBERS = new Set(['int', 'long', 'float', 'double', 'decimal']);
const TIMES = new Set(['date', 'timestamp', 'timestamptz']);

/**
 * Whether a value of a type may go into a column of another: what PostgreSQL casts in assignments, and text, which is read
 * as the column's type (the type of an untyped literal, and of every cell of a file without a schema).
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
