import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Authorizer, unlimitedRights } from '@tessera/access-control';
import {
  type Action,
  BOOTSTRAP_SCHEMA,
  type CatalogObject,
  CatalogState,
  type Column,
  type ObjectId,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { asNodeName, newQueryId, newRequestId, newUlid } from '@tessera/common';
import { type Kernel, quoteName } from '@tessera/kernel';
import { ExternalSources, type ObjectStore, openLocalStore } from '@tessera/object-store';
import type { QueryParameter } from '@tessera/sql';
import { openStorageAgent, type StorageAgent } from '@tessera/storage-agent';
import { writeTablets } from '@tessera/tablet';
import { QueryBinder } from '../binder/query-binder.ts';
import { RunningQueries } from '../queries/running-queries.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { ExecutableQuery, ExecutionOptions } from '../read/executable-query.ts';
import { DEFAULT_SETTINGS } from '../request/settings.ts';
import type { TableServices } from '../tables.ts';
import { sharedMirror, type TakenKernel, takeKernel } from './shared-kernels.ts';

const NOW = '2026-01-01T00:00:00.000Z';

export const objectBase = (name: string) => ({
  id: newUlid() as ObjectId,
  name,
  createdAt: NOW,
  alteredAt: NOW,
  owner: 'test',
});

export interface TableOptions {
  readonly primaryIndex?: readonly string[];
  readonly indexGranularity?: number;
  readonly maxBytes?: number;
  readonly minBytesForWide?: number;
}

/** What differs from a statement of `ada` over the newest contents of the fixture. */
interface QueryChanges
  extends ExecutionOptions,
    Partial<Pick<StatementContext, 'snapshot' | 'sessionValues'>> {
  readonly parameters?: readonly QueryParameter[];
}

/** Everything that reads of managed tables need, with a catalog in memory; removed on disposal. */
export class TableFixture implements AsyncDisposable {
  readonly directory: string;
  readonly kernel: Kernel;
  readonly mirror: Kernel;
  readonly store: ObjectStore;
  readonly agent: StorageAgent;
  readonly external: ExternalSources;
  readonly #taken: TakenKernel;
  readonly authorizer = new Authorizer({
    checksPrivileges: false,
    current: () => undefined,
    latest: async () => undefined,
  });
  readonly binder: QueryBinder;
  snapshot: Snapshot = CatalogState.empty;

  private constructor(
    taken: TakenKernel,
    parts: Pick<TableFixture, 'directory' | 'kernel' | 'mirror' | 'store' | 'agent' | 'external'>,
  ) {
    this.#taken = taken;
    this.directory = parts.directory;
    this.kernel = parts.kernel;
    this.mirror = parts.mirror;
    this.store = parts.store;
    this.agent = parts.agent;
    this.external = parts.external;
    // Reads use neither the manager nor the parameters of writes.
    const tables = {
      agent: parts.agent,
      mirror: parts.mirror,
      store: parts.store,
    } as unknown as TableServices;
    this.binder = new QueryBinder({
      kernel: parts.kernel,
      external: parts.external,
      authorizer: this.authorizer,
      tables,
      systemFacts: async ({ view: _, notices: __, ...scope }) => ({
        ...scope,
        rights: unlimitedRights(scope.user),
        viewColumns: new Map(),
        configuration: [],
        isVisible: () => true,
        engine: 'test',
        transactions: [],
        running: [],
        elsewhere: [],
        cluster: undefined,
        otherClusters: [],
        node: asNodeName('test'),
        history: [],
        metrics: [],
        nodes: [],
      }),
    });
  }

  /** Claims that the contents of the fixture are committed: only committed contents are loaded into memory. */
  readonly committedSnapshot = async () => ({
    snapshot: new Proxy(this.snapshot, {
      get(target, name) {
        if (name === 'contentsVersion') return (id: ObjectId) => Math.abs(target.contentsVersion(id));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    release: () => undefined,
  });

  static async open(): Promise<TableFixture> {
    const [taken, mirror] = await Promise.all([takeKernel(), sharedMirror()]);
    const { kernel } = taken;
    const directory = mkdtempSync(join(taken.readable, 'coordinator-test-'));
    for (const name of ['staged', 'tablets', 'files']) mkdirSync(join(directory, name));
    const store = await openLocalStore(join(directory, 'store'), { fsync: false });
    const agent = await openStorageAgent({ store, kernel, directory: join(directory, 'tablets') });
    const external = new ExternalSources({ directories: [join(directory, 'files')], urlPrefixes: [] });
    return new TableFixture(taken, { directory, kernel, mirror, store, agent, external });
  }

  change(...actions: readonly Action[]): void {
    this.snapshot = this.snapshot.withActions(actions);
  }

  create(object: CatalogObject): void {
    this.change({ kind: 'create', object });
  }

  /**
   * Creates a table with the columns and rows of a query of the kernel; columns in `notNull` are NOT NULL.
   */
  async table(
    name: string,
    sql: string,
    options: TableOptions & { readonly schemaId?: ObjectId; readonly notNull?: readonly string[] } = {},
  ): Promise<TableObject> {
    const session = await this.kernel.session();
    const { columns } = await session.describe(`SELECT column_name, column_type FROM (DESCRIBE ${sql})`);
    if (columns.length !== 2) throw new Error('DESCRIBE answers otherwise');
    const described = JSON.parse(
      String(
        await session.scalar(
          `SELECT CAST(to_json(list({n: column_name, t: column_type})) AS VARCHAR) FROM (DESCRIBE ${sql})`,
        ),
      ),
    ) as { n: string; t: string }[];
    await session.close();
    const list = described.map(
      ({ n, t }, i): Column => ({
        id: i + 1,
        name: n,
        storedName: n,
        type: t,
        nullable: !(options.notNull ?? []).includes(n),
        since: 0,
      }),
    );
    const table: TableObject = {
      kind: 'table',
      ...objectBase(name),
      schemaId: options.schemaId ?? BOOTSTRAP_SCHEMA.id,
      tableType: 'FACT',
      columns: list,
      primaryIndex: (options.primaryIndex ?? []).map((column) => list.find((c) => c.name === column)!.id),
      partitionBy: [],
      indexGranularity: options.indexGranularity ?? 2048,
      schemaVersion: 0,
      nextColumnId: list.length + 1,
      indexes: [],
    };
    this.create(table);
    await this.insert(table, sql, options);
    return table;
  }

  /** Inserts the rows of a query into a table. */
  async insert(table: TableObject, sql: string, options: TableOptions = {}): Promise<void> {
    const session = await this.kernel.session();
    const names = table.columns.map(
      ({ name, storedName }) => `${quoteName(name)} AS ${quoteName(storedName)}`,
    );
    const directory = join(this.directory, 'staged', newUlid());
    mkdirSync(directory);
    const written = writeTablets({
      session,
      table,
      sql: `SELECT ${names.join(', ')} FROM (${sql})`,
      partitionSql: [],
      directory,
      minBytes: 0,
      maxBytes: options.maxBytes ?? 1e8,
      header: {
        formatVersion: 3,
        compression: 'zstd',
        compressionLevel: 3,
        minBytesForWide: options.minBytesForWide ?? 1e7,
      },
      signal: new AbortController().signal,
    });
    for await (const { path, tablet } of written) {
      if (tablet.inline !== undefined) {
        this.change({ kind: 'add_tablet', tablet });
        continue;
      }
      const key = `tablets/${table.id}/${tablet.id}.parquet`;
      await this.store.putFile(key, path);
      this.change({ kind: 'add_tablet', tablet: { ...tablet, key } });
    }
    await session.close();
  }

  context(
    text: string,
    { parameters = [], ...changes }: Omit<QueryChanges, keyof ExecutionOptions> = {},
  ): StatementContext {
    const queryId = newQueryId();
    return {
      query: new RunningQueries().add({ queryId, requestId: newRequestId(), label: '', user: 'ada' }),
      request: {
        sql: text,
        database: undefined,
        parameters,
        uploads: new Map(),
        directory: { open: async () => this.directory },
        encoding: { kind: 'arrow' },
        settings: DEFAULT_SETTINGS,
        user: 'ada',
      },
      text,
      sessionValues: { account: '', database: 'tessera', engine: 'test', user: 'ada' },
      snapshot: async () => ({ snapshot: this.snapshot, release: () => undefined }),
      ...changes,
    };
  }

  executable(
    sql: string,
    { parameters, snapshot, sessionValues, ...options }: QueryChanges = {},
  ): Promise<ExecutableQuery> {
    const changes = Object.entries({ parameters, snapshot, sessionValues }).filter(([, value]) => value);
    return this.binder.executable(this.context(sql, Object.fromEntries(changes)), options);
  }

  /** The rows of a query, each as a list of texts. */
  async rows(sql: string, changes: QueryChanges = {}): Promise<(string | null)[][]> {
    const executable = await this.executable(sql, changes);
    try {
      return await rowsOf(executable);
    } catch (error) {
      throw executable.explain(error);
    } finally {
      await executable.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent.close();
    await this.#taken[Symbol.asyncDispose]();
    await this.store.close();
    await this.external.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The rows in the order of the query. */
export async function rowsOf(executable: ExecutableQuery): Promise<(string | null)[][]> {
  const names = executable.columns.map((_, i) => `c${i}`);
  const texts = names.map((name) => `CAST(${name} AS VARCHAR)`);
  const sql = `SELECT CAST(to_json([${texts.join(', ')}]) AS VARCHAR) || chr(10) FROM (${executable.sql}) AS r(${names.join(', ')})`;
  const result = await executable.session.query(sql, executable.params);
  let text = '';
  for await (const batch of result.batches) text += Buffer.from(batch.textColumn(0)).toString('utf8');
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}
