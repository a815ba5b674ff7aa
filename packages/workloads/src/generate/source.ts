/** What a generator gives for one column before SQL makes the column of the file of it; the rest is null. */
export type Value = number | bigint | string | null;

export interface SourceColumn {
  readonly name: string;
  readonly type: 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'VARCHAR';
}

/** Where the rows of one table come from. Each unit is made from its own number only, so that units can be made anywhere. */
export interface TableSource {
  /** What is counted: rows, or orders of several rows. */
  readonly units: number;
  /** How many units one worker makes at a time. */
  readonly unitsPerPart: number;
  readonly columns: readonly SourceColumn[];
  /** The select list that makes the columns of the file from the columns above. */
  readonly select: string;
  /** Gives the rows of one unit, in the order of `columns`; `row` may be used again after the call. */
  rows(unit: number, emit: (row: readonly Value[]) => void): void;
}

/** What a module of sources exports: called in each worker. */
export type OpenSource = (table: string, scale: number) => TableSource;

export interface SourceModule {
  readonly openSource: OpenSource;
}
