import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Database, SqlResult } from './database.ts';

/** Rules of the optimiser that give wrong rows: this one filters rows below a LIMIT by the keys of a join above it. */
const WRONG_OPTIMIZERS = 'join_filter_pushdown';

/** DuckDB by itself, to see what it makes of a file. NULLs sort as the engine sorts them and integers divide as there. */
export class PlainDuckDb implements Database {
  readonly names = new Set(['duckdb']);
  #instance: DuckDBInstance | undefined;
  readonly #connections = new Map<string, DuckDBConnection>();

  async run(sql: string, name = ''): Promise<SqlResult> {
    const connection = this.#connections.get(name) ?? (await this.#connect(name));
    const reader = await connection.runAndReadAll(sql);
    const types = reader.columnTypes();
    const columns = reader
      .columnNames()
      .map((column, i) => ({ name: column, type: String(types[i]).toLowerCase() }));
    const rows = reader.getRowsJson();
    return {
      columns,
      rows: rows.map((row) =>
        row.map((value, i) => (/double|float/.test(columns[i]!.type) ? asNumber(value) : value)),
      ),
    };
  }

  async fresh(): Promise<void> {
    await this.close();
    this.#instance = await DuckDBInstance.create(':memory:');
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.values()) connection.closeSync();
    this.#connections.clear();
    this.#instance?.closeSync();
    this.#instance = undefined;
  }

  async #connect(name: string): Promise<DuckDBConnection> {
    const connection = await this.#instance!.connect();
    await connection.run(
      `SET default_null_order = 'postgres'; SET integer_division = true; SET TimeZone = 'UTC'; SET disabled_optimizers = '${WRONG_OPTIMIZERS}'`,
    );
    this.#connections.set(name, connection);
    return connection;
  }
}

const WORDS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};
const asNumber = (value: unknown): unknown => (typeof value === 'string' ? (WORDS[value] ?? value) : value);
