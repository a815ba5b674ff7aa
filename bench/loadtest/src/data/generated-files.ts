import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlainDuckDb } from '../processes/plain-duckdb.ts';
import { generatedQuery } from './generated-columns.ts';

const SAMPLE_ROWS = 100_000;

const COPY_OPTIONS = {
  csv: 'FORMAT csv, HEADER',
  'csv.gz': 'FORMAT csv, HEADER, COMPRESSION gzip',
  'csv.zst': 'FORMAT csv, HEADER, COMPRESSION zstd',
  parquet: 'FORMAT parquet, COMPRESSION snappy',
} as const;

/** Files of generated rows in a temporary directory, written by plain DuckDB. */
export class GeneratedFiles {
  readonly #duckdb: PlainDuckDb;
  readonly #directory: string;

  private constructor(duckdb: PlainDuckDb, directory: string) {
    this.#duckdb = duckdb;
    this.#directory = directory;
    process.once('exit', this.remove);
  }

  static async open(duckdb: PlainDuckDb): Promise<GeneratedFiles> {
    return new GeneratedFiles(duckdb, await mkdtemp(join(tmpdir(), 'tessera-loadtest-data-')));
  }

  /** The number of rows for a CSV file of about this many bytes. */
  async rowsForCsvBytes(bytes: number): Promise<number> {
    const path = await this.write('csv', SAMPLE_ROWS);
    const { size } = await stat(path);
    return Math.max(1, Math.floor((bytes / size) * SAMPLE_ROWS));
  }

  /** Writes a file and returns its path. */
  async write(format: keyof typeof COPY_OPTIONS, rows: number): Promise<string> {
    const path = join(this.#directory, `${rows}.${format}`);
    await this.#duckdb.run(`COPY (${generatedQuery(rows)}) TO '${path}' (${COPY_OPTIONS[format]})`);
    return path;
  }

  /** Also called when the program is interrupted, because the files are large. */
  readonly remove = (): void => {
    process.off('exit', this.remove);
    rmSync(this.#directory, { recursive: true, force: true });
  };
}
