import type { ObjectId, TableObject, Tablet, TabletId } from '@tessera/catalog';
import { cancellation } from '@tessera/common';
import type { Kernel, KernelLog, KernelSession } from '@tessera/kernel';
import type { ObjectStore } from '@tessera/object-store';
import type { HybridHeader } from '@tessera/tablet';
import { DEFAULT_EVICTION, type EvictionSettings, evictionLimits } from './eviction/eviction-settings.ts';
import { HotTier } from './hot/hot-tier.ts';
import { REMEMBERED_FILE, RememberedTables } from './hot/remembered-tables.ts';
import { ResidentTableUpdates } from './hot/resident-table-updates.ts';
import { ResidentTables } from './hot/resident-tables.ts';
import { WarmUp } from './hot/warm-up.ts';
import type { DiskSpace } from './local/disk-room.ts';
import { TabletFiles } from './local/tablet-files.ts';
import { VectorCache } from './scan/vector-cache.ts';
import { GranuleFilters } from './skip/granule-filters.ts';
import type {
  AgentMetrics,
  ContentsOf,
  FilterRequest,
  ObjectRange,
  PeerTablets,
  Scan,
  ScanRequest,
  StorageAgent,
  TabletFilters,
} from './storage-agent.ts';
import { TabletScans } from './tablet-scans.ts';

export interface StorageAgentOptions {
  readonly store: ObjectStore;
  /** The kernel. Its `readableDirectories` must contain `directory`, and its bootstrap `agentBootstrap`. */
  readonly kernel: Kernel;
  /** Owned by the agent, which reuses its files after a restart. */
  readonly directory: string;
  /** The settings of `engine.eviction`. */
  readonly eviction?: EvictionSettings;
  readonly log?: KernelLog;
  /** The clock in milliseconds; replaced in tests. */
  readonly now?: () => number;
  /** Replaced in tests. */
  readonly diskSpace?: (directory: string) => Promise<DiskSpace>;
}

/** SQL that the kernel's bootstrap must include for an agent. */
export const agentBootstrap: readonly string[] = [
  // The cache would keep what it read from a hole of a sparse file.
  'SET enable_external_file_cache=false',
  "ATTACH ':memory:' AS hot (COMPRESS)",
];

const SWEEP_INTERVAL_MS = 5_000;
const SILENT: KernelLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export async function openStorageAgent(options: StorageAgentOptions): Promise<StorageAgent> {
  const { log = SILENT, now = Date.now, eviction = DEFAULT_EVICTION } = options;
  const { store, directory, diskSpace } = options;
  const otherFiles = [REMEMBERED_FILE];
  const files = new TabletFiles({ store, directory, otherFiles, log, now, ...(diskSpace && { diskSpace }) });
  await files.open();
  const vectors = new VectorCache(store);
  const { limitBytes } = await options.kernel.memory();
  const limits = evictionLimits(eviction, limitBytes);
  const closing = new AbortController();
  const { kernel } = options;
  const resident = new ResidentTables(kernel);
  const updates = new ResidentTableUpdates({
    kernel,
    resident,
    memoryLimitBytes: limitBytes,
    limits,
    log,
    now,
    acquire: (need) => files.acquire(need, closing.signal),
    header: (table, tablet) => files.header({ table, tablet }, closing.signal),
    deletedRows: async (scan) => (await vectors.deletedRows(scan)).all(),
  });
  const hot = new HotTier({ kernel, resident, updates, now });
  const scans = new TabletScans(files, hot, updates, vectors);
  return new Agent({
    files,
    hot,
    resident,
    updates,
    scans,
    filters: new GranuleFilters(kernel, (request) => scans.prepare(request)),
    warmUp: await WarmUp.open({ resident, updates, remembered: new RememberedTables(directory), log }),
    closing,
    unusedMs: limits.unusedMs,
    log,
  });
}

interface Parts {
  readonly files: TabletFiles;
  readonly hot: HotTier;
  readonly resident: ResidentTables;
  readonly updates: ResidentTableUpdates;
  readonly warmUp: WarmUp;
  readonly scans: TabletScans;
  readonly filters: GranuleFilters;
  readonly closing: AbortController;
  readonly unusedMs: number;
  readonly log: KernelLog;
}

class Agent implements StorageAgent {
  readonly #parts: Parts;
  readonly #sweeping: NodeJS.Timeout;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sweeping = setInterval(() => {
      void this.evict();
      void parts.warmUp.save();
    }, SWEEP_INTERVAL_MS).unref();
  }

  prepareScan(request: ScanRequest): Promise<Scan> {
    if (request.signal.aborted) return Promise.reject(cancellation(request.signal));
    return this.#parts.scans.prepare(request);
  }

  isHot(
    session: KernelSession,
    tableId: ObjectId,
    contentsVersion: number,
    columns: readonly number[],
  ): boolean {
    return this.#parts.hot.holds(session, tableId, contentsVersion, columns);
  }

  header(table: TableObject, tablet: Tablet, signal: AbortSignal): Promise<HybridHeader> {
    return this.#parts.files.header({ table, tablet }, signal);
  }

  filters(request: FilterRequest): AsyncIterable<TabletFilters> {
    return this.#parts.filters.read(request);
  }

  hashes(type: string, constants: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    return this.#parts.filters.hashes(type, constants);
  }

  adopt(tablet: Tablet, path: string): Promise<void> {
    return this.#parts.files.adopt(tablet, path);
  }

  async warm(
    table: TableObject,
    tablets: readonly Tablet[],
    columns: readonly number[],
    signal: AbortSignal,
  ): Promise<number> {
    const warmed = tablets.map(async (tablet) => {
      const local = await this.#parts.files.acquire({ table, tablet, columns }, signal);
      local.release();
      return local.bytesFetched;
    });
    const results = await Promise.allSettled(warmed);
    return results.reduce((sum, result) => {
      if (result.status === 'rejected') throw result.reason;
      return sum + result.value;
    }, 0);
  }

  warmUp(contentsOf: ContentsOf): Promise<void> {
    return this.#parts.warmUp.run(contentsOf);
  }

  readFrom(peers: PeerTablets): void {
    this.#parts.files.readFrom(peers);
  }

  bytesOnDisk(tablet: TabletId): number {
    return this.#parts.files.bytesOf(tablet);
  }

  localRange(tablet: TabletId, range: ObjectRange): AsyncIterable<Uint8Array> {
    return this.#parts.files.localRange(tablet, range);
  }

  async forget(tablets: readonly Tablet[]): Promise<void> {
    await this.#parts.updates.forget(tablets);
    await this.#parts.files.remove(tablets);
  }

  async evict(): Promise<void> {
    const { updates, files, unusedMs, log } = this.#parts;
    try {
      await updates.evict();
      await files.expire(unusedMs);
    } catch (error) {
      log.warn({ error: String(error) }, 'tablets could not be evicted');
    }
  }

  settled(): Promise<void> {
    return this.#parts.updates.settled();
  }

  metrics(): AgentMetrics {
    const { resident, updates, files } = this.#parts;
    return {
      tabletsHot: resident.tablets,
      tabletsOnDisk: files.tablets,
      bytesHot: resident.bytes,
      bytesOnDisk: files.bytesOnDisk,
      bytesFetched: files.bytesFetched,
      bytesFromPeers: files.bytesFromPeers,
      hits: files.hits,
      misses: files.misses,
      corruptRefetches: files.corruptRefetches,
      promotionsPending: updates.pending,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#parts.warmUp.save();
    this.#parts.closing.abort();
    await this.#parts.updates.close();
    await this.#parts.files.close();
  }
}
