import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workload } from '@tessera/workloads';
import { undoneAtExit } from '../processes/undone-at-exit.ts';

export interface WorkloadDataOptions {
  readonly scale: number;
  /** Only these tables; all by default. */
  readonly tables?: readonly string[];
  progress(doing: string): void;
}

/** Tables of a workload as Parquet files in a temporary directory. */
export class WorkloadData {
  readonly directory: string;
  readonly scale: number;
  readonly #callOff: () => void;

  private constructor(directory: string, scale: number) {
    this.directory = directory;
    this.scale = scale;
    this.#callOff = undoneAtExit(() => rmSync(directory, { recursive: true, force: true }));
  }

  static async generate(
    workload: Workload,
    { scale, tables, progress }: WorkloadDataOptions,
  ): Promise<WorkloadData> {
    const data = new WorkloadData(mkdtempSync(join(tmpdir(), 'tessera-loadtest-data-')), scale);
    try {
      await workload.generate({
        scale,
        directory: data.directory,
        ...(tables && { tables }),
        onProgress: ({ table, fraction }) => progress(`generating ${table}, ${Math.floor(fraction * 100)} %`),
      });
      return data;
    } catch (error) {
      data.remove();
      throw error;
    }
  }

  file(table: string): string {
    return join(this.directory, `${table}.parquet`);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
    this.#callOff();
  }
}
