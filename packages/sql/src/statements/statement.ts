import type { QueryId } from '@tessera/common';
import type { CatalogStatement, CreateStatement, RowChangeStatement } from './catalog-statement.ts';
import type { SettingPairs } from './setting-pairs.ts';

/** A classified statement, before anything in it is bound. */
export type Statement =
  | QueryStatement
  | ExplainStatement
  | CatalogStatement
  | WithChangesStatement
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'reset'; readonly name: string }
  /** Without a name it shows all settings. */
  | { readonly kind: 'show_setting'; readonly name: string | undefined }
  | { readonly kind: 'use_database'; readonly database: string }
  /** Firebolt clients select an engine with this statement; a node has only one. */
  | { readonly kind: 'use_engine'; readonly engine: string }
  | { readonly kind: 'cancel_query'; readonly queryId: QueryId }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly string[] }
  | UnsupportedStatement;

/** A statement that this version does not support; `name` is what a user calls it. */
export interface UnsupportedStatement {
  readonly kind: 'unsupported';
  readonly name: string;
}

export interface QueryStatement {
  readonly kind: 'query';
  /** The statement without the settings suffix. */
  readonly sql: string;
  /** The settings of the suffix `WITH (k = v, …)`. */
  readonly settings: SettingPairs;
}

/** An INSERT, UPDATE, DELETE or MERGE in a WITH clause. */
export interface ChangeInWith {
  readonly name: string;
  /** The change as a statement of its own, after the parts of WITH that stand before it, at its place in the whole statement. */
  readonly sql: string;
  readonly isReturning: boolean;
}

/** `WITH a AS (DELETE … RETURNING …) …`, followed by a query or a change. */
export interface WithChangesStatement {
  readonly kind: 'with_changes';
  readonly changes: readonly ChangeInWith[];
  /** The whole statement, in which the changes of WITH are replaced by queries of the relations `relationOfChange`. */
  readonly main: { readonly sql: string; readonly statement: QueryStatement | RowChangeStatement };
  readonly settings: SettingPairs;
}

export type ExplainPart = 'logical' | 'physical' | 'analyze' | 'statistics' | 'all';

/** A statement whose rows come from a query, which EXPLAIN shows. */
export type ExplainableChange = RowChangeStatement | Extract<CreateStatement, { kind: 'create_table_as' }>;

export interface ExplainStatement {
  readonly kind: 'explain';
  /** The query or the change. */
  readonly sql: string;
  /** The statement in `sql` if it is not a query; its offsets are those of the whole text. */
  readonly change?: ExplainableChange;
  /** The offset at which `sql` begins in the statement, in UTF-16 units. */
  readonly offset: number;
  readonly settings: SettingPairs;
  readonly part: ExplainPart;
  readonly format: 'text' | 'json';
}

/** Whether a statement that changes rows returns rows (RETURNING, or a query after changes in WITH). */
export const isReturning = (statement: Statement): boolean => {
  if (statement.kind !== 'with_changes') return 'returning' in statement && statement.returning !== undefined;
  const { statement: main } = statement.main;
  return main.kind === 'query' || isReturning(main);
};
