import { type SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { SettingPairs } from '../setting-pairs.ts';
import { cutSettingsSuffix } from '../settings-suffix.ts';
import { expressionText } from './expression-text.ts';

/** The words that end the clause before RETURNING. */
export const RETURNING = ['RETURNING'];

/**
 * Parses `[RETURNING expression [[AS] name], …]` at the end of a statement and returns the items as texts.
 */
export function returningClause(cursor: TokenCursor): readonly SqlText[] | undefined {
  if (!cursor.accept(...RETURNING)) {
    cursor.expectEnd();
    return undefined;
  }
  const items: SqlText[] = [];
  do items.push(expressionText(cursor, 'an expression'));
  while (cursor.acceptSymbol(','));
  cursor.expectEnd();
  return items;
}

/** A cursor at the same place that ends before the settings suffix, and the settings. */
export function withoutSettings(cursor: TokenCursor): {
  readonly cursor: TokenCursor;
  readonly settings: SettingPairs;
} {
  const { sql, settings } = cutSettingsSuffix(cursor.text, cursor.tokens);
  if (settings.length === 0) return { cursor, settings };
  const shorter = new TokenCursor(sql);
  while (shorter.index < cursor.index && shorter.next() !== undefined);
  return { cursor: shorter, settings };
}
