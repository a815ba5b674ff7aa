import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** Reads the generated files. */
export class ParquetReader implements AsyncDisposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<ParquetReader> {
    const instance = await DuckDBInstance.create();
    return new ParquetReader(instance, await instance.connect());
  }

  /** All values as texts; NULL is null. */
  async rows(sql: string): Promise<(string | null)[][]> {
    const rows = (await this.#connection.runAndReadAll(sql)).getRows();
    return rows.map((row) => row.map((value) => (value === null ? null : String(value))));
  }

  /** The MD5 of the table in dbgen's format: each value is followed by `|`, and each row is a line. */
  async dbgenDigest(file: string): Promise<string> {
    const columns = (await this.rows(`DESCRIBE SELECT * FROM '${file}'`)).map(([name]) => name);
    const line = columns.map((name) => `${name} || '|'`).join(' || ');
    const [[digest]] = (await this.rows(
      `SELECT md5(string_agg(${line} || chr(10), '' ORDER BY file_row_number)) FROM read_parquet('${file}', file_row_number = true)`,
    )) as [[string]];
    return digest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
