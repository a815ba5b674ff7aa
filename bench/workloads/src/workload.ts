/** A data set with its queries. The same scale gives the same rows on every machine. */
export interface Workload {
  /** As on a command line: `tpch`. */
  readonly name: string;
  /** As a person writes it: `TPC-H`. */
  readonly title: string;
  /** What scale 1 is, such as `1 GB of rows` or `1 M rows`. */
  readonly scaleUnit: string;
  readonly tables: readonly WorkloadTable[];
  readonly queries: readonly WorkloadQuery[];
  /** Writes one Parquet file (zstd) for each table, named `<table>.parquet`. @throws Error for a scale that it does not have */
  generate(options: GenerateOptions): Promise<void>;
}

export interface GenerateOptions {
  /** Any number above 0 that the workload's own rules allow. */
  readonly scale: number;
  /** Exists already. */
  readonly directory: string;
  /** Only these tables; all unless said otherwise. */
  readonly tables?: readonly string[];
  /** Worker threads; as many as the machine has cores unless said otherwise. The rows do not depend on it. */
  readonly threads?: number;
  onProgress?(done: GenerateProgress): void;
}

export interface GenerateProgress {
  readonly table: string;
  /** From 0 to 1, of this table. */
  readonly fraction: number;
}

export interface WorkloadTable {
  readonly name: string;
  /** In the order of the file. */
  readonly columns: readonly WorkloadColumn[];
  /** The columns that a column store sorts by. */
  readonly sortKey: readonly string[];
}

export interface WorkloadColumn {
  readonly name: string;
  /** In standard SQL: `integer`, `bigint`, `smallint`, `double precision`, `numeric(15,2)`, `date`, `timestamp`, `text`. */
  readonly type: string;
  readonly nullable: boolean;
}

export interface WorkloadQuery {
  /** `q01`. */
  readonly name: string;
  /** One statement without a semicolon at its end. */
  readonly sql: string;
  /** Where a system needs other words for it: by `clickhouse`, `postgresql`. */
  readonly dialects?: Readonly<Record<string, string>>;
}
