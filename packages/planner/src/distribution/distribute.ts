import type { Relation } from '../relational/relation.ts';
import type { DistributedPlan, FinishedStage, StageId } from './distributed-plan.ts';
import { cut, inOne } from './placement/exchange.ts';
import { type Fragment, inOnePlace, type Placed } from './placement/fragment.ts';
import { place } from './placement/place.ts';
import { type PlanMemory, Planning, type StageDraft } from './placement/planning.ts';
import { shardWhole } from './placement/shard-whole.ts';
import type { PlanFacts } from './plan-facts.ts';
import { normalForm } from './rewrites/normal-form.ts';
import { stageOfDraft } from './stages/stage-of-draft.ts';
import { inputsOf } from './tree/inputs.ts';

/** What plans of this process were made from, so that they can be decided again. */
const MEMORIES = new WeakMap<DistributedPlan, PlanMemory>();

/** A relation in stages. */
export function distribute(relation: Relation, facts: PlanFacts): DistributedPlan {
  return planned(new Planning(facts), normalForm(relation));
}

/**
 * The plan with what is not started decided again, now that the sizes of `finished` stages are known. The same plan where it
 * was not made by `distribute` in this process.
 */
export function refine(
  plan: DistributedPlan,
  finished: ReadonlyMap<StageId, FinishedStage>,
  started: ReadonlySet<StageId>,
  facts: PlanFacts,
): DistributedPlan {
  const memory = MEMORIES.get(plan);
  if (memory === undefined) return plan;
  const kept = keptStages(plan, memory, new Set([...started, ...finished.keys()]));
  const planning = new Planning(facts, { memory, kept });
  for (const [stage, { bytes }] of finished) planning.finishedBytes.set(stage, bytes);
  for (const [relation, cuts] of planning.fixed) {
    const sizes = cuts
      .map((cut) => cut.map(({ output }) => finished.get(output!.stage)))
      .find((all) => all.every((size) => size !== undefined));
    if (sizes === undefined) continue;
    planning.estimates.tell(relation, {
      rows: sizes.reduce((sum, { rows }) => sum + rows, 0),
      bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  }
  return planned(planning, memory.tree);
}

function planned(planning: Planning, tree: Relation): DistributedPlan {
  const root = rootDraft(planning, tree);
  const stages = neededDrafts(planning, root).map((draft) => stageOfDraft(planning, draft));
  const names = tree.columns.map(({ name }, i) => (name === '' ? `c${i}` : name));
  const plan: DistributedPlan = {
    stages: [...stages, stageOfDraft(planning, root, names)],
    unboundedGathers: planning.reasons,
  };
  MEMORIES.set(plan, planning.memory(tree));
  return plan;
}

/** The last stage: what is left to do in the session of the query. */
function rootDraft(planning: Planning, tree: Relation): StageDraft {
  const fragment = rootFragment(planning, place(planning, tree, true));
  const { rows, bytes } = planning.estimates.of(tree);
  return planning.addDraft(
    {
      spread: 'coordinator',
      relation: fragment.relation,
      columns: fragment.relation.columns,
      isVolatile: false,
      rows,
      bytes,
    },
    [],
  );
}

function rootFragment(planning: Planning, placed: Placed): Fragment {
  const only = inOnePlace(placed);
  if (only === undefined) return inOne(planning, placed);
  const spread = shardWhole(planning, only);
  if (spread.placement === 'whole' || spread.placement !== 'shards') return only;
  const [output] = cut(planning, { ...placed, fragments: [spread] });
  return output!;
}

/** Drafts that the root needs and those that were started, each behind those that it needs. */
function neededDrafts(planning: Planning, root: StageDraft): readonly StageDraft[] {
  const needed = new Set<StageDraft>();
  visit(root);
  for (const draft of planning.drafts) if (draft.isFixed) visit(draft);
  needed.delete(root);
  return [...needed];

  function visit(draft: StageDraft): void {
    if (needed.has(draft)) return;
    for (const stage of stagesRead(planning, draft.relation)) visit(planning.draft(stage));
    for (const stage of draft.after) visit(planning.draft(stage));
    needed.add(draft);
  }
}

function stagesRead(planning: Planning, relation: Relation): readonly StageId[] {
  switch (relation.kind) {
    case 'input':
      return [planning.readings.get(relation.id)!.stage];
    case 'scan':
      return (planning.dynamicFilters.get(relation) ?? []).map(({ stage }) => stage);
    default:
      return inputsOf(relation).flatMap((input) => stagesRead(planning, input));
  }
}

/** Started stages, those that leave other rows of the same relations, and what these read. */
function keptStages(
  plan: DistributedPlan,
  memory: PlanMemory,
  started: ReadonlySet<StageId>,
): ReadonlySet<StageId> {
  const kept = new Set(started);
  for (const cut of [...memory.cuts.values()].flat()) {
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
