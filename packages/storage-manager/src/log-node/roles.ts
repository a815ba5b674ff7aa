import { TesseraError } from '@tessera/common';
import type { RequestId } from './effects.ts';
import { abandonGarbage } from './garbage.ts';
import type { Turn } from './turn.ts';
import { releaseLeadership } from './watch.ts';

/**
 * Stops leading. Requests to the leader are answered with NOT_LEADER: they may or may not have been executed.
 */
export function stepDown(turn: Turn, reason: string, role: 'follower' | 'resigned' = 'follower') {
  if (turn.state.role.kind === 'broken') return;
  const led = turn.state.role.kind === 'leader';
  if (led) {
    turn.log(role === 'resigned' ? 'debug' : 'warn', 'this node leads the metadata log no more', { reason });
  }
  const { append, proof, queue, refusals, reads } = turn.state;
  const error = turn.notLeader();
  for (const { request } of append?.commits ?? []) turn.fail(request, error);
  for (const { request } of [...(append?.refusals ?? []), ...(proof?.refusals ?? []), ...refusals]) {
    turn.fail(request, error);
  }
  for (const { request } of queue) turn.fail(request, error);
  turn.change({
    role: { kind: role },
    doubted: false,
    append: undefined,
    proof: undefined,
    queue: [],
    refusals: [],
    reads: [...(append?.reads ?? []), ...(proof?.reads ?? []), ...reads],
  });
  abandonGarbage(turn, error);
  if (led && role === 'resigned') releaseLeadership(turn);
}

/**
 * Handles that the log contradicts what this node knows for certain: it must neither read nor write any more.
 */
export function breakDown(turn: Turn, cause: unknown) {
  if (turn.state.role.kind === 'broken') return;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const error = TesseraError.of('METADATA_UNAVAILABLE', { reason: `it is damaged: ${reason}` }, { cause });
  turn.log('fatal', 'the metadata log is damaged or has two leaders of one epoch; this node stops using it', {
    err: cause,
  });
  for (const request of openRequests(turn)) turn.fail(request, error);
  turn.change({
    role: { kind: 'broken', error },
    append: undefined,
    proof: undefined,
    reading: undefined,
    queue: [],
    refusals: [],
    reads: [],
  });
  abandonGarbage(turn, error);
}

function openRequests(turn: Turn): RequestId[] {
  const { append, proof, queue, refusals, reads, reading } = turn.state;
  const { phase } = reading ?? {};
  return [
    ...(append?.commits ?? []).map((commit) => commit.request),
    ...(append?.refusals ?? []).map((refusal) => refusal.request),
    ...(append?.reads ?? []),
    ...(proof?.refusals ?? []).map((refusal) => refusal.request),
    ...(proof?.reads ?? []),
    ...queue.map((commit) => commit.request),
    ...refusals.map((refusal) => refusal.request),
    ...reads,
    ...(phase !== undefined && 'served' in phase ? phase.served : []),
  ];
}
