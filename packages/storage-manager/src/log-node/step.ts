import { applyEntry, decodeEntry } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { appendAnswered, appendEpoch, appendPaused, appendRecord, appendTransactions } from './append.ts';
import { breakDown } from './break-down.ts';
import type { Effect } from './effects.ts';
import type { LogNodeEvent } from './events.ts';
import { garbageAnswered, garbagePaused, nextGarbageRecord, startGarbage } from './garbage.ts';
import { maintenanceAnswered, startMaintenanceIfDue } from './log-maintenance.ts';
import type { LogNodeOptions } from './options.ts';
import { proofAnswered, proofPaused, startProof } from './proof.ts';
import { readingAnswered, readingPaused, startReading } from './reading.ts';
import { stepDown } from './roles.ts';
import type { LogNodeState } from './state.ts';
import { Turn } from './turn.ts';
import { lookNow, startWatch, watchAnswered, watchPaused } from './watch.ts';

export function initialState(options: LogNodeOptions): LogNodeState {
  return {
    options,
    nowMs: 0,
    monotonicMs: 0,
    nextOp: 1,
    nextPut: 1,
    role: { kind: 'follower' },
    catalog: undefined,
    caughtUp: false,
    doubted: false,
    leaving: false,
    reading: undefined,
    reads: [],
    queue: [],
    append: undefined,
    proof: undefined,
    undeletedAt: undefined,
    refusals: [],
    watch: { phase: 'idle', op: 0, known: undefined },
    maintenance: {
      op: 0,
      phase: { kind: 'idle' },
      checkpointed: 0,
      checkpointBytes: 0,
      notBefore: 0,
      boundary: undefined,
    },
    pins: new Map(),
    garbage: { op: 0, phase: { kind: 'idle' }, waiting: [] },
  };
}

export interface Step {
  readonly state: LogNodeState;
  readonly effects: readonly Effect[];
}

/**
 * The reducer of one node of the metadata log: returns the state after the event and the effects to execute.
 * It is pure.
 */
export function step(state: LogNodeState, event: LogNodeEvent): Step {
  const turn = new Turn({ ...state, nowMs: event.nowMs, monotonicMs: event.monotonicMs });
  try {
    handle(turn, event);
    settle(turn);
  } catch (error) {
    // A defect or a damaged object: an operation that was begun must not count as done.
    breakDown(turn, error);
  }
  return { state: turn.state, effects: turn.effects };
}

function handle(turn: Turn, event: LogNodeEvent) {
  const { state } = turn;
  if (state.role.kind === 'broken') {
    if ('request' in event) turn.fail(event.request, state.role.error);
    return;
  }
  switch (event.kind) {
    case 'start':
      return startWatch(turn);
    case 'stored':
      return stored(turn, event);
    case 'timer':
      return paused(turn, event.op);
    case 'latest':
      return turn.change({ reads: [...state.reads, event.request] });
    case 'commit':
      if (state.role.kind !== 'leader' || state.leaving) {
        turn.fail(event.request, turn.notLeader());
        // The caller may have been sent here by a leader that has stopped.
        return lookNow(turn);
      }
      return turn.change({
        queue: [...state.queue, { request: event.request, transaction: event.transaction }],
      });
    case 'pins':
      return turn.change({
        pins: new Map(state.pins).set(event.node, {
          oldestVersion: event.oldestVersion,
          oldestWriteMs: event.oldestWriteMs,
          reportedMonotonicMs: event.monotonicMs,
          candidateAddress: event.candidateAddress,
        }),
      });
    case 'collect_garbage': {
      if (state.role.kind !== 'leader') return turn.fail(event.request, turn.notLeader());
      const { garbage } = state;
      const request = { request: event.request, limit: event.limit };
      return turn.change({ garbage: { ...garbage, waiting: [...garbage.waiting, request] } });
    }
    case 'entries_received':
      return received(turn, event.bodies);
    case 'leave':
      return turn.change({ leaving: true });
    case 'resign':
      return stepDown(turn, 'it was told to', 'resigned');
  }
}

function stored(turn: Turn, { op, answer }: Extract<LogNodeEvent, { kind: 'stored' }>) {
  const { append, proof, reading, watch, maintenance, garbage } = turn.state;
  if (append?.op === op) return appendAnswered(turn, append, answer);
  if (proof?.op === op) return proofAnswered(turn, proof, answer);
  if (reading?.op === op) return readingAnswered(turn, reading, answer);
  if (watch.op === op) return watchAnswered(turn, answer);
  if (maintenance.op === op) return maintenanceAnswered(turn, answer);
  if (garbage.op === op) {
    garbageAnswered(turn, answer, (reason) => TesseraError.of('METADATA_UNAVAILABLE', { reason }));
  }
}

function paused(turn: Turn, op: number) {
  const { append, proof, reading, watch, garbage } = turn.state;
  if (append?.op === op) return appendPaused(turn, append);
  if (proof?.op === op) return proofPaused(turn, proof);
  if (reading?.op === op) return readingPaused(turn, reading);
  if (watch.op === op) return watchPaused(turn);
  if (garbage.op === op) garbagePaused(turn);
}

/**
 * Applies committed entries that a follower received from the leader. If they do not fit, the log is read
 * instead.
 */
function received(turn: Turn, bodies: readonly Uint8Array[]) {
  if (turn.state.role.kind !== 'follower' || turn.state.catalog === undefined) return;
  let { catalog } = turn.state;
  try {
    for (const body of bodies) {
      const sealed = decodeEntry(body);
      if (sealed.entry.version === catalog.version + 1) catalog = applyEntry(catalog, sealed);
    }
  } catch (err) {
    turn.log('warn', 'entries from another node do not fit the log; it is read from the store', { err });
    return;
  }
  turn.change({ catalog });
}

/** Runs after every event and starts the operations that the state requires and that are not running yet. */
function settle(turn: Turn) {
  switch (turn.state.role.kind) {
    case 'leader':
      lead(turn);
      return startMaintenanceIfDue(turn);
    case 'candidate':
      if (turn.state.reading !== undefined || turn.state.append !== undefined) return;
      return turn.state.caughtUp ? appendEpoch(turn) : startReading(turn);
    case 'follower':
    case 'resigned': {
      const { reading, reads, catalog } = turn.state;
      if (reading === undefined && (reads.length > 0 || catalog === undefined)) startReading(turn);
      return;
    }
    case 'broken':
      return;
  }
}

/** Runs one append at a time. Without one, it runs the proof that waiting reads need. */
function lead(turn: Turn) {
  startGarbage(turn);
  if (turn.state.append !== undefined) return;
  const record = nextGarbageRecord(turn);
  if (record !== undefined) return appendRecord(turn, record);
  while (turn.state.queue.length > 0 && turn.state.append === undefined) appendTransactions(turn);
  if (turn.state.append !== undefined) return;
  const { reads, refusals, proof, doubted } = turn.state;
  if ((reads.length + refusals.length > 0 || doubted) && proof === undefined) startProof(turn);
}
