import { retryDecision, type TesseraError } from '@tessera/common';
import type { TaskOutcome } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import { mergeSummaries } from '../layout/key-summaries.ts';
import { failAttempt, releaseNode, stopAttempt } from './attempt-end.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-of-run.ts';
import type { AttemptRef } from './events.ts';
import { invalidateReaders, loseOutputsOf } from './lost-outputs.ts';
import { askForBetterPlan } from './plan-refinement.ts';
import { isComplete, rootOf, SESSION, type TaskState } from './scheduler-state.ts';
import { exchangeParts, inputStages, readsTask } from './task-inputs.ts';

/**
 * Handles a successful attempt. The first success of a task counts; results of superseded attempts are
 * ignored.
 */
export function taskFinished(draft: Draft, ref: AttemptRef, outcome: TaskOutcome): void {
  const before = runningTask(draft, ref);
  if (before === undefined) return;
  const { stage: id, task } = ref;
  releaseNode(draft, id, task);
  draft.updateTask(id, task, { status: 'succeeded', outcome });
  if (before.outcome !== undefined && !isSameOutput(before.outcome, outcome))
    invalidateReaders(draft, id, task, 'all');
  if (isComplete(draft.stage(id))) stageCompleted(draft, id);
}

/** Handles that the root's inputs are open: outputs that are lost from now on are the reader's concern. */
export function rootOpened(draft: Draft, ref: AttemptRef): void {
  if (runningTask(draft, ref) === undefined || ref.stage !== rootOf(draft.state)) return;
  releaseNode(draft, ref.stage, ref.task);
  draft.updateTask(ref.stage, ref.task, { status: 'succeeded' });
  endRun(draft, undefined);
}

export function taskFailed(draft: Draft, ref: AttemptRef, error: TesseraError): void {
  const task = runningTask(draft, ref);
  if (task === undefined) return;
  const producer = error.name === 'FETCH_FAILED' ? producerOf(error) : undefined;
  if (
    producer !== undefined &&
    exchangeParts(task.spec).some((part) => readsTask(part, producer.stage, producer.task))
  ) {
    fetchFailed(draft, ref, producer, error);
    return;
  }
  const retry = retryDecision(error, 'task');
  // A task in the query's session has no other place to run in.
  const isStuck = task.node === SESSION && (error.name === 'KERNEL_LOST' || error.name === 'DISK_FULL');
  if (retry === undefined || isStuck) {
    endRun(draft, error);
    return;
  }
  if (error.name === 'DRAINING') draft.updateNode(task.node, { status: 'draining' });
  failAttempt(draft, ref.stage, ref.task, error, { isAlone: retry.place === 'alone' });
}

/** The task of a running attempt; undefined for events of attempts that no longer run. */
function runningTask(draft: Draft, { stage, task, attempt }: AttemptRef): TaskState | undefined {
  const state = draft.findStage(stage)?.tasks[task];
  return state?.status === 'running' && state.attempt === attempt ? state : undefined;
}

/** Whether a recomputed output is the same. Equal row counts of equal buckets are taken for equal rows. */
function isSameOutput(a: TaskOutcome, b: TaskOutcome): boolean {
  return (
    a.rows === b.rows &&
    a.bucketRows.length === b.bucketRows.length &&
    a.bucketRows.every((rows, bucket) => rows === b.bucketRows[bucket])
  );
}

function stageCompleted(draft: Draft, id: StageId): void {
  const { stage, tasks, finished } = draft.stage(id);
  if (finished !== undefined) return;
  const outcomes = tasks.map(({ outcome }) => outcome!);
  draft.updateStage(id, {
    finished: {
      rows: outcomes.reduce((sum, { rows }) => sum + rows, 0),
      bytes: outcomes.reduce((sum, { bytes }) => sum + bytes, 0),
      summaries: mergeSummaries(stage, outcomes),
    },
  });
  releaseConsumedInputs(draft, id);
  askForBetterPlan(draft);
}

function producerOf({ params }: TesseraError): AttemptRef | undefined {
  const { stage, task, attempt } = params ?? {};
  if (typeof stage !== 'number' || typeof task !== 'number' || typeof attempt !== 'number') return undefined;
  return { stage, task, attempt };
}

/**
 * Handles a failed fetch. It is not the reader's fault, so the reader waits until its input was recomputed.
 */
function fetchFailed(draft: Draft, reader: AttemptRef, producer: AttemptRef, error: TesseraError): void {
  stopAttempt(draft, reader.stage, reader.task);
  const { status, attempt, node, failures, avoid } = draft.task(producer.stage, producer.task);
  if (status !== 'succeeded' || attempt !== producer.attempt) return;
  draft.updateTask(producer.stage, producer.task, {
    status: 'outputLost',
    failures: failures + 1,
    avoid: node === SESSION || avoid.includes(node) ? avoid : [...avoid, node],
  });
  if (failures + 1 >= draft.state.options.maxAttempts) {
    endRun(draft, error);
    return;
  }
  const { fetchFailures } = draft.node(node);
  draft.updateNode(node, { fetchFailures: fetchFailures + 1 });
  if (fetchFailures > 0) loseOutputsOf(draft, node);
}

/**
 * Releases the outputs of the stages that `id` reads if `id` was their last reader and they are large. If a reader needs them
 * again because its own output was lost, they are recomputed like the outputs of a lost node.
 */
function releaseConsumedInputs(draft: Draft, id: StageId): void {
  const root = rootOf(draft.state);
  for (const input of new Set(inputStages(draft.stage(id).stage))) {
    const { stage, finished, succeeded: done } = draft.stage(input);
    if (stage.isVolatile || done === 0 || finished === undefined) continue;
    if (finished.bytes < draft.state.options.releaseBytes) continue;
    const readers = draft.state.stages.filter((reader) => inputStages(reader.stage).includes(input));
    if (!readers.every((reader) => reader.stage.id !== root && isComplete(reader))) continue;
    const nodes = new Set<number>();
    draft.stage(input).tasks.forEach(({ status, node }, task) => {
      if (status !== 'succeeded') return;
      nodes.add(node);
      draft.updateTask(input, task, { status: 'outputLost' });
    });
    for (const node of nodes)
      draft.effects.push({ kind: 'release', node: draft.node(node).node, stages: [input] });
  }
}
