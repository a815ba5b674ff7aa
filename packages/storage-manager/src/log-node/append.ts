import {
  admit,
  applyEntry,
  type CatalogState,
  decodeEntry,
  encodeEntry,
  type LogEntry,
  loggedTransaction,
  type SealedEntry,
  type SystemRecord,
} from '@tessera/catalog';
import { decodeBoundary, NO_BOUNDARY } from './boundary.ts';
import { breakDown } from './break-down.ts';
import type { StoreAnswer } from './effects.ts';
import { garbageRecordCommitted } from './garbage.ts';
import { BOUNDARY_KEY, entryKey } from './log-keys.ts';
import { answerProven } from './proof.ts';
import { stepDown } from './roles.ts';
import type { Append, QueuedCommit, Refusal } from './state.ts';
import type { Turn } from './turn.ts';
import { announceLeadership } from './watch.ts';

/** The number of repeated reads of an unreadable entry, which may have been damaged in transit. */
const READ_AGAIN = 3;

/** Begins the next epoch; the candidate must have read the log to its end. */
export function appendEpoch(turn: Turn) {
  const { options, catalog } = turn.state;
  const record: SystemRecord = { kind: 'new_epoch', node: options.incarnation, address: options.address };
  const sealed = seal(turn, { epoch: catalog!.epoch + 1, records: [record], txns: [] });
  put(turn, {
    purpose: 'epoch',
    sealed,
    after: applyEntry(catalog!, sealed),
    commits: [],
    refusals: [],
    reads: [],
  });
}

/** Appends an entry of its own for a record of the leader. */
export function appendRecord(
  turn: Turn,
  { purpose, record }: { purpose: 'gc_intent' | 'gc_done'; record: SystemRecord },
) {
  const { catalog } = turn.state;
  const sealed = seal(turn, { epoch: catalog!.epoch, records: [record], txns: [] });
  put(turn, { purpose, sealed, after: applyEntry(catalog!, sealed), commits: [], ...takeUnproven(turn) });
}

/**
 * Group commit: puts all waiting transactions into one entry. Each is validated against the state that its
 * predecessors leave.
 */
export function appendTransactions(turn: Turn) {
  const { options, catalog, queue } = turn.state;
  const slot = catalog!.version + 1;
  let pending: CatalogState = catalog!;
  const commits: QueuedCommit[] = [];
  const txns: LogEntry['txns'][number][] = [];
  const refusals: Refusal[] = [];
  let taken = 0;
  for (const queued of queue) {
    if (txns.length === options.batchTransactions) break;
    taken++;
    const admission = admit(pending, queued.transaction);
    if (admission.kind === 'refused') {
      refusals.push({ request: queued.request, error: admission.error });
    } else if (admission.kind === 'committed' && admission.version < slot) {
      turn.reply(queued.request, { kind: 'committed', version: admission.version });
    } else {
      commits.push(queued);
      if (admission.kind === 'committed') continue;
      txns.push(loggedTransaction(queued.transaction));
      pending = admission.pending;
    }
  }
  turn.change({ queue: queue.slice(taken), refusals: [...turn.state.refusals, ...refusals] });
  if (txns.length === 0) return;
  const sealed = seal(turn, { epoch: catalog!.epoch, records: [], txns });
  put(turn, {
    purpose: 'transactions',
    sealed,
    after: applyEntry(catalog!, sealed),
    commits,
    ...takeUnproven(turn),
  });
}

/**
 * Takes the reads and refusals that wait for a proof now: an append that is sent now and succeeds proves
 * them.
 */
function takeUnproven(turn: Turn): Pick<Append, 'reads' | 'refusals'> {
  const { reads, refusals, proof } = turn.state;
  turn.change({ reads: [], refusals: [], proof: undefined });
  return {
    reads: [...(proof?.reads ?? []), ...reads],
    refusals: [...(proof?.refusals ?? []), ...refusals],
  };
}

function seal(turn: Turn, content: Pick<LogEntry, 'epoch' | 'records' | 'txns'>) {
  const { catalog, nowMs } = turn.state;
  return encodeEntry({
    version: catalog!.version + 1,
    putId: turn.newPutId(),
    prevSha256: catalog!.headSha256,
    time: new Date(nowMs).toISOString(),
    ...content,
  });
}

type NewAppend = Omit<Append, 'op' | 'attempts' | 'phase' | 'resume'>;

function put(turn: Turn, append: NewAppend) {
  goOn(turn, { ...append, op: 0, attempts: 0, phase: 'putting', resume: 'putting' }, 'putting');
}

/**
 * Sends the request of a phase. A slot that was tried once is tried again with the same bytes until its
 * outcome is known.
 */
function goOn(turn: Turn, append: Append, phase: Append['resume']) {
  const { entry, bytes } = append.sealed;
  const op =
    phase === 'putting'
      ? turn.store({ kind: 'put_if_absent', key: entryKey(entry.version), body: bytes })
      : turn.store({ kind: 'get', key: phase === 'resolving' ? entryKey(entry.version) : BOUNDARY_KEY });
  turn.change({ append: { ...append, op, phase, resume: phase } });
}

/** Handles the answer to a request of the append. */
export function appendAnswered(turn: Turn, append: Append, answer: StoreAnswer) {
  if (answer.kind === 'forbidden') return stepDown(turn, answer.reason);
  if (answer.kind === 'unknown') return tryAgain(turn, append, answer.reason);
  switch (append.phase) {
    case 'putting':
      if (answer.kind === 'exists') return goOn(turn, append, 'resolving');
      return written(turn, append);
    case 'resolving':
      if (answer.kind === 'found') return slotTaken(turn, append, answer.body);
      return goOn(turn, append, 'looking_for_boundary');
    case 'looking_for_boundary':
      // The slot was reported as taken but is empty: the entry was deleted since, or the store returned an
      // old state.
      if (boundaryOf(answer) >= append.sealed.entry.version)
        return stepDown(turn, 'the log went on without it');
      return goOn(turn, append, 'putting');
    case 'checking_boundary':
      if (boundaryOf(answer) >= append.sealed.entry.version)
        return stepDown(turn, 'the log went on without it');
      return committed(turn, append);
    case 'pausing':
      return;
  }
}

function tryAgain(turn: Turn, append: Append, reason: string) {
  const { attempts } = append;
  const level = attempts < 3 ? 'debug' : 'warn';
  turn.log(level, 'an append to the metadata log has no answer yet', { reason, attempts });
  const op = turn.backOff(attempts);
  turn.change({ append: { ...append, op, attempts: attempts + 1, phase: 'pausing' } });
}

export function appendPaused(turn: Turn, append: Append) {
  if (append.phase === 'pausing') goOn(turn, append, append.resume);
}

const boundaryOf = (answer: StoreAnswer): number =>
  answer.kind === 'found' ? decodeBoundary(answer.body).version : NO_BOUNDARY.version;

/**
 * Handles that the entry is in the slot. Only a second leader could have deleted the slot before, which is
 * ruled out if nobody else can lead.
 */
function written(turn: Turn, append: Append) {
  if (turn.state.options.exclusive) committed(turn, append);
  else goOn(turn, append, 'checking_boundary');
}

function slotTaken(turn: Turn, append: Append, body: Uint8Array) {
  const ours = append.sealed.entry;
  let found: SealedEntry;
  try {
    found = decodeEntry(body);
  } catch (error) {
    if (append.attempts >= READ_AGAIN) return breakDown(turn, error);
    return tryAgain(turn, append, (error as Error).message);
  }
  if (found.entry.putId === ours.putId) return written(turn, append);
  if (found.entry.epoch > ours.epoch) return stepDown(turn, `epoch ${found.entry.epoch} has begun`);
  if (append.purpose === 'epoch') return outrun(turn, found.entry);
  breakDown(turn, new Error(`entry ${ours.version} of epoch ${ours.epoch} was written by another leader`));
}

/**
 * Handles that another candidate began the same epoch first, or that the former leader was faster: reads the
 * log and decides again.
 */
function outrun(turn: Turn, found: LogEntry) {
  const another = found.epoch === turn.state.catalog!.epoch + 1;
  turn.change({ append: undefined, caughtUp: false, role: { kind: another ? 'follower' : 'candidate' } });
}

function committed(turn: Turn, append: Append) {
  const { entry } = append.sealed;
  turn.change({ catalog: append.after, append: undefined });
  for (const { request } of append.commits)
    turn.reply(request, { kind: 'committed', version: entry.version });
  answerProven(turn, append);
  if (append.purpose === 'epoch') {
    turn.change({
      role: { kind: 'leader', epoch: entry.epoch, sinceMonotonicMs: turn.state.monotonicMs },
    });
    turn.log('info', 'this node leads the metadata log', { epoch: entry.epoch, version: entry.version });
    announceLeadership(turn);
  }
  if (append.purpose === 'gc_intent' || append.purpose === 'gc_done') garbageRecordCommitted(turn);
}
