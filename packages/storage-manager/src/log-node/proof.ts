import { decodeEntry } from '@tessera/catalog';
import { decodeBoundary, NO_BOUNDARY } from './boundary.ts';
import { breakDown } from './break-down.ts';
import type { StoreAnswer } from './effects.ts';
import { BOUNDARY_KEY, entryKey } from './log-keys.ts';
import { stepDown } from './roles.ts';
import type { Proof, Refusal } from './state.ts';
import type { Turn } from './turn.ts';

/** Proves for all waiting reads and refusals that no other node has appended. */
export function startProof(turn: Turn) {
  const { reads, refusals, options } = turn.state;
  turn.change({ reads: [], refusals: [], doubted: false });
  if (options.exclusive) return answerProven(turn, { reads, refusals });
  readSlot(turn, { attempts: 0, reads, refusals });
}

/** Requests the slot, and at the same time the boundary unless it is known from shortly before. */
function readSlot(turn: Turn, proof: Pick<Proof, 'attempts' | 'reads' | 'refusals'>) {
  const keys = [entryKey(turn.state.catalog!.version + 1)];
  const boundaryAskedAt = isKnownUndeleted(turn) ? undefined : turn.clocks;
  if (boundaryAskedAt !== undefined) keys.push(BOUNDARY_KEY);
  const op = turn.store({ kind: 'get_all', keys });
  turn.change({ proof: { ...proof, op, phase: 'reading_slot', boundaryAskedAt } });
}

/** Whether the next slot, if it is empty now, was never deleted. */
function isKnownUndeleted({ state: { undeletedAt, options, nowMs, monotonicMs } }: Turn): boolean {
  if (undeletedAt === undefined) return false;
  const passed = [nowMs - undeletedAt.nowMs, monotonicMs - undeletedAt.monotonicMs];
  return passed.every((ms) => ms >= 0 && ms < options.boundaryAgeMs / 6);
}

/** Handles the answer to a request of the proof. */
export function proofAnswered(turn: Turn, proof: Proof, answer: StoreAnswer) {
  if (answer.kind === 'forbidden') return stepDown(turn, answer.reason);
  if (answer.kind !== 'got_all') {
    const op = turn.backOff(proof.attempts);
    return turn.change({ proof: { ...proof, op, attempts: proof.attempts + 1, phase: 'pausing' } });
  }
  const [slot, boundary] = proof.phase === 'reading_slot' ? answer.bodies : [undefined, ...answer.bodies];
  if (slot !== undefined) return slotTaken(turn, slot);
  if (proof.boundaryAskedAt !== undefined) {
    const { version } = boundary === undefined ? NO_BOUNDARY : decodeBoundary(boundary);
    // The slot is empty because it was deleted: the log is far ahead of this node.
    if (version > turn.state.catalog!.version) return stepDown(turn, 'the log went on without it');
    turn.change({ undeletedAt: proof.boundaryAskedAt });
  }
  // If the answer took long, the boundary is read after the slot.
  if (proof.phase === 'reading_slot' && !isKnownUndeleted(turn)) {
    const op = turn.store({ kind: 'get_all', keys: [BOUNDARY_KEY] });
    return turn.change({ proof: { ...proof, op, phase: 'checking_boundary', boundaryAskedAt: turn.clocks } });
  }
  turn.change({ proof: undefined });
  answerProven(turn, proof);
}

export function proofPaused(turn: Turn, proof: Proof) {
  if (proof.phase === 'pausing') readSlot(turn, proof);
}

function slotTaken(turn: Turn, body: Uint8Array) {
  const { entry } = decodeEntry(body);
  const { role } = turn.state;
  if (role.kind === 'leader' && entry.epoch > role.epoch) {
    return stepDown(turn, `epoch ${entry.epoch} has begun`);
  }
  breakDown(turn, new Error(`entry ${entry.version} of epoch ${entry.epoch} was written by another leader`));
}

/** Answers with the newest version; the caller has proven that it is the newest. */
export function answerProven(
  turn: Turn,
  { reads, refusals }: { readonly reads: readonly number[]; readonly refusals: readonly Refusal[] },
) {
  const catalog = turn.state.catalog!;
  for (const request of reads) turn.reply(request, { kind: 'snapshot', catalog });
  for (const { request, error } of refusals) turn.fail(request, error);
}
