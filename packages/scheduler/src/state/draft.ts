import type { StageId } from '@tessera/planner';
import type { TaskOutput } from '../layout/task-spec.ts';
import type { SchedulerEffect } from './effects.ts';
import type { NodeState, SchedulerState, StageState, TaskState } from './scheduler-state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The state while one event is applied, with copy-on-write parts. */
export class Draft {
  readonly effects: SchedulerEffect[] = [];
  /** Nodes whose capacity or queue has changed. */
  readonly changedNodes = new Set<number>();
  readonly #state: Mutable<SchedulerState>;
  readonly #owned = new Set<unknown>();

  constructor(state: SchedulerState) {
    this.#state = { ...state };
  }

  get state(): SchedulerState {
    return this.#state;
  }

  get hasEnded(): boolean {
    return this.#state.end !== undefined;
  }

  set(changes: Partial<SchedulerState>): void {
    Object.assign(this.#state, changes);
  }

  /** Undefined for a stage that a refined plan has dropped. */
  findStage(id: StageId): StageState | undefined {
    const position = this.#state.positions.get(id);
    return position === undefined ? undefined : this.#state.stages[position];
  }

  stage(id: StageId): StageState {
    return this.findStage(id)!;
  }

  task(id: StageId, task: number): TaskState {
    return this.stage(id).tasks[task]!;
  }

  node(node: number): NodeState {
    return this.#state.nodes[node]!;
  }

  updateStage(id: StageId, changes: Partial<StageState>): void {
    const stages = this.#ownedArray('stages');
    const position = this.#state.positions.get(id)!;
    stages[position] = this.#changed(stages[position]!, changes);
  }

  updateNode(node: number, changes: Partial<NodeState>): void {
    const nodes = this.#ownedArray('nodes');
    nodes[node] = this.#changed(nodes[node]!, changes);
    this.changedNodes.add(node);
  }

  addNode(node: NodeState): void {
    this.#ownedArray('nodes').push(node);
  }

  /** Updates a task and the counters by status. */
  updateTask(id: StageId, task: number, changes: Partial<TaskState>): void {
    this.updateStage(id, {});
    const stage = this.stage(id) as Mutable<StageState>;
    if (!this.#owned.has(stage.tasks)) {
      stage.tasks = [...stage.tasks];
      this.#owned.add(stage.tasks);
    }
    const tasks = stage.tasks as TaskState[];
    const before = tasks[task]!;
    const after = this.#changed(before, {});
    const status = before.status;
    Object.assign(after, changes);
    tasks[task] = after;
    count(stage, status, -1);
    count(stage, after.status, 1);
  }

  /** The outputs of a stage's tasks that have succeeded. */
  outputsOf(id: StageId): { readonly tasks: number; readonly of: (task: number) => TaskOutput } {
    const { tasks } = this.stage(id);
    return {
      tasks: tasks.length,
      of: (task) => {
        const { node, attempt, outcome, spec } = tasks[task]!;
        return { node: this.node(node).node, owner: spec.owner, attempt, outcome: outcome! };
      },
    };
  }

  #changed<T extends object>(part: T, changes: Partial<T>): T {
    if (this.#owned.has(part)) return Object.assign(part, changes);
    const copy = { ...part, ...changes };
    this.#owned.add(copy);
    return copy;
  }

  #ownedArray<K extends 'stages' | 'nodes'>(
    name: K,
  ): Mutable<SchedulerState[K]> & SchedulerState[K][number][] {
    if (!this.#owned.has(this.#state[name])) {
      this.#state[name] = [...this.#state[name]] as unknown as SchedulerState[K];
      this.#owned.add(this.#state[name]);
    }
    return this.#state[name] as never;
  }
}

function count(stage: Mutable<StageState>, status: TaskState['status'], by: number): void {
  if (status === 'created' || status === 'succeeded' || status === 'outputLost') stage[status] += by;
}
