import { expressionText } from '../../explain/expression-text.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import { isReference, mapExpression } from '../../relational/expressions/references.ts';
import type { Relation } from '../../relational/relation.ts';
import { milliseconds } from '../placement/cost/cost-text.ts';
import type { Planning } from '../placement/planning.ts';
import type { WeighedStrategy } from '../placement/weighed-strategy.ts';
import { inputsOf } from '../tree/inputs.ts';

/** One line per operator of a stage, with its inputs indented below it. Plain projections are left out. */
export function relationOutline(planning: Planning, relation: Relation, depth = 0): readonly string[] {
  const text = lineOf(planning, relation);
  const below = inputsOf(relation).flatMap((input) =>
    relationOutline(planning, input, text === undefined ? depth : depth + 1),
  );
  return text === undefined ? below : [`${'  '.repeat(depth)}${text}`, ...below];
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
      return `filter ${textsOf(relation.predicates, relation.input)}`;
    case 'project':
      return relation.expressions.every(isReference)
        ? undefined
        : `project ${textsOf(relation.expressions, relation.input)}`;
    case 'join': {
      const { left, right, type, conditions, residual, isAsof } = relation;
      const texts = [
        ...conditions.map((c) => `${textsOf([c.left], left)} ${c.comparison} ${textsOf([c.right], right)}`),
        ...residual.map((e) => named(e, [...left.columns, ...right.columns])),
      ];
      const kind = `${isAsof ? 'asof ' : ''}${type.replace('_', ' ')} join`;
      const key = planning.coLocated.get(conditions);
      const where = key === undefined ? '' : ` co-located by ${left.columns[key]?.name || `#${key}`}`;
      const line = `${texts.length === 0 ? `${kind} of all pairs` : `${kind} on ${texts.join(' and ')}`}${where}`;
      const weighed = planning.weighed.get(conditions) ?? [];
      return weighed.length === 0 ? line : `${line} (${weighed.map(weighedText).join(', ')})`;
    }
    case 'positional_join':
      return 'positional join';
    case 'aggregate': {
      const { groups, aggregates, groupingSets, input } = relation;
      const isPartial = [...planning.partials].some(
        (partial) =>
          partial.kind === 'aggregate' && partial.aggregates === aggregates && aggregates.length > 0,
      );
      const by = groups.length === 0 ? '' : ` by ${textsOf(groups, input)}`;
      const sets = groupingSets.length > 1 ? ` in ${groupingSets.length} sets` : '';
      return `${isPartial ? 'partial ' : ''}aggregate ${textsOf(aggregates, input)}${by}${sets}`.replace(
        '  ',
        ' ',
      );
    }
    case 'distinct':
      return relation.on === undefined ? 'distinct' : `distinct on ${textsOf(relation.on, relation.input)}`;
    case 'window':
      return `window ${relation.windows.map((w) => windowText(w, relation.input)).join(', ')}`;
    case 'sort':
      return `sort by ${relation.keys
        .map((key) => `${textsOf([key.expression], relation.input)}${key.descending ? ' desc' : ''}`)
        .join(', ')}`;
    case 'limit': {
      const { limit, offset, isPercent, input } = relation;
      const most = limit === undefined ? 'all' : `${textsOf([limit], input)}${isPercent ? ' percent' : ''}`;
      return `limit ${most}${offset === undefined ? '' : ` offset ${textsOf([offset], input)}`}`;
    }
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

/** Formats a strategy with its estimated CPU time: `broadcast right 1.2 s`. */
function weighedText({ strategy, cost }: WeighedStrategy): string {
  const side = 'side' in strategy ? ` ${strategy.side}` : '';
  const time = cost === Number.POSITIVE_INFINITY ? 'over the limit' : milliseconds(cost / 1000);
  return `${strategy.kind}${side} ${time}`;
}

const textsOf = (expressions: readonly PlanExpression[], input: Relation): string =>
  expressions.map((expression) => named(expression, input.columns)).join(', ');

/** The text of an expression, with the names that columns have in the input. */
const named = (expression: PlanExpression, columns: Relation['columns']): string =>
  expressionText(
    mapExpression(expression, (inner) =>
      isReference(inner)
        ? { ...inner, alias: columns[Number(inner.index)]?.name || `#${inner.index}` }
        : undefined,
    ),
  );

function windowText(window: PlanExpression, input: Relation): string {
  const name = window.name ?? window.type.replace('WINDOW_', '').toLowerCase();
  const { partitions = [], orders = [] } = window;
  const by = partitions.length === 0 ? '' : `by ${textsOf(partitions, input)}`;
  const order =
    orders.length === 0
      ? ''
      : `order ${textsOf(
          orders.map(({ expression }) => expression),
          input,
        )}`;
  return `${name}(${textsOf(window.children ?? [], input)}) over (${[by, order].filter((t) => t !== '').join(' ')})`;
}
