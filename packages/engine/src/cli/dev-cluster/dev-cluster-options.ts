/** The options of `tessera dev-cluster`. */
export interface DevClusterOptions {
  readonly nodes: number;
  /** An absolute path that is kept; if undefined, a temporary directory that is removed at the end. */
  readonly directory: string | undefined;
  /** Undefined or 0 selects free ports. */
  readonly basePort: number | undefined;
  /** Whether nodes that die are restarted. */
  readonly restart: boolean;
  /** Whether users have to log in. */
  readonly nativeAuth: boolean;
  /** Whether the addresses are printed in JSON. */
  readonly json: boolean;
}
