import type { Relation } from '../../relational/relation.ts';
import { mayBroadcast } from '../placement/join-strategy.ts';
import type { Planning } from '../placement/planning.ts';

/**
 * Inputs whose rows may be parted anywhere, since each of them is looked at alone: probe sides of joins that give no unmatched
 * rows of the other side, below nothing that looks at several rows but partial aggregates.
 */
export function sliceableInputs(planning: Planning, relation: Relation): ReadonlySet<number> {
  const found = new Set<number>();
  visit(relation);
  return found;

  function visit(inner: Relation): void {
    switch (inner.kind) {
      case 'input':
        found.add(inner.id);
        return;
      case 'filter':
      case 'project':
      case 'unnest':
        visit(inner.input);
        return;
      case 'aggregate':
        if (isPartial(planning, inner)) visit(inner.input);
        return;
      case 'join':
        if (inner.isAsof) return;
        if (mayBroadcast(inner.type, 'right')) visit(inner.left);
        if (mayBroadcast(inner.type, 'left')) visit(inner.right);
        return;
      // Not UNION ALL: with each part of one input all rows of the others would come once more.
      default:
        return;
    }
  }
}

/** Partial aggregates are made again over each fragment, with the same expressions. */
const isPartial = (planning: Planning, relation: Relation & { readonly kind: 'aggregate' }): boolean =>
  [...planning.partials].some(
    (partial) => partial.kind === 'aggregate' && partial.aggregates === relation.aggregates,
  );
