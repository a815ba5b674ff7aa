import { fail } from '@tessera/common';
import { internalCall, kernelCall, operatorCall } from '../functions/expressions.ts';
import { groupsOf } from '../functions/regex.ts';
import type { Arity } from '../functions/types.ts';
import { XOR } from '../text/json-operators.ts';
import { call, cast, constant, type Expression, stringLiteral } from '../tree.ts';
import { coalesced } from './lookup.ts';
import type { PostgresFunction } from './postgres-function.ts';

const macro = (name: string, arity: Arity): PostgresFunction => ({
  arity,
  rewrite: (args) => internalCall(name, ...args),
});

const now: PostgresFunction = { arity: [0, 0], rewrite: () => call('now') };

/** Functions of PostgreSQL's SQL, beside those of its catalog, that the dialect does not document. */
export const POSTGRES_SQL_FUNCTIONS: Readonly<Record<string, PostgresFunction>> = {
  '@>': { arity: [2, 2], rewrite: ([whole, part]) => containment('@>', whole!, part!) },
  '<@': { arity: [2, 2], rewrite: ([part, whole]) => containment('<@', whole!, part!) },
  '|/': { arity: [1, 1], rewrite: ([number]) => kernelCall('sqrt', number) },
  '||/': { arity: [1, 1], rewrite: ([number]) => kernelCall('cbrt', number) },
  [XOR]: { arity: [2, 2], rewrite: (numbers) => kernelCall('xor', ...numbers) },
  array_dims: macro('pg_array_dims', [1, 1]),
  array_ndims: macro('pg_array_ndims', [1, 1]),
  array_positions: macro('pg_array_positions', [2, 2]),
  cardinality: macro('pg_cardinality', [1, 1]),
  clock_timestamp: now,
  statement_timestamp: now,
  /** NUMERIC with all digits before the point, which 38 digits have room for. */
  div: { arity: [2, 2], rewrite: (numbers) => cast(internalCall('pg_div', ...numbers), 'HUGEINT') },
  date_bin: macro('pg_date_bin', [3, 3]),
  format: { arity: [1, Infinity], rewrite: formatted },
  initcap: macro('pg_initcap', [1, 1]),
  make_interval: { arity: [0, 7], rewrite: madeInterval },
  overlaps: macro('pg_overlaps', [4, 4]),
  pg_typeof: {
    arity: [1, 1],
    rewrite: ([value]) =>
      internalCall('pg_type_name', internalCall('type_name', kernelCall('typeof', value))),
  },
  regexp_substr: {
    arity: [2, 2],
    rewrite: ([text, pattern]) => internalCall('regexp_extract', text, pattern, constant(0)),
  },
  substring: {
    arity: [2, 3],
    rewrite: (args) => {
      const [text, pattern, length] = args;
      const isPattern = length === undefined && stringLiteral(pattern!) !== undefined;
      return isPattern ? matchedPart(text!, pattern!) : call('substring', ...args);
    },
  },
  to_hex: macro('pg_to_hex', [1, 1]),
};

/** A NULL is no element of an array for PostgreSQL. The type of a parameter is inferred from the kernel's operator. */
const containment = (symbol: '@>' | '<@', whole: Expression, part: Expression): Expression =>
  whole.class === 'PARAMETER' || part.class === 'PARAMETER'
    ? operatorCall(symbol, ...(symbol === '@>' ? [whole, part] : [part, whole]))
    : internalCall('pg_array_contains', whole, part);

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs'] as const;

/** `make_interval(days => 3)`: arguments are given by position or by name. */
function madeInterval(args: readonly Expression[]): Expression {
  const parts = args.map((argument, i) => {
    const name = argument.alias === '' ? UNITS[i]! : argument.alias.toLowerCase();
    const unit = UNITS.find((known) => known === name);
    if (unit === undefined)
      fail('UNDEFINED_FUNCTION', { message: `make_interval has no argument "${name}"` });
    const amount = { ...argument, alias: '' };
    if (unit === 'secs') return kernelCall('to_microseconds', cast(product(amount, 1_000_000), 'BIGINT'));
    const whole = cast(amount, 'INTEGER');
    if (unit === 'weeks') return kernelCall('to_days', product(whole, 7));
    return kernelCall(unit === 'mins' ? 'to_minutes' : `to_${unit}`, whole);
  });
  return parts.length === 0
    ? cast(constant('0 days'), 'INTERVAL')
    : parts.reduce((sum, part) => ({ ...call('+', sum, part), is_operator: true }));
}

const product = (value: Expression, factor: number): Expression => ({
  ...call('*', value, constant(factor)),
  is_operator: true,
});

/** `substring('foo123' from '[0-9]+')`: the first group, or all that matched; NULL where nothing does. */
function matchedPart(text: Expression, pattern: Expression): Expression {
  const group = groupsOf(stringLiteral(pattern) ?? '') > 0 ? 1 : 0;
  return internalCall('regexp_extract', text, pattern, constant(group));
}

/** `format('%s is %I', a, b)`: texts, names and literals in the places of a literal pattern. */
function formatted(args: readonly Expression[]): Expression {
  const [pattern, ...values] = args;
  const text = stringLiteral(pattern!);
  if (text === undefined)
    return fail('NOT_SUPPORTED', { what: 'format() with a pattern that is not a literal' });
  let next = 0;
  const parts = text.split(/(%(?:\d+\$)?[sIL%])/).flatMap((piece): readonly Expression[] => {
    const [, position, kind] = /^%(?:(\d+)\$)?([sIL%])$/.exec(piece) ?? [];
    if (kind === undefined) {
      if (piece.includes('%')) fail('NOT_SUPPORTED', { what: `format() with "${piece}"` });
      return piece === '' ? [] : [constant(piece)];
    }
    if (kind === '%') return [constant('%')];
    if (position !== undefined) next = Number(position) - 1;
    const value = values[next];
    next += 1;
    if (value === undefined) {
      return fail('INVALID_ARGUMENT', { message: `format() has too few arguments for "${text}"` });
    }
    if (kind === 'I') return [internalCall('pg_quote_ident', value)];
    if (kind === 'L') return [coalesced(internalCall('pg_quote_literal', value), constant('NULL'))];
    return [coalesced(cast(value, 'VARCHAR'), constant(''))];
  });
  return kernelCall('concat', constant(''), ...parts);
}
