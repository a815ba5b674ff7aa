import { isVolatile } from '../../relational/expressions/volatility.ts';
import type {
  FunctionRelation,
  LocalRelation,
  ScanRelation,
  ValuesRelation,
} from '../../relational/relation.ts';
import { over, type Place, type Placed, placedAs } from './fragment.ts';
import type { Planning } from './planning.ts';

/** A table is read by all that share its tablets out, or whole by each task when that is less work than an exchange. */
export function placeScan(planning: Planning, scan: ScanRelation): Placed {
  const table = planning.facts.tables.get(scan.relation);
  const isWhole =
    table !== undefined &&
    (table.isDimension || table.tablets === 0 || table.bytes < planning.facts.cluster.wholeTableBytes);
  if (!isWhole) planning.sharded.add(scan);
  return placedAs(scan, { relation: scan, placement: isWhole ? 'whole' : 'shards', hashed: [] });
}

export const placeLocal = (local: LocalRelation): Placed =>
  placedAs(local, { relation: local, placement: 'coordinator', hashed: [] });

export const placeValues = (values: ValuesRelation): Placed =>
  placedAs(values, {
    relation: values,
    placement: values.rows.some((row) => row.some(isVolatile)) ? 'single' : 'whole',
    hashed: [],
  });

/** A table function is computed by every task that needs its rows, or beside the rows that it is called for. */
export function placeFunction(relation: FunctionRelation, below: Place): Placed {
  const expressions = [...relation.arguments, ...Object.values(relation.namedArguments)];
  if (relation.input === undefined)
    return placedAs(relation, {
      relation,
      placement: expressions.some(isVolatile) ? 'single' : 'whole',
      hashed: [],
    });
  const input = below(relation.input);
  const own = relation.columns.length - relation.input.columns.length;
  const sources = relation.columns.map((_, i) => (i < own ? undefined : i - own));
  return placedAs(
    relation,
    ...input.fragments.map((fragment) => over(fragment, { ...relation, input: fragment.relation }, sources)),
  );
}
