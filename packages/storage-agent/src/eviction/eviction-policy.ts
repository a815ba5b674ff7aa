/** `engine.eviction` and what it is measured against. */
export interface EvictionLimits {
  /** `max_tablets_per_mb_of_total_memory` times the memory. */
  readonly maxTablets: number;
  /** `tablet_eviction_soft_threshold`: fraction of memory that is free. */
  readonly softFree: number;
  /** `tablet_eviction_threshold` */
  readonly hardFree: number;
  /** `tablet_min_ttl_before_memory_eviction_seconds` */
  readonly minAgeMs: number;
  /** `tablet_ttl_before_full_eviction_seconds` */
  readonly unusedMs: number;
}

export interface HotTablet<Id> {
  readonly id: Id;
  /** Memory it takes. */
  readonly bytes: number;
  readonly lastUsedMs: number;
}

export interface MemoryState {
  readonly totalBytes: number;
  readonly usedBytes: number;
}

/**
 * Tablets that leave memory, least recently used first: those unused for `unusedMs`; those over `maxTablets`; while less
 * than `softFree` of the memory is free, those unused for `minAgeMs`; while less than `hardFree` is, the others too.
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
 * Tablets that make place for others that are about to be loaded: the least recently used, none of them younger than
 * `minAgeMs`, so that tables that are read in turn do not drive each other out.
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

/** Memory that may be taken for tablets before a soft eviction would follow. */
export const roomForTablets = (memory: MemoryState, limits: EvictionLimits): number =>
  Math.max(0, memory.totalBytes * (1 - limits.softFree) - memory.usedBytes);
