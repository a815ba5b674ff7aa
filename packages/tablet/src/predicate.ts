/** A value as the kernel's VARCHAR of it. */
type Text = string;

export interface Comparison {
  readonly kind: 'compare';
  /** By its name in the relation. */
  readonly column: string;
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | '<>';
  readonly value: Text;
}

/** A condition that every row that matters meets. What is not understood is left out, which is always right. */
export type Conjunct =
  | Comparison
  | { readonly kind: 'in'; readonly column: string; readonly values: readonly Text[] }
  | { readonly kind: 'null'; readonly column: string; readonly isNull: boolean }
  | { readonly kind: 'or'; readonly branches: readonly (readonly Conjunct[])[] };
