import type { Relation } from '../../relational/relation.ts';
import { mayBroadcast } from './may-broadcast.ts';
import type { Planning } from './planning.ts';

/**
 * Inputs whose rows may be divided arbitrarily, because each row is processed on its own: probe sides of
 * joins that return no unmatched rows of the other side, below no operator over several rows except partial
 * aggregates.
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
      // UNION ALL is excluded: with each part of one input, all rows of the other inputs would occur again.
      default:
        return;
    }
  }
}

/**
 * Whether the aggregate is partial. Partial aggregates are built again over each fragment, with the same
 * expressions.
 */
const isPartial = (planning: Planning, relation: Relation & { readonly kind: 'aggregate' }): boolean =>
  [...planning.partials].some(
    (partial) => partial.kind === 'aggregate' && partial.aggregates === relation.aggregates,
  );
