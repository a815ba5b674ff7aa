/** A name as SQL text. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A text as a SQL literal. SQL itself is a C string, so a NUL character, which texts from files may contain,
 * becomes an expression.
 */
export const quoteText = (text: string): string =>
  text.includes('\0')
    ? `(${text.split('\0').map(quoteText).join(' || chr(0) || ')})`
    : `'${text.replaceAll("'", "''")}'`;

/**
 * Escapes a path, because the kernel interprets `*`, `?` and `[` as patterns; inside brackets, each stands for
 * itself.
 */
export const literalPath = (path: string): string => path.replace(/[*?[]/g, '[$&]');
