import { NOW } from './effect.ts';
import { block, boolean, float, integer, oneOf } from './parameter.ts';

export const COMPRESSION_METHODS = ['none', 'gzip', 'zlib', 'xz', 'zstd', 'brotli', 'lz4', 'snappy'] as const;

const effect = NOW;
const admissionController = block(
  'admission control settings: when enabled, queries queue by available memory and concurrency limits',
  {
    enabled: boolean('enable admission control', { default: false, effect }),
    max_concurrent_admitted_queries: integer(
      'maximum concurrently admitted queries of the cluster, shared by its nodes',
      { min: 1, default: 100, effect },
    ),
    max_required_relative_memory_for_retry: float(
      'cap on extra memory an out-of-memory retry may request, as a fraction of available memory',
      { min: 0, max: 1, default: 0.75, effect },
    ),
    max_retries_per_query: integer('maximum automatic retries after an out-of-memory failure', {
      min: 0,
      default: 3,
      effect,
    }),
    reduce_required_memory_after_seconds_at_front_of_queue: integer(
      "seconds at the front of the queue after which a query's memory estimate is reduced",
      { min: 0, default: 10, effect },
    ),
    seconds_between_no_admission_warnings: integer('minimum seconds between no-admission warnings', {
      min: 0,
      default: 3_600,
      effect,
    }),
    seconds_until_no_admission_warning: integer('seconds without any admission before a warning is logged', {
      min: 0,
      default: 300,
      effect,
    }),
    total_memory_tracker_hard_limit_ratio: float(
      'fraction of the memory tracker hard limit admission may allocate per node',
      { min: 0.01, max: 1, default: 0.9, effect },
    ),
  },
  { default: {} },
);

export const execution = block(
  'query execution settings',
  {
    admission_controller: admissionController,
    ai_mutations_mode: oneOf(
      'execution mode for AI mutation queries: how deleted and updated rows change aggregating indexes',
      ['native_only', 'reevaluate', 'hybrid'],
      { default: 'reevaluate', effect: NOW },
    ),
    enable_shuffle: boolean('enable the data-shuffle subsystem for multi-node execution', {
      default: true,
      effect: NOW,
    }),
    hybrid_headers_format_version: integer(
      'on-disk format version of Hybrid Headers tablet storage: 1 is the original, 2 adds primary-index compression, 3 adds compact and subcompact tablets',
      { min: 1, max: 3, default: 3, effect: NOW },
    ),
    hybrid_headers_primary_index_compression_level: integer(
      'compression level of the Hybrid Headers primary index; the range depends on the method',
      { default: 2, effect: NOW },
    ),
    hybrid_headers_primary_index_compression_method: oneOf(
      'compression algorithm of the Hybrid Headers primary index',
      COMPRESSION_METHODS,
      { default: 'brotli', effect: NOW },
    ),
    max_threads: integer('maximum threads for one query; 0 lets the engine choose', {
      default: 0,
      effect: NOW,
    }),
    merge_committed_tablets: boolean('allow background merging of committed tablets', {
      default: true,
      effect: NOW,
    }),
    min_bytes_for_wide_part: integer(
      'minimum uncompressed bytes for a tablet to use the wide format rather than compact',
      { default: 104_857_600, effect: NOW },
    ),
    regexp_cache_max_keys: integer('maximum cached compiled regular expressions', {
      default: 10_000,
      effect: NOW,
    }),
    storage_manager_cache_tablets_on_proxy: boolean(
      'cache tablet-assignment information on the storage-manager proxy',
      { default: true, effect: NOW },
    ),
  },
  { default: {} },
);
