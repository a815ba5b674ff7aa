import type { CatalogStatement } from './catalog-statement.ts';
import type { SettingPairs } from './setting-pairs.ts';

/** What a statement is, before anything of it is bound. */
export type Statement =
  | QueryStatement
  | ExplainStatement
  | CatalogStatement
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'reset'; readonly name: string }
  /** Without a name: all settings. */
  | { readonly kind: 'show_setting'; readonly name: string | undefined }
  | { readonly kind: 'use_database'; readonly database: string }
  /** Clients of this API family choose their engine so; a node has but one. */
  | { readonly kind: 'use_engine'; readonly engine: string }
  | { readonly kind: 'cancel_query'; readonly queryId: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly string[] }
  /** Needs a part of the product that this version does not have; `name` as a user calls it. */
  | { readonly kind: 'unsupported'; readonly name: string };

export interface QueryStatement {
  readonly kind: 'query';
  /** Without the settings suffix. */
  readonly sql: string;
  /** Of the suffix `WITH (k = v, …)`. */
  readonly settings: SettingPairs;
}

export type ExplainPart = 'logical' | 'physical' | 'analyze' | 'statistics' | 'all';

export interface ExplainStatement {
  readonly kind: 'explain';
  readonly sql: string;
  /** Where `sql` begins in the statement, in UTF-16 units. */
  readonly offset: number;
  readonly settings: SettingPairs;
  readonly part: ExplainPart;
  readonly format: 'text' | 'json';
}
