import type { Relation, ScanRelation } from '../../relational/relation.ts';
import { inputsOf, withInputs } from '../tree/inputs.ts';
import type { Fragment } from './fragment.ts';
import type { Planning } from './planning.ts';

/** Rows that one task reads sooner than several are told to. */
const SMALL_ROWS = 100_000;

/**
 * A fragment that reads whole tables, with the table that its rows come from shared out among tasks: worth it where there is
 * much to read. The others stay whole.
 *
 *     join            →    join              shards
 *       scan a (whole)       scan a (shards)
 *       scan b (whole)       scan b (whole)
 */
export function shardWhole(planning: Planning, fragment: Fragment): Fragment {
  if (fragment.placement !== 'whole' || rowsRead(planning, fragment.relation) < SMALL_ROWS) return fragment;
  const relation = shardedSpine(planning, fragment.relation);
  return relation === undefined ? fragment : { ...fragment, relation, placement: 'shards' };
}

/** Rows that computing the relation looks at. */
export function rowsRead(planning: Planning, relation: Relation): number {
  const inputs = inputsOf(relation);
  if (inputs.length === 0) return planning.estimates.of(relation).rows;
  return inputs.reduce((sum, input) => sum + rowsRead(planning, input), 0);
}

/** The tree with the scan in it that each row comes from once shared out; undefined where there is none. */
function shardedSpine(planning: Planning, relation: Relation): Relation | undefined {
  switch (relation.kind) {
    case 'scan': {
      if (planning.estimates.of(relation).rows < SMALL_ROWS) return undefined;
      const scan: ScanRelation = { ...relation };
      planning.sharded.add(scan);
      return scan;
    }
    case 'filter':
    case 'project':
    case 'unnest': {
      const input = shardedSpine(planning, relation.input);
      return input && withInputs(relation, [input]);
    }
    case 'join': {
      const { left, right, type } = relation;
      if (type !== 'full' && type !== 'right' && type !== 'right_semi' && type !== 'right_anti') {
        const sharded = shardedSpine(planning, left);
        if (sharded !== undefined) return withInputs(relation, [sharded, right]);
      }
      if (type !== 'inner' && type !== 'right' && type !== 'right_semi' && type !== 'right_anti')
        return undefined;
      const sharded = shardedSpine(planning, right);
      return sharded && withInputs(relation, [left, sharded]);
    }
    default:
      return undefined;
  }
}
