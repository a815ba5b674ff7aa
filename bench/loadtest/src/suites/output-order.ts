/** What the end of a query fixes about its rows. */
export interface OutputOrder {
  /** Places of output columns that its ORDER BY goes by, as many of them in order as can be told. */
  readonly columns: readonly number[];
  readonly hasLimit: boolean;
}

/** Reads ORDER BY and LIMIT of the outermost query; `names` are those of the output columns. */
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

/** By number, name, or name behind that of a table. */
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
