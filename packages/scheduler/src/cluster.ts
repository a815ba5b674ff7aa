import type { Task, TaskOutcome, TaskProgress } from '@tessera/distexec';

/** A node of the engine as its peers see it. */
export interface ClusterNode {
  /** Position in `engine.nodes`. */
  readonly index: number;
  /** `host:port` of its distexec service: what people call it. */
  readonly name: string;
  readonly shuffleAddress: string;
  /** Chosen at random when its process starts. */
  readonly incarnation: string;
  readonly version: string;
  readonly status: 'running' | 'draining';
  readonly startedAtMs: number;
  readonly threads: number;
  readonly memoryLimitBytes: number;
}

/** A node that `engine.nodes` names, whether it answers or not. */
export interface ClusterMember {
  /** Position in `engine.nodes`. */
  readonly index: number;
  /** `host:port` of its distexec service. */
  readonly name: string;
  /** `unknown`: has not answered since this node started; `refused`: answers but cannot work with this node. */
  readonly status: ClusterNode['status'] | 'unknown' | 'lost' | 'refused';
  /** Why it is not among the living. */
  readonly reason?: string | undefined;
  /** What it said of itself when it last answered. */
  readonly node?: ClusterNode | undefined;
}

export interface RemoteTaskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress: (progress: TaskProgress) => void;
}

/** The nodes of the engine, this one among them, and how to reach them. Kept up to date by pings. */
export interface Cluster {
  readonly self: ClusterNode;
  /** All that `engine.nodes` names, in its order, this one among them. */
  members(): readonly ClusterMember[];
  /** Those that answer, this one among them, in the order of `engine.nodes`. Who is draining takes no new tasks. */
  living(): readonly ClusterNode[];
  /** How many `engine.nodes` names. */
  readonly size: number;
  /** Calls back when a node is lost (or comes back as another incarnation); answers how to stop. */
  onLost(listener: (node: ClusterNode, reason: string) => void): () => void;
  /**
   * Runs a task on a node.
   * @throws TesseraError NODE_LOST, NODE_RESTARTED, what the task failed with
   */
  runTask(node: ClusterNode, task: Task, options: RemoteTaskOptions): Promise<TaskOutcome>;
  /** Best effort: a node that cannot be reached frees what it has by itself when it misses the coordinator. */
  release(
    node: ClusterNode,
    queryId: string,
    which?: { readonly run?: number; readonly stages?: readonly number[] },
  ): Promise<void>;
  /** The running queries of another node, as information_schema tells them; rejects when it does not answer. */
  listQueries(node: ClusterNode): Promise<readonly Record<string, unknown>[]>;
  /** False where the node runs no such query, or only one of another user than `ofUser`. */
  cancelQuery(node: ClusterNode, queryId: string, reason: string, ofUser?: string): Promise<boolean>;
  close(): Promise<void>;
}
