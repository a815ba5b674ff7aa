import type { SqlText, SqlType } from '@tessera/sql';
import type { CopyInCommand, CopyOutCommand } from './copy-command.ts';

/** The transaction modes that BEGIN or SET TRANSACTION gives; undefined if not given. */
export interface TransactionModes {
  readonly readOnly: boolean | undefined;
}

/** Statements that concern the connection and not the engine. This endpoint runs them. */
export type SessionCommand =
  | ({ readonly kind: 'begin'; readonly tag: string } & TransactionModes)
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'savepoint' | 'release_savepoint' | 'rollback_to_savepoint'; readonly name: string }
  | { readonly kind: 'prepare_transaction' }
  | ({ readonly kind: 'set_transaction' } & TransactionModes)
  /** A missing value means `DEFAULT`. */
  | {
      readonly kind: 'set';
      readonly name: string;
      readonly value: string | undefined;
      readonly local: boolean;
    }
  /** A missing name resets all parameters. */
  | { readonly kind: 'reset'; readonly name: string | undefined }
  | { readonly kind: 'show'; readonly name: string | undefined }
  /** `SELECT set_config('name', 'value', false)`. A missing value means NULL, which resets the parameter. */
  | {
      readonly kind: 'set_config';
      readonly name: string;
      readonly value: string | undefined;
      readonly local: boolean;
    }
  /** `SELECT current_setting('name', true) AS column`: returns NULL for a parameter that is not set. */
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
      /** The parameter types by position; undefined if the server should infer the type. */
      readonly types: readonly (SqlType | undefined)[];
      readonly query: SqlText;
    }
  | {
      readonly kind: 'execute';
      readonly name: string;
      readonly arguments: readonly SqlText[];
      /**
       * The statement around EXECUTE, whose text precedes the prepared statement: `EXPLAIN`, `CREATE TABLE t
       * AS`.
       */
      readonly prefix?: string;
    }
  | { readonly kind: 'deallocate'; readonly name: string | undefined }
  | {
      readonly kind: 'declare';
      readonly name: string;
      /** Whether the cursor stays open when its transaction ends. */
      readonly holds: boolean;
      readonly query: SqlText;
    }
  /** Infinity means all remaining rows. MOVE skips them. */
  | { readonly kind: 'fetch'; readonly name: string; readonly rows: number; readonly moves: boolean }
  | { readonly kind: 'close'; readonly name: string | undefined }
  | { readonly kind: 'lock' }
  | { readonly kind: 'unlisten' }
  | { readonly kind: 'set_constraints' }
  | CopyInCommand
  | CopyOutCommand;
