import type { Relation } from '../../relational/relation.ts';

/**
 *     union            →    distinct
 *       a                     union all
 *       b                       a
 *                               b
 *
 * So that each task drops its own repetitions before rows travel.
 */
export function unionDistinct(relation: Relation): Relation {
  if (relation.kind !== 'set' || relation.operation !== 'union' || relation.isAll) return relation;
  const all = { ...relation, isAll: true };
  return { kind: 'distinct', input: all, order: [], columns: relation.columns };
}
