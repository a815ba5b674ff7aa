import type { Stage } from '@tessera/planner';
import { mix } from './random.ts';
import type { SimulatedPlan } from './random-plan.ts';

export interface Row {
  readonly value: number;
  readonly bucket: number;
}

/**
 * The output of a stage for given input rows. Each row of its main sources gives one that depends on all rows
 * of its broadcast sources and, in a join, on all rows of the other side's bucket. So missing, additional or
 * wrong rows show in the result.
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
  const context = sources.reduce((sum, rows, i) => (isBroadcast(i) ? (sum + checksum(rows)) >>> 0 : sum), 0);
  const probe = stage.sliceable?.[0];
  const build = probe === undefined ? new Map<number, number>() : bucketSums(sources[1 - probe]!);
  const main =
    probe === undefined ? sources.flatMap((rows, i) => (isBroadcast(i) ? [] : rows)) : sources[probe]!;
  return main.map((row) => {
    const value = mix(row.value, stage.id, context, build.get(row.bucket) ?? 0);
    return { value, bucket: skewed.has(stage.id) && value % 4 > 0 ? 7 : value % 1024 };
  });
}

const checksum = (rows: readonly Row[]): number =>
  rows.reduce((sum, { value }) => (sum + mix(value)) >>> 0, 0);

function bucketSums(rows: readonly Row[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { value, bucket } of rows) sums.set(bucket, ((sums.get(bucket) ?? 0) + mix(value)) >>> 0);
  return sums;
}

export const tabletRows = (table: number, tablet: number, count: number): readonly Row[] =>
  Array.from({ length: count }, (_, i) => ({ value: mix(table, tablet, i), bucket: 0 }));

export const sortedValues = (rows: readonly Row[]): readonly number[] =>
  rows.map(({ value }) => value).sort((a, b) => a - b);
