import type { Rights, Visible } from '@tessera/access-control';
import type { ObjectId, Snapshot } from '@tessera/catalog';
import type { NodeName } from '@tessera/common';
import type { OutputColumn } from '@tessera/sql';
import type { FinishedQuery, QueryFacts } from './query-facts.ts';
import type { SystemValue } from './system-relation.ts';

/** One sample of the node's resource use. */
export interface MetricsSample {
  readonly time: Date;
  readonly node: NodeName;
  /** The fraction of all processors that is in use, 0 to 1. */
  readonly cpuUsed: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** The hit ratio of requests for tablets since the previous sample; null if there was none. */
  readonly cacheHitRatio: number | null;
  readonly spilledBytes: number;
  readonly runningQueries: number;
  readonly suspendedQueries: number;
}

/** A parameter of the node's configuration file. */
export interface ConfigurationFacts {
  readonly path: string;
  /** As in the file; secrets are masked. Undefined for a parameter without a value. */
  readonly value: string | undefined;
  readonly isSet: boolean;
  readonly meaning: string;
}

export interface NodeFacts {
  readonly name: string;
  readonly host: string;
  readonly status: 'running' | 'draining' | 'unknown' | 'lost' | 'refused';
  readonly version: string | undefined;
  readonly startedAt: Date | undefined;
  /** The reason why it does not take part in queries. */
  readonly reason?: string | undefined;
}

/** A transaction, as a row of `information_schema.transactions`. */
export interface TransactionInfo {
  readonly id: string;
  readonly user: string;
  readonly startedAt: Date;
  readonly lastUsedAt: Date;
  readonly status: 'open' | 'aborted';
  readonly readVersion: number;
  readonly statements: number;
}

/** A prepared statement of a connection, as a row of `pg_prepared_statements`. */
export interface PreparedStatementFacts {
  readonly name: string;
  /** The text as the client sent it. */
  readonly statement: string;
  readonly preparedAt: Date;
  /** PostgreSQL's names of the parameter types, by position. */
  readonly parameterTypes: readonly string[];
  /** Whether it was created by PREPARE, and not by a message of the protocol. */
  readonly fromSql: boolean;
  readonly executions: number;
}

/** The facts that the nodes of a cluster know by themselves, and other clusters do not. */
export interface ClusterFacts {
  readonly engine: string;
  /** `engine.cluster_id`; undefined for an engine of one cluster. */
  readonly cluster: string | undefined;
  readonly transactions: readonly TransactionInfo[];
  readonly running: readonly QueryFacts[];
  /** The rows of `engine_running_queries` of other nodes. */
  readonly elsewhere: readonly (readonly SystemValue[])[];
  /** The name of this node. */
  readonly node: NodeName;
  readonly history: Iterable<FinishedQuery>;
  readonly metrics: Iterable<MetricsSample>;
  readonly nodes: readonly NodeFacts[];
}

/** A row that another cluster has sent: its values by column name, times as ISO 8601 texts. */
export interface RowOfCluster {
  /** The `engine.id` of the sender. */
  readonly engine: string;
  /** The `engine.cluster_id` of the sender; undefined for an engine of one cluster. */
  readonly cluster: string | undefined;
  readonly row: Readonly<Record<string, unknown>>;
}

/** All facts that the views of `information_schema` show. */
export interface SystemFacts extends ClusterFacts {
  readonly snapshot: Snapshot;
  /** The database whose `information_schema` is read; other databases only appear in `catalogs`. */
  readonly database: string;
  readonly user: string;
  /** If undefined, the answer uses the dialect's type names. */
  readonly protocol?: 'postgres' | undefined;
  /** The prepared statements of the client's connection; empty if there is none. */
  readonly preparedStatements: readonly PreparedStatementFacts[];
  readonly rights: Rights;
  /** The columns of views by view id, for relations that show them; empty for others. */
  readonly viewColumns: ReadonlyMap<ObjectId, readonly OutputColumn[]>;
  /** Empty for users who are no administrators. */
  readonly configuration: readonly ConfigurationFacts[];
  /** The objects of the catalog that the user may see. */
  readonly isVisible: Visible;
  /** The rows of the view that is read (see `viewOfOthers`) in other clusters of the engine and in other engines. */
  readonly otherClusters: readonly RowOfCluster[];
}
