/** What `tessera dev-cluster` was told. */
export interface DevClusterOptions {
  readonly nodes: number;
  /** Absolute path, kept; undefined: a temporary one, removed at the end. */
  readonly directory: string | undefined;
  /** Undefined or 0: free ports. */
  readonly basePort: number | undefined;
  /** Whether nodes that die are started again. */
  readonly restart: boolean;
  /** Whether users have to log in. */
  readonly nativeAuth: boolean;
  /** Whether the addresses are printed for programs. */
  readonly json: boolean;
}
