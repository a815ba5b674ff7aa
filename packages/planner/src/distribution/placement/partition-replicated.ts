import type { Relation, ScanRelation } from '../../relational/relation.ts';
import { inputsOf, withInputs } from '../tree/inputs.ts';
import { scanOf } from './column-origin.ts';
import { type Fragment, type KeyedColumns, sameColumns } from './fragment.ts';
import type { Planning } from './planning.ts';

/** Below this number of rows a single task is faster than several. */
const SMALL_ROWS = 100_000;

/**
 * Divides the driving table of a replicated fragment among tasks if it has many rows. The other tables stay
 * replicated.
 *     join            →    join              source
 *       scan a (replicated)  scan a (source)
 *       scan b (replicated)  scan b (replicated)
 * Dividing both tables would lose matches between rows of different tasks.
 */
export function partitionReplicated(planning: Planning, fragment: Fragment): Fragment {
  if (fragment.placement !== 'replicated' || rowsRead(planning, fragment.relation) < SMALL_ROWS)
    return fragment;
  const relation = partitionedSpine(planning, fragment.relation);
  if (relation === undefined) return fragment;
  return { ...fragment, relation, placement: 'source', keyed: keysOfSpine(planning, relation) };
}

/** The key of the driving table, if its column is still present. */
function keysOfSpine(planning: Planning, relation: Relation): KeyedColumns | undefined {
  const divided = dividedScans(planning, relation);
  const [scan] = divided;
  const key = scan && planning.facts.tables.get(scan.relation)?.key;
  if (key === undefined || divided.length > 1) return undefined;
  const columns = sameColumns(relation).filter((position) => {
    const found = scanOf(relation, position);
    return found?.scan === scan && found?.column === key.column;
  });
  return columns.length === 0 ? undefined : { domain: key.domain, columns };
}

function dividedScans(planning: Planning, relation: Relation): readonly ScanRelation[] {
  if (relation.kind === 'scan') return planning.partitionedScans.has(relation) ? [relation] : [];
  return inputsOf(relation).flatMap((input) => dividedScans(planning, input));
}

/** The number of rows that the leaves of a relation read. */
export function rowsRead(planning: Planning, relation: Relation): number {
  const inputs = inputsOf(relation);
  if (inputs.length === 0) return planning.estimates.of(relation).rows;
  return inputs.reduce((sum, input) => sum + rowsRead(planning, input), 0);
}

/** The tree with its driving scan partitioned; undefined if no scan produces each row exactly once. */
function partitionedSpine(planning: Planning, relation: Relation): Relation | undefined {
  switch (relation.kind) {
    case 'scan': {
      if (planning.estimates.of(relation).rows < SMALL_ROWS) return undefined;
      const scan: ScanRelation = { ...relation };
      planning.partitionedScans.add(scan);
      return scan;
    }
    case 'filter':
    case 'project':
    case 'unnest': {
      const input = partitionedSpine(planning, relation.input);
      return input && withInputs(relation, [input]);
    }
    case 'join': {
      const { left, right, type } = relation;
      if (type !== 'full' && type !== 'right' && type !== 'right_semi' && type !== 'right_anti') {
        const sharded = partitionedSpine(planning, left);
        if (sharded !== undefined) return withInputs(relation, [sharded, right]);
      }
      if (type !== 'inner' && type !== 'right' && type !== 'right_semi' && type !== 'right_anti')
        return undefined;
      const sharded = partitionedSpine(planning, right);
      return sharded && withInputs(relation, [left, sharded]);
    }
    default:
      return undefined;
  }
}
