import type { IToken } from 'chevrotain';
import { isWord, nameOf, QuotedName, stringOf, tokenize, Word } from './lexer.ts';

/** PostgreSQL's reserved words: as names they need quotes. */
export const RESERVED_WORDS: readonly string[] =
  'ALL AND ANY ARRAY AS ASC BOTH CASE CAST CHECK COLLATE COLUMN CONSTRAINT CREATE DEFAULT DESC DISTINCT DO ELSE END EXCEPT FALSE FETCH FOR FOREIGN FROM GRANT GROUP HAVING IN INTERSECT INTO LATERAL LIMIT NOT NULL OFFSET ON ONLY OR ORDER PRIMARY REFERENCES RETURNING SELECT SET SOME TABLE THEN TO TRUE UNION UNIQUE USING VALUES WHEN WHERE WINDOW WITH'.split(
    ' ',
  );

/** A name as statements of the dialect write it: in quotes only where it needs them. */
export function quoteIdentifier(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED_WORDS.includes(name.toUpperCase());
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Every word and quoted name of a text, folded: a superset of the columns that it names. */
export const namesIn = (sql: string): readonly string[] =>
  tokenize(sql)
    .filter((token) => token.tokenType === Word || token.tokenType === QuotedName)
    .map(nameOf);

/** A statement with `?` for each of its literals and its spaces and case made equal; text that does not lex stays. */
export function normalizedSql(sql: string): string {
  try {
    let normalized = '';
    for (const token of tokenize(sql)) {
      const image = withoutLiteral(token);
      const isTight = TIGHT_BEFORE.has(image) || normalized === '' || TIGHT_BEHIND.test(normalized);
      normalized += isTight ? image : ` ${image}`;
    }
    return normalized;
  } catch {
    return sql;
  }
}

const TIGHT_BEFORE = new Set([',', ')', ']', '.', '::', ';']);
const TIGHT_BEHIND = /[([.]$|::$/;

function withoutLiteral(token: IToken): string {
  if (token.tokenType.name === 'Number' || token.tokenType.name === 'PrefixedString') return '?';
  if (stringOf(token) !== undefined || isWord(token, 'TRUE', 'FALSE')) return '?';
  return token.tokenType === Word ? nameOf(token) : token.image;
}
