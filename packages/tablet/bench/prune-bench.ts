/**
 * Measures pruning of a table of many tablets by a range of the primary index and by an equality.
 *   node packages/tablet/bench/prune-bench.ts [--tablets 100000]
 * `first`: the statistics are read for the first time; `then`: the median of the later runs.
 */
import { parseArgs } from 'node:util';
import type { ColumnStatistics, ObjectId, TableObject, Tablet, TabletId } from '@tessera/catalog';
import { type Conjunct, pruneTablets } from '../src/index.ts';

const { values } = parseArgs({ options: { tablets: { type: 'string', default: '100000' } } });
const count = Number(values.tablets);
const types = ['BIGINT', 'TIMESTAMP', 'VARCHAR', 'DECIMAL(18,2)', 'DATE', 'DOUBLE'];
const table = {
  columns: types.map((type, i) => ({ id: i + 1, name: `c${i}`, storedName: `c${i}`, type, since: 1 })),
} as unknown as TableObject;
const minute = (i: number) => new Date(1.6e12 + i * 60_000).toISOString().replace('T', ' ').slice(0, 19);
const bounds: ((i: number) => string)[] = [
  (i) => String(i * 1000),
  minute,
  (i) => `customer ${String(i).padStart(9, '0')}`,
  (i) => `${i}.25`,
  (i) => minute(i * 1440).slice(0, 10),
  (i) => String(i / 3),
];
const tablets = Array.from({ length: count }, (_, i): Tablet => {
  const statistics = bounds.map(
    (bound, c): ColumnStatistics => ({ column: c + 1, min: bound(i), max: bound(i + 1), nulls: 0 }),
  );
  return {
    ...{ id: String(i) as TabletId, tableId: 't' as ObjectId, schemaVersion: 1, layout: 'wide', rows: 1000 },
    ...{ bytes: 1, uncompressedBytes: 1, granules: 1, headerOffset: 0, footerOffset: 0, tailCrc32c: 0 },
    ...{ partition: [], statistics, createdAt: '' },
  };
});

for (const [c, type] of types.entries()) {
  const column = `c${c}`;
  const [low, high] = [bounds[c]!(count / 2), bounds[c]!(count / 2 + 3)];
  const filters: Record<string, Conjunct[]> = {
    equality: [{ kind: 'compare', column, operator: '=', value: low }],
    range: [
      { kind: 'compare', column, operator: '>=', value: low },
      { kind: 'compare', column, operator: '<', value: high },
    ],
  };
  for (const [name, filter] of Object.entries(filters)) {
    const times: number[] = [];
    let kept = 0;
    for (let run = 0; run < 11; run++) {
      const start = performance.now();
      kept = pruneTablets(table, tablets, [filter]).length;
      times.push(performance.now() - start);
    }
    const [first, ...rest] = times;
    const then = rest.sort((a, b) => a - b)[5]!;
    process.stdout.write(
      `${type.padEnd(14)} ${name.padEnd(9)} first ${first!.toFixed(1)} ms, then ${then.toFixed(1)} ms, ${kept} of ${count} kept\n`,
    );
  }
}
