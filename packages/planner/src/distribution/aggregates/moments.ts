import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import { BIGINT } from '../../relational/expressions/expression-type.ts';
import {
  aggregate,
  call,
  caseWhen,
  cast,
  compare,
  constant,
  DOUBLE,
  HUGEINT,
  operator,
} from '../tree/expressions.ts';
import type { Decomposition } from './decomposed-aggregate.ts';

const ONE = new Set(['var_pop', 'var_samp', 'variance', 'stddev', 'stddev_pop', 'stddev_samp']);
const TWO = new Set(['covar_pop', 'covar_samp', 'regr_sxx', 'regr_syy', 'regr_sxy']);
const OF_PAIRS = new Set(['regr_avgx', 'regr_avgy', 'regr_count']);

/**
 * Variances and covariances from parts by the formula of Chan, Golub and LeVeque, with the known mean of all
 * rows:
 *     M2 = Σ M2ᵢ + Σ nᵢ (meanᵢ - mean)²        C = Σ Cᵢ + Σ nᵢ (xᵢ - x)(yᵢ - y)
 * The formula Σx² - n·mean² is not used, because it loses all digits if the spread is small in comparison
 * with the mean.
 */
export function momentsOf(expression: PlanExpression): Decomposition | undefined {
  const { name = '', children, return_type, filter } = expression;
  const [first, second, ...others] = children ?? [];
  if (first === undefined || others.length > 0 || return_type === undefined) return undefined;
  if (ONE.has(name) && second === undefined) return one(name, first, filter);
  if (second === undefined) return undefined;
  const of = (aggregateName: string, type = DOUBLE) =>
    aggregate(aggregateName, [double(first), double(second)], type, filter);
  const pair = { of: (one: string) => of(one), count: of('regr_count', { id: 'UINTEGER' }) };
  if (OF_PAIRS.has(name)) return ofPairs(name, pair, return_type);
  return TWO.has(name) ? two(name, pair) : undefined;
}

/** Aggregates of pairs: `y`, then `x`. */
interface PairAggregates {
  readonly of: (name: string) => PlanExpression;
  readonly count: PlanExpression;
}

type Filter = PlanExpression | null | undefined;

const times = (a: PlanExpression, b: PlanExpression): PlanExpression => call('*', [a, b], DOUBLE);
const plus = (a: PlanExpression, b: PlanExpression): PlanExpression => call('+', [a, b], DOUBLE);
const minus = (a: PlanExpression, b: PlanExpression): PlanExpression => call('-', [a, b], DOUBLE);
const over = (a: PlanExpression, b: PlanExpression): PlanExpression => call('/', [a, b], DOUBLE);
const double = (a: PlanExpression): PlanExpression => cast(a, DOUBLE);
const sum = (a: PlanExpression): PlanExpression => aggregate('sum', [a], DOUBLE);

/** Partials: n, mean, variance. Totals: Σn, Σ n·mean. Terms: n, M2 about the mean of all. */
function one(name: string, x: PlanExpression, filter: Filter): Decomposition {
  const value = double(x);
  return {
    partials: [
      aggregate('count', [value], BIGINT, filter),
      aggregate('avg', [value], DOUBLE, filter),
      aggregate('var_pop', [value], DOUBLE, filter),
    ],
    totals: (partial) => [double(partial(0)), times(double(partial(0)), partial(1))],
    terms: (partial, total) => {
      const n = double(partial(0));
      const away = minus(partial(1), over(total(1), total(0)));
      return [n, times(n, plus(partial(2), times(away, away)))];
    },
    mergers: (column) => [sum(column(3)), sum(column(4))],
    result: (merged) => spread(name, merged(0), merged(1)),
  };
}

/** The number of pairs without NULL, and the means of their coordinates, which are right for infinite values too. */
function ofPairs(name: string, pair: PairAggregates, type: PlanType): Decomposition {
  if (name === 'regr_count')
    return {
      partials: [pair.count],
      mergers: (column) => [aggregate('sum', [column(0)], HUGEINT)],
      result: (merged) =>
        cast(operator('OPERATOR_COALESCE', [merged(0), constant(BIGINT, 0)], HUGEINT), type),
    };
  return {
    partials: [pair.count, pair.of(name)],
    mergers: (column) => [sum(double(column(0))), sum(times(double(column(0)), column(1)))],
    result: (merged) => atLeast(merged(0), 1, over(merged(1), merged(0))),
  };
}

/** Partials: n, the means of x or y or both, and Sxx, Syy or Sxy, each over the pairs without NULL. */
function two(name: string, pair: PairAggregates): Decomposition {
  const moment = name.startsWith('covar') ? 'regr_sxy' : name;
  const means =
    moment === 'regr_sxy' ? ['regr_avgx', 'regr_avgy'] : [moment === 'regr_sxx' ? 'regr_avgx' : 'regr_avgy'];
  const momentAt = 1 + means.length;
  return {
    partials: [pair.count, ...means.map(pair.of), pair.of(moment)],
    totals: (partial) => [
      double(partial(0)),
      ...means.map((_, i) => times(double(partial(0)), partial(1 + i))),
    ],
    terms: (partial, total) => {
      const n = double(partial(0));
      const away = means.map((_, i) => minus(partial(1 + i), over(total(1 + i), total(0))));
      return [n, plus(partial(momentAt), times(n, times(away[0]!, away.at(-1)!)))];
    },
    mergers: (column) => [sum(column(momentAt + 1)), sum(column(momentAt + 2))],
    result: (merged) => {
      const [n, moments] = [merged(0), merged(1)];
      if (name === 'covar_pop') return atLeast(n, 1, over(moments, n));
      if (name === 'covar_samp') return atLeast(n, 2, over(moments, minus(n, constant(DOUBLE, 1))));
      return atLeast(n, 1, moments);
    },
  };
}

function spread(name: string, n: PlanExpression, m2: PlanExpression): PlanExpression {
  const isPopulation = name.endsWith('_pop');
  const variance = isPopulation
    ? atLeast(n, 1, over(m2, n))
    : atLeast(n, 2, over(m2, minus(n, constant(DOUBLE, 1))));
  return name.startsWith('stddev') ? call('sqrt', [variance], DOUBLE) : variance;
}

const atLeastRows = (n: PlanExpression, rows: number): PlanExpression =>
  compare('COMPARE_GREATERTHAN', n, constant(DOUBLE, rows - 0.5));

const atLeast = (n: PlanExpression, rows: number, value: PlanExpression): PlanExpression =>
  caseWhen([[atLeastRows(n, rows), value]], constant(DOUBLE, null), DOUBLE);
