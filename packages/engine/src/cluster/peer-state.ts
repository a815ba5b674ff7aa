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

/** How often a node is pinged, unless there are many or it does not answer. */
export const PING_EVERY_MS = 500;
/**
 * In larger clusters, nodes that answer are pinged less often: a ping takes about two milliseconds of CPU time on both sides together.
 * Places that nodes lend each other must be confirmed within two seconds.
 */
const PING_EVERY_MS_PER_PEER = 20;
const LONGEST_PING_EVERY_MS = 1_500;
/** Between a connection that failed and the attempt that confirms it. */
const CONFIRM_AFTER_MS = 100;

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

/**
 * How long to wait after a reply before the peer is pinged again. A peer that does not answer is asked as often however many there are,
 * so that it is found to be lost in the same time.
 * @param state the state after the reply
 * @param peers the number of nodes that are pinged
 * @param takenMs the time from the ping to its reply
 */
export function nextPingAfterMs(state: PeerState, reply: PingReply, peers: number, takenMs: number): number {
  if (state.kind === 'living' && state.failures > 0) return CONFIRM_AFTER_MS;
  const ofMany = Math.min(LONGEST_PING_EVERY_MS, peers * PING_EVERY_MS_PER_PEER);
  const everyMs = reply.kind === 'answer' ? Math.max(PING_EVERY_MS, ofMany) : PING_EVERY_MS;
  return Math.max(0, everyMs - takenMs);
}
