/**
 * CPU times in µs of the operations of a plan. `tessera-loadtest cluster` measures most of them on a machine
 * and prints both values, but not the costs per byte.
 */
export interface CostConstants {
  /** Reads one value of a table in kernel memory. */
  readonly scanResidentValue: number;
  /** Reads one value of a Parquet file on the local disk. */
  readonly scanParquetValue: number;
  /** Fetches one byte of a file outside the managed store. */
  readonly fetchByte: number;
  /** Fetches one byte of a file from the node that has it, with the work of both nodes. */
  readonly serveByte: number;
  /** Parses one byte of a text file. */
  readonly parseByte: number;
  /** Tests one condition on one row. */
  readonly filterRow: number;
  /** One text matched against a pattern. */
  readonly matchRow: number;
  /** One row put into the hash table of a join. */
  readonly buildRow: number;
  /** Looks up one row in the hash table of a join. */
  readonly probeRow: number;
  /** Adds one row to its group if there are few groups. */
  readonly aggregateRow: number;
  /** Creates one group. */
  readonly newGroup: number;
  /** Sorts one row. */
  readonly sortRow: number;
  /** Writes one row to the output of a stage. */
  readonly writeRow: number;
  readonly writeByte: number;
  /** Cost per row of each further consumer of a hash exchange. */
  readonly scatterRow: number;
  /** Sends one row to a consumer, including receiving and reading it there. */
  readonly moveRow: number;
  readonly moveByte: number;
  /** Encodes and stores one byte (its size in memory) of rows that are written as tablets. */
  readonly storeByte: number;
  /** Starts one task, with its session, statements and messages. */
  readonly startTask: number;
}

/**
 * Rounded from measurements on two idle cores of an AMD EPYC. `filterRow` was too small to be measured. `writeByte`, `moveByte`,
 * `storeByte`, `fetchByte` and `parseByte` are assumed. `serveByte` is that of an uploaded CSV file of 280 MB.
 */
export const COST_CONSTANTS: CostConstants = {
  scanResidentValue: 0.0013,
  scanParquetValue: 0.005,
  fetchByte: 0.003,
  serveByte: 0.002,
  parseByte: 0.006,
  filterRow: 0.002,
  matchRow: 0.07,
  buildRow: 0.04,
  probeRow: 0.04,
  aggregateRow: 0.006,
  newGroup: 0.16,
  sortRow: 0.085,
  writeRow: 0.15,
  writeByte: 0.0015,
  scatterRow: 0.02,
  moveRow: 0.3,
  moveByte: 0.004,
  storeByte: 0.01,
  startTask: 8_400,
};

/** The constants of the cost model, and what it leaves out. */
export interface Prices extends CostConstants {
  /** Looks for a text in another one. */
  readonly findRow: number;
  /** Puts one text into the hash table of a join. */
  readonly buildText: number;
  /** Looks up one row that has no match in a small hash table. */
  readonly missRow: number;
  /** Puts one row of an output into the order of its hash buckets. */
  readonly bucketRow: number;
  /** Whether a scan leaves out rows with keys of other tasks before it tests conditions. */
  readonly limitsKeysFirst: boolean;
}

/** The prices by which plans are chosen. */
export const CHOICE_PRICES: Prices = {
  ...COST_CONSTANTS,
  findRow: COST_CONSTANTS.filterRow,
  buildText: 0,
  missRow: COST_CONSTANTS.probeRow,
  bucketRow: 0,
  limitsKeysFirst: true,
};

/**
 * The prices by which the progress of a run compares its stages. They describe a machine whose processors share caches and memory
 * among the tasks of a query. Rounded from the CPU times of the stages of the TPC-H queries at scale factor 3 on three nodes.
 */
export const PROGRESS_PRICES: Prices = {
  ...COST_CONSTANTS,
  matchRow: 0.15,
  findRow: 0.1,
  buildRow: 0.2,
  buildText: 0.1,
  missRow: 0.01,
  bucketRow: 0.4,
  limitsKeysFirst: false,
  startTask: 20_000,
};
