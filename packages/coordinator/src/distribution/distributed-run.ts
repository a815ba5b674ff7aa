import { randomInt } from 'node:crypto';
import type { Snapshot } from '@tessera/catalog';
import { type QueryId, retryDecision } from '@tessera/common';
import type { ResultPart } from '@tessera/distexec';
import type { KernelSession } from '@tessera/kernel';
import type { DistributedPlan } from '@tessera/planner';
import {
  type ClusterMembership,
  type ExecutedPlan,
  type ExecutionProgress,
  executePlan,
  type StreamedResult,
} from '@tessera/scheduler';
import type { ScanUse, StorageAgent } from '@tessera/storage-agent';
import type { ScanTotals } from '@tessera/system-catalog';
import { sessionOptions } from '../objects/session-options.ts';
import { NOTHING_SCANNED } from '../queries/scan-totals.ts';
import type { BoundQuery } from '../read/bound-query.ts';
import type { RowStorage } from '../read/executable-query.ts';
import type { TableAccess } from '../read/table-access.ts';
import type { Settings } from '../request/settings.ts';
import type { ClusterServices } from './cluster-services.ts';
import type { PlannedQuery, UndistributedQuery } from './distributed-plans.ts';
import { assignFiles } from './file-assignment.ts';
import { NOTHING_READ, readOnAllNodes, sumOfReads } from './read-on-all-nodes.ts';
import { type AssignedScan, assignScan } from './scan-assignment.ts';
import { withLocalTaskOptions, withSessionRelations, withTaskOptions } from './task-runners.ts';
import { givesTablets, rewrittenTemplate, withSink, writtenByNodes } from './written-by-nodes.ts';

/** How often a query is planned again because nodes were lost. */
const MAX_RUNS = 3;
/** The highest number of a run, in 32 bits. */
const LAST_RUN = 2 ** 32 - 1;

/**
 * The number of the latest run of this process. A query may run several plans, one after the other, and what one of them has
 * left on other nodes is released later: so no two runs have the same number. Nor does a query of the same id on another
 * node, hence the start at random.
 */
let latestRun = randomInt(LAST_RUN);
const nextRun = (): number => {
  latestRun = (latestRun % LAST_RUN) + 1;
  return latestRun;
};

const LEAST_WRITTEN_BYTES = 64 << 20;

/** With fewer bytes than this, the coordinator writes the rows. */
export const leastWrittenBytes = ({ tablet_min_size_bytes }: Settings): number =>
  Math.min(LEAST_WRITTEN_BYTES, tablet_min_size_bytes);

/** The maximum number of attempts of one task. */
const MAX_ATTEMPTS = 4;

export interface DistributedRun extends DistributedReads {
  readonly kind: 'complete';
  /** SQL of the result, with the columns of the bound query; valid in the session of the query. */
  readonly sql: string;
  readonly executed: ExecutedPlan;
  /** Whether the rows are stored already; the result then lists the tablets. */
  readonly isStored: boolean;
  release(): void;
}

/** What all nodes together read. */
interface DistributedReads {
  readonly accesses: readonly TableAccess[];
  /** The rows and bytes that nodes read of files outside the managed store. */
  readonly readInParts: ScanTotals;
}

/** A run whose tasks run while its result is read. */
export interface StreamingRun {
  readonly kind: 'streaming';
  readonly plan: DistributedPlan;
  /** The first part is available. The SQL of a part has the columns of the bound query. */
  readonly parts: AsyncIterable<ResultPart>;
  /** Resolves when all parts have been read. */
  readonly reads: Promise<DistributedReads>;
  release(): void;
}

export interface DistributedRunOptions {
  /** `membership`: the nodes that may take part in the query. */
  readonly services: ClusterServices & { readonly membership: ClusterMembership };
  readonly agent: StorageAgent;
  readonly session: KernelSession;
  readonly snapshot: Snapshot;
  readonly settings: Settings;
  /** Set if the rows must be stored. */
  readonly storage: RowStorage | undefined;
  readonly queryId: QueryId;
  readonly onRun: (progress: () => ExecutionProgress) => void;
  readonly signal: AbortSignal;
  /** Whether the caller can read the result while tasks run. */
  readonly streams: boolean;
  /** Whether the tasks measure their operators. */
  readonly profiled: boolean;
}

/** A plan whose stages have run: what they read, and the SQL of the root. */
export interface StagedStatement extends Pick<BoundQuery, 'tables' | 'files'> {
  readonly prepared: Pick<BoundQuery['prepared'], 'sessionRelations' | 'namedColumns' | 'withOutput'>;
}

/**
 * Runs all stages of a planned query except the root. If nodes are lost, the query is planned again for the
 * living nodes.
 * @throws TesseraError the error of the query, NO_NODES, the reason of its cancellation
 */
export async function runDistributed(
  statement: StagedStatement,
  plan: () => Promise<PlannedQuery | UndistributedQuery>,
  options: DistributedRunOptions,
): Promise<DistributedRun | StreamingRun | UndistributedQuery> {
  for (let runs = 1; ; runs++) {
    const planned = await plan();
    if (planned.plan === undefined) return planned;
    try {
      return await runOnce(statement, planned, nextRun(), options);
    } catch (error) {
      if (runs === MAX_RUNS || options.signal.aborted || retryDecision(error, 'run') === undefined)
        throw error;
    }
  }
}

async function runOnce(
  { tables, files, prepared }: StagedStatement,
  planned: PlannedQuery,
  run: number,
  options: DistributedRunOptions,
): Promise<DistributedRun | StreamingRun> {
  const { services, agent, session, snapshot, settings, storage, queryId, onRun, signal } = options;
  const { streams, profiled } = options;
  const { maxThreads, sharesTables } = sessionOptions(settings);
  const common = { profiled, maxThreads, sharesTables };
  const scans: AssignedScan[] = [];
  const { plan, refine } =
    storage === undefined
      ? planned
      : writtenByNodes(
          planned,
          (root) => rewrittenTemplate(root, (sql) => storage.rows(prepared.withOutput(sql))),
          leastWrittenBytes(settings),
        );
  const remote = storage === undefined ? services.cluster : withSink(services.cluster, storage.sink);
  const local = withSessionRelations(services.distExec, prepared.sessionRelations);
  const streamed = Promise.withResolvers<StreamedResult>();
  const executing = executePlan(
    {
      queryId,
      run,
      plan,
      refine,
      assignScan: async (scan, nodes, summaries) => {
        const bound = files.get(scan.relation);
        if (bound !== undefined) return assignFiles(bound, scan, nodes, prepared.namedColumns, signal);
        const { table } = tables.get(scan.relation)!;
        const assigned = await assignScan(table, scan, nodes, summaries, { agent, snapshot, signal });
        scans.push(assigned);
        return assigned.assignments;
      },
      session,
      timeZone: settings.timezone,
      timeoutMs: settings.statement_timeout,
      maxAttempts: MAX_ATTEMPTS,
      signal,
      onRun,
      ...(streams && { onResult: streamed.resolve }),
    },
    {
      membership: services.membership,
      remote: withTaskOptions(remote, common),
      local: withLocalTaskOptions(local, common),
    },
  );
  const first = await Promise.race([executing, streamed.promise]);
  if ('parts' in first) return streamingRun(first, executing, (executed) => readsOf(scans, files, executed));
  const executed = first;
  return {
    kind: 'complete',
    sql: executed.root.sql,
    executed,
    ...readsOf(scans, files, executed),
    isStored: givesTablets(executed.plan),
    release: () => {
      executed.root.release();
      void executed.release();
    },
  };
}

/** Waits for the first part: until then, the query can be planned again. */
async function streamingRun(
  { plan, parts, release }: StreamedResult,
  executing: Promise<ExecutedPlan>,
  readsOfRun: (executed: ExecutedPlan) => DistributedReads,
): Promise<StreamingRun> {
  const reads = executing.then((executed) => {
    void executed.release();
    return readsOfRun(executed);
  });
  // Whoever reads the parts gets the error from there.
  reads.catch(() => undefined);
  const first = await parts.next();
  return { kind: 'streaming', plan, parts: from(first, parts), reads, release: () => void release() };
}

async function* from<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * The reads of tables and files on all nodes; the cost of reading all tables is attributed to the first one.
 */
function readsOf(
  scans: readonly AssignedScan[],
  files: BoundQuery['files'],
  executed: ExecutedPlan,
): DistributedReads {
  const outcomes = executed.profiles.flatMap(({ tasksByNode }) => tasksByNode.map(({ outcome }) => outcome));
  const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const bytesFetched = sum((o) => o.storageBytesFetched) + executed.root.storageBytesFetched;
  const bytesCached = sum((o) => o.storageBytesCached) + executed.root.storageBytesCached;
  const reads = [...readOnAllNodes(executed, scans)];
  const ofFiles = sumOfReads(reads.flatMap(([name, one]) => (files.has(name) ? [one] : [])));
  const read = sumOfReads(reads.flatMap(([name, one]) => (files.has(name) ? [] : [one])));
  const accesses = scans.map(({ access }, i) => {
    const tablets =
      access.tabletsTotal -
      access.tabletsSummarised -
      access.tabletsPrunedByPartition -
      access.tabletsPrunedByRange;
    const use: ScanUse = { tablets, bytesFetched: 0, bytesCached: 0, tabletsHot: 0, read: NOTHING_READ };
    return { ...access, isLate: false, use: i === 0 ? { ...use, bytesFetched, bytesCached, read } : use };
  });
  const readInParts = { ...NOTHING_SCANNED, rows: ofFiles.rows, bytesFromFiles: ofFiles.bytes };
  return { accesses, readInParts };
}
