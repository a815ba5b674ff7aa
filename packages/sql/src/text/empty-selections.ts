import type { IToken } from 'chevrotain';
import { isWord, Open } from './lexer.ts';

/**
 * The tokens after which a select list has to be inserted, because the parser does not accept an empty one:
 * `EXISTS (SELECT FROM t)` becomes `EXISTS (SELECT 1 FROM t)`.
 */
export const emptySelections = (tokens: readonly IToken[]): readonly IToken[] =>
  tokens.filter(
    (token, index) =>
      isWord(token, 'SELECT') &&
      isWord(tokens[index + 1], 'FROM') &&
      tokens[index - 1]?.tokenType === Open &&
      isWord(tokens[index - 2], 'EXISTS'),
  );
