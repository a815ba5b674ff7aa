import type { JoinRelation, Relation } from '../../relational/relation.ts';
import type { Planning, StageDraft } from './planning.ts';
import { stagesBefore } from './stages-before.ts';

/** The most aggregates in one stage. A task holds what all of them read from other stages. */
const MOST_AGGREGATES = 16;

/**
 * Computes aggregates without groups in one stage, if their stages could run at the same time. Each task returns one row with all
 * values; without this rule, every node would run a task for each of them.
 *     stage 0: aggregate count(x)           stage 2: inner join of all pairs
 *       scan a                                aggregate count(x)
 *     stage 1: aggregate sum(y)       →         scan a
 *       scan a                                aggregate sum(y)
 *     root: input stage 0, input stage 1        scan a
 *                                           root: input stage 2, input stage 2
 * @param drafts the stages of the plan
 */
export function joinOneRowStages(planning: Planning, drafts: readonly StageDraft[]): void {
  const levels = new Map<StageDraft, number>();
  const candidates = drafts.filter((draft) => isOneRow(draft) && isReadWhole(planning, draft));
  // Stages of the same level do not wait for each other, and joined stages do not wait for themselves.
  const groups = Map.groupBy(candidates, (draft) => `${draft.partitioning} ${levelOf(draft)}`);
  for (const group of groups.values())
    for (let first = 0; first < group.length; first += MOST_AGGREGATES)
      joinStages(planning, group.slice(first, first + MOST_AGGREGATES));

  function levelOf(draft: StageDraft): number {
    let level = levels.get(draft);
    if (level === undefined) {
      const before = stagesBefore(planning, draft).map((stage) => levelOf(planning.draft(stage)) + 1);
      level = Math.max(0, ...before);
      levels.set(draft, level);
    }
    return level;
  }
}

/** Whether each task of the stage returns exactly one row. */
const isOneRow = ({
  relation,
  partitioning,
  isFixed,
  isVolatile,
  summarised,
  filterKeys,
}: StageDraft): boolean =>
  (partitioning === 'source' || partitioning === 'single') &&
  relation.kind === 'aggregate' &&
  relation.groupingSets.length === 1 &&
  relation.groupingSets[0]!.length === 0 &&
  !isFixed &&
  !isVolatile &&
  summarised.size === 0 &&
  filterKeys.size === 0;

/** Whether every reader reads all rows of the stage. */
const isReadWhole = (planning: Planning, { id }: StageDraft): boolean =>
  planning.readings.values().every(({ stage, mode }) => stage !== id || mode === undefined);

function joinStages(planning: Planning, group: readonly StageDraft[]): void {
  const [first, second] = group;
  if (first === undefined || second === undefined) return;
  const relation = group.map((draft) => draft.relation).reduce(pairs);
  const joined = planning.addDraft(
    {
      partitioning: first.partitioning,
      relation,
      columns: relation.columns,
      isVolatile: false,
      rows: Math.max(...group.map(({ rows }) => rows)),
      bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
      distinct: group.flatMap(({ distinct }) => distinct),
      tableColumns: group.flatMap(({ tableColumns }) => tableColumns),
    },
    [],
  );
  for (const { after } of group) for (const stage of after) joined.after.add(stage);
  let firstColumn = 0;
  for (const { id, columns } of group) {
    for (const reading of planning.readings.values())
      if (reading.stage === id) Object.assign(reading, { stage: joined.id, firstColumn });
    for (const [of, sets] of planning.materialized)
      planning.materialized.set(
        of,
        sets.map((fragments) =>
          fragments.map((fragment) =>
            fragment.output?.stage === id
              ? { ...fragment, output: { ...fragment.output, stage: joined.id } }
              : fragment,
          ),
        ),
      );
    firstColumn += columns.length;
  }
}

const pairs = (left: Relation, right: Relation): JoinRelation => ({
  kind: 'join',
  type: 'inner',
  left,
  right,
  conditions: [],
  residual: [],
  isAsof: false,
  columns: [...left.columns, ...right.columns],
});
