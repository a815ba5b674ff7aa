import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CostConstants } from '@tessera/planner';
import { figure, percentile } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';

const PROGRAM = join(import.meta.dirname, '../../../../../packages/shuffle/bench/exchange-bench.ts');
const ROWS = 10_000_000;
const SPEED_TARGET = { at: 'least', value: 5_000_000 } as const;
const COST_TARGET = { at: 'most', value: 0.3 } as const;

/** `4 consumers: 1.2 M rows/s, CPU 0.512 µs a row (store 0.131, fetch 0.381; …)` */
const MEASURED =
  /^(\d+) consumers: ([\d.]+) M rows\/s, CPU ([\d.]+) µs a row \(store ([\d.]+), fetch ([\d.]+);/gm;

/** Cost of an exchange per row of the benchmark, with the size of such a row. */
export type ExchangeCost = Pick<CostConstants, 'writeRow' | 'moveRow' | 'scatterRow'>;

interface Run {
  readonly consumers: number;
  readonly speed: number;
  readonly cpu: number;
  readonly store: number;
  readonly fetch: number;
}

/** Results of the shuffle's own benchmark for one producer and several consumers. */
export async function measureExchange(
  scale: number,
  progress: (doing: string) => void,
): Promise<{ readonly lines: readonly Line[]; readonly cost: ExchangeCost }> {
  progress('cluster: exchange between two processes');
  const rows = Math.max(100_000, ROWS * scale);
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, String(rows)]);
  const runs = [...stdout.matchAll(MEASURED)].map((match): Run => {
    const [consumers, speed, cpu, store, fetch] = match.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return { consumers, speed: speed * 1e6, cpu, store, fetch };
  });
  const byConsumers = Map.groupBy(runs, ({ consumers }) => consumers);
  const lines = [...byConsumers].map(
    ([consumers, each]): Line => ({
      what: `exchange, ${rows / 1e6} M rows × 4 columns, ${consumers} consumer${consumers === 1 ? '' : 's'}`,
      figures: {
        speed: figure(
          'rows/s',
          each.map(({ speed }) => speed),
          SPEED_TARGET,
        ),
        'CPU of a row': figure(
          'µs',
          each.map(({ cpu }) => cpu),
          COST_TARGET,
        ),
      },
    }),
  );
  return { lines, cost: costOf(runs, byConsumers) };
}

/** Separates the cost that each further consumer adds from the cost of one consumer. */
function costOf(runs: readonly Run[], byConsumers: ReadonlyMap<number, readonly Run[]>): ExchangeCost {
  const sizes = [...byConsumers.keys()];
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const fetched = (consumers: number) => middle(byConsumers.get(consumers)!.map(({ fetch }) => fetch));
  const scatterRow = Math.max(0, (fetched(most) - fetched(least)) / Math.max(1, most - least));
  return {
    writeRow: middle(runs.map(({ store }) => store)),
    moveRow: Math.max(0, fetched(least) - least * scatterRow),
    scatterRow,
  };
}

const middle = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    50,
  );
