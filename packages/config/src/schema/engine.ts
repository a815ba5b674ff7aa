import { NOW } from './effect.ts';
import { block, boolean, byteSize, duration, float, integer, list, string } from './parameter.ts';
import { isHost, isHostPort } from './text-shapes.ts';

const FRACTION = { min: 0, max: 1 };

const vacuum = { default: null, effect: NOW } as const;
const autoVacuum = block(
  'background auto-vacuum tuning; a field left out keeps its built-in default',
  {
    assessment_frequency: integer('how often tablets are assessed for a vacuum job, in seconds', {
      ...vacuum,
      min: 1,
    }),
    debug_sleep_before_commit_ms: integer(
      'testing knob: delay in milliseconds before a vacuum job commits',
      vacuum,
    ),
    enabled: boolean('whether background auto-vacuum runs', vacuum),
    max_concurrency: integer('maximum concurrent vacuum jobs', { ...vacuum, min: 1 }),
    max_tablets_in_job: integer('maximum tablets per vacuum job', { ...vacuum, min: 1 }),
    memory_allowance: float('fraction of engine memory vacuum may use', { ...vacuum, ...FRACTION }),
    min_bad_tablets_threshold: integer('minimum tablets needing cleanup to trigger a job', {
      ...vacuum,
      min: 1,
    }),
    run_on_first_dml: boolean('assess on the first DML statement after startup', vacuum),
  },
  { default: null },
);

const eviction = block(
  'tablet memory-eviction policy',
  {
    max_tablets_per_mb_of_total_memory: float('upper bound on tablets in memory per MB of total memory', {
      default: 1.5,
      effect: NOW,
    }),
    tablet_eviction_soft_threshold: float(
      'memory-usage fraction governing soft eviction of least-recently-used tablets: when less than this fraction of engine memory is free, those older than the minimum age leave memory; they stay on disk and are re-cached on access',
      { ...FRACTION, default: 0.4, effect: NOW },
    ),
    tablet_eviction_threshold: float(
      'memory-usage fraction governing hard eviction: when less than this fraction of engine memory is free, tablets leave memory whatever their age',
      {
        ...FRACTION,
        default: 0.2,
        effect: NOW,
      },
    ),
    tablet_min_ttl_before_memory_eviction_seconds: integer(
      'seconds since its last use before a tablet may leave memory, unless memory is below the hard threshold',
      { default: 1_800, effect: NOW },
    ),
    tablet_ttl_before_full_eviction_seconds: integer(
      'seconds since its last use after which a tablet is fully evicted from the node, memory and disk',
      { default: 21_600, effect: NOW },
    ),
  },
  { default: {} },
);

const multiCluster = block(
  'multi-cluster broadcast configuration; leave it out for a standalone or single-cluster engine',
  {
    broadcast_endpoint: string('address of the broadcast service', {
      test: isHostPort,
      expected: 'an address host:port',
      example: 'broadcast.internal:7000',
      effect: NOW,
    }),
    broadcast_ssl_enabled: boolean('use TLS to the broadcast endpoint', {
      default: false,
      effect: NOW,
    }),
    broadcast_tuple_limit_per_engine_cluster: integer(
      'soft limit on rows broadcast per execution stage; 0 is unlimited',
      { default: 0, effect: NOW },
    ),
  },
  { default: null },
);

const port = { min: 1, max: 65_535 } as const;
const node = {
  distexec_port: integer("TCP port of the node's distributed-execution service", {
    ...port,
    default: 5_678,
    effect: NOW,
  }),
  host: string('hostname or IP address of the node', {
    test: isHost,
    expected: 'a host name or an IP address',
    example: '10.0.0.1',
    effect: NOW,
  }),
  shuffle_port: integer("TCP port of the node's data-shuffle service", {
    ...port,
    default: 16_000,
    effect: NOW,
  }),
  storage_agent_port: integer("TCP port of the node's storage agent (local tablet I/O)", {
    ...port,
    default: 3_434,
    effect: NOW,
  }),
  storage_manager_port: integer("TCP port of the node's storage manager (tablet lifecycle and metadata)", {
    ...port,
    default: 1_717,
    effect: NOW,
  }),
};

export const engine = block(
  'query execution engine configuration',
  {
    auto_vacuum: autoVacuum,
    cluster_id: string('unique identifier of this engine cluster', {
      default: null,
      effect: NOW,
    }),
    cluster_ordinal: integer('zero-based ordinal of this cluster in a multi-cluster deployment', {
      default: null,
      effect: NOW,
    }),
    eviction,
    id: string('human-readable engine identifier (logs, metrics, system views)', {
      default: 'default-engine-id',
      test: (text) => text.trim() !== '',
      expected: 'a non-empty string',
      effect: NOW,
    }),
    max_server_memory_usage: byteSize('maximum server memory; 0 derives it from the RAM of the host', {
      default: '0B',
      effect: NOW,
    }),
    max_server_memory_usage_headroom_bytes: byteSize('host memory to keep free', {
      default: '0B',
      effect: NOW,
    }),
    max_server_memory_usage_to_ram_ratio: float(
      'fraction of host RAM usable when max_server_memory_usage is unset',
      { ...FRACTION, default: 0.9, effect: NOW },
    ),
    metrics_collection_frequency_per_minute: integer('metric collections per minute; 12 is every 5 seconds', {
      min: 1,
      default: 12,
      effect: NOW,
    }),
    multi_cluster: multiCluster,
    nodes: list(
      'engine nodes of this instance; left out: one node on 127.0.0.1 with the default ports',
      node,
      { default: null },
    ),
    termination_grace_period: duration(
      'wait for in-flight queries at graceful shutdown before forcing termination',
      { default: '1m', effect: NOW },
    ),
  },
  { default: {} },
);
