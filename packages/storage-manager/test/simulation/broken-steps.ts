import { applyEntry, CatalogState, decodeEntry } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { Effect } from '../../src/log-node/effects.ts';
import type { LogNodeEvent } from '../../src/log-node/events.ts';
import { entryKey } from '../../src/log-node/log-keys.ts';
import type { Append, LogNodeState } from '../../src/log-node/state.ts';
import { type Step, step } from '../../src/log-node/step.ts';

type StepFunction = typeof step;
type Stored = Extract<LogNodeEvent, { kind: 'stored' }>;

/** Nodes that omit one rule; the simulation must catch each of them. */
export const BROKEN_STEPS: Readonly<Record<string, StepFunction>> = {
  'goes on to the next slot after no answer': onPut((state, append, event) => {
    if (event.answer.kind !== 'unknown') return step(state, event);
    const skipped = new CatalogState({ ...state.catalog!.parts, version: state.catalog!.version + 1 });
    return goOn(
      { ...state, catalog: skipped, append: undefined, queue: [...append.commits, ...state.queue] },
      event,
    );
  }),
  'makes a new entry for the same slot after no answer': onPut((state, append, event) => {
    if (event.answer.kind !== 'unknown') return step(state, event);
    return goOn({ ...state, append: undefined, queue: [...append.commits, ...state.queue] }, event);
  }),
  'takes a full slot for a failure without reading whose entry it is': onPut((state, append, event) => {
    if (event.answer.kind !== 'exists') return step(state, event);
    const error = TesseraError.of('TRANSACTION_CONFLICT', { message: 'the slot is taken' });
    const replies = append.commits.map(
      ({ request }): Effect => ({ kind: 'reply', request, reply: { kind: 'failed', error } }),
    );
    const after = step(
      { ...state, append: { ...append, commits: [] } },
      { ...event, answer: { kind: 'forbidden', reason: '' } },
    );
    return { ...after, effects: [...replies, ...after.effects] };
  }),
  'answers before the put is known': onPut((state, _append, event) =>
    step(state, event.answer.kind === 'unknown' ? { ...event, answer: { kind: 'created' } } : event),
  ),
  'answers when it sends the put': (state, event) => {
    const after = step(state, event);
    const { append } = after.state;
    if (append === undefined || append === state.append || append.purpose !== 'transactions') return after;
    const version = append.sealed.entry.version;
    const replies = append.commits.map(
      ({ request }): Effect => ({ kind: 'reply', request, reply: { kind: 'committed', version } }),
    );
    return {
      state: { ...after.state, append: { ...append, commits: [] } },
      effects: [...replies, ...after.effects],
    };
  },
  'does not look at the epoch of the entry in its slot': (state, event) => {
    const { append, role } = state;
    const mine = event.kind === 'stored' && append?.op === event.op && append.phase === 'resolving';
    if (!mine || role.kind !== 'leader' || event.answer.kind !== 'found') return step(state, event);
    const found = decodeEntry(event.answer.body);
    if (found.entry.putId === append.sealed.entry.putId) return step(state, event);
    const catalog = applyEntry(state.catalog!, found);
    return goOn({ ...state, catalog, append: undefined, queue: [...append.commits, ...state.queue] }, event);
  },
  'does not look at the boundary': (state, event) =>
    step(state, event.kind === 'stored' ? withoutBoundary(state, event) : event),
  'deletes the log before it moves the boundary': (state, event) => {
    const after = step(state, event);
    const { phase } = after.state.maintenance;
    if (phase.kind !== 'moving_boundary' || state.maintenance.phase.kind === 'moving_boundary') return after;
    const keys = Array.from({ length: phase.move.to.version }, (_, i) => entryKey(i + 1));
    const early: Effect = { kind: 'store', op: -1, request: { kind: 'delete', keys } };
    return { ...after, effects: [early, ...after.effects] };
  },
  'deletes objects before the log says so': (state, event) => {
    const after = step(state, event);
    const { phase } = after.state.garbage;
    if (phase.kind !== 'intending' || state.garbage.phase.kind === 'intending') return after;
    if (phase.record.kind !== 'gc_intent') return after;
    const early: Effect = { kind: 'store', op: -1, request: { kind: 'delete', keys: phase.record.names } };
    return { ...after, effects: [early, ...after.effects] };
  },
  'does not heed pins': (state, event) =>
    step(state, event.kind === 'pins' ? { ...event, kind: 'timer', op: -1 } : event),
  'refuses without knowing that it still leads': (state, event) => {
    const after = step(state, event);
    const { append, proof, refusals } = after.state;
    const all = [...(append?.refusals ?? []), ...(proof?.refusals ?? []), ...refusals];
    if (all.length === 0) return after;
    const replies = all.map(
      ({ request, error }): Effect => ({ kind: 'reply', request, reply: { kind: 'failed', error } }),
    );
    return {
      state: {
        ...after.state,
        refusals: [],
        append: append && { ...append, refusals: [] },
        proof: proof && { ...proof, refusals: [] },
      },
      effects: [...replies, ...after.effects],
    };
  },
  'reads without knowing that it still leads': (state, event) => {
    if (event.kind !== 'latest' || state.role.kind !== 'leader') return step(state, event);
    const reply = { kind: 'snapshot', catalog: state.catalog! } as const;
    return { state, effects: [{ kind: 'reply', request: event.request, reply }] };
  },
  'collects at once after it began to lead': (state, event) => {
    const { role } = state;
    if (role.kind !== 'leader' || event.kind !== 'collect_garbage') return step(state, event);
    const after = step({ ...state, role: { ...role, sinceMonotonicMs: Number.NEGATIVE_INFINITY } }, event);
    return {
      ...after,
      state: { ...after.state, role: after.state.role.kind === 'leader' ? role : after.state.role },
    };
  },
};

/** Changes how the answer to the put of transactions is handled. */
function onPut(handle: (state: LogNodeState, append: Append, event: Stored) => Step): StepFunction {
  return (state, event) => {
    const { append } = state;
    const isPut =
      event.kind === 'stored' &&
      append?.op === event.op &&
      append.phase === 'putting' &&
      append.purpose === 'transactions';
    return isPut ? handle(state, append, event) : step(state, event);
  };
}

/** Lets the state settle without an event of its own. */
function goOn(state: LogNodeState, { nowMs, monotonicMs }: LogNodeEvent): Step {
  return step(state, { kind: 'timer', op: -1, nowMs, monotonicMs });
}

/** The event, as if the store had no boundary. */
function withoutBoundary({ append, proof, reading }: LogNodeState, event: Stored): Stored {
  const { op, answer } = event;
  const isOwnRead =
    (append?.op === op && append.phase === 'checking_boundary') ||
    (reading?.op === op && reading.phase.kind === 'checking_boundary');
  if (isOwnRead) return { ...event, answer: { kind: 'absent' } };
  if (proof?.op !== op || answer.kind !== 'got_all') return event;
  const bodies = proof.phase === 'reading_slot' ? answer.bodies.slice(0, 1) : [];
  return { ...event, answer: { ...answer, bodies } };
}
