import type { Draft } from './draft.ts';
import { SESSION } from './scheduler-state.ts';

/**
 * The nodes that may get tasks. This node may get tasks even while it drains if there is no other, because it
 * finishes what it has begun.
 */
export function usableNodes(draft: Draft): readonly number[] {
  const { nodes } = draft.state;
  const usable: number[] = [];
  for (let node = SESSION + 1; node < nodes.length; node++)
    if (nodes[node]!.status === 'running') usable.push(node);
  if (usable.length > 0) return usable;
  const self = selfNumber(draft);
  return self !== undefined && nodes[self]!.status === 'draining' ? [self] : [];
}

/** The number of this node as one that runs tasks, not as the session. */
const selfNumber = (draft: Draft): number | undefined =>
  draft.state.numbers.get(draft.node(SESSION).node.incarnation);
