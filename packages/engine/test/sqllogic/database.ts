interface ResultColumn {
  readonly name: string;
  /** The type in the database's dialect, in lower case. */
  readonly type: string;
}

export interface SqlResult {
  readonly columns: readonly ResultColumn[];
  /** JSON values: numbers, texts, booleans, null; lists as arrays, structs as objects. */
  readonly rows: readonly (readonly unknown[])[];
}

/** The database that a file runs on. */
export interface Database {
  /** The names that `skipif` and `onlyif` match. */
  readonly names: ReadonlySet<string>;
  /** @throws Error with the message of the database */
  run(sql: string, connection: string | undefined): Promise<SqlResult>;
  /** Starts a new database for the following statements if possible; undoes what a file left behind. */
  fresh(): Promise<void>;
  close(): Promise<void>;
}
