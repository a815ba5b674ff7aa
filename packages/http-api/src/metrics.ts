import type { UploadedFile } from '@tessera/coordinator';
import type { AgentMetrics } from '@tessera/storage-agent';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricsSources {
  /** Queries in the engine at this moment. */
  runningQueries(): number;
  kernelRestarts(): number;
  /** Queries on tables that were read whole because their plan was not understood, since the start. */
  unplannedQueries(): number;
  undistributedQueries(): number;
  gatheringQueries(): number;
  storageAgent(): AgentMetrics;
  cluster(): ClusterMetrics;
}

/** What the nodes of the engine do for each other, seen from this one. */
export interface ClusterMetrics {
  readonly nodesConfigured: number;
  readonly nodesLiving: number;
  readonly runningTasks: number;
  readonly exchangeBytes: number;
}

const CLUSTER_GAUGES: Readonly<Record<keyof ClusterMetrics, string>> = {
  nodesConfigured: 'Nodes that the configuration names',
  nodesLiving: 'Nodes that answer this one, itself among them',
  runningTasks: 'Tasks of queries that run on this node or wait for their turn',
  exchangeBytes: 'Bytes that tasks of this node keep for others',
};

const AGENT_GAUGES: Readonly<Record<keyof AgentMetrics, string>> = {
  tabletsHot: 'Tablets in memory',
  tabletsOnDisk: 'Tablets on local disk, whole or in part',
  bytesHot: 'Bytes of memory that tablets take',
  bytesOnDisk: 'Bytes of local disk that tablets take',
  bytesFetched: 'Bytes fetched from the object store since the start',
  hits: 'Requests for tablets that needed nothing from the object store, since the start',
  misses: 'Requests for tablets that needed something from the object store, since the start',
  corruptRefetches: 'Damaged answers of the object store that were asked for again, since the start',
  promotionsPending: 'Tables that are being loaded into memory or wait for it',
};

/** What `GET /metrics` tells, in Prometheus' text format. */
export class HttpMetrics {
  readonly #registry = new Registry();
  readonly #queries: Counter<'outcome'>;
  readonly #seconds: Histogram;
  readonly #uploadedFiles: Counter;
  readonly #uploadedBytes: Counter;
  readonly #sentBytes: Counter;

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#queries = new Counter({
      name: 'tessera_queries_total',
      help: 'Queries answered, by outcome: ok or the name of the error',
      labelNames: ['outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'tessera_query_duration_seconds',
      help: 'From the head of the request to the last byte of the answer',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    });
    this.#uploadedFiles = new Counter({
      name: 'tessera_uploaded_files_total',
      help: 'File parts received',
      registers,
    });
    this.#uploadedBytes = new Counter({
      name: 'tessera_uploaded_bytes_total',
      help: 'Bytes of file parts, decoded',
      registers,
    });
    this.#sentBytes = new Counter({
      name: 'tessera_result_bytes_total',
      help: 'Bytes of result bodies',
      registers,
    });
    gauge('tessera_running_queries', 'Queries in the engine now', sources.runningQueries, registers);
    gauge(
      'tessera_kernel_restarts',
      'Kernel processes replaced since the start',
      sources.kernelRestarts,
      registers,
    );
    gauge(
      'tessera_unplanned_queries',
      'Queries on tables that were read whole because their plan was not understood, since the start',
      sources.unplannedQueries,
      registers,
    );
    gauge(
      'tessera_undistributed_queries',
      'Queries on large tables that ran on one node because their plan could not be told in stages, since the start',
      sources.undistributedQueries,
      registers,
    );
    gauge(
      'tessera_gathering_queries',
      'Queries of which inputs without a bound were gathered on one node, since the start',
      sources.gatheringQueries,
      registers,
    );
    gauges('tessera_storage_agent', AGENT_GAUGES, () => sources.storageAgent(), registers);
    gauges('tessera_cluster', CLUSTER_GAUGES, () => sources.cluster(), registers);
  }

  /** Starts the clock of a query; the function returned stops it. */
  startQuery(): (outcome: string) => void {
    const stop = this.#seconds.startTimer();
    return (outcome) => {
      stop();
      this.#queries.inc({ outcome });
    };
  }

  received(files: ReadonlyMap<string, UploadedFile>): void {
    this.#uploadedFiles.inc(files.size);
    for (const file of files.values()) this.#uploadedBytes.inc(file.bytes);
  }

  sent(bytes: number): void {
    this.#sentBytes.inc(bytes);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function gauges<F extends string>(
  prefix: string,
  helps: Readonly<Record<F, string>>,
  read: () => Readonly<Record<F, number>>,
  registers: Registry[],
): void {
  for (const [field, help] of Object.entries<string>(helps)) {
    const name = `${prefix}_${field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`;
    gauge(name, help, () => read()[field as F], registers);
  }
}

function gauge(name: string, help: string, read: () => number, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
