import { TABLET_ROWS, type TabletSink } from '@tessera/distexec';
import type { DistributedPlan, FinishedStage, SqlTemplate, Stage, StageId } from '@tessera/planner';
import type { TaskRunner } from '@tessera/scheduler';
import type { PlannedQuery } from './distributed-plans.ts';

/** A stage id beyond those that planning assigns. */
const WRITING: StageId = 1_000_000;
const ROOT: StageId = WRITING + 1;

/**
 * The plan of a query whose rows are written where they are computed: a stage replaces the root and writes
 * them as tablets, and the new root gathers the list of tablets. The plan is unchanged if the root does more
 * than process single rows, or if the rows are few.
 * @param storing converts the root's SQL to that of the rows to store
 * @param leastBytes with fewer bytes, the coordinator writes the rows, in fewer tablets
 */
export function writtenByNodes(
  planned: PlannedQuery,
  storing: (root: SqlTemplate) => SqlTemplate,
  leastBytes: number,
): PlannedQuery {
  const origins = new WeakMap<DistributedPlan, DistributedPlan>();
  const writing = (plan: DistributedPlan, finished: ReadonlyMap<StageId, FinishedStage>) => {
    const root = plan.stages.at(-1)!;
    const bytes = bytesToWrite(plan, root, finished);
    if (bytes === undefined || bytes < leastBytes) return plan;
    const stage = writingStage(root, storing, cpuMsOfSources(plan, root));
    const made = { ...plan, stages: [...plan.stages.slice(0, -1), stage, ROOT_STAGE] };
    origins.set(made, plan);
    return made;
  };
  return {
    plan: writing(planned.plan, new Map()),
    refine: (plan, finished, started) => {
      if (started.has(WRITING)) return plan;
      return writing(planned.refine(origins.get(plan) ?? plan, finished, started), finished);
    },
  };
}

/** Whether the rows of the plan's root are tablets. */
export const givesTablets = ({ stages }: DistributedPlan): boolean => stages.at(-1)?.id === ROOT;

/** The task runner, with tasks that write tablets where the plan requires it. */
export const withSink = (remote: TaskRunner, sink: TabletSink): TaskRunner => ({
  runTask: (node, task, options) =>
    remote.runTask(node, task.key.stage === WRITING ? { ...task, sink } : task, options),
  release: (node, queryId, which) => remote.release(node, queryId, which),
});

/** The bytes of the rows that the root reads; undefined if they are not distributed, or the root does more than process rows. */
function bytesToWrite(
  { stages }: DistributedPlan,
  root: Stage,
  finished: ReadonlyMap<StageId, FinishedStage>,
): number | undefined {
  if (root.isRowWise !== true) return undefined;
  const read = root.sources.map((source) =>
    source.kind === 'exchange' ? stages.find(({ id }) => id === source.stage) : undefined,
  );
  if (!read.some((stage) => stage?.partitioning === 'source' || stage?.partitioning === 'hash'))
    return undefined;
  return read.reduce((sum, stage) => sum + (stage ? (finished.get(stage.id) ?? stage.estimate).bytes : 0), 0);
}

/** The estimated CPU time of the stages that the root reads. */
const cpuMsOfSources = ({ stages }: DistributedPlan, { sources }: Stage): number =>
  stages
    .filter(({ id }) => sources.some((source) => source.kind === 'exchange' && source.stage === id))
    .reduce((sum, { estimate }) => sum + (estimate.cpuMs ?? 0), 0);

/** @param cpuMs the time that writing is expected to take: as long as computing the rows and storing them as exchanged blocks */
const writingStage = (root: Stage, storing: (root: SqlTemplate) => SqlTemplate, cpuMs: number): Stage => ({
  ...root,
  id: WRITING,
  partitioning: 'source',
  sources: root.sources.map((source) => ({ ...source, mode: 'forward' }) as Stage['sources'][number]),
  sql: storing(root.sql),
  output: { ...TABLET_ROWS, summarised: [] },
  estimate: { ...root.estimate, cpuMs },
  // A second attempt writes other tablets.
  isVolatile: true,
  outline: () => ['write tablets', ...root.outline().map((line) => `  ${line}`)],
});

const ROOT_STAGE: Stage = {
  id: ROOT,
  partitioning: 'coordinator',
  sources: [{ kind: 'exchange', stage: WRITING, mode: 'gather' }],
  sql: ['SELECT tablet FROM ', 0, ' AS written'],
  output: { ...TABLET_ROWS, summarised: [] },
  estimate: { rows: 1, bytes: 1_000 },
  after: [],
  isVolatile: false,
  outline: () => ['gather tablets'],
};

/** The bound name of the files in a plan of `filesToTablets`. */
export const COPIED_FILES = 'files';

/** A plan in which nodes read parts of files and write the rows of `sql` over them as tablets. */
export const filesToTablets = (
  sql: SqlTemplate,
  columns: readonly string[],
  estimate: Stage['estimate'],
): DistributedPlan => ({
  stages: [
    {
      id: WRITING,
      partitioning: 'source',
      sources: [
        {
          kind: 'scan',
          relation: COPIED_FILES,
          columns,
          filters: [],
          partitioning: 'source',
          dynamicFilters: [],
        },
      ],
      sql,
      output: { ...TABLET_ROWS, summarised: [] },
      estimate,
      after: [],
      // A second attempt writes other tablets.
      isVolatile: true,
      outline: () => ['write tablets', '  scan files'],
    },
    ROOT_STAGE,
  ],
  unboundedGathers: [],
});

/** Applies a rewrite of SQL text to a template; placeholders of sources are kept. */
export function rewrittenTemplate(template: SqlTemplate, rewrite: (sql: string) => string): SqlTemplate {
  const text = template.map((part) => (typeof part === 'string' ? part : `"$source${part}$"`)).join('');
  return rewrite(text)
    .split(/"\$source(\d+)\$"/)
    .map((part, i) => (i % 2 === 0 ? part : Number(part)));
}
