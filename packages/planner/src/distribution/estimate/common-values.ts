import type { TableFacts, ValueShares } from '../../distributed-plan.ts';

/** The column of a table whose rows, or a part of them, a relation has. */
export interface TableColumn {
  readonly facts: TableFacts;
  readonly name: string;
}

export const sharesOf = (column: TableColumn | undefined): ValueShares | undefined =>
  column?.facts.values?.of(column.name);

/** A value that is not known to be common has at least this share: it may have been added after the sample. */
const LEAST_SHARE = 0.0001;

/** The sum, the smallest and the largest of the shares of common values. */
interface Total {
  readonly sum: number;
  readonly least: number;
  readonly most: number;
}

const totals = new WeakMap<ValueShares['common'], Total>();

function totalOf(common: ValueShares['common']): Total {
  const known = totals.get(common);
  if (known !== undefined) return known;
  let [sum, least, most] = [0, 1, 0];
  for (const share of common.values()) {
    sum += share;
    least = Math.min(least, share);
    most = Math.max(most, share);
  }
  const total = { sum, least, most };
  totals.set(common, total);
  return total;
}

/** The share of the rows that have this value. */
export function shareOfValue({ nulls = 0, common }: ValueShares, value: string, distinct: number): number {
  const known = common.get(value);
  if (known !== undefined) return known;
  const { sum, least } = totalOf(common);
  const others = (1 - nulls - sum) / Math.max(1, distinct - common.size);
  return Math.max(LEAST_SHARE, Math.min(others, least));
}

/** The share of the rows that have the most common value; 0 if it is not known. */
export function largestShare(shares: ValueShares | undefined, hasNulls: boolean): number {
  if (shares === undefined) return 0;
  const { nulls = 0, common } = shares;
  const { most } = totalOf(common);
  return hasNulls ? Math.max(nulls, most) : most / Math.max(most, 1 - nulls, LEAST_SHARE);
}

/** The share of the rows that have one of few values: a common one or NULL. */
export const commonShare = (shares: ValueShares | undefined): number =>
  shares === undefined ? 0 : Math.min(1, (shares.nulls ?? 0) + totalOf(shares.common).sum);

/** The number of distinct values among `rows` rows of a column with `distinct` values, of which some are common. */
export function distinctAmong(shares: ValueShares | undefined, distinct: number, rows: number): number {
  if (shares === undefined || shares.common.size === 0) return distinct;
  const { nulls = 0, common } = shares;
  const others = rows * Math.max(0, 1 - nulls - totalOf(common).sum);
  return Math.min(distinct, common.size + (nulls > 0 ? 1 : 0) + others);
}

/** One side of an equality of a join. */
export interface JoinKey {
  readonly distinct: number;
  readonly shares: ValueShares | undefined;
}

/**
 * The share of all pairs of rows whose keys are equal. Common values of both sides meet each other: if half of
 * the rows of both sides have the same value, a quarter of the pairs match. Without common values, it is one
 * out of the larger number of distinct values.
 */
export function matchingPairs(left: JoinKey, right: JoinKey): number {
  const [common, otherCommon] = [commonOf(left), commonOf(right)];
  let [both, matched, meeting, otherMeeting] = [0, 0, 0, 0];
  if (otherCommon.size > 0)
    for (const [value, share] of common) {
      const other = otherCommon.get(value);
      if (other === undefined) continue;
      both += 1;
      matched += share * other;
      meeting += share;
      otherMeeting += other;
    }
  const own = side(left, meeting);
  const other = side(right, otherMeeting);
  return matched + Math.min(unequalCommon(own, other, both), unequalCommon(other, own, both));
}

/** The shares of the rows of one side of a join by their keys. */
interface Side {
  readonly distinct: number;
  readonly common: number;
  /** Keys that are common on this side only. */
  readonly alone: number;
  /** Keys that are neither NULL nor common on this side. */
  readonly uncommon: number;
}

function side(key: JoinKey, meeting: number): Side {
  const common = commonOf(key);
  const { sum } = totalOf(common);
  return {
    distinct: key.distinct,
    common: common.size,
    alone: sum - meeting,
    uncommon: Math.max(0, notNull(key) - sum),
  };
}

/**
 * The share of the pairs that match with another key than one that is common on both sides, if all keys of
 * `own` occur in `other`.
 */
function unequalCommon(own: Side, other: Side, both: number): number {
  const values = other.distinct - other.common;
  return (
    (values >= 1 ? (own.alone * other.uncommon) / values : 0) +
    (own.uncommon * (other.uncommon + other.alone)) / Math.max(1, other.distinct - both)
  );
}

/** The share of the rows whose key is not NULL. */
export const notNull = ({ shares }: JoinKey): number => 1 - (shares?.nulls ?? 0);

const NOTHING: ReadonlyMap<string, number> = new Map();
const commonOf = ({ shares }: JoinKey): ReadonlyMap<string, number> => shares?.common ?? NOTHING;
