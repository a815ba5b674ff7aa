import type { PlanOutline } from '../../explain/plan-outline.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import { isReference } from '../../relational/expressions/references.ts';
import type {
  AggregateRelation,
  JoinRelation,
  LimitRelation,
  Relation,
  SortRelation,
} from '../../relational/relation.ts';
import { milliseconds } from '../placement/cost/cost-text.ts';
import type { Planning } from '../placement/planning.ts';
import type { WeighedStrategy } from '../placement/weighed-strategy.ts';
import { inputsOf } from '../tree/inputs.ts';
import { columnText, textsOf } from './column-text.ts';

/** One line per operator of a stage, with its inputs indented below it. Plain projections are left out. */
export function relationOutline(planning: Planning, relation: Relation, depth = 0): readonly string[] {
  const text = lineOf(planning, relation);
  const below = inputsOf(relation).flatMap((input) =>
    relationOutline(planning, input, text === undefined ? depth : depth + 1),
  );
  return text === undefined ? below : [`${'  '.repeat(depth)}${text}`, ...below];
}

/** The operators of a stage, with names that the user knows. Plain projections are left out. */
export function relationOperators(planning: Planning, relation: Relation): PlanOutline {
  const inputs = inputsOf(relation).map((input) => relationOperators(planning, input));
  const own = operatorOf(planning, relation);
  if (own === undefined) return inputs[0]!;
  return { ...own, estimatedRows: Math.round(planning.estimates.of(relation).rows), inputs };
}

type OwnOperator = Pick<PlanOutline, 'operator' | 'details' | 'stage'>;

function operatorOf(planning: Planning, relation: Relation): OwnOperator | undefined {
  switch (relation.kind) {
    case 'scan':
      return ofKind('Scan table', {
        table: relation.relation,
        columns: relation.names.join(', '),
        read: planning.partitionedScans.has(relation) ? '' : 'replicated',
      });
    case 'session':
      return ofKind('Scan session relation', { columns: relation.names.join(', ') });
    case 'input': {
      const reading = planning.readings.get(relation.id);
      return { ...ofKind('Exchange', { mode: reading?.mode ?? '' }), stage: reading?.stage };
    }
    case 'function':
      return ofKind('Table function', { function: relation.name });
    case 'values':
      return ofKind('Values');
    case 'filter':
      return relation.predicates.length === 0
        ? undefined
        : ofKind('Filter', { condition: textsOf(planning, relation.predicates, relation.input) });
    case 'project':
      return relation.expressions.every(isReference)
        ? undefined
        : ofKind('Project', { columns: textsOf(planning, relation.expressions, relation.input) });
    case 'join':
      return joinOperator(planning, relation);
    case 'positional_join':
      return ofKind('Positional join');
    case 'aggregate':
      return ofKind('Aggregate', {
        step: isPartial(planning, relation) ? 'partial' : '',
        aggregates: textsOf(planning, relation.aggregates, relation.input),
        groups: textsOf(planning, relation.groups, relation.input),
      });
    case 'distinct':
      return ofKind('Distinct', {
        on: relation.on === undefined ? '' : textsOf(planning, relation.on, relation.input),
      });
    case 'window':
      return ofKind('Window', {
        functions: relation.windows.map((window) => windowText(planning, window, relation.input)).join(', '),
      });
    case 'sort':
      return ofKind('Sort', { by: sortText(planning, relation) });
    case 'limit':
      return ofKind('Limit', { limit: limitText(planning, relation) });
    case 'sample':
      return ofKind('Sample', { sample: relation.sql });
    case 'set':
      return ofKind(`${relation.operation.charAt(0).toUpperCase()}${relation.operation.slice(1)}`, {
        all: relation.isAll ? 'yes' : '',
      });
    case 'unnest':
      return ofKind('Unnest');
    case 'shared':
      return ofKind('Common table expression', { name: relation.name });
    case 'reference':
      return ofKind('Scan common table expression');
    case 'recursive':
      return ofKind('Recursive query');
  }
}

const ofKind = (operator: string, details: Readonly<Record<string, string>> = {}): OwnOperator => ({
  operator,
  details: Object.fromEntries(
    Object.entries(details).flatMap(([name, text]) => (text === '' ? [] : [[name, text]])),
  ),
});

function joinOperator(planning: Planning, relation: JoinRelation): OwnOperator {
  const { conditions, type, isAsof } = relation;
  return ofKind(isAsof ? 'As-of join' : conditions.length === 0 ? 'Nested-loop join' : 'Hash join', {
    type: type.replace('_', ' '),
    on: joinTexts(planning, relation).join(' and '),
    'co-located by': coLocatedBy(planning, relation) ?? '',
    strategies: (planning.weighed.get(conditions) ?? []).map(weighedText).join(', '),
  });
}

/** The name of the column whose values put rows of both sides on the same node; undefined if none does. */
function coLocatedBy(planning: Planning, { conditions, left }: JoinRelation): string | undefined {
  const key = planning.coLocated.get(conditions);
  return key === undefined ? undefined : columnText(planning, left, key);
}

function lineOf(planning: Planning, relation: Relation): string | undefined {
  switch (relation.kind) {
    case 'scan':
      return `scan ${relation.relation} (${relation.names.join(', ')})${planning.partitionedScans.has(relation) ? '' : ' replicated'}`;
    case 'session':
      return `session relation (${relation.names.join(', ')})`;
    case 'input': {
      const reading = planning.readings.get(relation.id);
      return `input stage ${reading?.stage}${reading?.mode === undefined ? '' : ` ${reading.mode}`}`;
    }
    case 'function':
      return `function ${relation.name}`;
    case 'values':
      return `values ${relation.rows.length} rows`;
    case 'filter':
      return relation.predicates.length === 0
        ? undefined
        : `filter ${textsOf(planning, relation.predicates, relation.input)}`;
    case 'project':
      return relation.expressions.every(isReference)
        ? undefined
        : `project ${textsOf(planning, relation.expressions, relation.input)}`;
    case 'join':
      return joinLine(planning, relation);
    case 'positional_join':
      return 'positional join';
    case 'aggregate':
      return aggregateLine(planning, relation);
    case 'distinct':
      return relation.on === undefined
        ? 'distinct'
        : `distinct on ${textsOf(planning, relation.on, relation.input)}`;
    case 'window':
      return `window ${relation.windows.map((w) => windowText(planning, w, relation.input)).join(', ')}`;
    case 'sort':
      return `sort by ${sortText(planning, relation)}`;
    case 'limit':
      return `limit ${limitText(planning, relation)}`;
    case 'sample':
      return `sample ${relation.sql}`;
    case 'set':
      return `${relation.operation}${relation.isAll ? ' all' : ''}`;
    case 'unnest':
      return 'unnest';
    case 'shared':
      return `shared ${relation.name}`;
    case 'reference':
      return 'reference';
    case 'recursive':
      return 'recursive';
  }
}

function joinLine(planning: Planning, relation: JoinRelation): string {
  const { type, conditions, isAsof } = relation;
  const texts = joinTexts(planning, relation);
  const kind = `${isAsof ? 'asof ' : ''}${type.replace('_', ' ')} join`;
  const key = coLocatedBy(planning, relation);
  const where = key === undefined ? '' : ` co-located by ${key}`;
  const line = `${texts.length === 0 ? `${kind} of all pairs` : `${kind} on ${texts.join(' and ')}`}${where}`;
  const weighed = planning.weighed.get(conditions) ?? [];
  return weighed.length === 0 ? line : `${line} (${weighed.map(weighedText).join(', ')})`;
}

function aggregateLine(planning: Planning, relation: AggregateRelation): string {
  const { groups, aggregates, groupingSets, input } = relation;
  const step = isPartial(planning, relation) ? 'partial ' : '';
  const by = groups.length === 0 ? '' : ` by ${textsOf(planning, groups, input)}`;
  const sets = groupingSets.length > 1 ? ` in ${groupingSets.length} sets` : '';
  return `${step}aggregate ${textsOf(planning, aggregates, input)}${by}${sets}`.replace('  ', ' ');
}

function joinTexts(
  planning: Planning,
  { left, right, conditions, residual }: JoinRelation,
): readonly string[] {
  return [
    ...conditions.map(
      (c) => `${textsOf(planning, [c.left], left)} ${c.comparison} ${textsOf(planning, [c.right], right)}`,
    ),
    ...residual.map((e) => textsOf(planning, [e], left, right)),
  ];
}

const isPartial = (planning: Planning, { aggregates }: AggregateRelation): boolean =>
  [...planning.partials].some(
    (partial) => partial.kind === 'aggregate' && partial.aggregates === aggregates && aggregates.length > 0,
  );

const sortText = (planning: Planning, { keys, input }: SortRelation): string =>
  keys
    .map((key) => `${textsOf(planning, [key.expression], input)}${key.descending ? ' desc' : ''}`)
    .join(', ');

function limitText(planning: Planning, { limit, offset, isPercent, input }: LimitRelation): string {
  const most =
    limit === undefined ? 'all' : `${textsOf(planning, [limit], input)}${isPercent ? ' percent' : ''}`;
  return `${most}${offset === undefined ? '' : ` offset ${textsOf(planning, [offset], input)}`}`;
}

/** Formats a strategy with its estimated CPU time: `broadcast right 1.2 s`. */
function weighedText({ strategy, cost }: WeighedStrategy): string {
  const side = 'side' in strategy ? ` ${strategy.side}` : '';
  const time = cost === Number.POSITIVE_INFINITY ? 'over the limit' : milliseconds(cost / 1000);
  return `${strategy.kind}${side} ${time}`;
}

function windowText(planning: Planning, window: PlanExpression, input: Relation): string {
  const name = window.name ?? window.type.replace('WINDOW_', '').toLowerCase();
  const { partitions = [], orders = [] } = window;
  const by = partitions.length === 0 ? '' : `by ${textsOf(planning, partitions, input)}`;
  const order =
    orders.length === 0
      ? ''
      : `order ${textsOf(
          planning,
          orders.map(({ expression }) => expression),
          input,
        )}`;
  return `${name}(${textsOf(planning, window.children ?? [], input)}) over (${[by, order].filter((t) => t !== '').join(' ')})`;
}
