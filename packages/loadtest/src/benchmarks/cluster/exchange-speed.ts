import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CostConstants } from '@tessera/planner';
import { figure } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';

const PROGRAM = join(import.meta.dirname, '../../../../shuffle/bench/exchange-bench.ts');
const ROWS = 10_000_000;
const TARGET = { at: 'least', value: 5_000_000 } as const;

/** What moving a row costs, its bytes included. */
export type ExchangeCost = Pick<CostConstants, 'writeRow' | 'moveRow'>;

/** What the shuffle's own benchmark says of rows that go from a table of one process into a table of another. */
export async function measureExchange(
  scale: number,
  progress: (doing: string) => void,
): Promise<{ readonly line: Line; readonly cost: ExchangeCost }> {
  progress('cluster: exchange between two processes');
  const rows = Math.max(100_000, ROWS * scale);
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, String(rows)]);
  const speeds = [...stdout.matchAll(/^both\b.* ([\d.]+) M rows\/s$/gm)].map(
    (match) => Number(match[1]) * 1e6,
  );
  const cpu = [...stdout.matchAll(/^CPU .* store ([\d.]+) s {2}fetch ([\d.]+) s$/gm)];
  const micros = (group: 1 | 2) =>
    (cpu.reduce((sum, match) => sum + Number(match[group]), 0) * 1e6) / speeds.length / rows;
  return {
    line: {
      what: `exchange, ${rows / 1e6} M rows × 4 columns`,
      figures: { speed: figure('rows/s', speeds, TARGET) },
    },
    cost: { writeRow: micros(1), moveRow: micros(2) },
  };
}
