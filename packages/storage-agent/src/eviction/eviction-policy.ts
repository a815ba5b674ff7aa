/** The limits of `engine.eviction`, in the units that they are compared in. */
export interface EvictionLimits {
  /** The limit of tablets: `max_tablets_per_mb_of_total_memory` times the memory. */
  readonly maxTablets: number;
  /** `tablet_eviction_soft_threshold`: the fraction of memory that should be free. */
  readonly softFree: number;
  /** `tablet_eviction_threshold`: the fraction of memory that must be free. */
  readonly hardFree: number;
  /** `tablet_min_ttl_before_memory_eviction_seconds` */
  readonly minAgeMs: number;
  /** `tablet_ttl_before_full_eviction_seconds` */
  readonly unusedMs: number;
}

export interface HotTablet<Id> {
  readonly id: Id;
  /** The memory that it occupies, in bytes. */
  readonly bytes: number;
  readonly lastUsedMs: number;
}

export interface MemoryState {
  readonly totalBytes: number;
  readonly usedBytes: number;
}

/**
 * The tablets to evict from memory, least recently used first: those unused for `unusedMs`; those beyond
 * `maxTablets`; while less than `softFree` of the memory is free, those unused for `minAgeMs`; while less
 * than `hardFree` is free, the others too.
 */
export function tabletsToEvict<Id>(
  hot: readonly HotTablet<Id>[],
  memory: MemoryState,
  limits: EvictionLimits,
  nowMs: number,
): Id[] {
  const evicted: Id[] = [];
  let freeBytes = memory.totalBytes - memory.usedBytes;
  for (const tablet of [...hot].sort((a, b) => a.lastUsedMs - b.lastUsedMs)) {
    const ageMs = nowMs - tablet.lastUsedMs;
    const free = freeBytes / memory.totalBytes;
    const goes =
      ageMs >= limits.unusedMs ||
      hot.length - evicted.length > limits.maxTablets ||
      free < limits.hardFree ||
      (free < limits.softFree && ageMs >= limits.minAgeMs);
    if (!goes) break;
    evicted.push(tablet.id);
    freeBytes += tablet.bytes;
  }
  return evicted;
}

/**
 * The tablets to evict in favour of others that are about to be loaded: the least recently used, but none
 * younger than `minAgeMs`, so that tables that are read alternately do not displace each other.
 */
export function tabletsToDisplace<Id>(
  hot: readonly HotTablet<Id>[],
  memory: MemoryState,
  limits: EvictionLimits,
  coming: { readonly bytes: number; readonly tablets: number },
  nowMs: number,
): Id[] {
  const displaced: Id[] = [];
  let missingBytes = coming.bytes - roomForTablets(memory, limits);
  for (const tablet of [...hot].sort((a, b) => a.lastUsedMs - b.lastUsedMs)) {
    const isOver = hot.length - displaced.length + coming.tablets > limits.maxTablets;
    if ((missingBytes <= 0 && !isOver) || nowMs - tablet.lastUsedMs < limits.minAgeMs) break;
    displaced.push(tablet.id);
    missingBytes -= tablet.bytes;
  }
  return displaced;
}

/** The memory in bytes that tablets may still occupy without causing a soft eviction. */
export const roomForTablets = (memory: MemoryState, limits: EvictionLimits): number =>
  Math.max(0, memory.totalBytes * (1 - limits.softFree) - memory.usedBytes);
