/** The order and limit at the end of a query. */
export interface OutputOrder {
  /** The positions of output columns in its ORDER BY, as many of them, in order, as can be recognised. */
  readonly columns: readonly number[];
  readonly hasLimit: boolean;
}

/** Parses ORDER BY and LIMIT of the outermost query; `names` are those of the output columns. */
export function outputOrder(sql: string, names: readonly string[]): OutputOrder {
  const outer = withoutInner(sql);
  const hasLimit = /\b(LIMIT|FETCH\s+FIRST)\b/i.test(outer);
  const at = [...outer.matchAll(/\bORDER\s+BY\b/gi)].at(-1);
  if (at === undefined) return { columns: [], hasLimit };
  const keys = outer
    .slice(at.index + at[0].length)
    .replace(/\b(LIMIT|OFFSET|FETCH)\b[\s\S]*$/i, '')
    .split(',');
  const columns: number[] = [];
  for (const key of keys) {
    const column = columnOf(key, names);
    if (column === undefined) break;
    columns.push(column);
  }
  return { columns, hasLimit };
}

/** The column that an ORDER BY key refers to, by number, name, or qualified name. */
function columnOf(key: string, names: readonly string[]): number | undefined {
  const bare = key.replace(/\b(ASC|DESC|NULLS\s+(FIRST|LAST))\b/gi, '').trim();
  if (/^\d+$/.test(bare)) return Number(bare) - 1;
  const name = /^(?:\w+\.)?"?(\w+)"?$/.exec(bare)?.[1]?.toLowerCase();
  const place = name === undefined ? -1 : names.findIndex((column) => column.toLowerCase() === name);
  return place === -1 ? undefined : place;
}

/** The text outside of parentheses, strings and comments. */
function withoutInner(sql: string): string {
  let depth = 0;
  let outer = '';
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g)) {
    if (token === '(') depth++;
    if (depth === 0 && token.length === 1) outer += token;
    if (token === ')') {
      depth--;
      outer += '_';
    }
  }
  return outer;
}
