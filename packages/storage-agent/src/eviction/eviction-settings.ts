import type { EvictionLimits } from './eviction-policy.ts';

/** The settings of `engine.eviction`; the README explains them. */
export interface EvictionSettings {
  readonly max_tablets_per_mb_of_total_memory: number;
  readonly tablet_eviction_soft_threshold: number;
  readonly tablet_eviction_threshold: number;
  readonly tablet_min_ttl_before_memory_eviction_seconds: number;
  readonly tablet_ttl_before_full_eviction_seconds: number;
}

/** The defaults of the configuration. */
export const DEFAULT_EVICTION: EvictionSettings = {
  max_tablets_per_mb_of_total_memory: 1.5,
  tablet_eviction_soft_threshold: 0.4,
  tablet_eviction_threshold: 0.2,
  tablet_min_ttl_before_memory_eviction_seconds: 1_800,
  tablet_ttl_before_full_eviction_seconds: 21_600,
};

const MEGABYTE = 2 ** 20;

export const evictionLimits = (settings: EvictionSettings, memoryBytes: number): EvictionLimits => ({
  maxTablets: Math.floor((memoryBytes / MEGABYTE) * settings.max_tablets_per_mb_of_total_memory),
  softFree: settings.tablet_eviction_soft_threshold,
  hardFree: settings.tablet_eviction_threshold,
  minAgeMs: settings.tablet_min_ttl_before_memory_eviction_seconds * 1_000,
  unusedMs: settings.tablet_ttl_before_full_eviction_seconds * 1_000,
});
