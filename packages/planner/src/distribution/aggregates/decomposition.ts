import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import { BIGINT } from '../../relational/expressions/expression-type.ts';
import { aggregate, call, cast, constant, DOUBLE, HUGEINT, operator, VARCHAR } from '../tree/expressions.ts';
import type { Decomposition } from './decomposed-aggregate.ts';
import { momentsOf } from './moments.ts';

const SAME = new Set([
  'min',
  'max',
  'bool_and',
  'bool_or',
  'bit_and',
  'bit_or',
  'bit_xor',
  'any_value',
  'product',
]);
/** Aggregates that return the same value with and without DISTINCT. */
const IGNORES_DISTINCT = new Set(['min', 'max', 'bool_and', 'bool_or', 'bit_and', 'bit_or', 'any_value']);
const COUNTS = new Set(['count', 'count_star']);
const COUNT_IFS = new Set(['count_if', 'countif']);
const SUMS = new Set(['sum', 'sum_no_overflow']);
const AVERAGES = new Set(['avg', 'mean']);
const EXACT = new Set([
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
]);

/**
 * How to compute an aggregate from parts. Undefined for aggregates that must see all rows of a group: ordered
 * ones, lists, quantiles, and those over distinct values.
 */
export function decompose(expression: PlanExpression): Decomposition | undefined {
  const { name = '', children = [], return_type: type, filter, order_bys, aggregate_type } = expression;
  if (type === undefined) return undefined;
  if ((order_bys?.orders ?? []).length > 0) return undefined;
  const isDistinct = aggregate_type === 'DISTINCT';
  if (isDistinct && !IGNORES_DISTINCT.has(name)) return undefined;
  const [first] = children;
  if (COUNTS.has(name)) return counted(expression);
  if (COUNT_IFS.has(name)) return summed(expression, type);
  if (first === undefined) return undefined;
  // With a second argument, min and max return lists.
  if (SAME.has(name)) return children.length === 1 ? same(expression, name, type) : undefined;
  if (SUMS.has(name)) return ['INTERVAL', 'BIGNUM'].includes(type.id) ? undefined : summed(expression, type);
  if (AVERAGES.has(name)) return averaged(first, typeOf(first), type, filter);
  return momentsOf(expression);
}

const typeOf = ({ return_type, value }: PlanExpression): PlanType | undefined => return_type ?? value?.type;

const counted = (expression: PlanExpression): Decomposition => ({
  partials: [expression],
  mergers: (column) => [aggregate('sum', [column(0)], HUGEINT)],
  result: (merged) => cast(operator('OPERATOR_COALESCE', [merged(0), constant(BIGINT, 0)], HUGEINT), BIGINT),
});

/**
 * A sum that is added up from parts. Sums of integers are HUGEINT and sums of decimals DECIMAL(38, s), so
 * nothing is lost.
 */
const summed = (expression: PlanExpression, type: PlanType): Decomposition => ({
  partials: [expression],
  mergers: (column) => [aggregate('sum', [column(0)], type)],
  result: (merged) => cast(merged(0), type),
});

const same = (expression: PlanExpression, name: string, type: PlanType): Decomposition => ({
  partials: [{ ...expression, aggregate_type: 'NON_DISTINCT' }],
  mergers: (column) => [aggregate(name, [column(0)], type)],
  result: (merged) => merged(0),
});

/**
 * For these types, and for DECIMAL up to this precision, the kernel's `avg` divides doubles; for wider types,
 * `long double`.
 */
const SHORT = new Set(['TINYINT', 'UTINYINT', 'SMALLINT']);
const SHORT_DIGITS = 4;
/** A count times 10 to at most this power fits into a HUGEINT. */
const MAX_EXACT_SCALE = 19;

/**
 * The sum divided by the count, with the kernel's own division, so that the result is identical to the last
 * bit. For DECIMAL(p, s), the digits of the sum as an integer are divided by the count times 10^s, in one
 * division.
 */
function averaged(
  child: PlanExpression,
  type: PlanType | undefined,
  result: PlanType,
  filter: PlanExpression | null | undefined,
): Decomposition | undefined {
  if (type === undefined || result.id !== 'DOUBLE') return undefined;
  const isDecimal = type.id === 'DECIMAL';
  if (!isDecimal && !EXACT.has(type.id) && type.id !== 'DOUBLE' && type.id !== 'FLOAT') return undefined;
  const scale = type.type_info?.scale ?? 0;
  const sumType: PlanType = isDecimal
    ? { id: 'DECIMAL', type_info: { type: 'DECIMAL_TYPE_INFO', width: 38, scale } }
    : EXACT.has(type.id)
      ? HUGEINT
      : DOUBLE;
  return {
    partials: [aggregate('sum', [child], sumType, filter), aggregate('count', [child], BIGINT, filter)],
    mergers: (column) => [aggregate('sum', [column(0)], sumType), aggregate('sum', [column(1)], HUGEINT)],
    result: (merged) => {
      if (sumType === DOUBLE) return call('/', [merged(0), cast(merged(1), DOUBLE)], DOUBLE);
      const total = cast(scale === 0 ? merged(0) : digitsOf(merged(0)), HUGEINT);
      const isShort = isDecimal ? (type.type_info?.width ?? 38) <= SHORT_DIGITS : SHORT.has(type.id);
      if (!isShort && scale <= MAX_EXACT_SCALE) {
        const unit = cast(constant(VARCHAR, `1${'0'.repeat(scale)}`), HUGEINT);
        const amount = scale === 0 ? merged(1) : call('*', [merged(1), unit], HUGEINT);
        return call('tsr_average', [total, amount], DOUBLE);
      }
      const amount = call('*', [cast(merged(1), DOUBLE), constant(DOUBLE, 10 ** scale)], DOUBLE);
      return call('/', [cast(total, DOUBLE), amount], DOUBLE);
    },
  };
}

/** The unscaled integer of a DECIMAL. */
const digitsOf = (value: PlanExpression): PlanExpression =>
  call('replace', [cast(value, VARCHAR), constant(VARCHAR, '.'), constant(VARCHAR, '')], VARCHAR);
