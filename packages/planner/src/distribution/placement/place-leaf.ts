import { isVolatile } from '../../relational/expressions/volatility.ts';
import type {
  FunctionRelation,
  ScanRelation,
  SessionRelation,
  ValuesRelation,
} from '../../relational/relation.ts';
import { COST_CONSTANTS as COST } from './cost/cost-constants.ts';
import { scanWork } from './cost/relation-work.ts';
import { type KeyedColumns, type Place, type Placed, placedAs, withOperator } from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * Every task reads a table without further weighing if that costs all nodes together less than this fraction
 * of starting a task.
 */
const LITTLE = 1 / 20;

/**
 * Divides a table among the tasks by tablets. Every task reads all of a very small table. For larger tables,
 * each join decides what is cheapest, since divided rows may already be in the same task as their matches.
 * A refined plan divides what the first one has divided, although a divided table may cost less because the parts fit into memory.
 */
export function placeScan(planning: Planning, scan: ScanRelation): Placed {
  const table = planning.facts.tables.get(scan.relation);
  const isWhole =
    !planning.partitionedScans.has(scan) &&
    table !== undefined &&
    table.external === undefined &&
    (table.isDimension ||
      table.tablets === 0 ||
      (table.bytes < planning.facts.cluster.wholeTableBytes &&
        scanWork(planning, scan) * planning.nodes < COST.startTask * LITTLE));
  if (!isWhole) planning.partitionedScans.add(scan);
  const keyed = isWhole ? undefined : keysOfScan(planning, scan);
  return placedAs(scan, {
    relation: scan,
    placement: isWhole ? 'replicated' : 'source',
    hashKeyChoices: [],
    ...(keyed && { keyed }),
  });
}

/** The key column whose ranges divide the table, if the scan reads it. */
function keysOfScan(planning: Planning, { relation, names }: ScanRelation): KeyedColumns | undefined {
  const key = planning.facts.tables.get(relation)?.key;
  const position = key === undefined ? -1 : names.indexOf(key.column);
  return position === -1 ? undefined : { domain: key!.domain, columns: [position] };
}

export const placeSession = (local: SessionRelation): Placed =>
  placedAs(local, { relation: local, placement: 'coordinator', hashKeyChoices: [] });

export const placeValues = (values: ValuesRelation): Placed =>
  placedAs(values, {
    relation: values,
    placement: values.rows.some((row) => row.some(isVolatile)) ? 'single' : 'replicated',
    hashKeyChoices: [],
  });

/**
 * Computes a table function in every task that needs its rows, or in the tasks of the rows that are its
 * arguments.
 */
export function placeFunction(relation: FunctionRelation, below: Place): Placed {
  const expressions = [...relation.arguments, ...Object.values(relation.namedArguments)];
  if (relation.input === undefined)
    return placedAs(relation, {
      relation,
      placement: expressions.some(isVolatile) ? 'single' : 'replicated',
      hashKeyChoices: [],
    });
  const input = below(relation.input);
  const own = relation.columns.length - relation.input.columns.length;
  const sources = relation.columns.map((_, i) => (i < own ? undefined : i - own));
  return placedAs(
    relation,
    ...input.fragments.map((fragment) =>
      withOperator(fragment, { ...relation, input: fragment.relation }, sources),
    ),
  );
}
