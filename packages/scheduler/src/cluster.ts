import type { Incarnation, NodeName, QueryId } from '@tessera/common';
import type { Task, TaskOutcome, TaskProgress } from '@tessera/distexec';

/** A node of the engine as other nodes see it. */
export interface ClusterNode {
  /** The position in `engine.nodes`. */
  readonly index: number;
  /** The `host:port` of its distexec service, which serves as its name. */
  readonly name: NodeName;
  readonly shuffleAddress: string;
  /** An id chosen at random when its process starts. */
  readonly incarnation: Incarnation;
  readonly version: string;
  readonly status: 'running' | 'draining';
  readonly startedAtMs: number;
  readonly threads: number;
  readonly memoryLimitBytes: number;
}

/** A node that `engine.nodes` lists, whether it answers or not. */
export interface ClusterMember {
  /** The position in `engine.nodes`. */
  readonly index: number;
  /** The `host:port` of its distexec service. */
  readonly name: NodeName;
  /**
   * `unknown`: it has not answered since this node started; `refused`: it answers but cannot work with this
   * node.
   */
  readonly status: ClusterNode['status'] | 'unknown' | 'lost' | 'refused';
  /** The reason why it is not alive. */
  readonly reason?: string | undefined;
  /** The node's state at its last answer. */
  readonly node?: ClusterNode | undefined;
}

export interface RemoteTaskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress: (progress: TaskProgress) => void;
}

/** The nodes of the engine, including this one. Pings keep the list up to date. */
export interface ClusterMembership {
  readonly self: ClusterNode;
  /** All nodes that `engine.nodes` lists, in its order, including this one. */
  members(): readonly ClusterMember[];
  /**
   * The nodes that answer, including this one, in the order of `engine.nodes`. A draining node accepts no new
   * tasks.
   */
  living(): readonly ClusterNode[];
  /** The number of nodes in `engine.nodes`. */
  readonly size: number;
  /**
   * Registers a callback for lost nodes (including those that return with another incarnation); the returned
   * function removes it.
   */
  onLost(listener: (node: ClusterNode, reason: string) => void): () => void;
}

export interface ReleaseScope {
  /** Undefined means all runs. */
  readonly run?: number;
  /** Undefined means all stages. */
  readonly stages?: readonly number[];
  /** Whether the outputs take so little memory that they may be kept for another second. */
  readonly isSmall?: boolean;
}

/** Runs tasks on other nodes. */
export interface TaskRunner {
  /**
   * Runs a task on a node.
   * @throws TesseraError NODE_LOST, NODE_RESTARTED, the error of the task
   */
  runTask(node: ClusterNode, task: Task, options: RemoteTaskOptions): Promise<TaskOutcome>;
  /**
   * Best effort: a node that cannot be reached releases everything itself once it misses the coordinator's
   * pings.
   */
  release(node: ClusterNode, queryId: QueryId, which?: ReleaseScope): Promise<void>;
}

/** The nodes of the engine, their tasks and their queries. */
export interface Cluster extends ClusterMembership, TaskRunner {
  /** The running queries of another node, as rows of information_schema; rejects if it does not answer. */
  listQueries(node: ClusterNode): Promise<readonly Record<string, unknown>[]>;
  /** Resolves with false if the node runs no such query, or only one of another user than `ofUser`. */
  cancelQuery(node: ClusterNode, queryId: QueryId, reason: string, ofUser?: string): Promise<boolean>;
  close(): Promise<void>;
}
