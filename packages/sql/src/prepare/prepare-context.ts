import type { KernelSession, KernelValue } from '@tessera/kernel';
import type { ReadCall, RelationSource } from '../reads/read-call.ts';
import type { QueryParameter } from '../rewrites/parameters.ts';
import type { OutputColumn } from '../types/sql-type.ts';

export interface PrepareContext {
  readonly session: KernelSession;
  readonly settings: { readonly timezone: string };
  readonly parameters: readonly QueryParameter[];
  readonly sessionValues: {
    readonly account: string;
    readonly database: string;
    readonly engine: string;
    readonly user: string;
  };
  /** Makes the file or files of a READ_* call readable by the kernel. */
  resolveRead(call: ReadCall): Promise<RelationSource>;
}

export interface PreparedQuery {
  /** For the kernel; its columns have the dialect's names and types. */
  readonly sql: string;
  readonly parameters: Readonly<Record<string, KernelValue>>;
  readonly columns: readonly OutputColumn[];
}
