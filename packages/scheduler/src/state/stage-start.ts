import type { ScanSource, Stage, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import { layOut } from '../layout/stage-layout.ts';
import type { TaskSpec } from '../layout/task-spec.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import type { Draft } from './draft.ts';
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
  if (scans.size === 0) {
    beginTasks(draft, stage, new Map());
    return;
  }
  draft.updateStage(stage.id, { status: 'assigning' });
  draft.effects.push({
    kind: 'assign',
    stage: stage.id,
    scans,
    nodes: nodesFor(draft, stage),
    summaries: new Map(
      draft.state.stages.flatMap(({ stage: { id }, finished }) =>
        finished ? [[id, finished.summaries]] : [],
      ),
    ),
  });
}

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
