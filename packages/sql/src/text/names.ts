import { nameOf, QuotedName, tokenize, Word } from './lexer.ts';

/** PostgreSQL's reserved words; as names they must be quoted. */
export const RESERVED_WORDS: readonly string[] =
  'ALL AND ANY ARRAY AS ASC BOTH CASE CAST CHECK COLLATE COLUMN CONSTRAINT CREATE DEFAULT DESC DISTINCT DO ELSE END EXCEPT FALSE FETCH FOR FOREIGN FROM GRANT GROUP HAVING IN INTERSECT INTO LATERAL LIMIT NOT NULL OFFSET ON ONLY OR ORDER PRIMARY REFERENCES RETURNING SELECT SET SOME TABLE THEN TO TRUE UNION UNIQUE USING VALUES WHEN WHERE WINDOW WITH'.split(
    ' ',
  );

/** A name as statements of the dialect write it, quoted only if necessary. */
export function quoteIdentifier(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED_WORDS.includes(name.toUpperCase());
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Every word and quoted name of a text, folded: a superset of the columns that it names. */
export const namesIn = (sql: string): readonly string[] =>
  tokenize(sql)
    .filter((token) => token.tokenType === Word || token.tokenType === QuotedName)
    .map(nameOf);
