import { mkdir } from 'node:fs/promises';
import type { GenerateCommand } from '../command-line.ts';
import { WORKLOADS } from '../data/workloads.ts';
import type { Progress } from '../progress.ts';

/** Writes the tables of a workload as Parquet files. @throws Error immediately for an unknown workload */
export function generate({
  workload: name,
  scaleFactor,
  out,
}: GenerateCommand): (progress: Progress) => Promise<string> {
  const workload = WORKLOADS.find((one) => one.name === name);
  if (workload === undefined)
    throw new Error(`generate: ${name} is none of ${WORKLOADS.map((one) => one.name).join(', ')}`);
  return async (progress) => {
    await mkdir(out, { recursive: true });
    progress.benchmark(`generate ${name}`);
    const percents = new Map<string, number>();
    await workload.generate({
      scale: scaleFactor,
      directory: out,
      onProgress: ({ table, fraction }) => {
        const percent = Math.floor(fraction * 10) * 10;
        if (percents.get(table) === percent) return;
        percents.set(table, percent);
        progress.doing(`${table}, ${percent} %`, undefined);
      },
    });
    const files = workload.tables.map((table) => `${table.name}.parquet`);
    return `${out}: ${files.join(', ')}\n`;
  };
}
