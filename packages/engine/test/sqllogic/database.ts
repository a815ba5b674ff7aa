export interface ResultColumn {
  readonly name: string;
  /** As the dialect of the database calls it, in lower case. */
  readonly type: string;
}

export interface SqlResult {
  readonly columns: readonly ResultColumn[];
  /** JSON values: numbers, texts, booleans, null; lists as arrays, structs as objects. */
  readonly rows: readonly (readonly unknown[])[];
}

/** What a file runs on. */
export interface Database {
  /** By which `skipif` and `onlyif` know it. */
  readonly names: ReadonlySet<string>;
  /** @throws Error with the message of the database */
  run(sql: string, connection: string | undefined): Promise<SqlResult>;
  /** Whether the statements of now run in a database of their own; undoes what a file left. */
  fresh(): Promise<void>;
  close(): Promise<void>;
}
