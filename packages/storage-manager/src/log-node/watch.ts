import type { StoreAnswer } from './effects.ts';
import { decodeHint, encodeHint } from './leader-hint.ts';
import { LEADER_KEY } from './log-keys.ts';
import type { KnownHint } from './state.ts';
import type { Turn } from './turn.ts';

const between = (leaseMs: number) => Math.ceil(leaseMs / 3);

/** Begins to watch who leads, or, where nobody else can, to lead. */
export function startWatch(turn: Turn) {
  const { options } = turn.state;
  if (!options.candidate) return;
  if (!options.exclusive) return look(turn);
  campaign(turn);
  waitAndLook(turn);
}

/** The log has this node's epoch: tell where it is. */
export function announceLeadership(turn: Turn) {
  if (!turn.state.options.exclusive) look(turn);
}

function look(turn: Turn) {
  const op = turn.store({ kind: 'get', key: LEADER_KEY });
  turn.change({ watch: { ...turn.state.watch, op, phase: 'reading' } });
}

/** Handles the answer to a request of the watch. */
export function watchAnswered(turn: Turn, answer: StoreAnswer) {
  const { watch, role } = turn.state;
  if (watch.phase === 'reading' && (answer.kind === 'found' || answer.kind === 'absent')) {
    const first = watch.known === undefined;
    const known = noted(turn, answer);
    turn.change({ watch: { ...watch, known } });
    if (role.kind === 'leader') return renew(turn, known);
    if (role.kind === 'follower' && isTimeToTry(turn, known, first)) campaign(turn);
  }
  if (watch.phase === 'writing' && answer.kind === 'replaced') return waitAndLook(turn);
  if (watch.phase === 'writing' && (answer.kind === 'changed' || answer.kind === 'exists')) {
    // Somebody else wrote it: the log tells whether this node still leads.
    if (role.kind === 'leader') turn.change({ doubted: true });
  }
  waitAndLook(turn);
}

export function watchPaused(turn: Turn) {
  const { watch, role, options } = turn.state;
  if (watch.phase !== 'pausing') return;
  if (!options.exclusive) return look(turn);
  if (role.kind === 'follower') campaign(turn);
  waitAndLook(turn);
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

/** An object that nobody renewed for a whole lease, by this node's own clock, has no leader behind it. */
function isTimeToTry(turn: Turn, known: KnownHint, first: boolean): boolean {
  const { options, nowMs, monotonicMs } = turn.state;
  if (monotonicMs - known.seenMonotonicMs >= options.leaseMs) return true;
  if (!first || !options.preferred) return false;
  const { hint } = known;
  return hint === undefined || hint.leaseUntil < nowMs || hint.address === options.address;
}

/** Tries to lead. A candidate that finds another one or a leader in the log follows it. */
function campaign(turn: Turn) {
  if (turn.state.role.kind !== 'follower') return;
  turn.log('info', 'this node tries to lead the metadata log');
  turn.change({ role: { kind: 'candidate' }, caughtUp: false });
}

function renew(turn: Turn, known: KnownHint) {
  const { options, nowMs, role, watch } = turn.state;
  if (role.kind !== 'leader') return;
  const { incarnation: node, address, leaseMs } = options;
  const body = encodeHint({ epoch: role.epoch, node, address, leaseUntil: nowMs + leaseMs });
  const op = turn.store(
    known.etag === undefined
      ? { kind: 'put_if_absent', key: LEADER_KEY, body }
      : { kind: 'put_if_match', key: LEADER_KEY, body, etag: known.etag },
  );
  turn.change({ watch: { ...watch, known, op, phase: 'writing' } });
}
