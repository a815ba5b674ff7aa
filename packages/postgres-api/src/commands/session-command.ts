import type { SqlText, SqlType } from '@tessera/sql';
import type { CopyInCommand, CopyOutCommand } from './copy-command.ts';

/** What a transaction says of itself when it begins; undefined where it says nothing. */
export interface TransactionModes {
  readonly readOnly: boolean | undefined;
}

/** Statements that concern the connection rather than the engine: this endpoint runs them. */
export type SessionCommand =
  | ({ readonly kind: 'begin'; readonly tag: string } & TransactionModes)
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'savepoint' | 'release_savepoint' | 'rollback_to_savepoint'; readonly name: string }
  | { readonly kind: 'prepare_transaction' }
  | ({ readonly kind: 'set_transaction' } & TransactionModes)
  /** Without a value: `DEFAULT`. */
  | {
      readonly kind: 'set';
      readonly name: string;
      readonly value: string | undefined;
      readonly local: boolean;
    }
  /** Without a name: all. */
  | { readonly kind: 'reset'; readonly name: string | undefined }
  | { readonly kind: 'show'; readonly name: string | undefined }
  /** `SELECT set_config('name', 'value', false)`. */
  | { readonly kind: 'set_config'; readonly name: string; readonly value: string; readonly local: boolean }
  /** `SELECT current_setting('name', true) AS column`: NULL for what is not set. */
  | {
      readonly kind: 'current_setting';
      readonly name: string;
      readonly column: string;
      readonly missingOk: boolean;
    }
  | { readonly kind: 'discard'; readonly what: 'ALL' | 'PLANS' | 'TEMP' | 'SEQUENCES' }
  | {
      readonly kind: 'prepare';
      readonly name: string;
      /** By position; undefined where the type is left to the server. */
      readonly types: readonly (SqlType | undefined)[];
      readonly query: SqlText;
    }
  | {
      readonly kind: 'execute';
      readonly name: string;
      readonly arguments: readonly SqlText[];
      /** What stands before EXECUTE and takes the statement in its place: `EXPLAIN`, `CREATE TABLE t AS`. */
      readonly prefix?: string;
    }
  | { readonly kind: 'deallocate'; readonly name: string | undefined }
  | {
      readonly kind: 'declare';
      readonly name: string;
      /** It stays open when its transaction ends. */
      readonly holds: boolean;
      readonly query: SqlText;
    }
  /** Infinity rows: all that are left. MOVE reads over them. */
  | { readonly kind: 'fetch'; readonly name: string; readonly rows: number; readonly moves: boolean }
  | { readonly kind: 'close'; readonly name: string | undefined }
  | { readonly kind: 'lock' }
  | { readonly kind: 'unlisten' }
  | CopyInCommand
  | CopyOutCommand;
