import type { PlanExpression, PlanGet, PlanValue } from '../../plan-nodes.ts';
import { columnOf, reference } from '../expressions/references.ts';
import type { FunctionRelation, Relation, RelationColumn } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type Binding, type BoundRelation, type ReadScope, readInput } from './bound-relation.ts';

/** Table functions whose rows depend only on their arguments. */
const PURE = new Set(['range', 'generate_series', 'repeat', 'repeat_row', 'unnest']);

/** Reads a call with constant arguments. @throws UnsupportedPlan for functions that read data */
export function functionRelation(node: PlanGet, columns: readonly RelationColumn[]): Relation {
  const name = node.name ?? '';
  if (!PURE.has(name)) return unsupported(`the table function ${name}`);
  const every = (node.names ?? []).map(
    (column, i): RelationColumn => ({
      name: column,
      type: node.returned_types?.[i] ?? unsupported('a table function without types'),
    }),
  );
  const call: FunctionRelation = {
    kind: 'function',
    name,
    arguments: (node.parameters ?? []).map(constant),
    namedArguments: Object.fromEntries(
      (node.named_parameters ?? []).map(({ key, value }) => [key, constant(value)]),
    ),
    columns: every,
  };
  const places = columns.map(({ name: column }) => every.findIndex((c) => c.name === column));
  if (places.length === every.length && places.every((place, i) => place === i)) return call;
  return { kind: 'project', input: call, expressions: picks(call, places), columns };
}

/** Reads a call for every row of the input, whose first columns are the arguments. */
export function inOutFunction(node: PlanGet, scope: ReadScope): BoundRelation {
  const name = node.name ?? '';
  if (!PURE.has(name)) return unsupported(`the table function ${name} over rows`);
  if ((node.table_filters?.filters ?? []).length > 0) return unsupported('a filter of a function over rows');
  const input = readInput(node, scope);
  const inputs = input.relation.columns;
  const functionColumns = (node.names ?? []).map(
    (column, i): RelationColumn => ({
      name: column,
      type: node.returned_types?.[i] ?? unsupported('a table function without types'),
    }),
  );
  const argumentTypes = node.input_table_types ?? [];
  const call = inOutCall(name, input.relation, argumentTypes.length, functionColumns);
  const functionStart = call.kind === 'unnest' ? inputs.length : 0;
  const inputStart = call.kind === 'unnest' ? 0 : functionColumns.length;
  const given = (node.column_indexes ?? []).map(({ index }) => Number(index));
  const chosen =
    (node.projection_ids ?? []).length === 0 ? given.map((_, i) => i) : (node.projection_ids ?? []);
  const kept = (node.projected_input ?? []).map(Number);
  const places = [
    ...chosen.map((i) => functionStart + (given[i] ?? unsupported('a function beyond its columns'))),
    ...kept.map((i) => inputStart + i),
  ];
  const expressions = picks(call, places);
  return {
    relation: {
      kind: 'project',
      input: call,
      expressions,
      columns: expressions.map((expression) => columnOf(expression, call.columns)),
    },
    bindings: [
      ...chosen.map((column): Binding => ({ table: Number(node.table_index ?? 0), column: Number(column) })),
      ...kept.flatMap((i) => input.bindings[i] ?? []),
    ],
  };
}

function inOutCall(
  name: string,
  input: Relation,
  argumentCount: number,
  functionColumns: readonly RelationColumn[],
): Relation {
  const inputs = input.columns;
  const given = inputs.slice(0, argumentCount).map(({ type, name: n }, i) => reference(i, type, n));
  if (name !== 'unnest')
    return {
      kind: 'function',
      name,
      arguments: given,
      namedArguments: {},
      input,
      columns: [...functionColumns, ...inputs],
    };
  const [list] = given;
  const [column] = functionColumns;
  if (list === undefined || column === undefined || given.length > 1 || functionColumns.length > 1)
    return unsupported('unnest of several lists as a table');
  return {
    kind: 'unnest',
    input,
    unnests: [{ type: 'BOUND_UNNEST', child: list, return_type: column.type }],
    columns: [...inputs, column],
  };
}

const picks = (input: Relation, places: readonly number[]): readonly PlanExpression[] =>
  places.map((place) => {
    const column = input.columns[place] ?? unsupported('a function beyond its columns');
    return reference(place, column.type, column.name);
  });

const constant = (value: PlanValue): PlanExpression => ({ type: 'VALUE_CONSTANT', value });
