/** A data set with its queries. The same scale gives the same rows on every machine. */
export interface Workload {
  /** The name on a command line, such as `tpch`. */
  readonly name: string;
  /** The name in texts, such as `TPC-H`. */
  readonly title: string;
  /** The size at scale 1, such as `1 GB of rows` or `1 M rows`. */
  readonly scaleUnit: string;
  readonly tables: readonly WorkloadTable[];
  readonly queries: readonly WorkloadQuery[];
  /**
   * Writes one Parquet file (zstd) for each table, named `<table>.parquet`. @throws Error for an unsupported
   * scale
   */
  generate(options: GenerateOptions): Promise<void>;
}

export interface GenerateOptions {
  /** Any number above 0 that the workload supports. */
  readonly scale: number;
  /** The folder; it must exist. */
  readonly directory: string;
  /** The tables to write; all by default. */
  readonly tables?: readonly string[];
  /** The number of worker threads; by default the number of cores. The rows do not depend on it. */
  readonly threads?: number;
  onProgress?(done: GenerateProgress): void;
}

export interface GenerateProgress {
  readonly table: string;
  /** The progress within this table, from 0 to 1. */
  readonly fraction: number;
}

export interface WorkloadTable {
  readonly name: string;
  /** The columns in the order of the file. */
  readonly columns: readonly WorkloadColumn[];
  /** The columns by which a column store sorts the table. */
  readonly sortKey: readonly string[];
}

export interface WorkloadColumn {
  readonly name: string;
  /**
   * The type in standard SQL: `integer`, `bigint`, `smallint`, `double precision`, `numeric(15,2)`, `date`,
   * `timestamp`, `text`.
   */
  readonly type: string;
  readonly nullable: boolean;
}

export interface WorkloadQuery {
  /** `q01`. */
  readonly name: string;
  /** One statement without a semicolon at its end. */
  readonly sql: string;
  /** The statement in the dialect of a system (`clickhouse`, `postgresql`) that needs a different one. */
  readonly dialects?: Readonly<Record<string, string>>;
}
