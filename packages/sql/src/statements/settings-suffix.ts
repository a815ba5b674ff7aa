import type { IToken } from 'chevrotain';
import { Close, isWord, Open, tokenize } from '../text/lexer.ts';
import { TokenCursor } from '../text/token-cursor.ts';
import type { SettingPairs } from './setting-pairs.ts';

/**
 * Cuts the suffix `WITH (k = v, …)` off a statement. The text before it is unchanged, so offsets into it are
 * offsets into the statement.
 */
export function cutSettingsSuffix(
  sql: string,
  tokens: readonly IToken[] = tokenize(sql),
): { readonly sql: string; readonly settings: SettingPairs } {
  const start = suffixStart(tokens);
  if (start === undefined) return { sql, settings: [] };
  const at = tokens[start]!.startOffset;
  const cursor = new TokenCursor(sql.slice(at));
  return { sql: sql.slice(0, at).trimEnd(), settings: readSettings(cursor) };
}

/** The index of `WITH` if the last tokens are `WITH ( name = …)` at the top level. */
function suffixStart(tokens: readonly IToken[]): number | undefined {
  if (tokens.at(-1)?.image !== ')') return undefined;
  let depth = 0;
  for (let i = tokens.length - 1; i > 0; i -= 1) {
    const { tokenType } = tokens[i]!;
    if (tokenType === Close) depth += 1;
    if (tokenType === Open && --depth === 0) {
      return isWord(tokens[i - 1], 'WITH') && tokens[i + 2]?.image === '=' ? i - 1 : undefined;
    }
  }
  return undefined;
}

function readSettings(cursor: TokenCursor): SettingPairs {
  const pairs: (readonly [string, string])[] = [];
  cursor.expectWord('WITH');
  cursor.expectSymbol('(');
  do {
    const name = cursor.expectName('a setting');
    cursor.expectSymbol('=');
    pairs.push([name, cursor.expectValue(`a value for ${name}`)]);
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  cursor.expectEnd();
  return pairs;
}
