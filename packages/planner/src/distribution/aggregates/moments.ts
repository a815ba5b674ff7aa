import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import { BIGINT } from '../../relational/expressions/expression-type.ts';
import { aggregate, call, caseWhen, cast, compare, constant, DOUBLE } from '../tree/expressions.ts';
import type { Decomposition } from './decomposed-aggregate.ts';

const ONE = new Set(['var_pop', 'var_samp', 'variance', 'stddev', 'stddev_pop', 'stddev_samp']);
const TWO = new Set([
  'covar_pop',
  'covar_samp',
  'regr_sxx',
  'regr_syy',
  'regr_sxy',
  'regr_avgx',
  'regr_avgy',
  'regr_count',
]);

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
  if (TWO.has(name) && second !== undefined) return two(name, first, second, return_type, filter);
  return undefined;
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

/** Partials: n, means of x and y, Sxx, Syy and Sxy, each over the pairs without NULL. */
function two(
  name: string,
  y: PlanExpression,
  x: PlanExpression,
  type: PlanType,
  filter: Filter,
): Decomposition {
  const pair = [double(y), double(x)];
  const of = (aggregateName: string, returned = DOUBLE) => aggregate(aggregateName, pair, returned, filter);
  return {
    partials: [
      aggregate('regr_count', pair, { id: 'UINTEGER' }, filter),
      of('regr_avgx'),
      of('regr_avgy'),
      of('regr_sxx'),
      of('regr_syy'),
      of('regr_sxy'),
    ],
    totals: (partial) => [
      double(partial(0)),
      times(double(partial(0)), partial(1)),
      times(double(partial(0)), partial(2)),
    ],
    terms: (partial, total) => {
      const n = double(partial(0));
      const [awayX, awayY] = [1, 2].map((i) => minus(partial(i), over(total(i), total(0)))) as [
        PlanExpression,
        PlanExpression,
      ];
      return [
        n,
        times(n, partial(1)),
        times(n, partial(2)),
        plus(partial(3), times(n, times(awayX, awayX))),
        plus(partial(4), times(n, times(awayY, awayY))),
        plus(partial(5), times(n, times(awayX, awayY))),
      ];
    },
    mergers: (column) => [6, 7, 8, 9, 10, 11].map((place) => sum(column(place))),
    result: (merged) => {
      const n = merged(0);
      switch (name) {
        case 'covar_pop':
          return atLeast(n, 1, over(merged(5), n));
        case 'covar_samp':
          return atLeast(n, 2, over(merged(5), minus(n, constant(DOUBLE, 1))));
        case 'regr_count':
          return cast(caseWhen([[atLeastRows(n, 1), n]], constant(DOUBLE, 0), DOUBLE), type);
        case 'regr_avgx':
          return atLeast(n, 1, over(merged(1), n));
        case 'regr_avgy':
          return atLeast(n, 1, over(merged(2), n));
        case 'regr_sxx':
          return atLeast(n, 1, merged(3));
        case 'regr_syy':
          return atLeast(n, 1, merged(4));
        default:
          return atLeast(n, 1, merged(5));
      }
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
