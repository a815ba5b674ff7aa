import { applyEntry, CatalogState, decodeCheckpoint, decodeEntry } from '@tessera/catalog';
import { decodeBoundary, NO_BOUNDARY } from './boundary.ts';
import { breakDown } from './break-down.ts';
import type { StoreAnswer } from './effects.ts';
import {
  BOUNDARY_KEY,
  CHECKPOINT_PREFIX,
  type CheckpointName,
  checkpointName,
  checkpointNames,
  entryKey,
  entryVersion,
  LOG_PREFIX,
} from './log-keys.ts';
import type { Reading, ReadingPhase } from './state.ts';
import type { Turn } from './turn.ts';

/**
 * The first window has two slots, so that the end of the log is "absent twice". A store that shows the second
 * slot but not the first is asked again.
 */
const FIRST_WINDOW = 2;
const MAX_WINDOW = 64;
const FIRST_VERSION = 1;
/** The number of repeated reads of entries that do not fit, which may have been damaged in transit. */
const READ_AGAIN = 3;

type Phase<K extends ReadingPhase['kind']> = Extract<ReadingPhase, { kind: K }>;

/** Reads the log to its end and then answers the requests in `reads`. */
export function startReading(turn: Turn) {
  begin(turn, 0, false);
}

function begin(turn: Turn, attempts: number, fromCheckpoint: boolean) {
  const { catalog } = turn.state;
  if (catalog === undefined || fromCheckpoint) {
    const op = turn.store({ kind: 'list', prefix: CHECKPOINT_PREFIX, startAfter: '', limit: 10_000 });
    turn.change({ reading: { op, attempts, phase: { kind: 'listing_checkpoints' } } });
  } else {
    readEntries(turn, attempts, { base: catalog.version, catalog, count: FIRST_WINDOW, served: [] });
  }
}

/** Handles the answer to a request of the reading. */
export function readingAnswered(turn: Turn, reading: Reading, answer: StoreAnswer) {
  if (answer.kind === 'unknown' || answer.kind === 'forbidden') {
    return tryAgain(turn, reading, answer.reason);
  }
  const { phase } = reading;
  switch (phase.kind) {
    case 'listing_checkpoints': {
      const keys = answer.kind === 'listed' ? answer.keys : [];
      const op = turn.store({ kind: 'get', key: BOUNDARY_KEY });
      return turn.change({ reading: { ...reading, op, phase: { kind: 'finding_boundary', keys } } });
    }
    case 'finding_boundary':
      return chooseCheckpoint(turn, reading, phase, answer);
    case 'loading_checkpoint':
      return checkpointLoaded(turn, reading, phase, answer);
    case 'reading_entries':
      return entriesRead(turn, reading, phase, answer);
    case 'checking_boundary':
      return boundaryChecked(turn, reading, phase, answer);
    case 'looking_for_entries':
      return entriesLookedFor(turn, reading, phase, answer);
    case 'pausing':
      return;
  }
}

export function readingPaused(turn: Turn, reading: Reading) {
  if (reading.phase.kind === 'pausing') begin(turn, reading.attempts, reading.phase.fromCheckpoint);
}

function tryAgain(turn: Turn, reading: Reading, reason: string) {
  const { phase, attempts } = reading;
  if ('served' in phase) turn.change({ reads: [...phase.served, ...turn.state.reads] });
  const fromCheckpoint =
    phase.kind !== 'reading_entries' &&
    phase.kind !== 'checking_boundary' &&
    turn.state.catalog !== undefined;
  turn.log(attempts < 3 ? 'debug' : 'warn', 'the metadata log cannot be read yet', { reason, attempts });
  const op = turn.backOff(attempts);
  turn.change({ reading: { op, attempts: attempts + 1, phase: { kind: 'pausing', fromCheckpoint } } });
}

/**
 * Chooses the checkpoint to start from. A listing may be stale or incomplete; the checkpoint that the
 * boundary names is known without one.
 */
function chooseCheckpoint(
  turn: Turn,
  reading: Reading,
  { keys }: Phase<'finding_boundary'>,
  answer: StoreAnswer,
) {
  const boundary = answer.kind === 'found' ? decodeBoundary(answer.body) : NO_BOUNDARY;
  const named = boundary.checkpoint === undefined ? undefined : checkpointName(boundary.checkpoint);
  const candidates = checkpointNames(named === undefined ? keys : [...keys, named.key]).filter(
    ({ version }) => version >= boundary.version,
  );
  load(turn, reading, candidates, boundary.version);
}

function load(turn: Turn, reading: Reading, candidates: readonly CheckpointName[], least: number) {
  const [newest] = candidates;
  if (newest !== undefined) {
    const op = turn.store({ kind: 'get', key: newest.key });
    const phase = { kind: 'loading_checkpoint', candidates, least } as const;
    return turn.change({ reading: { ...reading, op, phase } });
  }
  if (least > 0) return tryAgain(turn, reading, `no checkpoint at version ${least} or later was found`);
  const catalog = CatalogState.empty;
  readEntries(turn, reading.attempts, { base: 0, catalog, count: FIRST_WINDOW, served: [] });
}

function checkpointLoaded(
  turn: Turn,
  reading: Reading,
  { candidates, least }: Phase<'loading_checkpoint'>,
  answer: StoreAnswer,
) {
  const [chosen, ...others] = candidates;
  if (chosen === undefined || answer.kind !== 'found') return load(turn, reading, others, least);
  let catalog: CatalogState;
  try {
    catalog = decodeCheckpoint(answer.body);
    if (catalog.version !== chosen.version) throw new Error(`it holds version ${catalog.version}`);
  } catch (err) {
    turn.log('error', 'a checkpoint of the metadata log is damaged; another one is tried', {
      err,
      key: chosen.key,
    });
    return load(turn, reading, others, least);
  }
  const { maintenance } = turn.state;
  if (maintenance.checkpointed < chosen.version) {
    turn.change({
      maintenance: { ...maintenance, checkpointed: chosen.version, checkpointBytes: answer.body.length },
    });
  }
  const base = catalog.version;
  readEntries(turn, reading.attempts, { base, catalog, count: FIRST_WINDOW, served: [] });
}

function readEntries(turn: Turn, attempts: number, from: Omit<Phase<'reading_entries'>, 'kind'>) {
  const served = [...from.served, ...turn.state.reads];
  const keys = Array.from({ length: from.count }, (_, i) => entryKey(from.catalog.version + 1 + i));
  const op = turn.store({ kind: 'get_all', keys });
  turn.change({
    reads: [],
    reading: { op, attempts, phase: { ...from, kind: 'reading_entries', served } },
  });
}

function entriesRead(turn: Turn, reading: Reading, phase: Phase<'reading_entries'>, answer: StoreAnswer) {
  const bodies = answer.kind === 'got_all' ? answer.bodies : [];
  const end = bodies.indexOf(undefined);
  const there = end < 0 ? bodies : bodies.slice(0, end);
  const hidden = bodies.slice(there.length).some((body) => body !== undefined);
  let { catalog } = phase;
  let misfit: unknown;
  try {
    for (const body of there) catalog = applyEntry(catalog, decodeEntry(body!));
  } catch (error) {
    misfit = error;
  }
  if (misfit === undefined && end < 0) {
    const count = Math.min(MAX_WINDOW, phase.count * 4);
    return readEntries(turn, reading.attempts, { ...phase, catalog, count });
  }
  const { base, served } = phase;
  const op = turn.store({ kind: 'get', key: BOUNDARY_KEY });
  turn.change({
    reading: { ...reading, op, phase: { kind: 'checking_boundary', base, catalog, served, misfit, hidden } },
  });
}

function boundaryChecked(
  turn: Turn,
  reading: Reading,
  phase: Phase<'checking_boundary'>,
  answer: StoreAnswer,
) {
  const boundary = answer.kind === 'found' ? decodeBoundary(answer.body) : NO_BOUNDARY;
  if (boundary.version > phase.base) {
    // The slots that were read may lack entries, or contain entries that a former leader wrote into deleted
    // slots.
    turn.change({ reads: [...phase.served, ...turn.state.reads] });
    return begin(turn, reading.attempts + 1, true);
  }
  if (phase.hidden) return tryAgain(turn, reading, `entry ${phase.catalog.version + 1} is not shown`);
  if (phase.misfit !== undefined) {
    if (reading.attempts >= READ_AGAIN) return breakDown(turn, phase.misfit);
    return tryAgain(turn, reading, (phase.misfit as Error).message);
  }
  if (phase.catalog.version > 0) return caughtUp(turn, phase.catalog, phase.served);
  const op = turn.store({ kind: 'list', prefix: LOG_PREFIX, startAfter: '', limit: 1 });
  turn.change({ reading: { ...reading, op, phase: { kind: 'looking_for_entries', served: phase.served } } });
}

/**
 * Begins an empty log, unless the store has entries: then the first objects of the log were deleted, and an empty log would
 * hide the loss until it reached those entries. Another node may just have written the first entry.
 */
function entriesLookedFor(
  turn: Turn,
  reading: Reading,
  { served }: Phase<'looking_for_entries'>,
  answer: StoreAnswer,
) {
  const [first] = answer.kind === 'listed' ? answer.keys : [];
  const version = first === undefined ? undefined : entryVersion(first);
  if (version === undefined) return caughtUp(turn, CatalogState.empty, served);
  if (version === FIRST_VERSION) return tryAgain(turn, reading, 'another node has begun the log');
  const reason = `the entries before ${version}, and every checkpoint, are missing from the store`;
  if (reading.attempts >= READ_AGAIN) return breakDown(turn, new Error(reason));
  tryAgain(turn, reading, reason);
}

function caughtUp(turn: Turn, catalog: CatalogState, served: Phase<'reading_entries'>['served']) {
  const known = turn.state.catalog;
  const newest = known !== undefined && known.version > catalog.version ? known : catalog;
  turn.change({ catalog: newest, reading: undefined, caughtUp: true });
  for (const request of served) turn.reply(request, { kind: 'snapshot', catalog: newest });
}
