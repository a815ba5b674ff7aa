/**
 * CPU time in µs that the operations of a plan take. `tessera-loadtest cluster` measures most of them on a machine and prints both
 * values; costs of single bytes are not measured.
 */
export interface CostConstants {
  /** One value of a table in kernel memory. */
  readonly scanResidentValue: number;
  /** One value of a Parquet file on the local disk. */
  readonly scanParquetValue: number;
  /** One byte of a file outside the managed store, fetched. */
  readonly fetchByte: number;
  /** One byte of a text file, parsed. */
  readonly parseByte: number;
  /** One condition on one row. */
  readonly filterRow: number;
  /** One text matched against a pattern. */
  readonly matchRow: number;
  /** One row put into the hash table of a join. */
  readonly buildRow: number;
  /** One row looked up in the hash table of a join. */
  readonly probeRow: number;
  /** One row put into its group, where there are few groups. */
  readonly aggregateRow: number;
  /** One new group. */
  readonly newGroup: number;
  /** One row put in order. */
  readonly sortRow: number;
  /** One row written to the output of a stage. */
  readonly writeRow: number;
  readonly writeByte: number;
  /** Cost per row of each further consumer of a hash exchange. */
  readonly scatterRow: number;
  /** One row sent to a consumer, received there and read. */
  readonly moveRow: number;
  readonly moveByte: number;
  /** One byte, as it is in memory, of rows that are encoded as tablets and stored. */
  readonly storeByte: number;
  /** One task, with its session, its statements and its messages. */
  readonly startTask: number;
}

/**
 * Rounded from measurements on two idle cores of an AMD EPYC. `filterRow` was too small to be measured. `writeByte`, `moveByte`,
 * `storeByte`, `fetchByte` and `parseByte` are assumed.
 */
export const COST_CONSTANTS: CostConstants = {
  scanResidentValue: 0.0013,
  scanParquetValue: 0.005,
  fetchByte: 0.003,
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
