import type { StageId } from '../../distributed-plan.ts';
import type { PlanType } from '../../plan-nodes.ts';
import type { JoinRelation, Relation } from '../../relational/relation.ts';
import { anyRelation } from '../tree/inputs.ts';
import { inputColumn, type ScannedColumn, scannedColumns } from './column-origin.ts';
import type { KeyPair } from './equal-keys.ts';
import { isVolatileRelation } from './exchange.ts';
import type { Fragment, Placed } from './fragment.ts';
import { rowsRead } from './partition-replicated.ts';
import type { Planning, StageDraft } from './planning.ts';
import { stagesBefore } from './stages-before.ts';
import { dropsUnmatched } from './unmatched-rows.ts';

/** With more build rows than this, bounds hardly prune anything. */
const MOST_BUILD_ROWS = 1_000_000;
const LEAST_PROBE_ROWS = 100_000;
/**
 * An additional stage is worthwhile for a table of at least this many stored bytes, if at most this fraction
 * of the build side's rows is left.
 */
const LEAST_PROBE_BYTES = 2 ** 28;
const MOST_KEPT = 0.3;

/**
 * Types whose equal values always have equal hashes and equal texts. Floating-point numbers (-0, NaN) and
 * intervals are excluded.
 */
const FILTERED_TYPES =
  /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL|DATE|TIME|TIMESTAMP(?:_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE|VARCHAR|UUID)$/;

const isFilteredType = ({ id, type_info: info }: PlanType): boolean =>
  FILTERED_TYPES.test(id) && (id === 'DECIMAL' || info === undefined || info === null);

/** Whether a filter of the keys of one side may remove rows of the other side. */
export const mayFilterRows = (join: JoinRelation, probeSide: 'left' | 'right', pair: KeyPair): boolean =>
  dropsUnmatched(join.type, probeSide) &&
  !join.isAsof &&
  !pair.isNullSafe &&
  isFilteredType(join[probeSide].columns[pair[probeSide]]!.type);

/**
 * A scan that divides the rows of a table among its tasks, and the stage that already contains it, if that
 * stage has not started.
 */
export interface TestingScan extends ScannedColumn {
  readonly draft: StageDraft | undefined;
  /** Whether the rows of the scan pass at least one exchange before they reach the relations. */
  readonly isStagesBelow: boolean;
}

/**
 * The scans that may filter out rows whose value of a column has no match: rows of the relation that come
 * from these rows are not in the result.
 * @param placed the placed relation: its fragments, or the stages made of them
 */
export function testingScans(
  planning: Planning,
  relation: Relation,
  placed: readonly PlacedRelation[],
  position: number,
): readonly TestingScan[] {
  const near = placed.flatMap((one) => scannedColumns(one.relation, position));
  const below = scannedColumns(relation, position).filter(({ scan }) => !near.some((n) => n.scan === scan));
  return [...near, ...below].flatMap((one): readonly TestingScan[] => {
    if (!planning.partitionedScans.has(one.scan)) return [];
    const draft = planning.drafts.find((made) => anyRelation(made.relation, (inner) => inner === one.scan));
    return draft?.isFixed === true ? [] : [{ ...one, draft, isStagesBelow: below.includes(one) }];
  });
}

type PlacedRelation = Pick<Fragment, 'relation'>;

/**
 * Lets the scans of a probe side skip rows without a match. The keys of a finished build side prune the
 * tablets that are read, and the key `rowPair` also filters rows.
 *     join k                         join k
 *       scan a (k)            →        scan a (k among those of stage 1)
 *       input b (stage 1)              input b (stage 1, summarises its k)
 * This requires that probe rows without a match are not in the result: a LEFT JOIN would lose them.
 * @param probe the fragments of the probe side, or of the stages made of it
 */
export function filterByBuild(
  planning: Planning,
  join: JoinRelation,
  probe: readonly PlacedRelation[],
  buildSide: 'left' | 'right',
  pairs: readonly KeyPair[],
  build: Relation,
  rowPair: KeyPair | undefined,
): void {
  const probeSide = buildSide === 'left' ? 'right' : 'left';
  if (!dropsUnmatched(join.type, probeSide) || join.isAsof) return;
  const { rows } = planning.estimates.of(join[buildSide]);
  for (const pair of pairs) {
    const key = pair.isNullSafe ? undefined : stageColumn(planning, build, pair[buildSide]);
    if (key === undefined) continue;
    const draft = planning.draft(key.stage);
    const isRowKey = pair === rowPair && (!draft.isFixed || draft.filterKeys.has(key.position));
    for (const found of testingScans(planning, join[probeSide], probe, pair[probeSide])) {
      const tableRows = planning.facts.tables.get(found.scan.relation)?.rows ?? 0;
      const prunes =
        !found.isStagesBelow && rows <= MOST_BUILD_ROWS && tableRows >= Math.max(LEAST_PROBE_ROWS, rows * 10);
      if (!prunes && !isRowKey) continue;
      if (draft.isFixed && !draft.summarised.has(key.position)) continue;
      if (found.draft !== undefined && waitsFor(planning, draft, found.draft)) continue;
      draft.summarised.add(key.position);
      if (isRowKey) draft.filterKeys.add(key.position);
      addFilter(planning, found, key, isRowKey);
    }
  }
}

/** Lets the stage of a build side build a filter of a key, which a refined plan may use. */
export function buildFilter(planning: Planning, build: Relation, position: number): void {
  const key = stageColumn(planning, build, position);
  const draft = key && planning.draft(key.stage);
  if (key === undefined || draft === undefined || draft.isFixed) return;
  draft.summarised.add(key.position);
  draft.filterKeys.add(key.position);
}

/** Whether a stage cannot start before another one has finished. */
function waitsFor(planning: Planning, draft: StageDraft, other: StageDraft): boolean {
  const seen = new Set<StageDraft>();
  const visit = (one: StageDraft): boolean => {
    if (one === other) return true;
    if (seen.has(one)) return false;
    seen.add(one);
    return stagesBefore(planning, one).some((stage) => visit(planning.draft(stage)));
  };
  return visit(draft);
}

function addFilter(
  planning: Planning,
  { scan, column }: ScannedColumn,
  { stage, position }: StageColumnRef,
  filtersRows: boolean,
): void {
  const known = planning.dynamicFilters.get(scan) ?? [];
  const others = known.filter((one) => one.stage !== stage || one.column !== column || one.key !== position);
  const before = known.find((one) => !others.includes(one));
  const filter = { column, stage, key: position, filtersRows: filtersRows || before?.filtersRows === true };
  planning.dynamicFilters.set(scan, [...others, filter]);
}

export interface StageColumnRef {
  readonly stage: StageId;
  /** The position in the output of the stage. */
  readonly position: number;
}

/** The column of a stage output that contains every value of a relation's column, except NULL. */
export function stageColumn(
  planning: Planning,
  relation: Relation,
  position: number,
): StageColumnRef | undefined {
  const found = inputColumn(relation, position);
  const reading = found && planning.readings.get(found.input);
  return reading && { stage: reading.stage, position: reading.firstColumn + found.position };
}

/**
 * Whether a build side that every task could compute should rather be computed once, so that its keys prune
 * what the probe side reads: it must be selective, and the probe side large.
 */
export function isWorthSummarising(
  planning: Planning,
  join: JoinRelation,
  probe: Placed,
  buildSide: 'left' | 'right',
  pairs: readonly KeyPair[],
  build: Fragment,
  rows: number,
): boolean {
  const probeSide = buildSide === 'left' ? 'right' : 'left';
  if (!dropsUnmatched(join.type, probeSide) || rows > MOST_BUILD_ROWS) return false;
  if (rows > rowsRead(planning, build.relation) * MOST_KEPT || isVolatileRelation(build.relation))
    return false;
  return pairs.some(
    (pair) =>
      !pair.isNullSafe &&
      probe.fragments.some(({ relation }) =>
        scannedColumns(relation, pair[probeSide]).some(
          ({ scan }) =>
            planning.partitionedScans.has(scan) &&
            (planning.facts.tables.get(scan.relation)?.bytes ?? 0) >= LEAST_PROBE_BYTES,
        ),
      ),
  );
}
