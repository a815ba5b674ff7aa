import type { Conjunct } from '@tessera/tablet';
import { expressionConjuncts } from '../../conjuncts.ts';
import type { Stage, StageId, StageSource } from '../../distributed-plan.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import type { Relation, ScanRelation } from '../../relational/relation.ts';
import type { Leaf, LeafRelation } from '../../relational/rendering/leaf-relation.ts';
import { relationSql } from '../../relational/rendering/relation-sql.ts';
import { typeSql } from '../../relational/rendering/type-sql.ts';
import { cpuMsOfStage } from '../placement/cost/plan-cost.ts';
import { keyLimitIn } from '../placement/key-limit.ts';
import type { Planning, StageDraft } from '../placement/planning.ts';
import { sliceableInputs } from '../placement/sliceable.ts';
import { inputsOf } from '../tree/inputs.ts';
import { hasOneRow } from '../tree/one-row.ts';
import { columnText } from './column-text.ts';
import { holdsNoRows } from './holds-no-rows.ts';
import { relationOperators, relationOutline } from './outline.ts';
import { isRowWise } from './row-wise.ts';
import { sortedInput } from './sorted-input.ts';

/** Renders a draft as SQL over its sources. */
export function stageOfDraft(planning: Planning, draft: StageDraft, rootNames?: readonly string[]): Stage {
  const { sources, holes, exchanges } = sourcesOf(planning, draft);
  const names = rootNames ?? draft.columns.map((_, i) => `c${i}`);
  const sliceable = [...sliceableInputs(planning, draft.relation)].flatMap((id) => {
    const source = exchanges.get(id);
    return source !== undefined && planning.readings.get(id)?.mode === 'hash' ? [source] : [];
  });
  return {
    id: draft.id,
    partitioning: draft.partitioning,
    sources,
    ...(sliceable.length === 0 ? {} : { sliceable }),
    ...(isRowWise(draft.relation) ? { isRowWise: true } : {}),
    ...(mergesSorted(planning, draft) ? { mergesSorted: true } : {}),
    ...(hasOneRow(draft.relation) ? { hasOneRow: true } : {}),
    ...(holdsNoRows(draft.relation) ? { holdsNoRows: true } : {}),
    sql: relationSql(draft.relation, {
      leaf: (leaf) => holes.get(leaf),
      ...(rootNames === undefined ? {} : { names: rootNames }),
    }),
    output: {
      columns: draft.columns.map(({ type }, i) => ({ name: names[i]!, type: typeSql(type) })),
      hashKeys: draft.hashKeys,
      ...(draft.sortKey === undefined ? {} : { sortKey: draft.sortKey }),
      texts: () => draft.columns.map((_, i) => columnText(planning, draft.relation, i)),
      summarised: [...draft.summarised].sort((a, b) => a - b),
      ...(draft.filterKeys.size === 0 ? {} : { filterKeys: [...draft.filterKeys].sort((a, b) => a - b) }),
    },
    estimate: {
      rows: Math.round(draft.rows),
      bytes: Math.round(draft.bytes),
      cpuMs: cpuMsOfStage(planning, draft),
    },
    after: [...afterOf(draft, sources)].sort((a, b) => a - b),
    isVolatile: draft.isVolatile,
    outline: () => relationOutline(planning, draft.relation),
    operators: () => relationOperators(planning, draft.relation),
  };
}

interface DraftSources {
  readonly sources: readonly StageSource[];
  /** The place of each leaf in the SQL. */
  readonly holes: ReadonlyMap<LeafRelation, Leaf>;
  /** The positions in `sources` of the exchanges, by the id of the input. */
  readonly exchanges: ReadonlyMap<number, number>;
}

/** What the draft reads: one source for each leaf. */
function sourcesOf(planning: Planning, draft: StageDraft): DraftSources {
  const sources: StageSource[] = [];
  const holes = new Map<LeafRelation, Leaf>();
  const exchanges = new Map<number, number>();
  for (const { leaf, predicates } of leavesOf(draft.relation)) {
    if (holes.has(leaf)) continue;
    const hole = sources.length;
    switch (leaf.kind) {
      case 'scan':
        sources.push(scanSource(planning, draft, { leaf, predicates }));
        holes.set(leaf, { hole, columns: leaf.names });
        break;
      case 'session':
        sources.push({ kind: 'session', sql: leaf.sql });
        holes.set(leaf, { hole, columns: leaf.names });
        break;
      case 'input': {
        const reading = planning.readings.get(leaf.id);
        if (reading === undefined) throw new RangeError(`Nothing to read for input ${leaf.id}`);
        const { stage, firstColumn, mode = 'broadcast' } = reading;
        sources.push({ kind: 'exchange', stage, mode: isOneTask(draft) ? 'gather' : mode });
        holes.set(leaf, { hole, columns: leaf.columns.map((_, i) => `c${firstColumn + i}`) });
        exchanges.set(leaf.id, hole);
        break;
      }
    }
  }
  return { sources, holes, exchanges };
}

function scanSource(
  planning: Planning,
  draft: StageDraft,
  { leaf, predicates }: FoundLeaf<ScanRelation>,
): StageSource {
  const isDivided = planning.partitionedScans.has(leaf) && !isOneTask(draft);
  // The rows of a part meet only some of the exchanged rows.
  if (isDivided && draft.partitioning === 'hash')
    throw new Error(`Stage ${draft.id} joins exchanged rows with parts of table ${leaf.relation}`);
  const key = planning.facts.tables.get(leaf.relation)?.key;
  const limit = isDivided ? undefined : keyLimitIn(planning, draft, leaf);
  return {
    kind: 'scan',
    relation: leaf.relation,
    columns: leaf.names,
    filters: conjunctsOf(leaf, predicates),
    partitioning: isDivided ? 'source' : 'replicated',
    ...(isDivided && key && { keyDomain: key.domain }),
    ...(limit && { withinKeys: { column: limit.column, domain: limit.domain } }),
    dynamicFilters: planning.dynamicFilters.get(leaf) ?? [],
  };
}

const isOneTask = ({ partitioning }: StageDraft): boolean =>
  partitioning === 'single' || partitioning === 'coordinator';

function mergesSorted(planning: Planning, { relation }: StageDraft): boolean {
  const input = sortedInput(relation);
  const reading = input && planning.readings.get(input.id);
  return reading !== undefined && planning.draft(reading.stage).sortKey !== undefined;
}

/** Stages that the draft waits for without reading them. */
function afterOf({ after }: StageDraft, sources: readonly StageSource[]): ReadonlySet<StageId> {
  const waited = new Set(after);
  for (const source of sources)
    if (source.kind === 'scan') for (const { stage } of source.dynamicFilters) waited.add(stage);
  for (const source of sources) if (source.kind === 'exchange') waited.delete(source.stage);
  return waited;
}

interface FoundLeaf<L extends LeafRelation = LeafRelation> {
  readonly leaf: L;
  /** The predicates of the filters directly above the leaf. */
  readonly predicates: readonly PlanExpression[];
}

function leavesOf(relation: Relation, predicates: readonly PlanExpression[] = []): readonly FoundLeaf[] {
  switch (relation.kind) {
    case 'scan':
    case 'session':
    case 'input':
      return [{ leaf: relation, predicates }];
    case 'filter':
      return leavesOf(relation.input, [...predicates, ...relation.predicates]);
    default:
      return inputsOf(relation).flatMap((input) => leavesOf(input));
  }
}

const conjunctsOf = (
  { names, columns }: ScanRelation,
  predicates: readonly PlanExpression[],
): readonly Conjunct[] =>
  predicates.flatMap((predicate) =>
    expressionConjuncts(predicate, (index) => {
      const [name, column] = [names[index], columns[index]];
      return name === undefined || column === undefined ? undefined : { name, type: column.type };
    }),
  );
