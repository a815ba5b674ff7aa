import { TesseraError } from '@tessera/common';
import type { MergeClause, MergeStatement } from '../statements/catalog-statement.ts';
import { isParameter, QuotedName, tokenize, Word } from '../text/lexer.ts';
import type { SqlText } from '../text/token-cursor.ts';
import { type ChangeQuery, changeQuery } from './change-query.ts';
import { ComposedText } from './composed-text.ts';
import { addTable } from './update-query.ts';

type OneSided = Exclude<MergeClause['matched'], 'matched'>;

const VISIBLE: Readonly<Record<OneSided, string>> = {
  not_matched: 'A WHEN NOT MATCHED clause can read the source only, because no row of the table matches',
  not_matched_by_source:
    'A WHEN NOT MATCHED BY SOURCE clause can read the table only, because no row of the source matches',
};

/**
 * Queries to bind, but not to run, before a MERGE. Each evaluates the expressions of a one-sided clause over
 * the side that the clause can see. The query that executes the MERGE joins both sides, so a name of the
 * other side would bind there and silently be NULL:
 *     WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = s.v    →    SELECT (s.v) FROM t
 * Binding these queries reports such names as UNDEFINED_NAME or UNDEFINED_TABLE. The caller ignores other
 * errors, such as a type that cannot be inferred because NULL replaces a parameter.
 */
export function mergeVisibility(merge: MergeStatement, statement: string): readonly ChangeQuery[] {
  return (['not_matched', 'not_matched_by_source'] as const).flatMap((matched) => {
    const expressions = merge.clauses
      .filter((clause) => clause.matched === matched)
      .flatMap(expressionsOf)
      .filter(({ sql }) =>
        tokenize(sql).some(({ tokenType }) => tokenType === Word || tokenType === QuotedName),
      );
    return expressions.length === 0 ? [] : [visibilityQuery(merge, statement, matched, expressions)];
  });
}

function expressionsOf({ condition, action }: MergeClause): readonly SqlText[] {
  const values =
    action.kind === 'update'
      ? action.set.map(({ value }) => value)
      : action.kind === 'insert'
        ? (action.values ?? [])
        : [];
  return [condition, ...values].filter((text) => text !== undefined);
}

function visibilityQuery(
  merge: MergeStatement,
  statement: string,
  matched: OneSided,
  expressions: readonly SqlText[],
): ChangeQuery {
  const text = new ComposedText();
  if (merge.with !== undefined) text.piece(merge.with);
  text.add('SELECT ').list(expressions, ', ', (expression) => {
    addWithoutParameters(text.add('('), expression).add('\n)');
  });
  text.add(' FROM ');
  if (matched === 'not_matched') text.piece(merge.using);
  else addTable(text, merge.table, merge.alias);
  const { sql, explain } = changeQuery(text, statement);
  return {
    sql,
    explain: (error) => {
      const explained = explain(error);
      if (!(explained instanceof TesseraError)) return explained;
      return explained.with({ message: `${VISIBLE[matched]}: ${explained.message}` });
    },
  };
}

/**
 * Replaces parameters by NULL: without the parameters of the rest of the statement, `?` would get the wrong
 * number.
 */
function addWithoutParameters(text: ComposedText, { sql, offset }: SqlText): ComposedText {
  let at = 0;
  for (const token of tokenize(sql).filter(isParameter)) {
    text.span({ sql: sql.slice(at, token.startOffset), offset: offset + at }).add('NULL');
    at = token.startOffset + token.image.length;
  }
  return text.span({ sql: sql.slice(at), offset: offset + at });
}
