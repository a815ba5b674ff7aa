import type { Rights, Visible } from '@tessera/access-control';
import type { ObjectId, Snapshot } from '@tessera/catalog';
import type { OutputColumn } from '@tessera/sql';
import type { FinishedQuery, QueryFacts } from './query-facts.ts';
import type { SystemValue } from './system-relation.ts';

/** One sample of what the node uses. */
export interface MetricsSample {
  readonly time: Date;
  readonly node: string;
  /** Share of all processors, 0 to 1. */
  readonly cpuUsed: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Of the requests for tablets since the sample before; null when there was none. */
  readonly cacheHitRatio: number | null;
  readonly spilledBytes: number;
  readonly runningQueries: number;
  readonly suspendedQueries: number;
}

export interface NodeFacts {
  readonly name: string;
  readonly host: string;
  readonly status: 'running' | 'draining' | 'unknown' | 'lost' | 'refused';
  readonly version: string | undefined;
  readonly startedAt: Date | undefined;
  /** Why it has no part in queries. */
  readonly reason?: string | undefined;
}

/** A transaction, as `information_schema.transactions` shows it. */
export interface TransactionInfo {
  readonly id: string;
  readonly user: string;
  readonly startedAt: Date;
  readonly lastUsedAt: Date;
  readonly status: 'open' | 'aborted';
  readonly readVersion: number;
  readonly statements: number;
}

/** A prepared statement of a connection, as `pg_prepared_statements` shows it. */
export interface PreparedStatementFacts {
  readonly name: string;
  /** As the client sent it. */
  readonly statement: string;
  readonly preparedAt: Date;
  /** PostgreSQL's names of the types, by position. */
  readonly parameterTypes: readonly string[];
  /** PREPARE made it, and not a message of the protocol. */
  readonly fromSql: boolean;
  readonly executions: number;
}

/** Everything that the views of `information_schema` tell. */
export interface SystemFacts {
  readonly snapshot: Snapshot;
  /** Whose `information_schema` is read: other databases show in `catalogs` alone. */
  readonly database: string;
  readonly user: string;
  /** Undefined: the answer has the dialect's names of types. */
  readonly protocol?: 'postgres' | undefined;
  /** Of the connection that asks; empty where there is none. */
  readonly preparedStatements: readonly PreparedStatementFacts[];
  readonly rights: Rights;
  /** Columns of views by their ids, for relations that tell of them; empty for others. */
  readonly viewColumns: ReadonlyMap<ObjectId, readonly OutputColumn[]>;
  /** What of the catalog the user is told of. */
  readonly isVisible: Visible;
  readonly engine: string;
  readonly transactions: readonly TransactionInfo[];
  readonly running: readonly QueryFacts[];
  /** Rows of `engine_running_queries` that other nodes of the engine tell. */
  readonly elsewhere: readonly (readonly SystemValue[])[];
  /** Name of this node. */
  readonly node: string;
  readonly history: Iterable<FinishedQuery>;
  readonly metrics: Iterable<MetricsSample>;
  readonly nodes: readonly NodeFacts[];
}
