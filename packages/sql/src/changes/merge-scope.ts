import type { IToken } from 'chevrotain';
import type { MergeStatement } from '../statements/catalog-statement.ts';
import { isWord, nameOf, QuotedName, tokenize, Word } from '../text/lexer.ts';
import { quoteIdentifier } from '../text/names.ts';
import type { SqlText } from '../text/token-cursor.ts';
import type { ChangeTarget } from './change-target.ts';
import type { ComposedText } from './composed-text.ts';

/**
 * The names that a WHEN clause can see, as in PostgreSQL: NOT MATCHED sees only the source, NOT MATCHED BY
 * SOURCE only the table. The joined rows contain both, so an unqualified name that both have would be
 * ambiguous without this scope.
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

  /**
   * The expressions that are computed where only the source is visible. Each becomes the column
   * `expressionName` of the source.
   */
  get ofSource(): readonly SqlText[] {
    return this.#ofSource;
  }

  /** Appends an expression of a clause, with its names rewritten to what the clause can see. */
  add(text: ComposedText, matched: MergeStatement['clauses'][number]['matched'], expression: SqlText): void {
    const index = this.#ofSource.indexOf(expression);
    if (index >= 0) text.add(`${quoteIdentifier(this.sourceAlias)}.${expressionName(index)}`);
    else if (matched === 'not_matched_by_source') this.#addQualified(text, expression);
    else text.piece(expression);
  }

  /** Appends an expression with the table's alias in front of the names of its columns. */
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

  /** The unqualified names in an expression that are columns of the table. */
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

/**
 * The name of a table or subquery in USING: its alias, with or without column names, or the table's own name.
 */
function aliasOf(using: string): string {
  const tokens = tokenize(using);
  let last = tokens.length - 1;
  if (tokens[last]?.image === ')') {
    last = openingOf(tokens, last) - 1;
    // This is `(query)` without an alias.
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
