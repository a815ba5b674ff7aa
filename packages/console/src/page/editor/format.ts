/** The text with regular line breaks and indentation. The formatter is loaded when it is used first. */
export async function formatSql(text: string): Promise<string> {
  const { formatDialect, postgresql } = await import('sql-formatter');
  return formatDialect(text, { dialect: postgresql, keywordCase: 'upper', tabWidth: 2 });
}
