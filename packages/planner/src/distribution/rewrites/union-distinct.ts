import type { Relation } from '../../relational/relation.ts';

/**
 * union            →    distinct
 *       a                     union all
 *       b                       a
 *                               b
 * Each task can then remove its own duplicates before rows are sent.
 */
export function unionDistinct(relation: Relation): Relation {
  if (relation.kind !== 'set' || relation.operation !== 'union' || relation.isAll) return relation;
  const all = { ...relation, isAll: true };
  return { kind: 'distinct', input: all, order: [], columns: relation.columns };
}
