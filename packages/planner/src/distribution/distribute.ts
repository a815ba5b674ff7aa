import type { DistributedPlan, FinishedStage, NodeChoice, StageId } from '../distributed-plan.ts';
import type { Relation } from '../relational/relation.ts';
import { scanOf } from './placement/column-origin.ts';
import { chooseNodes } from './placement/cost/choose-nodes.ts';
import { COST_CONSTANTS } from './placement/cost/cost-constants.ts';
import { costOnOneNode } from './placement/cost/plan-cost.ts';
import { gather, materialize } from './placement/exchange.ts';
import { type Fragment, type Placed, singleFragment } from './placement/fragment.ts';
import { joinOneRowStages } from './placement/one-row-stages.ts';
import { partitionReplicated } from './placement/partition-replicated.ts';
import { place } from './placement/place.ts';
import { type PlanMemory, Planning, type StageDraft } from './placement/planning.ts';
import { stagesBefore } from './placement/stages-before.ts';
import type { PlanFacts } from './plan-facts.ts';
import { refinedOnce } from './refined-plans.ts';
import type { IsTogether } from './rewrites/direct-matches.ts';
import { normalForm } from './rewrites/normal-form.ts';
import { stageOfDraft } from './stages/stage-of-draft.ts';

/** The planning state of the plans of this process, kept to refine them. */
const MEMORIES = new WeakMap<DistributedPlan, PlanMemory>();

/** Whether two columns are the keys by whose ranges the same tasks have the rows of both tables. */
const keysMeet =
  ({ tables }: PlanFacts): IsTogether =>
  (...[a, column, b, other]) => {
    const [domain, otherDomain] = [domainOf(a, column), domainOf(b, other)];
    return domain !== undefined && domain === otherDomain;

    function domainOf(relation: Relation, position: number): string | undefined {
      const found = scanOf(relation, position);
      const key = found && tables.get(found.scan.relation)?.key;
      return key?.column === found?.column ? key?.domain : undefined;
    }
  };

/** Divides a relation into stages. */
export function distribute(relation: Relation, facts: PlanFacts): DistributedPlan {
  return planned(new Planning(facts), normalForm(relation, keysMeet(facts)));
}

/** Below this many bytes, the session of the query reads rows faster than they are sent to other tasks first. */
const FEW_BYTES = 4 << 20;

/**
 * Plans the stages that have not started again, with the actual sizes of `finished` stages. Returns the same
 * plan if it was not made by `distribute` in this process, or if only the root is left and reads few rows.
 */
export function refine(
  plan: DistributedPlan,
  finished: ReadonlyMap<StageId, FinishedStage>,
  started: ReadonlySet<StageId>,
  facts: PlanFacts,
): DistributedPlan {
  const memory = MEMORIES.get(plan);
  if (memory === undefined || onlyRootIsLeft(plan, finished, started)) return plan;
  return refinedOnce(plan, finished, started, () => refined(plan, memory, finished, started, facts));
}

function refined(
  plan: DistributedPlan,
  memory: PlanMemory,
  finished: ReadonlyMap<StageId, FinishedStage>,
  started: ReadonlySet<StageId>,
  facts: PlanFacts,
): DistributedPlan {
  const kept = keptStages(plan, memory, new Set([...started, ...finished.keys()]));
  const planning = new Planning(facts, { memory, kept });
  for (const [stage, size] of finished) planning.finished.set(stage, size);
  for (const [relation, cuts] of planning.fixed) {
    const sizes = cuts
      .map((cut) => cut.map(({ output }) => finished.get(output!.stage)))
      .find((all) => all.every((size) => size !== undefined));
    if (sizes === undefined) continue;
    planning.estimates.record(relation, {
      rows: sizes.reduce((sum, { rows }) => sum + rows, 0),
      bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  }
  return planned(planning, memory.tree, plan.choice);
}

function onlyRootIsLeft(
  { stages }: DistributedPlan,
  finished: ReadonlyMap<StageId, FinishedStage>,
  started: ReadonlySet<StageId>,
): boolean {
  if (!stages.slice(0, -1).every(({ id }) => started.has(id))) return false;
  const sizes = stages
    .at(-1)!
    .sources.map((source) => (source.kind === 'exchange' ? finished.get(source.stage)?.bytes : 0));
  return sizes.reduce<number>((sum, bytes = Number.POSITIVE_INFINITY) => sum + bytes, 0) <= FEW_BYTES;
}

/** @param choice the number of nodes that was chosen before the plan was refined */
function planned(planning: Planning, tree: Relation, choice?: NodeChoice): DistributedPlan {
  const { cpuMs } = choice?.oneNode ?? costOnOneNode(planning, tree);
  planning.isWorthAllNodes = cpuMs * 1000 > planning.nodes * COST_CONSTANTS.startTask;
  const root = rootDraft(planning, tree);
  joinOneRowStages(planning, neededDrafts(planning, root));
  const drafts = neededDrafts(planning, root);
  const stages = drafts.map((draft) => stageOfDraft(planning, draft));
  const names = tree.columns.map(({ name }, i) => (name === '' ? `c${i}` : name));
  const plan: DistributedPlan = {
    stages: [...stages, stageOfDraft(planning, root, names)],
    unboundedGathers: planning.reasons,
    choice: choice ?? chooseNodes(planning, tree, [...drafts, root]),
  };
  MEMORIES.set(plan, planning.memory(tree));
  return plan;
}

/** The root stage, which runs in the session of the query. */
function rootDraft(planning: Planning, tree: Relation): StageDraft {
  const fragment = rootFragment(planning, place(planning, tree, true));
  const { rows, bytes, distinct, tableColumns } = planning.estimates.of(tree);
  return planning.addDraft(
    {
      partitioning: 'coordinator',
      relation: fragment.relation,
      columns: fragment.relation.columns,
      isVolatile: false,
      rows,
      bytes,
      distinct,
      tableColumns,
    },
    [],
  );
}

function rootFragment(planning: Planning, placed: Placed): Fragment {
  const only = singleFragment(placed);
  if (only === undefined) return gather(planning, placed);
  const partitioned = partitionReplicated(planning, only);
  if (partitioned.placement !== 'source') return only;
  const [output] = materialize(planning, { ...placed, fragments: [partitioned] });
  return output!;
}

/** The drafts that the root needs and those that have started, in topological order. */
function neededDrafts(planning: Planning, root: StageDraft): readonly StageDraft[] {
  const needed = new Set<StageDraft>();
  visit(root);
  for (const draft of planning.drafts) if (draft.isFixed) visit(draft);
  needed.delete(root);
  return [...needed];

  function visit(draft: StageDraft): void {
    if (needed.has(draft)) return;
    for (const stage of stagesBefore(planning, draft)) visit(planning.draft(stage));
    needed.add(draft);
  }
}

/**
 * The stages that have started, stages of the same relations with other outputs, and the stages that these
 * read.
 */
function keptStages(
  plan: DistributedPlan,
  memory: PlanMemory,
  started: ReadonlySet<StageId>,
): ReadonlySet<StageId> {
  const kept = new Set(started);
  for (const cut of [...memory.materialized.values()].flat()) {
    const stages = cut.map(({ output }) => output!.stage);
    if (stages.some((stage) => kept.has(stage))) for (const stage of stages) kept.add(stage);
  }
  const byId = new Map(plan.stages.map((stage) => [stage.id, stage]));
  for (const id of kept) {
    const stage = byId.get(id);
    for (const source of stage?.sources ?? [])
      if (source.kind === 'exchange') kept.add(source.stage);
      else if (source.kind === 'scan') for (const filter of source.dynamicFilters) kept.add(filter.stage);
    for (const before of stage?.after ?? []) kept.add(before);
  }
  return kept;
}
