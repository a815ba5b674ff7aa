/**
 * The call `"as declared"(value, 'smallint')`, which no user's function is named like, in generated queries: the value of a column that a
 * table declares so.
 */
export const AS_DECLARED = 'as declared';
