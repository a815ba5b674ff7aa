import {
  type CatalogState,
  locationPrefix,
  type SystemRecord,
  type Tombstone,
  ulidTimeOf,
} from '@tessera/catalog';
import type { TesseraError } from '@tessera/common';
import { isLocated } from '@tessera/object-store';
import type { StoreAnswer } from './effects.ts';
import type { GarbagePhase, GarbageRun, LogNodeState, PinReport } from './state.ts';
import type { Turn } from './turn.ts';

/** The key prefixes of objects that commits refer to, in addition to those of tables with a location. */
const PREFIXES = ['tablets/', 'dv/'];
const LISTED_AT_ONCE = 5_000;
/** The number of objects per round: intent, deletion, done. */
const ROUND = 1_000;

type Phase<K extends GarbagePhase['kind']> = Extract<GarbagePhase, { kind: K }>;

/** Begins with the first waiting request if nothing is running. */
export function startGarbage(turn: Turn) {
  const { garbage } = turn.state;
  const [next] = garbage.waiting;
  if (next === undefined || garbage.phase.kind !== 'idle') return;
  const run: GarbageRun = {
    request: next.request,
    left: next.limit === 0 ? Number.POSITIVE_INFINITY : next.limit,
    tablets: 0,
    objects: 0,
    orphans: undefined,
    orphansBeforeMs: 0,
    unreachable: new Set(),
  };
  turn.change({ garbage: { ...garbage, waiting: garbage.waiting.slice(1) } });
  waitForPins(turn, run);
}

function enter(turn: Turn, op: number, phase: GarbagePhase) {
  turn.change({ garbage: { ...turn.state.garbage, op, phase } });
}

/**
 * Waits for reports of pins: a new leader does not know the earlier reports, and all nodes repeat theirs
 * within their lifetime.
 */
function waitForPins(turn: Turn, run: GarbageRun) {
  const { role, options, monotonicMs } = turn.state;
  if (role.kind !== 'leader') return;
  const missing = options.exclusive ? 0 : role.sinceMonotonicMs + options.pinTtlMs - monotonicMs;
  if (missing > 0) return enter(turn, turn.pause(missing), { kind: 'waiting_for_pins', run });
  const [first, ...further] = [...PREFIXES, ...locatedPrefixes(turn.state)];
  list(turn, { ...run, orphans: [] }, { prefix: first!, further, horizonMs: orphanHorizon(turn.state) });
}

/** The key prefixes of tablets at the locations of tables, which may be in other buckets. */
function locatedPrefixes({ catalog, options }: LogNodeState): Set<string> {
  const prefixes = new Set<string>();
  for (const { object } of catalog!.parts.objects.values())
    if (object.kind === 'table' && object.location !== undefined)
      prefixes.add(`${locationPrefix(object, options.store)}tablets/`);
  // Tables that were dropped have left objects that no commit refers to where their tablets were.
  const folder = `/${options.store.id}/tablets/`;
  for (const { name } of catalog!.tombstones())
    if (isLocated(name) && name.includes(folder))
      prefixes.add(name.slice(0, name.indexOf(folder) + folder.length));
  for (const prefix of PREFIXES) prefixes.delete(prefix);
  return prefixes;
}

export function garbagePaused(turn: Turn) {
  const { phase } = turn.state.garbage;
  if (phase.kind === 'waiting_for_pins') waitForPins(turn, phase.run);
}

type Listing = Omit<Phase<'listing'>, 'kind' | 'run'>;

function list(turn: Turn, run: GarbageRun, listing: Listing, startAfter = '') {
  const op = turn.store({ kind: 'list', prefix: listing.prefix, startAfter, limit: LISTED_AT_ONCE });
  enter(turn, op, { kind: 'listing', run, ...listing });
}

/** Handles the answer to a request of the collection. */
export function garbageAnswered(
  turn: Turn,
  answer: StoreAnswer,
  unavailable: (reason: string) => TesseraError,
) {
  const { phase } = turn.state.garbage;
  if (phase.kind === 'listing' && answer.kind === 'listed') return listed(turn, phase, answer.keys);
  if (phase.kind === 'deleting' && answer.kind === 'deleted') return deleted(turn, phase, answer.left ?? []);
  if (phase.kind !== 'listing' && phase.kind !== 'deleting') return;
  if (phase.kind === 'listing' && isLocated(phase.prefix)) {
    const reason = 'reason' in answer ? answer.reason : answer.kind;
    turn.log('warn', 'the location of a table cannot be searched for garbage', {
      prefix: phase.prefix,
      reason,
    });
    return listed(turn, phase, []);
  }
  // The log already records the intended deletions, so the next collection executes them.
  turn.fail(phase.run.request, unavailable('reason' in answer ? answer.reason : answer.kind));
  idle(turn);
}

/** Handles that the objects are deleted, except those at locations that cannot be reached: the next collection tries them again. */
function deleted(turn: Turn, { run, names }: Phase<'deleting'>, left: readonly string[]) {
  const unreachable = new Set([...run.unreachable, ...left]);
  if (left.length > 0)
    turn.log('warn', 'garbage at the location of a table could not be deleted', {
      objects: left.length,
      key: left[0],
    });
  const done = names.filter((name) => !unreachable.has(name));
  const after = {
    ...run,
    unreachable,
    objects: run.objects - left.length,
    tablets: run.tablets - left.filter(isTablet).length,
  };
  if (done.length === 0) return enter(turn, 0, { kind: 'choosing', run: after });
  enter(turn, 0, { kind: 'finishing', run: after, record: { kind: 'gc_done', names: done } });
}

const isTablet = (name: string): boolean => /(?:^|\/)tablets\//.test(name);

function listed(turn: Turn, { run, prefix, further, horizonMs }: Phase<'listing'>, keys: readonly string[]) {
  const old = keys.filter((key) => (ulidTimeOf(key) ?? Number.POSITIVE_INFINITY) < horizonMs);
  const found = { ...run, orphans: [...(run.orphans ?? []), ...old] };
  const last = keys.at(-1);
  if (last !== undefined && keys.length === LISTED_AT_ONCE)
    return list(turn, found, { prefix, further, horizonMs }, last);
  const [next, ...rest] = further;
  if (next !== undefined) return list(turn, found, { prefix: next, further: rest, horizonMs });
  enter(turn, 0, { kind: 'choosing', run: { ...found, orphansBeforeMs: horizonMs } });
}

/**
 * Chooses the objects to delete. No append is running, and the intent is the next one. So an object that is
 * an orphan now cannot be committed before the intent, nor after it.
 */
function choose(turn: Turn, run: GarbageRun) {
  const catalog = turn.state.catalog!;
  const tombstones = collectable(turn.state, catalog)
    .filter(({ name }) => !run.unreachable.has(name))
    .slice(0, Math.min(ROUND, run.left));
  const known = new Set([...catalog.tombstones()].map(({ name }) => name));
  const candidates = (run.orphans ?? []).filter((name) => !known.has(name));
  const live = candidates.length > 0 ? new Set(catalog.objectNames()) : new Set<string>();
  const orphans = candidates.filter((name) => !live.has(name));
  const taken = orphans.slice(0, ROUND - tombstones.length);
  const rest = { ...run, orphans: orphans.slice(taken.length), left: run.left - tombstones.length };
  const names = [...tombstones.map(({ name }) => name), ...taken];
  if (names.length === 0) return finish(turn, rest);
  const counted = {
    ...rest,
    tablets: run.tablets + tombstones.filter(({ name }) => isTablet(name)).length,
    objects: run.objects + names.length,
  };
  const record: SystemRecord = {
    kind: 'gc_intent',
    names,
    ...(taken.length > 0 ? { orphansBeforeMs: run.orphansBeforeMs } : {}),
  };
  enter(turn, 0, { kind: 'intending', run: counted, record });
}

/**
 * Tablets that were removed long enough ago and that no active snapshot contains, or whose deletion an
 * interrupted collection began.
 */
function collectable(state: LogNodeState, catalog: CatalogState): Tombstone[] {
  const readFrom = Math.min(...livePins(state).map((pin) => pin.oldestVersion));
  const removedBefore = state.nowMs - state.options.gcTtlMs;
  // Objects in the folder of another store are kept for it: this catalog is a copy of its catalog.
  const isOwn = (name: string) => !isLocated(name) || name.includes(`/${state.options.store.id}/tablets/`);
  return [...catalog.tombstones()].filter(
    ({ name, removedAtMs, version, collecting }) =>
      isOwn(name) && (collecting || (removedAtMs <= removedBefore && version <= readFrom)),
  );
}

/**
 * The start time of the oldest running write, by the clocks of the writing nodes. Unreferenced objects from
 * before are orphans.
 */
function orphanHorizon(state: LogNodeState): number {
  const writes = livePins(state).map((pin) => pin.oldestWriteMs);
  return Math.max(0, Math.min(state.nowMs - state.options.orphanAgeMs, ...writes));
}

function livePins({ pins, monotonicMs, options }: LogNodeState): PinReport[] {
  return [...pins.values()].filter((pin) => monotonicMs - pin.reportedMonotonicMs <= options.pinTtlMs);
}

/** The record to append next; called only while no append is running. */
export function nextGarbageRecord(
  turn: Turn,
): { purpose: 'gc_intent' | 'gc_done'; record: SystemRecord } | undefined {
  const { phase: before } = turn.state.garbage;
  if (before.kind === 'choosing') choose(turn, before.run);
  const { phase } = turn.state.garbage;
  if (phase.kind === 'intending') return { purpose: 'gc_intent', record: phase.record };
  if (phase.kind === 'finishing') return { purpose: 'gc_done', record: phase.record };
  return undefined;
}

/** Handles that the record is in the log, and continues. */
export function garbageRecordCommitted(turn: Turn) {
  const { phase } = turn.state.garbage;
  if (phase.kind === 'intending' && phase.record.kind === 'gc_intent') {
    const { names } = phase.record;
    enter(turn, turn.store({ kind: 'delete', keys: names }), { kind: 'deleting', run: phase.run, names });
  } else if (phase.kind === 'finishing') {
    enter(turn, 0, { kind: 'choosing', run: phase.run });
  }
}

function finish(turn: Turn, { request, tablets, objects }: GarbageRun) {
  turn.reply(request, { kind: 'collected', report: { tablets, objects } });
  idle(turn);
}

function idle(turn: Turn) {
  turn.change({ garbage: { ...turn.state.garbage, op: 0, phase: { kind: 'idle' } } });
}

/** Ends the collection because the node no longer leads; the next leader resumes it from the log. */
export function abandonGarbage(turn: Turn, error: TesseraError) {
  const { phase, waiting } = turn.state.garbage;
  if (phase.kind !== 'idle') turn.fail(phase.run.request, error);
  for (const { request } of waiting) turn.fail(request, error);
  turn.change({ garbage: { op: 0, phase: { kind: 'idle' }, waiting: [] } });
}
