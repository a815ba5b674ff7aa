import { asIncarnation, asNodeName, asQueryId, cancellation, TesseraError } from '@tessera/common';
import type { OpenedSources, ResultPart, ResultTask, Task, TaskOutcome } from '@tessera/distexec';
import type { KernelSession } from '@tessera/kernel';
import type { DistributedPlan, ScanSource, Stage, StageSource } from '@tessera/planner';
import type {
  Cluster,
  ClusterNode,
  ExecutingNodes,
  LocalTasks,
  PlanExecution,
  RemoteTaskOptions,
  ScanAssignment,
} from '@tessera/scheduler';

/** Called for each attempt; the attempt ends after the returned promise. `hasRows` makes its rows readable before that. */
type Hook = (task: Task, node: ClusterNode, signal: AbortSignal, hasRows: () => void) => Promise<void> | void;

/** Nodes whose tasks copy the rows of their sources. A row is a number, which is also its bucket. */
export class MemoryCluster implements Cluster, LocalTasks {
  readonly nodes: ClusterNode[];
  readonly size: number;
  /** All attempts as `<name> <stage>/<task>/<attempt>`, in the order in which they began. */
  readonly begun: string[] = [];
  readonly released: string[] = [];
  hook: Hook = () => {};
  readonly #outputs = new Map<string, readonly number[]>();
  readonly #listeners = new Set<(node: ClusterNode, reason: string) => void>();

  constructor(size: number) {
    this.size = size;
    this.nodes = Array.from({ length: size }, (_, index) => node(index, 'running'));
  }

  get self(): ClusterNode {
    return this.nodes[0]!;
  }

  members = () => [];
  living = () => this.nodes;

  onLost(listener: (node: ClusterNode, reason: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes a node lose its outputs and stop answering. */
  lose(name: string): void {
    const [lost] = this.nodes.splice(
      this.nodes.findIndex((one) => one.name === name),
      1,
    );
    for (const listener of this.#listeners) listener(lost!, 'stopped');
  }

  async runTask(
    node: ClusterNode | Task,
    task: Task | { readonly signal: AbortSignal },
    options?: RemoteTaskOptions,
  ): Promise<TaskOutcome> {
    if ('key' in node) return this.#run(this.self, node, (task as { signal: AbortSignal }).signal);
    return this.#run(node, task as Task, options!.signal, () => options!.onProgress({ hasRows: true }));
  }

  async open(task: Pick<Task, 'sql' | 'sources'>): Promise<OpenedSources> {
    const rows = task.sources.flatMap((source) => this.#read(source));
    return {
      sql: `VALUES ${rows.sort((a, b) => a - b).join(', ')}`,
      fetchedRows: rows.length,
      fetchedBytes: 0,
      spilledBytes: 0,
      storageBytesFetched: 0,
      storageBytesCached: 0,
      reads: [],
      release: () => {},
    };
  }

  async *results(
    { sql: template, reads, outputs }: ResultTask,
    _session: KernelSession,
    signal: AbortSignal,
  ): AsyncGenerator<ResultPart, void> {
    for (const output of outputs) {
      for (let isRead = false; !isRead; ) {
        const block = await output.attempt();
        let rows: readonly number[];
        try {
          rows = this.#read({ kind: 'exchange', blocks: [block], shape: { columns: [], hashKeys: [] } });
        } catch (error) {
          output.failed(block, error);
          continue;
        }
        if (signal.aborted) throw cancellation(signal);
        if (!output.begin(block)) continue;
        isRead = true;
        const sourceSql = (source: number) => (reads.includes(source) ? rows.join(' ') : 'empty');
        const sql = template.map((part) => (typeof part === 'string' ? part : sourceSql(part))).join('');
        yield { sql, rows: rows.length, bytes: 0, spilledBytes: 0, release: async () => {} };
        await output.end(block, rows.length);
      }
    }
  }

  async release(
    node: ClusterNode,
    queryId: string,
    which?: { run?: number; stages?: readonly number[] },
  ): Promise<void> {
    this.released.push(`${node.name} ${queryId} run ${which?.run} stages ${which?.stages ?? 'all'}`);
  }

  listQueries = async () => [];
  cancelQuery = async () => false;
  close = async () => {};

  async #run(
    node: ClusterNode,
    task: Task,
    signal: AbortSignal,
    onRows: () => void = () => {},
  ): Promise<TaskOutcome> {
    const { stage, task: index, attempt } = task.key;
    this.begun.push(`${node.name} ${stage}/${index}/${attempt}`);
    const stopped = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(cancellation(signal))),
    );
    const keep = () => {
      const kept = task.sources.flatMap((source) => this.#read(source));
      this.#outputs.set(`${node.incarnation} ${stage}/${index}/${attempt}`, kept);
      return kept;
    };
    const hasRows = () => {
      keep();
      onRows();
    };
    await Promise.race([this.hook(task, node, signal, hasRows), stopped]);
    return outcomeOf(keep());
  }

  #read(source: Task['sources'][number]): readonly number[] {
    if (source.kind === 'scan') return source.tablets as unknown as readonly number[];
    if (source.kind === 'session') return [1_000];
    if (source.kind === 'files') return [];
    return source.blocks.flatMap(({ producer: { stage, task, attempt }, incarnation, buckets }) => {
      const owner = this.nodes.find((one) => one.incarnation === incarnation);
      const rows = owner && this.#outputs.get(`${incarnation} ${stage}/${task}/${attempt}`);
      if (rows === undefined) {
        const reason = 'gone';
        throw TesseraError.of('FETCH_FAILED', { node: incarnation, stage, task, attempt, reason });
      }
      const [from, to] = buckets ?? [0, 1024];
      return rows.filter((row) => row % 1024 >= from && row % 1024 < to);
    });
  }
}

const node = (index: number, status: ClusterNode['status']): ClusterNode => ({
  index,
  name: asNodeName(`n${index}`),
  shuffleAddress: `n${index}:1`,
  incarnation: asIncarnation(`i${index}`),
  version: '1',
  status,
  startedAtMs: 0,
  threads: 1,
  memoryLimitBytes: 1,
});

function outcomeOf(rows: readonly number[]): TaskOutcome {
  const bucketRows = new Array<number>(1024).fill(0);
  for (const row of rows) bucketRows[row % 1024]!++;
  const none = {
    fetchedRows: 0,
    fetchedBytes: 0,
    storageBytesFetched: 0,
    storageBytesCached: 0,
    reads: [],
    spilledBytes: 0,
  };
  return {
    rows: rows.length,
    bytes: rows.length << 20,
    bucketRows,
    cpuMs: 1,
    elapsedMs: 1,
    ...none,
    summaries: [],
  };
}

export const scan = (relation: string): ScanSource => ({
  kind: 'scan',
  relation,
  columns: ['a'],
  filters: [],
  partitioning: 'source',
  dynamicFilters: [],
});

export const exchange = (stage: number, mode: 'hash' | 'broadcast' | 'gather' | 'forward'): StageSource => ({
  kind: 'exchange',
  stage,
  mode,
});

export const stage = (
  id: number,
  partitioning: Stage['partitioning'],
  sources: readonly StageSource[],
  more: Partial<Stage> = {},
): Stage => ({
  id,
  partitioning,
  sources,
  sql: ['FROM ', 0],
  output: { columns: [{ name: 'a', type: 'BIGINT' }], hashKeys: [0], summarised: [] },
  estimate: { rows: 1, bytes: 1 },
  after: [],
  isVolatile: false,
  outline: () => [],
  ...more,
});

/** A run over tables whose rows are the numbers below their size, spread evenly. */
export function executionOf(
  stages: readonly Stage[],
  tables: Readonly<Record<string, number>>,
  more: Partial<PlanExecution> = {},
): PlanExecution {
  const plan: DistributedPlan = { stages, unboundedGathers: [] };
  return {
    queryId: asQueryId('q'),
    run: 1,
    plan,
    refine: (same) => same,
    assignScan: async ({ relation, partitioning }, nodes) => assigned(tables[relation]!, partitioning, nodes),
    session: {} as KernelSession,
    timeZone: 'UTC',
    timeoutMs: 0,
    maxAttempts: 4,
    signal: new AbortController().signal,
    onRun: () => {},
    ...more,
  };
}

function assigned(
  rows: number,
  partitioning: ScanSource['partitioning'],
  nodes: readonly ClusterNode[],
): readonly ScanAssignment[] {
  const all = Array.from({ length: rows }, (_, row) => row);
  return nodes
    .map((owner, i) => ({
      owner,
      own: partitioning === 'replicated' ? all : all.filter((row) => row % nodes.length === i),
    }))
    .filter(({ own }, i) => own.length > 0 || partitioning === 'replicated' || (rows === 0 && i === 0))
    .map(({ owner, own }) => ({
      node: owner,
      bytes: own.length,
      source: { kind: 'scan', table: {}, tablets: own, columns: [1] } as unknown as ScanAssignment['source'],
    }));
}

export const sortedRows = (count: number): string =>
  `VALUES ${Array.from({ length: count }, (_, row) => row).join(', ')}`;

/** A cluster in memory runs the tasks of the local node too. */
export const executingOn = (cluster: MemoryCluster): ExecutingNodes => ({
  membership: cluster,
  remote: cluster,
  local: cluster,
});
