/** A name as SQL text. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as a SQL literal. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
