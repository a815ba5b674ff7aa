/** What the process that asks for points is told. */
export interface PointLoadParameters {
  readonly url: string;
  readonly postgresUrl: string;
  /** The table has the ids from 1 to this. */
  readonly rows: number;
  readonly seed: number;
}
