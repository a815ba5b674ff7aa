import { applyEntry, CatalogState, encodeEntry, type LogEntry, type Transaction } from '@tessera/catalog';
import { asQueryId } from '@tessera/common';
import { describe, expect, it } from 'vitest';
import { encodeBoundary } from './boundary.ts';
import type { Effect, Reply, StoreAnswer, StoreRequest } from './effects.ts';
import type { Happening } from './events.ts';
import { checkpointKey, checkpointName, entryKey } from './log-keys.ts';
import { LOG_NODE_DEFAULTS } from './options.ts';
import type { LogNodeState } from './state.ts';
import { initialState, step } from './step.ts';

const txn = (idempotencyKey: string): Transaction => ({
  idempotencyKey,
  queryId: asQueryId(idempotencyKey),
  readVersion: 0,
  actions: [],
});
const unknown: StoreAnswer = { kind: 'unknown', reason: '503' };
const absent: StoreAnswer = { kind: 'absent' };

/** A leader of epoch 1 at version 1, with the effects of its last step. */
class Leader {
  state: LogNodeState;
  effects: readonly Effect[] = [];
  #nowMs = 0;
  #monotonicMs = 0;

  constructor() {
    const catalog = applyEntry(
      CatalogState.empty,
      entryOf(CatalogState.empty, { epoch: 1, records: [{ kind: 'new_epoch', node: 'n', address: 'n:1' }] }),
    );
    const options = { ...LOG_NODE_DEFAULTS, incarnation: 'n', address: 'n:1' };
    this.state = {
      ...initialState(options),
      catalog,
      role: { kind: 'leader', epoch: 1, sinceMonotonicMs: 0 },
    };
  }

  tell(happening: Happening): this {
    const { state, effects } = step(this.state, {
      ...happening,
      nowMs: this.#nowMs,
      monotonicMs: this.#monotonicMs++,
    });
    this.state = state;
    this.effects = effects;
    return this;
  }

  commit(request: number, idempotencyKey: string): this {
    return this.tell({ kind: 'commit', request, transaction: txn(idempotencyKey) });
  }

  /** Answers the request that was sent last. */
  answer(answer: StoreAnswer): this {
    return this.tell({ kind: 'stored', op: this.state.nextOp - 1, answer });
  }

  /** Answers a request for several objects. */
  answerAll(...bodies: readonly (Uint8Array | undefined)[]): this {
    return this.answer({ kind: 'got_all', bodies });
  }

  read(request: number): this {
    return this.tell({ kind: 'latest', request });
  }

  pass(ms: number): this {
    this.#monotonicMs += ms;
    return this.passOnWall(ms);
  }

  passOnWall(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  /** Ends the pause that the last step requested. */
  wait(): this {
    const timer = this.effects.find((effect) => effect.kind === 'timer');
    return this.tell({ kind: 'timer', op: timer!.op });
  }

  get request(): StoreRequest | undefined {
    return this.effects.find((effect) => effect.kind === 'store')?.request;
  }

  get replies(): [number, Reply][] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'reply' ? [[effect.request, effect.reply]] : [],
    );
  }
}

function entryOf(state: CatalogState, content: Partial<LogEntry>) {
  return encodeEntry({
    version: state.version + 1,
    epoch: state.epoch,
    putId: 'another',
    prevSha256: state.headSha256,
    time: '2026-01-01T00:00:00.000Z',
    records: [],
    txns: [],
    ...content,
  });
}

const found = (body: Uint8Array): StoreAnswer => ({ kind: 'found', body, etag: '1' });
const outcome = (leader: Leader) =>
  leader.replies.map(([request, reply]) => [
    request,
    reply.kind === 'failed' ? reply.error.name : reply.kind === 'committed' ? reply.version : reply.kind,
  ]);

/** The table of docs/metadata-log.md. */
describe('the answer to the put of an entry', () => {
  it('created: committed once the boundary is known to be lower', () => {
    const leader = new Leader().commit(1, 'a');
    expect(leader.request).toMatchObject({ kind: 'put_if_absent', key: entryKey(2) });
    leader.answer({ kind: 'created' });
    expect(leader.replies).toEqual([]);
    expect(leader.request).toMatchObject({ kind: 'get', key: 'meta/gc_boundary' });
    leader.answer(absent);
    expect(outcome(leader)).toEqual([[1, 2]]);
    expect(leader.state.catalog?.version).toBe(2);
  });

  it('created in a deleted slot: the outcome is unknown, and the node stops leading', () => {
    const leader = new Leader().commit(1, 'a').answer({ kind: 'created' });
    leader.answer(found(encodeBoundary({ version: 2, checkpoint: undefined })));
    expect(outcome(leader)).toEqual([[1, 'NOT_LEADER']]);
    expect(leader.state.role.kind).toBe('follower');
    expect(leader.state.catalog?.version).toBe(1);
  });

  it('exists, written by its own put: an earlier attempt succeeded', () => {
    const leader = new Leader().commit(1, 'a');
    const { bytes } = leader.state.append!.sealed;
    leader.answer({ kind: 'exists' });
    expect(leader.request).toEqual({ kind: 'get', key: entryKey(2) });
    leader.answer(found(bytes)).answer(absent);
    expect(outcome(leader)).toEqual([[1, 2]]);
  });

  it('exists, with a higher epoch: the node stops leading', () => {
    const leader = new Leader().commit(1, 'a').commit(2, 'b').answer({ kind: 'exists' });
    const records = [{ kind: 'new_epoch', node: 'm', address: 'm:1' }] as const;
    leader.answer(found(entryOf(leader.state.catalog!, { epoch: 2, records }).bytes));
    expect(outcome(leader)).toEqual([
      [1, 'NOT_LEADER'],
      [2, 'NOT_LEADER'],
    ]);
    expect(leader.state.role.kind).toBe('follower');
  });

  it('exists, with its own epoch from another put: the node stops for good', () => {
    const leader = new Leader().commit(1, 'a').answer({ kind: 'exists' });
    leader.answer(found(entryOf(leader.state.catalog!, {}).bytes));
    expect(outcome(leader)).toEqual([[1, 'METADATA_UNAVAILABLE']]);
    expect(leader.state.role.kind).toBe('broken');
    expect(outcome(leader.commit(2, 'b'))).toEqual([[2, 'METADATA_UNAVAILABLE']]);
  });

  it('unknown: the same bytes are put into the same slot until an answer comes, without a reply', () => {
    const leader = new Leader().commit(1, 'a');
    const first = leader.request;
    for (let i = 0; i < 30; i++) {
      leader.answer(unknown);
      expect(leader.replies).toEqual([]);
      leader.commit(10 + i, `later-${i}`);
      expect(leader.request).toBeUndefined();
      leader.tell({ kind: 'timer', op: leader.state.append!.op });
      expect(leader.request).toEqual(first);
    }
    leader.answer({ kind: 'created' }).answer(absent);
    expect(outcome(leader)).toEqual([[1, 2]]);
    // All commits that arrived meanwhile go into the next entry.
    expect(leader.request).toMatchObject({ kind: 'put_if_absent', key: entryKey(3) });
    leader.answer({ kind: 'created' }).answer(absent);
    expect(outcome(leader)).toHaveLength(30);
    expect(new Set(outcome(leader).map(([, version]) => version))).toEqual(new Set([3]));
  });

  it('unknown when the boundary is read: the read is repeated and the put is not', () => {
    const leader = new Leader().commit(1, 'a').answer({ kind: 'created' }).answer(unknown).wait();
    expect(leader.request).toMatchObject({ kind: 'get', key: 'meta/gc_boundary' });
    expect(outcome(leader.answer(absent))).toEqual([[1, 2]]);
  });

  it('forbidden: the node stops leading', () => {
    const leader = new Leader().commit(1, 'a').answer({ kind: 'forbidden', reason: 'no rights' });
    expect(outcome(leader)).toEqual([[1, 'NOT_LEADER']]);
    expect(leader.state.role.kind).toBe('follower');
  });

  it('a late answer to a finished put changes nothing', () => {
    const leader = new Leader().commit(1, 'a');
    const { op } = leader.state.append!;
    leader.answer({ kind: 'created' }).answer(absent);
    const { catalog } = leader.state;
    leader.tell({ kind: 'stored', op, answer: unknown });
    expect(leader.state.catalog).toBe(catalog);
    expect(leader.effects).toEqual([]);
  });
});

describe('a transaction that is asked for twice', () => {
  it('has one slot in the log and one answer', () => {
    const leader = new Leader().commit(1, 'a').commit(2, 'b').commit(3, 'b').commit(4, 'a');
    leader.answer({ kind: 'created' }).answer(absent);
    expect(outcome(leader)).toEqual([
      [1, 2],
      [4, 2],
    ]);
    leader.answer({ kind: 'created' }).answer(absent);
    expect(outcome(leader)).toEqual([
      [2, 3],
      [3, 3],
    ]);
    expect(outcome(leader.commit(5, 'a'))).toEqual([[5, 2]]);
  });
});

describe('a read', () => {
  const slot = entryKey(2);
  const boundary = 'meta/gc_boundary';
  const boundaryAt = (version: number) => encodeBoundary({ version, checkpoint: undefined });
  const keysOf = ({ request }: Leader) => (request?.kind === 'get_all' ? request.keys : undefined);

  it('is answered when the next slot is empty and was never deleted', () => {
    const leader = new Leader().read(1);
    expect(keysOf(leader)).toEqual([slot, boundary]);
    expect(outcome(leader.answerAll(undefined, boundaryAt(1)))).toEqual([[1, 'snapshot']]);
  });

  it('relies for five seconds on the boundary that was read, by both clocks', () => {
    const leader = new Leader().read(1).answerAll(undefined, undefined);
    expect(keysOf(leader.pass(4_900).read(2))).toEqual([slot]);
    expect(outcome(leader.answerAll(undefined))).toEqual([[2, 'snapshot']]);
    // The boundary was asked for at the beginning, and not with the second read.
    expect(keysOf(leader.pass(200).read(3))).toEqual([slot, boundary]);
    leader.answerAll(undefined, undefined);
    expect(keysOf(leader.passOnWall(10_000).read(4))).toEqual([slot, boundary]);
    leader.answerAll(undefined, undefined);
    expect(keysOf(leader.passOnWall(-1).read(5))).toEqual([slot, boundary]);
  });

  it('asks for the boundary afterwards if the slot was answered late', () => {
    const leader = new Leader().read(1).answerAll(undefined, undefined);
    leader.pass(4_000).read(2).pass(2_000).answerAll(undefined);
    expect(outcome(leader)).toEqual([]);
    expect(keysOf(leader)).toEqual([boundary]);
    leader.answerAll(boundaryAt(2));
    expect(leader.state.role.kind).toBe('follower');
    // A follower reads the log to its end before it answers.
    expect(leader.state.reading).toBeDefined();
  });

  it('ends the leadership if the boundary is above the slot, or if the slot is taken', () => {
    expect(new Leader().read(1).answerAll(undefined, boundaryAt(2)).state.role.kind).toBe('follower');
    const leader = new Leader().read(1);
    const records = [{ kind: 'new_epoch', node: 'm', address: 'm:1' }] as const;
    leader.answerAll(entryOf(leader.state.catalog!, { epoch: 2, records }).bytes, undefined);
    expect(leader.state.role.kind).toBe('follower');
  });

  it('is repeated after no answer', () => {
    const leader = new Leader().read(1).answer(unknown).wait();
    expect(keysOf(leader)).toEqual([slot, boundary]);
    expect(outcome(leader.answerAll(undefined, undefined))).toEqual([[1, 'snapshot']]);
  });
});

describe('the boundary', () => {
  const checkpoint = (version: number) => checkpointKey(version, String(version).padStart(26, '0'));
  const boundaryAt = (version: number) => found(encodeBoundary({ version, checkpoint: undefined }));

  /** The leader has written checkpoint 6 after 1 to 5, of which it keeps 3 to 5, and reads the boundary. */
  function writesCheckpoint(leader: Leader): Leader {
    const own = checkpointName(checkpoint(6))!;
    const op = leader.state.nextOp;
    const { maintenance } = leader.state;
    const phase = { kind: 'listing_checkpoints', own } as const;
    leader.state = { ...leader.state, nextOp: op + 1, maintenance: { ...maintenance, op, phase } };
    leader.answer({ kind: 'listed', keys: [1, 2, 3, 4, 5].map(checkpoint) });
    expect(leader.request).toEqual({ kind: 'get', key: 'meta/gc_boundary' });
    return leader;
  }

  it('is written before anything is deleted', () => {
    const leader = writesCheckpoint(new Leader()).answer(absent);
    expect(leader.request).toMatchObject({ kind: 'put_if_absent', key: 'meta/gc_boundary' });
    leader.answer({ kind: 'created' });
    expect(leader.request).toEqual({ kind: 'delete', keys: [checkpoint(2), checkpoint(1)] });
  });

  it('covers entries for half a minute before they are deleted and it moves', () => {
    const leader = new Leader();
    for (const ms of [0, 29_000]) {
      writesCheckpoint(leader.pass(ms)).answer(boundaryAt(2));
      expect(leader.request).toBeUndefined();
    }
    writesCheckpoint(leader.pass(1_000)).answer(boundaryAt(2));
    expect(leader.request).toMatchObject({ kind: 'list', prefix: 'meta/log/' });
    leader.answer({ kind: 'listed', keys: [1, 2, 3, 4].map(entryKey) });
    expect(leader.request).toEqual({ kind: 'delete', keys: [entryKey(1), entryKey(2)] });
    leader.answer({ kind: 'deleted' }).answer({ kind: 'listed', keys: [3, 4].map(entryKey) });
    expect(leader.request).toMatchObject({ kind: 'put_if_match', key: 'meta/gc_boundary', etag: '1' });
    leader.answer({ kind: 'replaced' }).answer({ kind: 'deleted' });
    // The new one is young.
    writesCheckpoint(leader.pass(29_000)).answer(boundaryAt(3));
    expect(leader.request).toBeUndefined();
  });

  it('counts as young when this node sees it for the first time', () => {
    const leader = writesCheckpoint(new Leader()).answer(boundaryAt(1));
    writesCheckpoint(leader.pass(40_000)).answer(boundaryAt(2));
    expect(leader.request).toBeUndefined();
  });
});
