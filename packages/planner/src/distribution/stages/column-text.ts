import { expressionText } from '../../explain/expression-text.ts';
import { detailText, ONLY_ROW_NOTE } from '../../explain/operator-words.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import { isReference, mapExpression } from '../../relational/expressions/references.ts';
import type { Relation } from '../../relational/relation.ts';
import type { Planning } from '../placement/planning.ts';
import { inputsOf } from '../tree/inputs.ts';

/** Expressions over columns of a relation, as texts for EXPLAIN. */
export const textsOf = (
  planning: Planning,
  expressions: readonly PlanExpression[],
  ...inputs: readonly Relation[]
): string => expressions.map((expression) => textOf(planning, expression, inputs)).join(', ');

function textOf(planning: Planning, expression: PlanExpression, inputs: readonly Relation[]): string {
  const named = mapExpression(expression, (inner) =>
    isReference(inner) ? { ...inner, alias: columnOf(planning, inputs, Number(inner.index)) } : undefined,
  );
  return detailText(expressionText(named));
}

/** The longest text of a computed column that is shown where the column is read. */
const LONGEST = 60;

/**
 * A column in words that the user knows: its name, or the expression that computes it. A column that is neither named nor
 * computed by a short expression has its position.
 */
export function columnText(planning: Planning, relation: Relation, index: number): string {
  const name = relation.columns[index]?.name ?? '';
  if (!IS_POSITION.test(name)) return name;
  const known = planning.columnTexts.get(relation) ?? [];
  planning.columnTexts.set(relation, known);
  known[index] ??= computedText(planning, relation, index);
  return known[index];
}

/** The kernel calls some columns by their positions. */
const IS_POSITION = /^\d*$/;

function computedText(planning: Planning, relation: Relation, index: number): string {
  const found = origin(planning, relation, index);
  if (found === undefined) return `column ${index + 1}`;
  const text = 'relation' in found ? columnText(planning, found.relation, found.index) : found.text;
  return text.length > LONGEST ? `column ${index + 1}` : text;
}

/** The column of another relation whose values a column has, or the expression that computes it. */
function origin(
  planning: Planning,
  relation: Relation,
  index: number,
): { readonly relation: Relation; readonly index: number } | { readonly text: string } | undefined {
  const computed = (expressions: readonly PlanExpression[], at: number) => {
    const expression = expressions[at];
    return (
      expression && { text: textOf(planning, expression, inputsOf(relation)).replace(ONLY_ROW_NOTE, '') }
    );
  };
  switch (relation.kind) {
    case 'input': {
      const reading = planning.readings.get(relation.id);
      return (
        reading && {
          relation: planning.draft(reading.stage).relation,
          index: reading.firstColumn + index,
        }
      );
    }
    case 'project':
      return computed(relation.expressions, index);
    case 'aggregate':
      return computed([...relation.groups, ...relation.aggregates], index);
    case 'window':
    case 'unnest': {
      const { input } = relation;
      const own = relation.kind === 'window' ? relation.windows : relation.unnests;
      return index < input.columns.length
        ? { relation: input, index }
        : computed(own, index - input.columns.length);
    }
    case 'join':
    case 'positional_join': {
      const { left, right } = relation;
      if (relation.kind === 'join' && relation.type.startsWith('right_')) return { relation: right, index };
      if (index < left.columns.length) return { relation: left, index };
      if (relation.kind === 'join' && relation.type === 'mark') return undefined;
      return { relation: right, index: index - left.columns.length };
    }
    case 'filter':
    case 'distinct':
    case 'sort':
    case 'limit':
    case 'sample':
      return { relation: relation.input, index };
    case 'set': {
      const [first] = relation.inputs;
      return first && { relation: first, index };
    }
    case 'shared':
      return { relation: relation.body, index };
    default:
      return undefined;
  }
}

/** The column of several inputs, whose columns are counted from the first input to the last one. */
function columnOf(planning: Planning, inputs: readonly Relation[], index: number): string {
  let position = index;
  for (const input of inputs) {
    if (position < input.columns.length) return columnText(planning, input, position);
    position -= input.columns.length;
  }
  return `column ${index + 1}`;
}
