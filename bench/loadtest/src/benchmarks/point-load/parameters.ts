/** The parameters of the process that sends point queries. */
export interface PointLoadParameters {
  readonly url: string;
  readonly postgresUrl: string;
  /** The table has the ids from 1 to this number. */
  readonly rows: number;
  readonly seed: number;
}
