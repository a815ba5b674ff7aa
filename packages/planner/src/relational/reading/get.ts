import { quoteIdentifier } from '@tessera/sql';
import { managedTable } from '../../managed-table.ts';
import type { PlanExpression, PlanGet, PlanType } from '../../plan-nodes.ts';
import { BIGINT } from '../expressions/expression-type.ts';
import { columnOf, reference } from '../expressions/references.ts';
import type { Relation, RelationColumn } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import type { Binding, BoundRelation, ReadScope } from './bound-relation.ts';
import { sampled } from './sample.ts';
import { tableFilterPredicates } from './table-filter.ts';
import { functionRelation, inOutFunction } from './table-function.ts';

/** Positions beyond the columns: the row id, and an empty column if rows are only counted. */
const FIRST_VIRTUAL = 2n ** 63n;

/** Reads a scan, with its filters and samples as relations above it. */
export function readGet(node: PlanGet, scope: ReadScope): BoundRelation {
  if (isOrdinality(node)) return unsupported('WITH ORDINALITY');
  if ((node.children ?? []).length > 0) return inOutFunction(node, scope);
  const given = (node.column_indexes ?? []).map(({ index }) => BigInt(index));
  const filters = (node.table_filters?.filters ?? []).map(({ key, value }) => ({
    place: Number(key),
    value,
  }));
  // Columns that only the filters use are read too.
  const places = [...new Set([...given.filter(isReal).map(Number), ...filters.map(({ place }) => place)])];
  const columns = places.map((place) => columnAt(node, place));
  const scan = baseRelation(node, columns);
  const predicates = filters.flatMap(({ place, value }) => {
    const index = places.indexOf(place);
    return tableFilterPredicates(value, reference(index, columnAt(node, place).type, columns[index]?.name));
  });
  const filtered: Relation =
    predicates.length === 0 ? scan : { kind: 'filter', input: scan, predicates, columns };
  const sample = node.extra_info?.sample_options;
  const rows = sample === undefined || sample === null ? filtered : sampled(filtered, sample);
  return outputs(node, rows, given, places);
}

export const isVirtualColumn = (index: number | bigint): boolean => BigInt(index) >= FIRST_VIRTUAL;

const isReal = (index: bigint): boolean => !isVirtualColumn(index);

const isOrdinality = ({ ordinality_idx }: PlanGet): boolean =>
  ordinality_idx !== undefined && ordinality_idx >= 0;

function columnAt({ names, returned_types }: PlanGet, place: number): RelationColumn {
  const [name, type] = [names?.[place], returned_types?.[place]];
  return name === undefined || type === undefined ? unsupported('a scan beyond its columns') : { name, type };
}

function baseRelation(node: PlanGet, columns: readonly RelationColumn[]): Relation {
  const names = columns.map(({ name }) => name);
  const managed = managedTable(node);
  if (managed !== undefined) return { kind: 'scan', relation: managed, names, columns };
  const { schema, table } = node.function_data ?? {};
  if (node.name !== 'seq_scan' || table === undefined) return functionRelation(node, columns);
  // Tables of the session are found without a schema.
  const path = schema === undefined || schema === 'main' ? [table] : [schema, table];
  return { kind: 'session', sql: path.map(quoteIdentifier).join('.'), names, columns };
}

/** The columns in the order in which the operators above number them. */
function outputs(
  node: PlanGet,
  input: Relation,
  given: readonly bigint[],
  places: readonly number[],
): BoundRelation {
  const projected = (node.projection_ids ?? []).map(Number);
  const chosen = projected.length === 0 ? given.map((_, i) => i) : projected;
  const bindings = chosen.map((column): Binding => ({ table: Number(node.table_index ?? 0), column }));
  const picked = chosen.map((i) => given[i] ?? unsupported('a scan beyond its columns'));
  const isPlain =
    picked.length === places.length &&
    picked.every((index, i) => isReal(index) && Number(index) === places[i]);
  if (isPlain) return { relation: input, bindings };
  const expressions = picked.map((index): PlanExpression => {
    if (!isReal(index)) return nothing(BIGINT);
    const { name, type } = columnAt(node, Number(index));
    return reference(places.indexOf(Number(index)), type, name);
  });
  const columns = expressions.map((expression) => columnOf(expression, input.columns));
  return { relation: { kind: 'project', input, expressions, columns }, bindings };
}

const nothing = (type: PlanType): PlanExpression => ({
  type: 'VALUE_CONSTANT',
  alias: 'rowid',
  value: { type, is_null: true },
});
