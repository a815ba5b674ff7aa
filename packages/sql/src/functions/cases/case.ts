/** An expression (or a query of one value) and its value as text, or a part of its error message. */
type Case = readonly [sql: string, expected: string | null | { readonly error: string }];

/** Cases by the name of the function that they test. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

export const error = (part: string): { readonly error: string } => ({ error: part });
