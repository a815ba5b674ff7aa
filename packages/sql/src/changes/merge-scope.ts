import type { IToken } from 'chevrotain';
import type { MergeStatement, SqlText } from '../statements/catalog-statement.ts';
import { isWord, nameOf, QuotedName, tokenize, Word } from '../text/lexer.ts';
import { quoteIdentifier } from '../text/names.ts';
import type { ChangeTarget } from './change-target.ts';
import type { ComposedText } from './composed-text.ts';

/**
 * What a WHEN clause sees, as in PostgreSQL: NOT MATCHED the source alone, NOT MATCHED BY SOURCE the table alone. In the
 * joined rows both are there, and an unqualified name that both have would be ambiguous.
 */
export class MergeScope {
  readonly sourceAlias: string;
  readonly #target: ChangeTarget;
  readonly #targetAlias: string;
  readonly #ofSource: SqlText[] = [];

  constructor(merge: MergeStatement, target: ChangeTarget, targetAlias: string) {
    this.#target = target;
    this.#targetAlias = targetAlias;
    this.sourceAlias = aliasOf(merge.using.sql);
    for (const { matched, condition, action } of merge.clauses) {
      if (matched !== 'not_matched') continue;
      const values = action.kind === 'insert' ? (action.values ?? []) : [];
      for (const text of [condition, ...values]) {
        if (text !== undefined && this.#plainNames(text.sql).length > 0) this.#ofSource.push(text);
      }
    }
  }

  /** Expressions that are computed where only the source is seen; each is the column `expressionName` of it. */
  get ofSource(): readonly SqlText[] {
    return this.#ofSource;
  }

  /** Writes an expression of a clause so that its names mean what the clause sees. */
  add(text: ComposedText, matched: MergeStatement['clauses'][number]['matched'], expression: SqlText): void {
    const index = this.#ofSource.indexOf(expression);
    if (index >= 0) text.add(`${quoteIdentifier(this.sourceAlias)}.${expressionName(index)}`);
    else if (matched === 'not_matched_by_source') this.#addQualified(text, expression);
    else text.piece(expression);
  }

  /** Names of columns of the table, with its alias before them. */
  #addQualified(text: ComposedText, expression: SqlText): void {
    const { sql, offset } = expression;
    let at = 0;
    for (const token of hasSubquery(sql) ? [] : this.#plainNames(sql)) {
      text.span({ sql: sql.slice(at, token.startOffset), offset: offset + at });
      text.add(`${quoteIdentifier(this.#targetAlias)}.`);
      at = token.startOffset;
    }
    text.piece({ sql: sql.slice(at), offset: offset + at });
  }

  /** The unqualified names in an expression that the table has a column for. */
  #plainNames(sql: string): readonly IToken[] {
    const tokens = tokenize(sql);
    return tokens.filter((token, i) => {
      if (token.tokenType !== Word && token.tokenType !== QuotedName) return false;
      const [before, behind] = [tokens[i - 1], tokens[i + 1]];
      if (before !== undefined && (NOT_BEFORE_NAMES.has(before.image) || isWord(before, 'AS'))) return false;
      if (behind !== undefined && NOT_BEHIND_NAMES.has(behind.image)) return false;
      return this.#target.columns.some((column) => column.name === nameOf(token));
    });
  }
}

const NOT_BEFORE_NAMES = new Set(['.', '::']);
const NOT_BEHIND_NAMES = new Set(['.', '(', '=>', ':=']);

export const expressionName = (index: number): string => `"$e${index}"`;

const hasSubquery = (sql: string): boolean => tokenize(sql).some((token) => isWord(token, 'SELECT', 'FROM'));

/** What a table or subquery in USING is called: its alias, with or without names of columns, or its own name. */
function aliasOf(using: string): string {
  const tokens = tokenize(using);
  let last = tokens.length - 1;
  if (tokens[last]?.image === ')') {
    last = openingOf(tokens, last) - 1;
    // `(query)` without an alias.
    if (last < 0) return 'source';
  }
  return nameOf(tokens[last]!);
}

function openingOf(tokens: readonly IToken[], close: number): number {
  let depth = 0;
  for (let i = close; i >= 0; i -= 1) {
    if (tokens[i]!.image === ')') depth += 1;
    if (tokens[i]!.image === '(' && --depth === 0) return i;
  }
  return -1;
}
