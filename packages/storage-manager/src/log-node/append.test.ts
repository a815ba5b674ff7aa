import { applyEntry, CatalogState, encodeEntry, type LogEntry, type Transaction } from '@tessera/catalog';
import { asQueryId } from '@tessera/common';
import { describe, expect, it } from 'vitest';
import { encodeBoundary } from './boundary.ts';
import type { Effect, Reply, StoreAnswer, StoreRequest } from './effects.ts';
import type { Happening } from './events.ts';
import { entryKey } from './log-keys.ts';
import { LOG_NODE_DEFAULTS } from './options.ts';
import type { LogNodeState } from './state.ts';
import { initialState, step } from './step.ts';

/** The leader's reaction to each answer to the put of an entry: the table of docs/metadata-log.md. */
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
    const { state, effects } = step(this.state, { ...happening, nowMs: 0, monotonicMs: this.#monotonicMs++ });
    this.state = state;
    this.effects = effects;
    return this;
  }

  commit(request: number, idempotencyKey: string): this {
    return this.tell({ kind: 'commit', request, transaction: txn(idempotencyKey) });
  }

  answer(answer: StoreAnswer): this {
    return this.tell({ kind: 'stored', op: this.state.append!.op, answer });
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
