import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Credential, Tablet } from '@tessera/catalog';
import { asQueryId, asTransactionId, newUlid } from '@tessera/common';
import type { Kernel } from '@tessera/kernel';
import { ExternalSources, type ObjectStore, openLocalStore } from '@tessera/object-store';
import type { OutputColumn } from '@tessera/sql';
import { openStorageAgent, type StorageAgent } from '@tessera/storage-agent';
import type { StorageManager } from '@tessera/storage-manager';
import { Coordinator } from '../coordinator.ts';
import type { RunningQuery } from '../queries/running-queries.ts';
import { DEFAULT_SETTINGS, withSettings } from '../request/settings.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { DoneResult } from '../request/statement-result.ts';
import type { StatementDescription } from '../statements/describe-statement.ts';
import type { TableServices } from '../tables.ts';
import type { MaintenanceOptions } from '../vacuum/maintenance.ts';
import { localCatalog } from './local-catalog.ts';
import { sharedMirror, type TakenKernel, takeKernel } from './shared-kernels.ts';

export interface Asked {
  readonly database?: string;
  readonly transactionId?: string;
  readonly queryId?: string;
  readonly user?: string;
  readonly userId?: string | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  readonly uploads?: StatementRequest['uploads'];
  readonly parameters?: StatementRequest['parameters'];
  readonly copyInput?: StatementRequest['copyInput'];
  readonly encoding?: StatementRequest['encoding'];
  readonly drawn?: StatementRequest['drawn'];
  readonly temporary?: StatementRequest['temporary'];
}

export interface TestNodeOptions {
  readonly maintenance?: MaintenanceOptions;
  readonly checksPrivileges?: boolean;
  readonly allowCollectGarbage?: boolean;
  readonly indexMutations?: TableServices['indexMutations'];
  /** See `CoordinatorOptions`. */
  readonly resultCacheBytes?: number;
  /** See `CoordinatorOptions`. */
  readonly subresultCacheBytes?: number;
  /** See `CoordinatorOptions`. */
  readonly regexpCacheMaxKeys?: number;
  /** Whether no table is loaded into memory, where every row is read and no tablet is pruned. */
  readonly readsFiles?: boolean;
}

const NOTHING_IN_MEMORY = {
  max_tablets_per_mb_of_total_memory: 0,
  tablet_eviction_soft_threshold: 0.4,
  tablet_eviction_threshold: 0.2,
  tablet_min_ttl_before_memory_eviction_seconds: 0,
  tablet_ttl_before_full_eviction_seconds: 21_600,
};

/** A node with tables and without endpoints. */
export class TestNode implements AsyncDisposable {
  readonly directory: string;
  readonly coordinator: Coordinator;
  readonly tables: TableServices;
  readonly kernel: Kernel;
  readonly #taken: TakenKernel;
  readonly #external: ExternalSources;

  private constructor(
    directory: string,
    coordinator: Coordinator,
    tables: TableServices,
    taken: TakenKernel,
    external: ExternalSources,
  ) {
    this.directory = directory;
    this.coordinator = coordinator;
    this.tables = tables;
    this.kernel = taken.kernel;
    this.#taken = taken;
    this.#external = external;
  }

  static async open({
    maintenance,
    checksPrivileges = false,
    allowCollectGarbage = false,
    indexMutations = 'reevaluate',
    resultCacheBytes = 0,
    subresultCacheBytes = 0,
    regexpCacheMaxKeys = 0,
    readsFiles = false,
  }: TestNodeOptions = {}): Promise<TestNode> {
    const [taken, mirror] = await Promise.all([takeKernel(), sharedMirror()]);
    const { kernel } = taken;
    const directory = mkdtempSync(join(taken.readable, 'coordinator-test-'));
    const paths = {
      staged: join(directory, 'staged'),
      tablets: join(directory, 'tablets'),
      files: join(directory, 'files'),
    };
    for (const path of Object.values(paths)) mkdirSync(path);
    const external = new ExternalSources({
      directories: [paths.files],
      urlPrefixes: [],
      writable: [paths.files],
    });
    const store: ObjectStore = await openLocalStore(join(directory, 'store'), { fsync: false });
    const agent: StorageAgent = await openStorageAgent({
      store,
      kernel,
      directory: paths.tablets,
      ...(readsFiles && { eviction: NOTHING_IN_MEMORY }),
    });
    const manager: StorageManager = localCatalog();
    const tables: TableServices = {
      manager,
      agent,
      store,
      storeId: 'test-store',
      mirror,
      stagingRoot: paths.staged,
      indexMutations,
      header: { formatVersion: 3, compression: 'brotli', compressionLevel: 2, minBytesForWide: 104_857_600 },
      storage: { enableManagedLocation: false, allowCollectGarbage, collectGarbageLimit: 0 },
    };
    const coordinator = new Coordinator({
      kernel,
      external,
      engineId: 'test',
      checksPrivileges,
      tables,
      maintenance,
      resultCacheBytes,
      subresultCacheBytes,
      regexpCacheMaxKeys,
      makeCredential: testCredential,
    });
    return new TestNode(directory, coordinator, tables, taken, external);
  }

  /** Runs a statement that returns no rows. */
  async run(sql: string, asked: Asked = {}): Promise<DoneResult> {
    const result = await this.#ask(sql, asked, async (answer) => answer);
    if (result.kind === 'rows') throw new Error('A statement that answers rows');
    return result;
  }

  /** Runs any statement to its end. */
  async finish(sql: string, asked: Asked = {}): Promise<void> {
    await this.#ask(sql, asked, async (answer) => {
      if (answer.kind !== 'rows') return;
      for await (const _ of answer.chunks);
      await answer.close();
    });
  }

  /** The rows of a query, each as an array of JSON values. */
  async rows(sql: string, asked: Asked = {}): Promise<unknown[][]> {
    return JSON.parse(`[${(await this.body(sql, asked)).replace(/^,/, '')}]`);
  }

  /** The body of a query's result, as text. */
  async body(sql: string, asked: Asked = {}): Promise<string> {
    return this.#ask(sql, asked, async (answer) => {
      if (answer.kind !== 'rows') throw new Error('A statement that answers no rows');
      let text = '';
      for await (const { bytes } of answer.chunks) text += Buffer.from(bytes).toString('utf8');
      await answer.close();
      return text;
    });
  }

  /** The columns of a query's result. */
  columns(sql: string, asked: Asked = {}): Promise<readonly OutputColumn[]> {
    return this.#ask(sql, asked, async (answer) => {
      if (answer.kind !== 'rows') throw new Error('A statement that answers no rows');
      await answer.close();
      return answer.columns;
    });
  }

  /** The parameters and the result of a statement. */
  describe(sql: string, asked: Asked = {}): Promise<StatementDescription> {
    return this.#with(asked, (query, request) =>
      this.coordinator.describeStatement(query, { ...request, sql }),
    );
  }

  /** The tablets of a table of the default schema. */
  async tablets(name: string): Promise<readonly Tablet[]> {
    const snapshot = await this.tables.manager.latest();
    const schema = snapshot.schema(snapshot.database('tessera')!.id, 'public')!;
    return snapshot.tablets(snapshot.relation(schema.id, name)!.id);
  }

  #ask<T>(
    sql: string,
    asked: Asked,
    read: (answer: Awaited<ReturnType<Coordinator['execute']>>) => Promise<T>,
  ): Promise<T> {
    return this.#with(asked, async (query, request) =>
      read(await this.coordinator.execute(query, { ...request, sql })),
    );
  }

  async #with<T>(
    { database, transactionId, queryId, user = 'tester', userId, settings = {}, ...asked }: Asked,
    work: (query: RunningQuery, request: Omit<StatementRequest, 'sql'>) => Promise<T>,
  ): Promise<T> {
    const query = this.coordinator.begin({ queryId: asQueryId(queryId ?? newUlid()), label: '', user });
    const directory = join(this.directory, 'files', query.queryId);
    try {
      return await work(query, {
        database,
        transactionId: transactionId === undefined ? undefined : asTransactionId(transactionId),
        settings: withSettings(DEFAULT_SETTINGS, Object.entries(settings)),
        parameters: asked.parameters ?? [],
        uploads: asked.uploads ?? new Map(),
        copyInput: asked.copyInput,
        drawn: asked.drawn,
        temporary: asked.temporary,
        directory: {
          open: async () => {
            mkdirSync(directory, { recursive: true });
            return directory;
          },
        },
        encoding: asked.encoding ?? { kind: 'rows', format: 'json_array' },
        user,
        userId,
      });
    } finally {
      this.coordinator.end(query);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.coordinator.close();
    await this.tables.agent.close();
    await this.#taken[Symbol.asyncDispose]();
    await this.#external.close();
    await this.tables.store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Replaces the slow hash; the password remains visible in it. */
const testCredential = async (password: string): Promise<Credential> => ({
  id: newUlid(),
  passwordHash: `hash of ${password}`,
  scramVerifier: `verifier of ${password}`,
});
