import type { ExchangeSource, Stage } from '@tessera/planner';
import { HASH_BUCKETS } from '@tessera/planner';
import { bucketBytes, rowsInBuckets } from './bucket-counts.ts';
import { type BucketRange, bucketRanges } from './bucket-ranges.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { fullSource, mostInput, singleTask } from './single-task.ts';
import type { ExchangePart, TaskOutput, TaskSpec } from './task-spec.ts';

/** Below this size, one task reads faster than the rows are sent to two. */
const MIN_TASK_BYTES = 4 << 20;
/** Parts that consist of whole outputs may differ from even ones by this factor. */
const UNEVEN = 1.25;

/** Creates tasks over ranges of hash buckets of about the same size, one per node if there is enough work. */
export function hashTasks(stage: Stage, inputs: LayoutInputs): readonly TaskSpec[] {
  const hashed = stage.sources.flatMap((source, position) =>
    source.kind === 'exchange' && source.mode === 'hash' ? [{ source, position }] : [],
  );
  if (hashed.length === 0) return singleTask(stage, inputs);
  const outputsOf = (source: ExchangeSource) => inputs.outputs.get(source.stage)!;
  const sizes = new Map(
    hashed.map(({ source, position }) => [
      position,
      bucketBytes(outputsOf(source).map(({ outcome }) => outcome)),
    ]),
  );
  const total = new Float64Array(HASH_BUCKETS).map((_, b) =>
    [...sizes.values()].reduce((sum, bytes) => sum + bytes[b]!, 0),
  );
  const cut = largest(stage.sliceable ?? [], sizes);
  const ranges = bucketRanges(total, {
    tasks: inputs.nodes.length,
    minBytes: MIN_TASK_BYTES,
    cuttable: cut === undefined ? undefined : sizes.get(cut),
  });
  const parts = ranges.flatMap((range) =>
    partsOf(range, cut === undefined ? undefined : outputsOf(stage.sources[cut] as ExchangeSource)),
  );
  const nodes = mostInput(stage, inputs);
  return spreadBySize(parts, nodes.length).map(([{ range, part }, turn]) => {
    const preferred = nodes[turn]!;
    const { from, to } = range;
    return {
      preferred,
      sources: stage.sources.map((source, position) => {
        if (source.kind !== 'exchange' || source.mode !== 'hash')
          return fullSource(source, position, inputs, preferred);
        const divided = position === cut ? part : {};
        return { kind: 'exchange', stage: source.stage, buckets: [from, to], ...divided } as const;
      }),
    };
  });
}

interface RangePart {
  readonly range: BucketRange;
  readonly bytes: number;
  readonly part: Pick<ExchangePart, 'tasks' | 'slice'>;
}

/**
 * The tasks of a range. If its rows must be divided, they are divided by producer task if that is even
 * enough: these parts are the same after an output was recomputed, while slices by row position need not be.
 */
function partsOf(range: BucketRange, outputs: readonly TaskOutput[] | undefined): readonly RangePart[] {
  const { from, to, parts } = range;
  const bytes = range.bytes / parts;
  if (parts === 1 || outputs === undefined) return [{ range, bytes, part: {} }];
  const groups = Array.from({ length: parts }, () => ({ rows: 0, tasks: [] as number[] }));
  const rows = outputs.map(
    ({ outcome }) => rowsInBuckets(outcome, [from, to]) ?? outcome.rows / HASH_BUCKETS,
  );
  const bySize = rows.map((_, task) => task).sort((a, b) => rows[b]! - rows[a]!);
  for (const task of bySize) {
    const smallest = groups.reduce((a, b) => (b.rows < a.rows ? b : a));
    smallest.rows += rows[task]!;
    smallest.tasks.push(task);
  }
  const even = rows.reduce((sum, one) => sum + one, 0) / parts;
  const isEven = groups.every((group) => group.rows <= UNEVEN * even);
  return groups.map(({ tasks }, slice) => ({
    range,
    bytes,
    part: isEven ? { tasks: tasks.sort((a, b) => a - b) } : { slice: [slice, parts] },
  }));
}

/** Pairs each part with a node number: parts by descending size, assigned to the nodes back and forth. */
function spreadBySize(parts: readonly RangePart[], nodes: number): readonly (readonly [RangePart, number])[] {
  const order = parts.map((_, i) => i).sort((a, b) => parts[b]!.bytes - parts[a]!.bytes);
  const turns = new Array<number>(parts.length);
  order.forEach((part, rank) => {
    const turn = rank % nodes;
    turns[part] = Math.floor(rank / nodes) % 2 === 0 ? turn : nodes - 1 - turn;
  });
  return parts.map((part, i) => [part, turns[i]!]);
}

/** The sliceable source with the largest single bucket. */
function largest(positions: readonly number[], sizes: ReadonlyMap<number, Float64Array>): number | undefined {
  const peak = (position: number) => sizes.get(position)?.reduce((a, b) => Math.max(a, b), 0) ?? -1;
  const known = positions.filter((position) => sizes.has(position));
  return known.length === 0 ? undefined : known.reduce((a, b) => (peak(b) > peak(a) ? b : a));
}
