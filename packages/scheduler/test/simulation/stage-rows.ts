import type { Stage } from '@tessera/planner';
import { mix } from './random.ts';
import type { SimulatedPlan } from './random-plan.ts';

export interface Row {
  readonly value: number;
  readonly bucket: number;
  /** The key of a table's row: the number of its tablet. Rows keep it as long as they stay in their task. */
  readonly key?: number | undefined;
}

/**
 * The output of a stage for given input rows. Each row of its main sources gives one that depends on all rows
 * of its broadcast sources, on the rows with its key of tables that are read within keys and, in a join, on all
 * rows of the other side's bucket. So missing, additional or wrong rows show in the result.
 */
export function rowsOfStage(
  stage: Stage,
  sources: readonly (readonly Row[])[],
  { skewed }: Pick<SimulatedPlan, 'skewed'>,
): readonly Row[] {
  const isBroadcast = (i: number) => {
    const source = stage.sources[i]!;
    return source.kind === 'exchange' && source.mode === 'broadcast';
  };
  const isWithinKeys = (i: number) => {
    const source = stage.sources[i]!;
    return source.kind === 'scan' && source.withinKeys !== undefined;
  };
  const ofKeys = sums(
    sources.flatMap((rows, i) => (isWithinKeys(i) ? rows : [])),
    ({ key }) => key,
  );
  const context = sources.reduce((sum, rows, i) => (isBroadcast(i) ? (sum + checksum(rows)) >>> 0 : sum), 0);
  const probe = stage.sliceable?.[0];
  const build =
    probe === undefined ? new Map<number, number>() : sums(sources[1 - probe]!, ({ bucket }) => bucket);
  const main =
    probe === undefined
      ? sources.flatMap((rows, i) => (isBroadcast(i) || isWithinKeys(i) ? [] : rows))
      : sources[probe]!;
  return main.map((row) => {
    const met = build.get(row.bucket) ?? (row.key === undefined ? 0 : (ofKeys.get(row.key) ?? 0));
    const value = mix(row.value, stage.id, context, met);
    const bucket = skewed.has(stage.id) && value % 4 > 0 ? 7 : value % 1024;
    return stage.partitioning === 'source' ? { value, bucket, key: row.key } : { value, bucket };
  });
}

const checksum = (rows: readonly Row[]): number =>
  rows.reduce((sum, { value }) => (sum + mix(value)) >>> 0, 0);

function sums(
  rows: readonly Row[],
  by: (row: Row) => number | undefined,
): ReadonlyMap<number | undefined, number> {
  const found = new Map<number | undefined, number>();
  for (const row of rows) found.set(by(row), ((found.get(by(row)) ?? 0) + mix(row.value)) >>> 0);
  return found;
}

export const tabletRows = (table: number, tablet: number, count: number): readonly Row[] =>
  Array.from({ length: count }, (_, i) => ({
    value: mix(table, tablet, i),
    bucket: 0,
    key: tablet,
  }));

export const sortedValues = (rows: readonly Row[]): readonly number[] =>
  rows.map(({ value }) => value).sort((a, b) => a - b);
