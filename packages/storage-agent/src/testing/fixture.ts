import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, type KernelSession, startKernel } from '@tessera/kernel';
import { type ObjectStore, openLocalStore } from '@tessera/object-store';
import { agentBootstrap, openStorageAgent, type StorageAgentOptions } from '../open-storage-agent.ts';
import type { ScanRequest, StorageAgent } from '../storage-agent.ts';

/** A kernel, a local store and an agent in a temporary directory, which is removed on disposal. */
export class Fixture implements AsyncDisposable {
  readonly directory: string;
  readonly kernel: Kernel;
  readonly store: ObjectStore;
  session: KernelSession;
  /** The directory of the agent. */
  tablets: string;
  #agent: StorageAgent | undefined;

  private constructor(directory: string, kernel: Kernel, store: ObjectStore, session: KernelSession) {
    this.directory = directory;
    this.kernel = kernel;
    this.store = store;
    this.session = session;
    this.tablets = join(directory, 'tablets');
  }

  /** @param memoryLimitBytes of the kernel */
  static async open(memoryLimitBytes = 1e9): Promise<Fixture> {
    const directory = mkdtempSync(join(tmpdir(), 'agent-test-'));
    const readable = ['staged', 'tablets'].map((name) => join(directory, name));
    for (const path of readable) mkdirSync(path);
    const silent = () => undefined;
    const kernel = await startKernel({
      directory: join(directory, 'kernel'),
      readableDirectories: readable,
      memoryLimitBytes,
      threads: 2,
      bootstrap: agentBootstrap,
      log: { info: silent, warn: silent, error: silent },
    });
    const store = await openLocalStore(join(directory, 'store'), { fsync: false });
    return new Fixture(directory, kernel, store, await kernel.session());
  }

  /** The agent under test. A further call replaces it by another one on the same directory. */
  async agent(options: Partial<StorageAgentOptions> = {}): Promise<StorageAgent> {
    await this.#agent?.close();
    this.#agent = await openStorageAgent({
      store: this.store,
      kernel: this.kernel,
      directory: this.tablets,
      log: { info: ignored, warn: failing, error: failing },
      ...options,
    });
    return this.#agent;
  }

  /** Closes the agent. The next one has an empty directory. */
  async renewTablets(): Promise<void> {
    await this.#agent?.close();
    this.#agent = undefined;
    this.tablets = mkdtempSync(join(this.directory, 'tablets', 'of-a-test-'));
  }

  /** Opens a new session after the kernel's process was replaced. */
  async renewSession(): Promise<void> {
    this.session = await this.kernel.session();
  }

  /** A request for all columns of a table, unless `more` says otherwise. */
  request(more: Pick<ScanRequest, 'table'> & Partial<ScanRequest>): ScanRequest {
    return {
      session: this.session,
      tablets: [],
      columns: more.table.columns.map(({ id }) => id),
      rowPositions: false,
      signal: new AbortController().signal,
      ...more,
    };
  }

  /** The values of a SELECT list over a scan, and the number of its tablets that were in memory. */
  async read(agent: StorageAgent, request: ScanRequest, select: string): Promise<Record<string, unknown>> {
    const scan = await agent.prepareScan(request);
    const [row] = await this.rows(`SELECT ${select} FROM ${scan.sql}`);
    scan.release();
    return { ...row, hot: scan.use.tabletsHot };
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return rowsOf(this.session, sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.close();
    await this.kernel.close();
    await this.store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The rows of a query as JSON. */
export async function rowsOf(session: KernelSession, sql: string): Promise<Record<string, unknown>[]> {
  const text = await session.scalar(`SELECT CAST(to_json(list(q)) AS VARCHAR) FROM (${sql}) q`);
  return text === null ? [] : JSON.parse(text as string);
}

const ignored = () => undefined;

function failing(details: object, message: string): void {
  process.stderr.write(`${message}: ${JSON.stringify(details)}\n`);
}
