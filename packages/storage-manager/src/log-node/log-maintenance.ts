import { ulidTimeOf } from '@tessera/catalog';
import { decodeBoundary, encodeBoundary, NO_BOUNDARY } from './boundary.ts';
import type { StoreAnswer, StoreRequest } from './effects.ts';
import {
  BOUNDARY_KEY,
  CHECKPOINT_PREFIX,
  checkpointName,
  checkpointNames,
  entryVersion,
  LOG_PREFIX,
} from './log-keys.ts';
import type { BoundaryMove, MaintenancePhase } from './state.ts';
import type { Turn } from './turn.ts';

/**
 * A large catalog gets no checkpoint for a few small entries, but one per about this many bytes of the
 * catalog per entry.
 */
const CHECKPOINT_BYTES_PER_ENTRY = 4_096;
const DELETED_AT_ONCE = 1_000;

type Phase<K extends MaintenancePhase['kind']> = Extract<MaintenancePhase, { kind: K }>;

/**
 * Writes a checkpoint if enough entries have followed the last one, and then deletes what it made
 * unnecessary.
 */
export function startMaintenanceIfDue(turn: Turn) {
  const { maintenance, catalog, options } = turn.state;
  if (maintenance.phase.kind !== 'idle' || catalog === undefined) return;
  const { version } = catalog;
  const interval = Math.max(
    options.checkpointEntries,
    maintenance.checkpointBytes / CHECKPOINT_BYTES_PER_ENTRY,
  );
  if (version < maintenance.notBefore || version - maintenance.checkpointed < interval) return;
  enter(turn, { kind: 'put_checkpoint', catalog }, { kind: 'storing', version });
}

function enter(turn: Turn, request: StoreRequest, phase: MaintenancePhase) {
  const op = turn.store(request);
  turn.change({ maintenance: { ...turn.state.maintenance, op, phase } });
}

function rest(turn: Turn) {
  turn.change({ maintenance: { ...turn.state.maintenance, phase: { kind: 'idle' } } });
}

/** Handles the answer to a request of log maintenance. Failures are left to the next checkpoint. */
export function maintenanceAnswered(turn: Turn, answer: StoreAnswer) {
  const { phase } = turn.state.maintenance;
  switch (phase.kind) {
    case 'storing':
      return checkpointStored(turn, phase, answer);
    case 'listing_checkpoints':
      return answer.kind === 'listed' ? chooseKept(turn, phase, answer.keys) : giveUp(turn, answer);
    case 'reading_boundary':
      return boundaryRead(turn, phase, answer);
    case 'listing_log':
      return answer.kind === 'listed' ? deleteLog(turn, phase.move, answer.keys) : giveUp(turn, answer);
    case 'deleting_log':
      return answer.kind === 'deleted' ? listLog(turn, phase.move) : giveUp(turn, answer);
    case 'moving_boundary':
      if (answer.kind !== 'created' && answer.kind !== 'replaced') return giveUp(turn, answer);
      return boundaryMoved(turn, phase.move);
    case 'deleting_checkpoints':
      return rest(turn);
    case 'idle':
      return;
  }
}

function giveUp(turn: Turn, answer: StoreAnswer) {
  const reason = 'reason' in answer ? answer.reason : answer.kind;
  turn.log('warn', 'the metadata log could not be shortened; the next checkpoint tries again', { reason });
  rest(turn);
}

function checkpointStored(turn: Turn, { version }: Phase<'storing'>, answer: StoreAnswer) {
  const { maintenance, options, catalog } = turn.state;
  if (answer.kind !== 'checkpoint_stored') {
    const notBefore = (catalog?.version ?? version) + Math.ceil(options.checkpointEntries / 10);
    turn.change({ maintenance: { ...maintenance, notBefore } });
    return giveUp(turn, answer);
  }
  turn.log('debug', 'a checkpoint of the metadata log was written', { version, bytes: answer.bytes });
  turn.change({ maintenance: { ...maintenance, checkpointed: version, checkpointBytes: answer.bytes } });
  const own = checkpointName(answer.key);
  if (own === undefined) return rest(turn);
  const list = { kind: 'list', prefix: CHECKPOINT_PREFIX, startAfter: '', limit: 10_000 } as const;
  enter(turn, list, { kind: 'listing_checkpoints', own });
}

/**
 * Keeps the newest checkpoint that is older than the retention and all newer ones, up to a limit, but at
 * least two. The boundary names the checkpoint that was just written, because only that one is known to be
 * complete.
 */
function chooseKept(turn: Turn, { own }: Phase<'listing_checkpoints'>, keys: readonly string[]) {
  const { options, nowMs } = turn.state;
  const names = [own, ...checkpointNames(keys).filter(({ version }) => version < own.version)];
  const old = names.findIndex(({ ulid }) => (ulidTimeOf(ulid) ?? nowMs) <= nowMs - options.logRetentionMs);
  const last = old < 0 ? Number.POSITIVE_INFINITY : Math.max(1, old);
  const kept = Math.min(last, Math.max(1, options.checkpointsKept - 1));
  const oldest = names[kept];
  if (oldest === undefined) return rest(turn);
  const outdated = names.slice(kept + 1).map(({ key }) => key);
  const boundary = { version: oldest.version, checkpoint: own.key };
  enter(turn, { kind: 'get', key: BOUNDARY_KEY }, { kind: 'reading_boundary', boundary, outdated });
}

/** Deletes the entries that the boundary has covered for long enough, and then moves it. */
function boundaryRead(
  turn: Turn,
  { boundary: to, outdated }: Phase<'reading_boundary'>,
  answer: StoreAnswer,
) {
  if (answer.kind === 'absent')
    return moveBoundary(turn, { from: NO_BOUNDARY.version, etag: undefined, to, outdated });
  if (answer.kind !== 'found') return giveUp(turn, answer);
  const { version: from } = decodeBoundary(answer.body);
  const { maintenance, monotonicMs, options } = turn.state;
  const seen =
    maintenance.boundary?.version === from
      ? maintenance.boundary
      : { version: from, seenMonotonicMs: monotonicMs };
  turn.change({ maintenance: { ...maintenance, boundary: seen } });
  if (from >= to.version || monotonicMs - seen.seenMonotonicMs < options.boundaryAgeMs) return rest(turn);
  listLog(turn, { from, etag: answer.etag, to, outdated });
}

function listLog(turn: Turn, move: BoundaryMove) {
  const list = { kind: 'list', prefix: LOG_PREFIX, startAfter: '', limit: DELETED_AT_ONCE } as const;
  enter(turn, list, { kind: 'listing_log', move });
}

function deleteLog(turn: Turn, move: BoundaryMove, listed: readonly string[]) {
  const keys = listed.filter((key) => (entryVersion(key) ?? Number.POSITIVE_INFINITY) <= move.from);
  if (keys.length === 0) return moveBoundary(turn, move);
  enter(turn, { kind: 'delete', keys }, { kind: 'deleting_log', move });
}

function moveBoundary(turn: Turn, move: BoundaryMove) {
  const body = encodeBoundary(move.to);
  const request: StoreRequest =
    move.etag === undefined
      ? { kind: 'put_if_absent', key: BOUNDARY_KEY, body }
      : { kind: 'put_if_match', key: BOUNDARY_KEY, body, etag: move.etag };
  enter(turn, request, { kind: 'moving_boundary', move });
}

function boundaryMoved(turn: Turn, { to: { version }, outdated }: BoundaryMove) {
  const { maintenance, monotonicMs } = turn.state;
  turn.change({ maintenance: { ...maintenance, boundary: { version, seenMonotonicMs: monotonicMs } } });
  if (outdated.length === 0) return rest(turn);
  enter(turn, { kind: 'delete', keys: outdated }, { kind: 'deleting_checkpoints' });
}
