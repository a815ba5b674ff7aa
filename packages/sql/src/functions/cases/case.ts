/** An expression (or query of one value) and its value as text, or a part of the message of its error. */
export type Case = readonly [sql: string, expected: string | null | { readonly error: string }];

/** Cases by function. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

export const error = (part: string): { readonly error: string } => ({ error: part });
