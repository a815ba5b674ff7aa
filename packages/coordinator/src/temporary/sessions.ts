import { hostname } from 'node:os';
import type { NodeProcess, SchemaObject, Snapshot } from '@tessera/catalog';
import {
  type Logger,
  newUlid,
  ownCommitIds,
  retryDecision,
  startInterval,
  type Timer,
} from '@tessera/common';
import type { Cluster } from '@tessera/scheduler';
import type { StorageManager } from '@tessera/storage-manager';
import { schemaDrops } from '../objects/dependents.ts';
import { isProcessName, isRunning, ownProcessName } from './running-process.ts';
import { TemporaryTables } from './temporary-tables.ts';

export interface SessionsOptions {
  /** Undefined if the node keeps no tables. */
  readonly manager: StorageManager | undefined;
  /** The setting `engine.id`. */
  readonly engine: string;
  readonly cluster: Pick<Cluster, 'self' | 'members'> | undefined;
  readonly log: Pick<Logger, 'info' | 'warn'> | undefined;
}

const COLLECT_EVERY_MS = 60_000;
const MAX_TRIES = 5;
/**
 * Temporary tables of a single node on another host are dropped at this age, because the host may be gone.
 */
const ABANDONED_AFTER_MS = 7 * 24 * 3_600_000;

/** The sessions of this node's clients, and the temporary tables that ended sessions have left behind. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #process: NodeProcess;
  readonly #open = new Set<string>();
  readonly #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { engine, cluster } = options;
    this.#process =
      cluster === undefined || cluster.members().length <= 1
        ? { engine, node: hostname(), process: ownProcessName() }
        : { engine, node: cluster.self.name, process: newUlid() };
    if (options.manager === undefined) return;
    void this.collect();
    this.#timer = startInterval(() => void this.collect(), COLLECT_EVERY_MS).unref();
  }

  open(): TemporaryTables {
    const session = new TemporaryTables(this.#process);
    this.#open.add(session.schemaName);
    return session;
  }

  /** Drops the tables of a session. Never rejects: remaining tables are dropped later. */
  async end(session: TemporaryTables): Promise<void> {
    this.#open.delete(session.schemaName);
    if (session.isUsed) await this.#drop(({ name }) => name === session.schemaName);
  }

  /** Drops the temporary tables of sessions that no longer exist. Never rejects. */
  collect(): Promise<void> {
    return this.#drop((schema) => this.#isLeftOver(schema));
  }

  /** Does not wait for running drops: a schema is dropped atomically, or by the next process of the node. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.clear();
  }

  /**
   * Whether the session of a schema is gone. A node that does not answer may still have its sessions; it
   * cleans up itself when it restarts.
   */
  #isLeftOver({ name, temporaryOf, createdAt }: SchemaObject): boolean {
    if (temporaryOf === undefined || temporaryOf.engine !== this.#process.engine) return false;
    const { node, process } = temporaryOf;
    if (process === this.#process.process) return !this.#open.has(name);
    // Several nodes that do not form a cluster may share the tables: only their host can tell whether one of
    // them is still running.
    if (isProcessName(process))
      return node === hostname()
        ? !isRunning(process)
        : Date.now() - Date.parse(createdAt) > ABANDONED_AFTER_MS;
    if (node === this.#process.node) return true;
    const members = this.#options.cluster?.members() ?? [];
    return members.length > 0 && members.every((member) => member.name !== node);
  }

  async #drop(isMeant: (schema: SchemaObject) => boolean): Promise<void> {
    const { manager, log } = this.#options;
    try {
      for (let tries = 1; manager !== undefined; tries += 1) {
        const snapshot = await manager.latest();
        const schemas = temporarySchemas(snapshot).filter(isMeant);
        if (schemas.length === 0) return;
        const actions = schemas.flatMap((schema) => schemaDrops(snapshot, schema));
        try {
          await manager.commit({ ...ownCommitIds(), readVersion: snapshot.version, actions });
          return;
        } catch (error) {
          if (retryDecision(error, 'commit') === undefined || tries >= MAX_TRIES) throw error;
        }
      }
    } catch (error) {
      if (!this.#isClosed)
        log?.warn({ err: error }, 'temporary tables of ended sessions could not be dropped yet');
    }
  }
}

const temporarySchemas = (snapshot: Snapshot): readonly SchemaObject[] =>
  snapshot
    .databases()
    .flatMap(({ id }) => snapshot.schemas(id))
    .filter(({ temporaryOf }) => temporaryOf !== undefined);
