/** A value as the kernel's VARCHAR. */
type Text = string;

export interface Comparison {
  readonly kind: 'compare';
  /** The name of the column in the relation. */
  readonly column: string;
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | '<>';
  readonly value: Text;
}

/**
 * A condition that every relevant row satisfies. Conditions that cannot be analysed are omitted, which is
 * always correct.
 */
export type Conjunct =
  | Comparison
  | { readonly kind: 'in'; readonly column: string; readonly values: readonly Text[] }
  | { readonly kind: 'null'; readonly column: string; readonly isNull: boolean }
  | { readonly kind: 'or'; readonly branches: readonly (readonly Conjunct[])[] };
