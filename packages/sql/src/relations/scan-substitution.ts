import { fail } from '@tessera/common';
import { tokenize, Word } from '../text/lexer.ts';
import { MANAGED_SCHEMA } from './relation-resolver.ts';

/**
 * Replaces every managed table in the SQL of a prepared query by the SQL that scans it. Table names inside
 * strings or quoted names are left alone.
 * @param tables the number of references to each table in `sql`, as in `PreparedQuery.tables`
 * @param scans SQL that may stand in FROM, by bound name
 */
export function substituteScans(
  sql: string,
  tables: ReadonlyMap<string, number>,
  scans: ReadonlyMap<string, string>,
): string {
  if (tables.size === 0) return sql;
  const spans = matching(plainSpans(sql), tables) ?? matching(tokenSpans(sql), tables);
  if (spans === undefined) {
    return fail('NOT_SUPPORTED', {
      what: `A relation named "${MANAGED_SCHEMA}" in a statement that also reads stored tables`,
    });
  }
  let out = '';
  let at = 0;
  for (const { name, start, end } of spans) {
    out += sql.slice(at, start) + (scans.get(name) ?? sql.slice(start, end));
    at = end;
  }
  return out + sql.slice(at);
}

interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the spans if each name occurs as often as in the tree: then all references were found, and nothing
 * else.
 */
function matching(spans: readonly Span[], tables: ReadonlyMap<string, number>): readonly Span[] | undefined {
  const found = new Map<string, number>();
  for (const { name } of spans) found.set(name, (found.get(name) ?? 0) + 1);
  const isExact = [...tables].every(([name, count]) => found.get(name) === count);
  return isExact && found.size === tables.size ? spans : undefined;
}

const TABLE = new RegExp(`\\b${MANAGED_SCHEMA}\\.(t_[a-z0-9_]+)`, 'g');

/**
 * Finds the names wherever the characters occur. This is fast, and correct except for statements that are
 * built to deceive it.
 */
function plainSpans(sql: string): readonly Span[] {
  return [...sql.matchAll(TABLE)].map((match) => ({
    name: match[1]!,
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function tokenSpans(sql: string): readonly Span[] {
  const tokens = tokenize(sql);
  return tokens.flatMap((token, i) => {
    const name = tokens[i + 2];
    const isTable =
      token.tokenType === Word &&
      token.image === MANAGED_SCHEMA &&
      tokens[i - 1]?.image !== '.' &&
      tokens[i + 1]?.image === '.' &&
      name?.tokenType === Word &&
      name.image.startsWith('t_');
    return isTable
      ? [{ name: name.image, start: token.startOffset, end: name.startOffset + name.image.length }]
      : [];
  });
}
