import type { Task } from '@tessera/distexec';
import { sourceFor } from '../layout/scan-parts.ts';
import { piecesOf } from '../layout/task-pieces.ts';
import type { Draft } from './draft.ts';
import { rootOf, SESSION, type TaskRef, type TaskState } from './scheduler-state.ts';
import { hasInputs } from './task-inputs.ts';
import { usableNodes } from './usable-nodes.ts';

/** Queues waiting tasks that have their inputs; answers whether one could not for want of nodes. */
export function placeWaitingTasks(draft: Draft): boolean {
  let lacksNodes = false;
  for (const { stage, waiting } of draft.state.stages) {
    if (waiting === 0) continue;
    for (let task = 0; task < draft.stage(stage.id).tasks.length; task++) {
      const state = draft.task(stage.id, task);
      if (state.status !== 'waiting' || !hasInputs(draft, state.spec)) continue;
      const node = stage.spread === 'coordinator' ? SESSION : chooseNode(draft, state);
      if (node === undefined) {
        lacksNodes = true;
        break;
      }
      draft.updateTask(stage.id, task, { status: 'queued', node });
      draft.updateNode(node, { queue: [...draft.node(node).queue, { stage: stage.id, task }] });
    }
  }
  return lacksNodes;
}

/** Where the task costs least, unless that node is gone, drains or has failed it; then the least busy one. */
function chooseNode(draft: Draft, { spec: { preferred, follows }, avoid }: TaskState): number | undefined {
  const { numbers } = draft.state;
  const followed = follows && draft.stage(follows.stage).tasks[follows.task]!;
  const incarnation =
    followed?.status === 'done' ? draft.node(followed.node).node.incarnation : preferred.incarnation;
  const wanted = numbers.get(incarnation);
  if (wanted !== undefined && draft.node(wanted).status === 'running' && !avoid.includes(wanted))
    return wanted;
  const usable = usableNodes(draft);
  const fresh = usable.filter((node) => !avoid.includes(node));
  const load = (number: number) => draft.node(number).running + draft.node(number).queue.length;
  return (fresh.length > 0 ? fresh : usable).reduce<number | undefined>(
    (best, node) => (best === undefined || load(node) < load(best) ? node : best),
    undefined,
  );
}

/** Begins tasks on nodes that have room, in the order in which they came. */
export function dispatchTasks(draft: Draft): void {
  const { tasksPerNode } = draft.state.options;
  for (const number of draft.changedNodes)
    for (;;) {
      const { queue, running, isAlone, status } = draft.node(number);
      const [ref, ...rest] = queue;
      if (ref === undefined || status === 'lost' || isAlone) break;
      if (running >= (number === SESSION ? 1 : tasksPerNode)) break;
      const task = draft.task(ref.stage, ref.task);
      if (task.isAlone && running > 0) break;
      draft.updateNode(number, { queue: rest });
      if (hasInputs(draft, task.spec)) beginAttempt(draft, number, ref);
      else draft.updateTask(ref.stage, ref.task, { status: 'waiting' });
    }
}

function beginAttempt(draft: Draft, number: number, { stage: id, task: index }: TaskRef): void {
  const { attempt: last, spec, isAlone } = draft.task(id, index);
  const attempt = last + 1;
  const { node, running } = draft.node(number);
  draft.updateTask(id, index, { status: 'running', attempt });
  draft.updateNode(number, { running: running + 1, isAlone, isUsed: true });
  const { queryId, run, timeZone } = draft.state.options;
  const { stage } = draft.stage(id);
  const task: Task = {
    key: { queryId, run, stage: id, task: index, attempt },
    sql: stage.sql,
    sources: spec.sources.map((source) =>
      source.kind === 'given'
        ? sourceFor(source, node)
        : piecesOf(source, draft.stage(source.stage).stage, draft.outputsOf(source.stage), { queryId, run }),
    ),
    output: stage.output,
    timeZone,
    ...(isAlone && { alone: true }),
  };
  const isRoot = id === rootOf(draft.state);
  draft.effects.push(
    isRoot ? { kind: 'open-root', task } : { kind: 'run', node, inSession: number === SESSION, task },
  );
}
