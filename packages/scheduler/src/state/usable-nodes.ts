import type { Draft } from './draft.ts';
import { SESSION } from './scheduler-state.ts';

/** Those that may be given tasks; this node also while it drains, when there is no other: it ends what it has begun. */
export function usableNodes(draft: Draft): readonly number[] {
  const { nodes } = draft.state;
  const usable: number[] = [];
  for (let node = SESSION + 1; node < nodes.length; node++)
    if (nodes[node]!.status === 'running') usable.push(node);
  if (usable.length > 0) return usable;
  const self = selfNumber(draft);
  return self !== undefined && nodes[self]!.status === 'draining' ? [self] : [];
}

/** The node of the session, as one that runs tasks. */
const selfNumber = (draft: Draft): number | undefined =>
  draft.state.numbers.get(draft.node(SESSION).node.incarnation);
