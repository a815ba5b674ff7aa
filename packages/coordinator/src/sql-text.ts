/** A text as a SQL literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
