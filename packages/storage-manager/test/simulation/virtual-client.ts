import {
  type Action,
  BOOTSTRAP_SCHEMA,
  type CatalogState,
  type ObjectId,
  type TableObject,
  type Tablet,
  type TabletId,
  type Transaction,
} from '@tessera/catalog';
import { asQueryId } from '@tessera/common';
import type { Reply } from '../../src/log-node/effects.ts';
import type { NodeRequest } from '../../src/log-node/events.ts';
import { table, tablet } from '../transactions.ts';
import { isRefusal } from './auditor.ts';
import type { NodeSurroundings, VirtualNode } from './virtual-node.ts';

const PATIENCE_MS = 2_000;
const ATTEMPTS = 40;
/** Few names, so that clients compete for the same ones. */
const TABLE_NAMES = 6;

/** The environment of a client, with the counters that it updates. */
export interface ClientSurroundings extends NodeSurroundings {
  readonly nodes: readonly VirtualNode[];
  /** Whether clients begin new statements. */
  readonly open: boolean;
  transactions: number;
  reads: number;
  refusals: number;
  collections: number;
  /** Tells the auditor that a version is being read; the returned function ends the read. */
  pin(node: VirtualNode, version: number): () => void;
}

/**
 * A client whose statements one coordinator runs: it reads, writes, and retries until it knows the outcome.
 */
export class VirtualClient {
  readonly #world: ClientSurroundings;

  constructor(world: ClientSurroundings) {
    this.#world = world;
  }

  start(): void {
    const { clockwork, random, scenario } = this.#world;
    clockwork.after(random.between(1, scenario.longestThinkMs), () => this.#next());
  }

  #next() {
    const { random, nodes, scenario } = this.#world;
    if (!this.#world.open) return;
    const coordinator = random.pick(nodes);
    if (random.chance(scenario.collect)) return this.#collect(coordinator);
    const life = coordinator.life;
    const atLeast = this.#world.auditor.newestAcknowledged;
    this.#ask(coordinator, { kind: 'latest' }, (reply) => {
      if (reply?.kind !== 'snapshot' || coordinator.life !== life) return this.start();
      this.#world.auditor.read(reply.catalog, atLeast);
      this.#world.reads++;
      this.#statement(coordinator, reply.catalog);
    });
  }

  #collect(coordinator: VirtualNode): void {
    this.#ask(coordinator, { kind: 'collect_garbage', limit: 0 }, (reply) => {
      if (reply?.kind === 'collected') this.#world.collections++;
      this.start();
    });
  }

  /** Reads with a pin for a while and then commits. */
  #statement(coordinator: VirtualNode, snapshot: CatalogState): void {
    const { clockwork, random, scenario } = this.#world;
    const pin = coordinator.pins.pinVersion(snapshot.version);
    const unpin = this.#world.pin(coordinator, snapshot.version);
    const release = () => {
      pin.release();
      unpin();
    };
    const actions = this.#actions(snapshot, coordinator);
    if (actions === undefined) {
      clockwork.after(random.between(1, scenario.longestReadMs), () => {
        release();
        this.start();
      });
      return;
    }
    const write = coordinator.pins.pinWrite(coordinator.wallMs);
    const life = coordinator.life;
    clockwork.after(random.between(1, scenario.longestWriteMs), () => {
      const end = () => {
        write.release();
        release();
        this.start();
      };
      // The coordinator died: its uploads are never committed, or the client repeats the statement with the
      // same id elsewhere.
      if (coordinator.life !== life && random.chance(0.5)) return end();
      const idempotencyKey = `q${++this.#world.transactions}`;
      this.#commit(
        { idempotencyKey, queryId: asQueryId(idempotencyKey), readVersion: snapshot.version, actions },
        ATTEMPTS,
        end,
      );
    });
  }

  #commit(transaction: Transaction, attempts: number, end: () => void) {
    const { clockwork, random, nodes, auditor } = this.#world;
    if (attempts === 0) return end();
    const again = () =>
      clockwork.after(random.between(10, 300), () => this.#commit(transaction, attempts - 1, end));
    const node = nodes.find(({ leads }) => leads && random.chance(0.8)) ?? random.pick(nodes);
    this.#ask(node, { kind: 'commit', transaction }, (reply) => {
      if (reply?.kind === 'committed') {
        auditor.acknowledged(transaction.idempotencyKey, reply.version);
        // A client that did not receive the answer asks again.
        return random.chance(0.1) ? again() : end();
      }
      if (reply?.kind === 'failed' && isRefusal(reply.error)) {
        auditor.refused(transaction.idempotencyKey, reply.error);
        this.#world.refusals++;
        return random.chance(0.1) ? again() : end();
      }
      again();
    });
  }

  /** Undefined for a statement that only reads. */
  #actions(snapshot: CatalogState, coordinator: VirtualNode): Action[] | undefined {
    const { random, scenario } = this.#world;
    const tables = snapshot.relations(BOOTSTRAP_SCHEMA.id);
    const table = tables.length === 0 ? undefined : random.pick(tables);
    if (table === undefined || random.chance(scenario.create)) {
      return [{ kind: 'create', object: this.#newTable(random.between(1, TABLE_NAMES)) }];
    }
    const tablets = snapshot.tablets(table.id);
    if (tablets.length > 0 && random.chance(scenario.remove)) {
      const { id: tabletId } = random.chance(0.5) ? tablets.at(-1)! : random.pick(tablets);
      return [{ kind: 'remove_tablet', tableId: table.id, tabletId, reason: 'delete' }];
    }
    if (random.chance(0.15)) return undefined;
    return [{ kind: 'add_tablet', tablet: this.#upload(table.id, coordinator) }];
  }

  #upload(tableId: ObjectId, coordinator: VirtualNode): Tablet {
    const id = this.#world.ulid(coordinator.wallMs) as TabletId;
    const key = `tablets/${tableId}/${id}.parquet`;
    this.#world.auditor.bucket.put(key, new Uint8Array(1));
    return tablet(tableId, { id, key, rows: 10, bytes: 1 });
  }

  #newTable(number: number): TableObject {
    const { epochMs, clockwork } = this.#world;
    return table(`t${number}`, { id: this.#world.ulid(epochMs + clockwork.now) as ObjectId });
  }

  /** Sends a request; the callback gets undefined if there was no answer in time. */
  #ask(node: VirtualNode, request: NodeRequest, answered: (reply: Reply | undefined) => void): void {
    const { clockwork, random, scenario } = this.#world;
    let open = true;
    const once = (reply: Reply | undefined) => {
      // Late replies that nobody waits for must still be correct.
      if (!open) return this.#overheard(request, reply);
      open = false;
      answered(reply);
    };
    const lost = random.chance(scenario.replyLost);
    const reply = (value: Reply) => (lost ? this.#overheard(request, value) : once(value));
    clockwork.after(random.between(0, 5), () => node.ask(request, reply));
    clockwork.after(PATIENCE_MS, () => once(undefined));
  }

  #overheard(request: NodeRequest, reply: Reply | undefined): void {
    if (request.kind !== 'commit' || reply === undefined) return;
    const { idempotencyKey } = request.transaction;
    if (reply.kind === 'committed') this.#world.auditor.acknowledged(idempotencyKey, reply.version);
    if (reply.kind === 'failed' && isRefusal(reply.error))
      this.#world.auditor.refused(idempotencyKey, reply.error);
  }
}
