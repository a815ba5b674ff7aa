import { TesseraError } from '@tessera/common';
import type { ScanSource, Stage, StageId, StageSource } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import { forwardedStages } from '../layout/source-tasks.ts';
import { layOut } from '../layout/stage-layout.ts';
import type { TaskSpec } from '../layout/task-spec.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import { isComplete, SESSION, type TaskState } from './scheduler-state.ts';
import { decidingStages, inputStages } from './task-inputs.ts';
import { usableNodes } from './usable-nodes.ts';

/** Starts the stages whose inputs are complete. Returns whether a stage could not start because there is no node. */
export function startStages(draft: Draft): boolean {
  if (draft.state.isRefining) return false;
  let lacksNodes = false;
  for (const { status, stage } of draft.state.stages) {
    if (status !== 'blocked' || !isReady(draft, stage)) continue;
    if (nodesFor(draft, stage).length === 0) lacksNodes = true;
    else startStage(draft, stage);
    if (draft.hasEnded) return false;
  }
  return lacksNodes;
}

function isReady(draft: Draft, stage: Stage): boolean {
  const isRead = (id: StageId) => {
    const input = draft.findStage(id);
    return input !== undefined && isComplete(input);
  };
  return (
    inputStages(stage).every(isRead) &&
    decidingStages(stage).every((id) => draft.findStage(id)?.finished !== undefined)
  );
}

function startStage(draft: Draft, stage: Stage): void {
  const scans = new Map(
    stage.sources.flatMap((source, i): [number, ScanSource][] =>
      source.kind === 'scan' ? [[i, source]] : [],
    ),
  );
  const [before = [], ...others] = nodesOfForwarded(draft, stage);
  const nodes = nodesFor(draft, stage);
  const dividedAmong = meetsForwarded(stage) ? sameNodes(before, nodes) : scans.size === 0 ? before : nodes;
  if (meetsForwarded(stage)) {
    const lists = [before, dividedAmong, ...others];
    const moved = lists
      .flat()
      .find(({ name }) => !lists.every((list) => list.some((one) => one.name === name)));
    if (moved !== undefined) {
      const reason = 'rows were divided by its keys, which other nodes have now';
      endRun(draft, TesseraError.of('NODE_LOST', { node: moved.name, reason }));
      return;
    }
  }
  if (scans.size === 0) {
    draft.updateStage(stage.id, { dividedAmong });
    beginTasks(draft, stage, new Map());
    return;
  }
  draft.updateStage(stage.id, { status: 'assigning', dividedAmong });
  draft.effects.push({
    kind: 'assign',
    stage: stage.id,
    scans,
    nodes: dividedAmong,
    summaries: new Map(
      draft.state.stages.flatMap(({ stage: { id }, finished }) =>
        finished ? [[id, finished.summaries]] : [],
      ),
    ),
  });
}

/** The nodes among which the tables were divided whose rows the stage reads where they are. */
const nodesOfForwarded = (draft: Draft, stage: Stage): readonly (readonly ClusterNode[])[] =>
  [...forwardedStages(stage)].flatMap((id) => {
    const { dividedAmong = [] } = draft.findStage(id) ?? {};
    return dividedAmong.length === 0 ? [] : [dividedAmong];
  });

/** Whether forwarded rows meet rows of other stages or tables with the same keys: all have to be divided among the same nodes. */
const meetsForwarded = (stage: Stage): boolean => {
  const forwards = forwardedStages(stage).size;
  return forwards > 1 || (forwards === 1 && stage.sources.some(isDividedByKeys));
};

const isDividedByKeys = (source: StageSource): boolean =>
  source.kind === 'scan' && (source.keyDomain ?? source.withinKeys?.domain) !== undefined;

/** The nodes of these names as they are now, without those that are gone. */
const sameNodes = (before: readonly ClusterNode[], now: readonly ClusterNode[]): readonly ClusterNode[] =>
  before.flatMap(({ name }) => now.find((node) => node.name === name) ?? []);

/** Handles the assignment of a stage's scans. */
export function stageAssigned(
  draft: Draft,
  id: StageId,
  scans: ReadonlyMap<number, readonly ScanAssignment[]>,
): void {
  const state = draft.findStage(id);
  if (state?.status !== 'assigning') return;
  const isStill = isReady(draft, state.stage) && nodesFor(draft, state.stage).length > 0;
  if (isStill) beginTasks(draft, state.stage, scans);
  else draft.updateStage(id, { status: 'blocked' });
}

function beginTasks(draft: Draft, stage: Stage, scans: ReadonlyMap<number, readonly ScanAssignment[]>): void {
  const outputs = new Map(
    inputStages(stage).map((id) => {
      const { tasks, of } = draft.outputsOf(id);
      return [id, Array.from({ length: tasks }, (_, task) => of(task))];
    }),
  );
  const self = draft.node(SESSION).node;
  const specs = layOut(stage, { outputs, scans, nodes: nodesFor(draft, stage), self });
  draft.updateStage(stage.id, {
    status: 'started',
    tasks: specs.map(newTask),
    created: specs.length,
  });
}

/** Stages that run in the session need only the session's node. */
function nodesFor(draft: Draft, stage: Stage): readonly ClusterNode[] {
  if (stage.partitioning === 'coordinator') return [draft.node(SESSION).node];
  return usableNodes(draft).map((node) => draft.node(node).node);
}

const newTask = (spec: TaskSpec): TaskState => ({
  spec,
  status: 'created',
  node: -1,
  attempt: -1,
  outcome: undefined,
  failures: 0,
  avoid: [],
  isAlone: false,
});
