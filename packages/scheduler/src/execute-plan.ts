import type { KeySummary, Task } from '@tessera/distexec';
import type { FinishedStage, Stage, StageId } from '@tessera/planner';
import type { Cluster } from './cluster.ts';
import { mergeSummaries } from './layout/key-summaries.ts';
import { sourceFor } from './layout/scan-parts.ts';
import { layOut } from './layout/stage-layout.ts';
import { piecesOf } from './layout/task-pieces.ts';
import type { TaskOutput, TaskSpec } from './layout/task-spec.ts';
import type {
  ExecutedPlan,
  ExecutePlan,
  LocalTasks,
  PlanExecution,
  ScanAssignment,
} from './stage-execution.ts';

export const executePlan: ExecutePlan = async (execution, cluster, local) => {
  const run = new PlainRun(execution, cluster, local);
  return run.run();
};

class PlainRun {
  readonly #execution: PlanExecution;
  readonly #cluster: Cluster;
  readonly #local: LocalTasks;
  readonly #outputs = new Map<StageId, readonly TaskOutput[]>();
  readonly #summaries = new Map<StageId, readonly KeySummary[]>();
  readonly #stages = new Map<StageId, Stage>();

  constructor(execution: PlanExecution, cluster: Cluster, local: LocalTasks) {
    this.#execution = execution;
    this.#cluster = cluster;
    this.#local = local;
  }

  async run(): Promise<ExecutedPlan> {
    const { queryId, session, signal } = this.#execution;
    let { plan } = this.#execution;
    const started = new Set<StageId>();
    const running = new Map<StageId, Promise<StageId>>();
    let sessionTurn: Promise<void> = Promise.resolve();
    for (;;) {
      const root = plan.stages.at(-1)!;
      for (const stage of plan.stages.slice(0, -1)) {
        if (started.has(stage.id) || !needs(stage).every((id) => this.#outputs.has(id))) continue;
        started.add(stage.id);
        this.#stages.set(stage.id, stage);
        const work =
          stage.spread === 'coordinator'
            ? sessionTurn.then(() => this.#runStage(stage))
            : this.#runStage(stage);
        if (stage.spread === 'coordinator') sessionTurn = work;
        running.set(
          stage.id,
          work.then(() => stage.id),
        );
      }
      if (needs(root).every((id) => this.#outputs.has(id))) {
        const [task] = await this.#tasksOf(root);
        const opened = await this.#local.open(this.#task(root, 0, task!), session, signal);
        const release = async () => {
          await Promise.all(this.#cluster.living().map((node) => this.#cluster.release(node, queryId)));
        };
        return { plan, root: opened, profiles: [], release };
      }
      const done = await Promise.race(running.values());
      running.delete(done);
      const finished = new Map([...this.#outputs].map(([id, outputs]) => [id, totals(outputs)]));
      plan = this.#execution.refine(plan, finished, started);
    }
  }

  async #runStage(stage: Stage): Promise<void> {
    const { session, signal, timeoutMs } = this.#execution;
    const specs = await this.#tasksOf(stage);
    const outputs = await Promise.all(
      specs.map(async (spec, i) => {
        const task = this.#task(stage, i, spec);
        const outcome = await (stage.spread === 'coordinator'
          ? this.#local.runTask(task, { session, signal })
          : this.#cluster.runTask(spec.preferred, task, { signal, timeoutMs, onProgress: () => {} }));
        return { node: spec.preferred, attempt: 0, outcome };
      }),
    );
    this.#outputs.set(stage.id, outputs);
    this.#summaries.set(
      stage.id,
      mergeSummaries(
        stage,
        outputs.map(({ outcome }) => outcome),
      ),
    );
  }

  async #tasksOf(stage: Stage): Promise<readonly TaskSpec[]> {
    const { self } = this.#cluster;
    const nodes = this.#cluster.living().filter((node) => node.status === 'running');
    const scans = new Map<number, readonly ScanAssignment[]>();
    for (const [position, source] of stage.sources.entries()) {
      if (source.kind !== 'scan') continue;
      const assigned = await this.#execution.assignScan(source, nodes, this.#summaries);
      if (assigned.length > 0) scans.set(position, assigned);
      else {
        const whole = { ...source, spread: 'whole' } as const;
        scans.set(position, await this.#execution.assignScan(whole, [self], this.#summaries));
      }
    }
    return layOut(stage, { outputs: this.#outputs, scans, nodes, self });
  }

  #task(stage: Stage, task: number, { preferred, sources }: TaskSpec): Task {
    const { queryId, run, timeZone } = this.#execution;
    return {
      key: { queryId, run, stage: stage.id, task, attempt: 0 },
      sql: stage.sql,
      sources: sources.map((source) =>
        source.kind === 'given'
          ? sourceFor(source, preferred)
          : piecesOf(source, this.#stages.get(source.stage)!, this.#outputs.get(source.stage)!, {
              queryId,
              run,
            }),
      ),
      output: stage.output,
      timeZone,
    };
  }
}

const needs = (stage: Stage): readonly StageId[] => [
  ...stage.after,
  ...stage.sources.flatMap((source) =>
    source.kind === 'exchange'
      ? [source.stage]
      : source.kind === 'scan'
        ? source.dynamicFilters.map((filter) => filter.stage)
        : [],
  ),
];

const totals = (outputs: readonly TaskOutput[]): FinishedStage => ({
  rows: outputs.reduce((sum, { outcome }) => sum + outcome.rows, 0),
  bytes: outputs.reduce((sum, { outcome }) => sum + outcome.bytes, 0),
});
