import { TesseraError } from '@tessera/common';
import type { RequestId } from './effects.ts';
import { abandonGarbage } from './garbage.ts';
import type { Turn } from './turn.ts';

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
