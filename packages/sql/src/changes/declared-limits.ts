import { valueRefused } from './change-query.ts';
import type { TargetColumn } from './change-target.ts';
import type { LiteralValue } from './literal-value.ts';

/** The limit that a declaration (`Column.declared`) sets to the values of a column, beyond their type. */
type Limit =
  /** `isPadded` for `char(n)`, whose blanks at the end have no meaning and are not stored. */
  | { readonly kind: 'length'; readonly most: number; readonly isPadded: boolean }
  | { readonly kind: 'smallint' }
  | { readonly kind: 'digits'; readonly zone: boolean; readonly digits: number };

const MICROSECOND_DIGITS = 6;
const MAX_SMALLINT = 32_767;

function limitOf(declared: string | undefined): Limit | undefined {
  if (declared === undefined) return undefined;
  if (declared === 'smallint') return { kind: 'smallint' };
  const length = /^character( varying)?\((\d+)\)$/.exec(declared);
  if (length !== null) return { kind: 'length', most: Number(length[2]), isPadded: length[1] === undefined };
  const digits = /^timestamp\((\d)\) with(out)? time zone$/.exec(declared);
  if (digits === null || Number(digits[1]) >= MICROSECOND_DIGITS) return undefined;
  return { kind: 'digits', zone: digits[2] === undefined, digits: Number(digits[1]) };
}

/**
 * SQL of the kernel for a value as a column of a table stores it, as in PostgreSQL: a text that is too long fails unless only blanks
 * are beyond the length, and points in time are rounded. Undefined if every value is stored as it is.
 */
export function fittedSql(
  table: string,
  { name, declared }: Pick<TargetColumn, 'name' | 'declared'>,
  value: string,
): string | undefined {
  const limit = limitOf(declared);
  const refused = valueRefused(table, name, declared ?? '', limit?.kind === 'length' ? 'length' : 'range');
  switch (limit?.kind) {
    case 'length':
      if (limit.isPadded)
        return `CASE WHEN length(rtrim(${value}, ' ')) <= ${limit.most} THEN rtrim(${value}, ' ') WHEN ${value} IS NOT NULL THEN ${refused} END`;
      return `CASE WHEN length(${value}) <= ${limit.most} THEN ${value} WHEN length(rtrim(${value}, ' ')) <= ${limit.most} THEN left(${value}, ${limit.most}) WHEN ${value} IS NOT NULL THEN ${refused} END`;
    case 'smallint':
      return `CASE WHEN ${value} BETWEEN ${-MAX_SMALLINT - 1} AND ${MAX_SMALLINT} THEN ${value} WHEN ${value} IS NOT NULL THEN ${refused} END`;
    case 'digits':
      return `${limit.zone ? 'tsr_rounded_instant' : 'tsr_rounded_time'}(${value}, ${limit.digits})`;
    default:
      return undefined;
  }
}

/** Whether the declaration stores the value of a literal as it is. */
export function fits(declared: string | undefined, value: LiteralValue): boolean {
  const limit = limitOf(declared);
  if (limit === undefined || value === null) return true;
  switch (limit.kind) {
    case 'length':
      return (
        typeof value === 'string' &&
        [...value].length <= limit.most &&
        !(limit.isPadded && value.endsWith(' '))
      );
    case 'smallint':
      return typeof value === 'number' && value >= -MAX_SMALLINT - 1 && value <= MAX_SMALLINT;
    case 'digits':
      return typeof value === 'bigint' && value % 10n ** BigInt(MICROSECOND_DIGITS - limit.digits) === 0n;
  }
}

/** Whether every value that a column of the first declaration stores fits the second one. */
export function isWider(from: string | undefined, to: string | undefined): boolean {
  const [before, after] = [limitOf(from), limitOf(to)];
  if (to === 'jsonb' && from !== 'jsonb') return false;
  if (after === undefined || from === to) return true;
  if (before?.kind !== after.kind) return false;
  switch (after.kind) {
    case 'length':
      return before.kind === 'length' && before.most <= after.most && (before.isPadded || !after.isPadded);
    case 'digits':
      return before.kind === 'digits' && before.digits <= after.digits;
    default:
      return true;
  }
}
