/** A defect to plant into one file of the scheduler; `find` occurs there exactly once. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Each is a mistake that a developer could make; the simulation must detect it. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'results of superseded attempts count',
    file: 'state/task-events.ts',
    find: "state?.status === 'running' && state.attempt === attempt",
    replace: "state?.status === 'running'",
  },
  {
    name: 'outputs of lost nodes are read',
    file: 'state/node-events.ts',
    find: 'const lost = loseOutputsOf(draft, number);',
    replace: 'const lost: ReturnType<typeof loseOutputsOf> = [];',
  },
  {
    name: 'tasks of lost nodes are waited for',
    file: 'state/node-events.ts',
    find: "if (state.status !== 'running' || state.node !== number) continue;",
    replace: 'continue;',
  },
  {
    name: 'volatile outputs are made again for some readers only',
    file: 'state/lost-outputs.ts',
    find: "draft.stage(input).stage.isVolatile ? 'all' : 'sliced'",
    replace: "'sliced'",
  },
  {
    name: 'slices of two runs of one task meet',
    file: 'state/lost-outputs.ts',
    find: 'part.slice !== undefined)',
    replace: 'false)',
  },
  {
    name: 'what was made from a volatile output is forgotten once it is lost itself',
    file: 'state/lost-outputs.ts',
    find: 'if (outcome !== undefined && invalidateReaders',
    replace: "if (status === 'succeeded' && outcome !== undefined && invalidateReaders",
  },
  {
    name: 'outputs that came out otherwise are taken for the same',
    file: 'state/task-events.ts',
    find: '!isSameOutput(before.outcome, outcome)',
    replace: 'false',
  },
  {
    name: 'lost outputs are not made again',
    file: 'state/lost-outputs.ts',
    find: "draft.updateTask(input, task, { status: 'created' });",
    replace: '',
  },
  {
    name: 'tasks begin before all that they read is there',
    file: 'state/task-inputs.ts',
    find: 'if (isComplete(stage)) return true;',
    replace: 'if (stage.finished !== undefined) return true;',
  },
  {
    name: 'attempts are counted for no task',
    file: 'state/attempt-end.ts',
    find: 'const count = failures + 1;',
    replace: 'const count = failures;',
  },
  {
    name: 'a part of a cut bucket is left out',
    file: 'layout/hash-tasks.ts',
    find: 'slice: [slice, parts]',
    replace: 'slice: [slice, parts + 1]',
  },
  {
    name: 'a task reads one bucket too many',
    file: 'layout/hash-tasks.ts',
    find: 'buckets: [from, to], ...divided',
    replace: 'buckets: [from, Math.min(to + 1, HASH_BUCKETS)], ...divided',
  },
  {
    name: 'forwarded outputs of a task are read twice',
    file: 'layout/source-tasks.ts',
    find: 'tasks: followed === undefined ? [] : [followed]',
    replace: 'tasks: [followed ?? 0]',
  },
  {
    name: 'a task reads of a whole table the keys of the node that runs it',
    file: 'layout/source-tasks.ts',
    find: 'withKeysOf(whole, inputs.scans.get(position)!, owner)',
    replace: 'withKeysOf(whole, inputs.scans.get(position)!, node)',
  },
  {
    name: 'forwarded rows meet keys that were divided among other nodes',
    file: 'state/stage-start.ts',
    find: '(source.keyDomain ?? source.withinKeys?.domain) !== undefined',
    replace: 'source.keyDomain !== undefined',
  },
  {
    name: 'retries are never due',
    file: 'state/reducer.ts',
    find: "if (task?.status === 'delayed' && task.attempt === timer.attempt)",
    replace: 'if (task === null)',
  },
  {
    name: 'a planner that plans finished stages again and again is followed for ever',
    file: 'state/plan-refinement.ts',
    find: 'stagesToAdd: stagesToAdd - added',
    replace: 'stagesToAdd',
  },
  {
    name: 'a run whose stages wait for each other is left to wait',
    file: 'state/reducer.ts',
    find: 'endStalledRun(draft);',
    replace: '',
  },
  {
    name: 'a run that waits for a timer is taken for stalled',
    file: 'state/reducer.ts',
    find: "task.status === 'delayed'",
    replace: 'false',
  },
  {
    name: 'a run that waits for its scans to be assigned is taken for stalled',
    file: 'state/reducer.ts',
    find: "status === 'assigning' ||",
    replace: 'false ||',
  },
];
