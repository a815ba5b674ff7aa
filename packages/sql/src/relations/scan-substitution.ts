import { fail } from '@tessera/common';
import { tokenize, Word } from '../text/lexer.ts';
import { MANAGED_SCHEMA } from './relation-resolver.ts';

/**
 * The SQL of a prepared query with every managed table replaced by what scans it. Names of tables that stand in strings
 * or quoted names are left alone.
 *
 * @param tables how often each table stands in `sql`, as `PreparedQuery.tables` tells
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
    return fail('NOT_SUPPORTED', { what: `A relation named "${MANAGED_SCHEMA}" beside the tables it hides` });
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

/** All places are found, and no others, when each name is there as often as the tree has it. */
function matching(spans: readonly Span[], tables: ReadonlyMap<string, number>): readonly Span[] | undefined {
  const found = new Map<string, number>();
  for (const { name } of spans) found.set(name, (found.get(name) ?? 0) + 1);
  const isExact = [...tables].every(([name, count]) => found.get(name) === count);
  return isExact && found.size === tables.size ? spans : undefined;
}

const TABLE = new RegExp(`\\b${MANAGED_SCHEMA}\\.(t_[a-z0-9_]+)`, 'g');

/** Wherever the characters stand; quick, and right for all but statements that mean to deceive. */
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
