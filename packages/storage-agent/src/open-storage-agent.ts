import type { Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { Kernel } from '@tessera/kernel';
import type { ObjectStore } from '@tessera/object-store';
import { LocalFiles } from './local/whole-files.ts';
import { fileBranchSql } from './scan/file-branch.ts';
import { emptyRelation, unionOf } from './scan/relation-sql.ts';
import type { AgentMetrics, Scan, ScanRequest, StorageAgent } from './storage-agent.ts';

export interface StorageAgentOptions {
  readonly store: ObjectStore;
  /** Its `readableDirectories` hold `directory`. */
  readonly kernel: Kernel;
  /** Owned by the agent. */
  readonly directory: string;
}

/** SQL for the kernel's bootstrap, without which an agent cannot use it. */
export const agentBootstrap: readonly string[] = [
  // It would keep what a hole of a sparse file was read as.
  'SET enable_external_file_cache=false',
  "ATTACH ':memory:' AS hot (COMPRESS)",
];

export async function openStorageAgent(options: StorageAgentOptions): Promise<StorageAgent> {
  const files = new LocalFiles(options.store, options.directory);
  await files.open();
  return new Agent(files);
}

class Agent implements StorageAgent {
  readonly #files: LocalFiles;

  constructor(files: LocalFiles) {
    this.#files = files;
  }

  async prepareScan(request: ScanRequest): Promise<Scan> {
    const { table, tablets, rowPositions } = request;
    const shape = { table, read: new Set(request.columns), rowPositions };
    if (tablets.some((t) => t.vector !== undefined)) {
      throw TesseraError.of('NOT_SUPPORTED', { what: 'Scanning tablets with deleted rows' });
    }
    let bytesFetched = 0;
    const bySchema = new Map<number, { path: string; position: number }[]>();
    for (const [position, { tablet }] of tablets.entries()) {
      bytesFetched += await this.#files.ensure(table, tablet, request.signal);
      const files = bySchema.get(tablet.schemaVersion) ?? [];
      files.push({ path: this.#files.path(tablet), position });
      bySchema.set(tablet.schemaVersion, files);
    }
    const branches = [...bySchema].map(([schemaVersion, files]) =>
      fileBranchSql(shape, { files, schemaVersion }),
    );
    const total = tablets.reduce((sum, t) => sum + t.tablet.bytes, 0);
    return {
      sql: branches.length === 0 ? emptyRelation(shape) : unionOf(branches),
      use: { tablets: tablets.length, bytesFetched, bytesCached: total - bytesFetched, tabletsHot: 0 },
      release: () => undefined,
    };
  }

  adopt(tablet: Tablet, path: string): Promise<void> {
    return this.#files.adopt(tablet, path);
  }

  async forget(tablets: readonly Tablet[]): Promise<void> {
    for (const tablet of tablets) await this.#files.remove(tablet);
  }

  async settled(): Promise<void> {}

  metrics(): AgentMetrics {
    return {
      tabletsHot: 0,
      tabletsOnDisk: 0,
      bytesHot: 0,
      bytesOnDisk: 0,
      bytesFetched: 0,
      hits: 0,
      misses: 0,
      corruptRefetches: 0,
      promotionsPending: 0,
    };
  }

  async close(): Promise<void> {}
}
