import type { IToken } from 'chevrotain';
import { KERNEL_KEYWORDS } from './kernel-keywords.ts';
import { Close, isWord, NumberToken, Open, Operator, QuotedName, Word } from './lexer.ts';

/**
 * Unquoted words that the kernel's parser reserves and PostgreSQL does not, where they are names:
 *
 *     SELECT at FROM t             becomes   SELECT "at" FROM t
 *     SELECT count(*) value FROM t becomes   SELECT count(*) "value" FROM t
 */
export function kernelWords(tokens: readonly IToken[]): readonly IToken[] {
  const inItems: boolean[] = [false];
  return tokens.filter((token, index) => {
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    if (token.tokenType === Open) inItems.push(false);
    else if (token.tokenType === Close && inItems.length > 1) inItems.pop();
    if (token.tokenType !== Word) return false;
    if (isWord(token, 'SELECT')) inItems[inItems.length - 1] = true;
    else if (ENDS_ITEMS.has(upper(token))) inItems[inItems.length - 1] = false;
    return isColumn(token, before, after) || (inItems.at(-1) === true && isAlias(token, before, after));
  });
}

/** Words that only the kernel's parser takes for more than a name. */
const RESERVED_BY_KERNEL = new Set(
  `ANTI ASOF AT BY COLUMNS DESCRIBE GENERATED GLOB LAMBDA MAP PIVOT POSITIONAL SEMI SHOW STRUCT SUMMARIZE UNPACK
   UNPIVOT`.split(/\s+/),
);

const BEFORE_COLUMN = new Set(
  'SELECT DISTINCT ALL AND OR NOT WHERE FROM HAVING BY ON THEN WHEN ELSE CASE BETWEEN LIKE ILIKE'.split(' '),
);

const BEHIND_COLUMN = new Set(
  `FROM AS AND OR IS IN NOT LIKE ILIKE BETWEEN ASC DESC NULLS THEN ELSE WHEN END WHERE GROUP ORDER HAVING LIMIT
   OFFSET UNION INTERSECT EXCEPT COLLATE AT`.split(/\s+/),
);

function isColumn(token: IToken, before: IToken | undefined, after: IToken | undefined): boolean {
  if (!RESERVED_BY_KERNEL.has(upper(token)) || before === undefined) return false;
  const isBegin =
    before.tokenType === Word
      ? BEFORE_COLUMN.has(upper(before))
      : before.image === ',' ||
        before.tokenType === Open ||
        (before.tokenType === Operator && before.image !== '.' && before.image !== '::');
  if (!isBegin) return false;
  if (after === undefined || after.image === ',') return true;
  if (after.tokenType === Word) return BEHIND_COLUMN.has(upper(after));
  return after.tokenType === Close || after.tokenType === Operator;
}

/** Words that may follow an expression for another reason than to name it. PostgreSQL wants AS before those, too. */
const NOT_ALIASES = new Set(
  `AS ASC ASOF AT BETWEEN BY CHAR CHARACTER COLLATE CROSS DAY DESC DIV ELSE END ESCAPE EXCEPT FETCH FILTER FOR FROM FULL
   GLOB GROUP HAVING HOUR IGNORE ILIKE IN INNER INTERSECT INTO IS ISNULL JOIN LEFT LIKE LIMIT MINUTE MONTH NATURAL NOT
   NOTNULL NULL NULLS OFFSET ON OR AND ORDER OVER OVERLAPS POSITIONAL PRECISION QUALIFY RESPECT RETURNING RIGHT SECOND
   SEMI ANTI SIMILAR TABLESAMPLE THEN TO UNION USING VARYING WHEN WHERE WINDOW WITH WITHIN WITHOUT YEAR ZONE`.split(
    /\s+/,
  ),
);

/** A word before these is not the end of an expression. */
const NOT_VALUES = new Set(
  `ALL AND ANY ARRAY AS BETWEEN BY CASE COLLATE DISTINCT ELSE ESCAPE EXISTS FROM ILIKE IN INTERVAL IS LIKE NOT ON OR
   OPERATOR SELECT SIMILAR SOME THEN TIME TIMESTAMP TO WHEN DATE NULLS`.split(/\s+/),
);

const ENDS_ITEMS = new Set(
  'FROM WHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT INTO'.split(' '),
);

/** A name after an item of a select list, without AS: the kernel takes no keyword there, not even an unreserved one. */
function isAlias(token: IToken, before: IToken | undefined, after: IToken | undefined): boolean {
  if (before === undefined || NOT_ALIASES.has(upper(token))) return false;
  if (!KERNEL_KEYWORDS.has(token.image.toLowerCase())) return false;
  const isValue =
    before.tokenType === Word
      ? !NOT_VALUES.has(upper(before))
      : before.tokenType === Close ||
        before.tokenType === QuotedName ||
        before.tokenType === NumberToken ||
        /^(?:.*['$])$/s.test(before.image);
  if (!isValue) return false;
  return (
    after === undefined ||
    after.image === ',' ||
    after.image === ')' ||
    (after.tokenType === Word && ENDS_ITEMS.has(upper(after)))
  );
}

const upper = (token: IToken): string => token.image.toUpperCase();
