import type { ClusterNode } from '@tessera/scheduler';
import type { PingReply } from './pinger.ts';

/** The state of another node as this node sees it. */
export type PeerState =
  | { readonly kind: 'unknown'; readonly reason: string }
  | {
      readonly kind: 'living';
      readonly node: ClusterNode;
      /** The time since its last answer, counting only time in which this process could have received one. */
      readonly silentMs: number;
      /** The number of failed connections since its last answer. */
      readonly failures: number;
    }
  | { readonly kind: 'lost'; readonly reason: string; readonly node: ClusterNode }
  | { readonly kind: 'refused'; readonly reason: string; readonly node?: ClusterNode | undefined };

export interface PeerChange {
  readonly state: PeerState;
  /** The incarnation that was lost. */
  readonly lost?: { readonly node: ClusterNode; readonly reason: string } | undefined;
}

/** The silence after which a node counts as lost. */
export const LOST_AFTER_MS = 3_000;
/** A dead process refuses connections at once; a second refusal confirms the first. */
const LOST_AFTER_FAILURES = 2;

export const UNKNOWN_PEER: PeerState = { kind: 'unknown', reason: 'it was not asked yet' };

/**
 * The state of a peer after a ping that was sent `waitedMs` ago. There is no intermediate state: a peer is
 * alive until it reaches one of the limits, and then lost until it answers again.
 */
export function afterPing(state: PeerState, reply: PingReply, waitedMs: number): PeerChange {
  if (reply.kind === 'answer') return answered(state, reply.node);
  const { kind, reason } = reply;
  const node = 'node' in state ? state.node : undefined;
  if (kind === 'refusal') return { state: { kind: 'refused', reason, node }, lost: lifeEnded(state, reason) };
  if (state.kind !== 'living') {
    return { state: node === undefined ? { kind: 'unknown', reason } : { kind: 'lost', reason, node } };
  }
  const silentMs = state.silentMs + waitedMs;
  const failures = state.failures + (kind === 'unreachable' ? 1 : 0);
  if (silentMs < LOST_AFTER_MS && failures < LOST_AFTER_FAILURES) {
    return { state: { ...state, silentMs, failures } };
  }
  return { state: { kind: 'lost', reason, node: state.node }, lost: lifeEnded(state, reason) };
}

function answered(state: PeerState, node: ClusterNode): PeerChange {
  const now: PeerState = { kind: 'living', node, silentMs: 0, failures: 0 };
  const isAnother = state.kind === 'living' && state.node.incarnation !== node.incarnation;
  return { state: now, lost: isAnother ? lifeEnded(state, 'it was restarted') : undefined };
}

const lifeEnded = (state: PeerState, reason: string) =>
  state.kind === 'living' ? { node: state.node, reason } : undefined;
