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
