import type { Draft } from './draft.ts';
import { rootOf, SESSION, type TaskRef, type TaskState } from './scheduler-state.ts';
import { hasInputs } from './task-inputs.ts';
import { blocksIn, taskMessage } from './task-message.ts';
import { usableNodes } from './usable-nodes.ts';

/** Schedules created tasks whose inputs are complete. Returns whether a task could not be scheduled because there is no node. */
export function scheduleCreatedTasks(draft: Draft): boolean {
  let lacksNodes = false;
  for (const { stage, created: waiting } of draft.state.stages) {
    if (waiting === 0) continue;
    for (let task = 0; task < draft.stage(stage.id).tasks.length; task++) {
      const state = draft.task(stage.id, task);
      if (state.status !== 'created' || !hasInputs(draft, state.spec)) continue;
      const node = stage.partitioning === 'coordinator' ? SESSION : chooseNode(draft, state);
      if (node === undefined) {
        lacksNodes = true;
        break;
      }
      draft.updateTask(stage.id, task, { status: 'scheduled', node });
      draft.updateNode(node, { queue: [...draft.node(node).queue, { stage: stage.id, task }] });
    }
  }
  return lacksNodes;
}

/** Chooses the preferred node, or the least busy one if that node is gone, drains or has failed the task. */
function chooseNode(draft: Draft, { spec: { preferred, follows }, avoid }: TaskState): number | undefined {
  const { numbers } = draft.state;
  const followed = follows && draft.stage(follows.stage).tasks[follows.task]!;
  const incarnation =
    followed?.status === 'succeeded' ? draft.node(followed.node).node.incarnation : preferred.incarnation;
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

/**
 * Starts scheduled tasks on nodes with free capacity, first in, first out. Messages of tasks that read very many blocks take long
 * to build: the rest waits for the next event, so that the event loop serves other work in between.
 */
export function dispatchTasks(draft: Draft): void {
  const { tasksPerNode, blocksPerEvent } = draft.state.options;
  let blocks = 0;
  for (const number of draft.changedNodes)
    for (;;) {
      const { queue, running, isAlone, status } = draft.node(number);
      const [ref, ...rest] = queue;
      if (ref === undefined || status === 'lost' || isAlone) break;
      if (running >= (number === SESSION ? 1 : tasksPerNode)) break;
      const task = draft.task(ref.stage, ref.task);
      if (task.isAlone && running > 0) break;
      if (blocks > blocksPerEvent) {
        dispatchLater(draft);
        return;
      }
      draft.updateNode(number, { queue: rest });
      if (hasInputs(draft, task.spec)) blocks += beginAttempt(draft, number, ref);
      else draft.updateTask(ref.stage, ref.task, { status: 'created' });
    }
}

function dispatchLater(draft: Draft): void {
  if (draft.state.isDispatchDue) return;
  draft.set({ isDispatchDue: true });
  draft.effects.push({ kind: 'timer', timer: { kind: 'dispatch' }, delayMs: 0 });
}

/** Continues with the queues that were left. */
export function dispatchDue(draft: Draft): void {
  draft.set({ isDispatchDue: false });
  draft.state.nodes.forEach(({ queue }, number) => {
    if (queue.length > 0) draft.changedNodes.add(number);
  });
}

/** Starts an attempt. Returns the number of blocks that the task reads. */
function beginAttempt(draft: Draft, number: number, ref: TaskRef): number {
  const task = taskMessage(draft, ref, number);
  const { node, running } = draft.node(number);
  const { isAlone } = draft.task(ref.stage, ref.task);
  draft.updateTask(ref.stage, ref.task, { status: 'running', attempt: task.key.attempt });
  draft.updateNode(number, { running: running + 1, isAlone, isUsed: true });
  draft.effects.push(
    ref.stage === rootOf(draft.state)
      ? { kind: 'open-root', task }
      : { kind: 'run', node, inSession: number === SESSION, task },
  );
  return blocksIn(task);
}
