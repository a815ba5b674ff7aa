import type { PlanCost } from '../../../distributed-plan.ts';
import type { Relation, ScanRelation } from '../../../relational/relation.ts';
import { inputsOf } from '../../tree/inputs.ts';
import type { InputReading, Planning, StageDraft } from '../planning.ts';
import { sliceableInputs } from '../sliceable.ts';
import { CHOICE_PRICES, PROGRESS_PRICES, type Prices } from './cost-constants.ts';
import { exchangeCost, writeCost } from './exchange-cost.ts';
import { imbalance } from './imbalance.ts';
import { totalWork, workOf, workOfTask } from './relation-work.ts';

/** A hash stage has one task per this many bytes of input, at most one per node. */
const BYTES_OF_HASH_TASK = 4 << 20;

/** Estimates the CPU time of all stages on all nodes, and the length of the longest chain of stages. */
export function costOfStages(planning: Planning, drafts: readonly StageDraft[]): PlanCost {
  const ends = new Map<number, number>();
  let cpu = 0;
  for (const draft of drafts) {
    const { all, ofTask } = costOfStage(planning, draft);
    const before = [...readingsOf(planning, draft.relation).map(({ stage }) => stage), ...draft.after];
    cpu += all;
    ends.set(draft.id, Math.max(0, ...before.map((stage) => ends.get(stage) ?? 0)) + ofTask);
  }
  return { cpuMs: cpu / 1000, elapsedMs: Math.max(0, ...ends.values()) / 1000 };
}

/** The estimated CPU time of all tasks of a stage, in milliseconds, for the progress of a run. */
export const cpuMsOfStage = (planning: Planning, draft: StageDraft): number =>
  costOfStage(planning, draft, PROGRESS_PRICES).all / 1000;

/** The CPU time in µs of all tasks of a stage together, and of one of them. */
function costOfStage(
  planning: Planning,
  draft: StageDraft,
  prices: Prices = CHOICE_PRICES,
): { readonly all: number; readonly ofTask: number } {
  const tasks = tasksOf(planning, draft);
  const work = workOf(planning, draft.relation, prices);
  const isRoot = draft.partitioning === 'coordinator';
  const buckets = draft.hashKeys.length === 0 ? 0 : draft.rows * prices.bucketRow;
  const written = isRoot ? 0 : writeCost(draft) + buckets;
  const wait = waitFor(planning, draft, tasks);
  const moved = readingsOf(planning, draft.relation).reduce(
    (sum, { stage, mode = tasks === 1 ? 'gather' : 'broadcast' }) =>
      sum + exchangeCost(planning.finished.get(stage) ?? planning.draft(stage), mode, tasks),
    0,
  );
  const started = isRoot ? 0 : prices.startTask;
  return {
    all: totalWork(work, tasks) + written + moved + tasks * started,
    ofTask:
      workOfTask({ ...work, divided: work.divided * wait }, tasks) +
      ((written + moved) / tasks) * wait +
      started,
  };
}

/** The imbalance of the tasks of a stage: those of a hash stage have the rows of the keys that they get. */
function waitFor(planning: Planning, { partitioning, relation }: StageDraft, tasks: number): number {
  if (partitioning !== 'hash') return 1;
  const sliceable = sliceableInputs(planning, relation);
  return Math.max(
    1,
    ...readingsOf(planning, relation)
      .filter(({ mode, input }) => mode === 'hash' && !sliceable.has(input))
      .map(({ stage }) => {
        const read = planning.draft(stage);
        // Where NULL cannot match, the stage ends with a filter of these rows.
        return imbalance(read, read.hashKeys, tasks, read.relation.kind !== 'filter');
      }),
  );
}

function tasksOf(planning: Planning, { partitioning, relation }: StageDraft): number {
  switch (partitioning) {
    case 'source':
      return Math.min(planning.nodes, Math.max(1, mostTablets(planning, relation)));
    case 'hash': {
      const bytes = readingsOf(planning, relation)
        .filter(({ mode }) => mode === 'hash')
        .reduce((sum, { stage }) => sum + (planning.finished.get(stage) ?? planning.draft(stage)).bytes, 0);
      return Math.min(planning.nodes, Math.max(1, Math.ceil(bytes / BYTES_OF_HASH_TASK)));
    }
    default:
      return 1;
  }
}

/**
 * The number of tablets of the largest table that is divided among tasks; unlimited if the rows are a stage's
 * output.
 */
function mostTablets(planning: Planning, relation: Relation): number {
  if (relation.kind === 'scan' && planning.partitionedScans.has(relation))
    return planning.facts.tables.get(relation.relation)?.tablets ?? 1;
  if (relation.kind === 'input' && planning.readings.get(relation.id)?.mode === 'forward')
    return Number.POSITIVE_INFINITY;
  return Math.max(0, ...inputsOf(relation).map((input) => mostTablets(planning, input)));
}

/** The readings below a relation, each with the id of its `input`. */
function readingsOf(
  planning: Planning,
  relation: Relation,
): readonly (InputReading & { readonly input: number })[] {
  const below = inputsOf(relation).flatMap((input) => readingsOf(planning, input));
  const reading = relation.kind === 'input' ? planning.readings.get(relation.id) : undefined;
  return relation.kind !== 'input' || reading === undefined
    ? below
    : [{ ...reading, input: relation.id }, ...below];
}

/** Estimates the cost of the whole query on one node. */
export function costOnOneNode(planning: Planning, tree: Relation): PlanCost {
  const { estimates, facts, tableBytes, readings } = planning;
  const alone = {
    estimates,
    facts,
    tableBytes,
    readings,
    partitionedScans: new Set<ScanRelation>(),
    keyLimits: new Map(),
    nodes: 1,
  };
  const cpuMs = totalWork(workOf(alone, tree), 1) / 1000;
  return { cpuMs, elapsedMs: cpuMs };
}
