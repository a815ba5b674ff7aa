import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { figure } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';

const PROGRAM = join(import.meta.dirname, '../../../../../packages/coordinator/bench/planning-bench.ts');
const TARGET = { at: 'most', value: 25 } as const;
const REPEATED_TARGET = { at: 'most', value: 0.1 } as const;

interface Planning {
  readonly median: number;
  readonly repeated: number;
}

/** The results of the coordinator's own benchmark for the median TPC-DS query. */
export async function planningLines(progress: (doing: string) => void): Promise<readonly Line[]> {
  progress('cluster: planning');
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-planning-'));
  try {
    const file = join(directory, 'planning.json');
    await promisify(execFile)(process.execPath, [PROGRAM, '--json', file]);
    const { median, repeated } = JSON.parse(await readFile(file, 'utf8')) as Planning;
    return [
      { what: 'planning, median TPC-DS query', figures: { cost: figure('ms', [median], TARGET) } },
      { what: 'planning, repeated', figures: { cost: figure('ms', [repeated], REPEATED_TARGET) } },
    ];
  } finally {
    await rm(directory, { recursive: true });
  }
}
