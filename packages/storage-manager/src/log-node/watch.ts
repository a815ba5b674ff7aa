import { breakDown } from './break-down.ts';
import type { StoreAnswer } from './effects.ts';
import { decodeIdentity, IDENTITY_KEY } from './identity.ts';
import { decodeHint, encodeHint, RELEASED } from './leader-hint.ts';
import { LEADER_KEY } from './log-keys.ts';
import type { KnownHint, LogNodeState } from './state.ts';
import type { Turn } from './turn.ts';

const between = (leaseMs: number) => Math.ceil(leaseMs / 3);

/** Begins to watch the leader, or to lead at once if no other node can. */
export function startWatch(turn: Turn) {
  const { options } = turn.state;
  if (!options.candidate) return;
  if (!options.exclusive) return look(turn);
  campaign(turn);
  waitAndLook(turn);
}

/** Publishes this node's address after its epoch was appended to the log. */
export function announceLeadership(turn: Turn) {
  if (!turn.state.options.exclusive) look(turn);
}

/** Checks at once whether this node should lead, because another node takes it for the leader. */
export function lookNow(turn: Turn) {
  const { watch, role, options } = turn.state;
  if (options.exclusive || role.kind !== 'follower' || watch.phase !== 'pausing') return;
  look(turn);
}

/** Releases the lease of a node that has stopped leading, so that others need not wait for its end. */
export function releaseLeadership(turn: Turn) {
  if (turn.state.options.exclusive) return;
  const op = turn.store({ kind: 'get', key: LEADER_KEY });
  turn.change({ watch: { ...turn.state.watch, op, phase: 'finding' } });
}

function look(turn: Turn) {
  const op = turn.store({ kind: 'get', key: LEADER_KEY });
  turn.change({ watch: { ...turn.state.watch, op, phase: 'reading' } });
}

/** Handles the answer to a request of the watch. */
export function watchAnswered(turn: Turn, answer: StoreAnswer) {
  const { watch, role } = turn.state;
  if (watch.phase === 'finding') return release(turn, answer);
  // The object was changed meanwhile: by a renewal of this node that was still running, or by the next
  // leader.
  if (watch.phase === 'releasing') return answer.kind === 'changed' ? releaseLeadership(turn) : rest(turn);
  if (watch.phase === 'reading' && (answer.kind === 'found' || answer.kind === 'absent')) {
    const first = watch.known === undefined;
    const known = noted(turn, answer);
    turn.change({ watch: { ...watch, known } });
    if (role.kind === 'leader') return identify(turn);
    if (role.kind === 'follower' && isTimeToTry(turn, known, first)) campaign(turn);
  }
  if (watch.phase === 'identifying' && (answer.kind === 'found' || answer.kind === 'absent')) {
    return identified(turn, answer);
  }
  if (watch.phase === 'writing' && answer.kind === 'replaced') return waitAndLook(turn);
  if (watch.phase === 'writing' && (answer.kind === 'changed' || answer.kind === 'exists')) {
    // Another node wrote the hint; the log tells whether this node still leads.
    if (role.kind === 'leader') turn.change({ doubted: true });
  }
  waitAndLook(turn);
}

export function watchPaused(turn: Turn) {
  const { watch, role, options } = turn.state;
  if (watch.phase !== 'pausing') return;
  if (!options.exclusive) return look(turn);
  if (role.kind === 'leader') return identify(turn);
  if (role.kind === 'follower') campaign(turn);
  waitAndLook(turn);
}

function release(turn: Turn, answer: StoreAnswer) {
  const { options, watch } = turn.state;
  const hint = answer.kind === 'found' ? decodeHint(answer.body) : undefined;
  if (answer.kind !== 'found' || hint?.node !== options.incarnation) return rest(turn);
  const body = encodeHint({ ...hint, address: successor(turn.state), leaseUntil: RELEASED });
  const op = turn.store({ kind: 'put_if_match', key: LEADER_KEY, body, etag: answer.etag });
  turn.change({ watch: { ...watch, op, phase: 'releasing' } });
}

function rest(turn: Turn) {
  turn.change({ watch: { ...turn.state.watch, phase: 'idle' } });
}

/**
 * The address of the living candidate that started last, because a rolling update reaches it last. Empty if
 * there is none.
 */
function successor({ pins, options, monotonicMs }: LogNodeState): string {
  const living = [...pins].filter(
    ([, { candidateAddress, reportedMonotonicMs }]) =>
      candidateAddress !== undefined &&
      candidateAddress !== options.address &&
      monotonicMs - reportedMonotonicMs <= options.pinTtlMs,
  );
  // Node ids are ULIDs of their start time.
  const [newest] = living.sort(([a], [b]) => (a < b ? 1 : -1));
  return newest?.[1].candidateAddress ?? '';
}

function waitAndLook(turn: Turn) {
  const op = turn.pause(between(turn.state.options.leaseMs));
  turn.change({ watch: { ...turn.state.watch, op, phase: 'pausing' } });
}

function noted(turn: Turn, answer: StoreAnswer): KnownHint {
  const { watch, monotonicMs } = turn.state;
  const etag = answer.kind === 'found' ? answer.etag : undefined;
  if (watch.known !== undefined && watch.known.etag === etag) return watch.known;
  const hint = answer.kind === 'found' ? decodeHint(answer.body) : undefined;
  return { etag, hint, seenMonotonicMs: monotonicMs };
}

/**
 * Whether to try to lead: an object that was not renewed for a whole lease, by this node's own clock, belongs
 * to no living leader.
 */
function isTimeToTry(turn: Turn, known: KnownHint, first: boolean): boolean {
  const { options, nowMs, monotonicMs } = turn.state;
  if (monotonicMs - known.seenMonotonicMs >= options.leaseMs) return true;
  if (known.hint?.leaseUntil === RELEASED) {
    // The named node has priority, but it may be gone as well.
    const isOwn = known.hint.address === '' || known.hint.address === options.address;
    if (isOwn || monotonicMs - known.seenMonotonicMs >= between(options.leaseMs)) return true;
  }
  if (!first || !options.preferred) return false;
  const { hint } = known;
  return hint === undefined || hint.leaseUntil < nowMs || hint.address === options.address;
}

/** Tries to lead. A candidate that finds another candidate or leader in the log follows it. */
function campaign(turn: Turn) {
  if (turn.state.role.kind !== 'follower') return;
  turn.log('info', 'this node tries to lead the metadata log');
  turn.change({ role: { kind: 'candidate' }, caughtUp: false });
}

/**
 * Before each renewal, a leader checks that nobody has deleted or replaced the objects of the store; so does one that is alone and
 * renews nothing. A hint that is there says nothing about the others: this node may have written it again while they were being deleted.
 */
function identify(turn: Turn) {
  const op = turn.store({ kind: 'get', key: IDENTITY_KEY });
  turn.change({ watch: { ...turn.state.watch, op, phase: 'identifying' } });
}

/**
 * Stops the node if the store was emptied or replaced: nobody could read its later commits after a restart, and an append to a
 * directory that is gone would never be answered.
 */
function identified(turn: Turn, answer: StoreAnswer) {
  const { options, watch } = turn.state;
  const id = answer.kind === 'found' ? decodeIdentity(answer.body) : undefined;
  if (id === options.store.id)
    return watch.known === undefined ? waitAndLook(turn) : renew(turn, watch.known);
  const has = id === undefined ? 'is gone' : `names the store ${id} instead of ${options.store.id}`;
  breakDown(
    turn,
    new Error(`${options.store.url}/${IDENTITY_KEY} ${has}: the objects were deleted or replaced`),
  );
}

function renew(turn: Turn, known: KnownHint) {
  const { options, nowMs, role, watch } = turn.state;
  // This node may have stopped leading while it checked the store.
  if (role.kind !== 'leader') return waitAndLook(turn);
  const { incarnation: node, address, leaseMs } = options;
  const body = encodeHint({ epoch: role.epoch, node, address, leaseUntil: nowMs + leaseMs });
  const op = turn.store(
    known.etag === undefined
      ? { kind: 'put_if_absent', key: LEADER_KEY, body }
      : { kind: 'put_if_match', key: LEADER_KEY, body, etag: known.etag },
  );
  turn.change({ watch: { ...watch, known, op, phase: 'writing' } });
}
