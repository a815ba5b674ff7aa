import type { IToken } from 'chevrotain';
import { isWord, Open } from '../text/lexer.ts';

/** The words after which a column has to stand: `EXISTS (SELECT FROM t)` is `EXISTS (SELECT 1 FROM t)` to the parser. */
export const emptySelections = (tokens: readonly IToken[]): readonly IToken[] =>
  tokens.filter(
    (token, index) =>
      isWord(token, 'SELECT') &&
      isWord(tokens[index + 1], 'FROM') &&
      tokens[index - 1]?.tokenType === Open &&
      isWord(tokens[index - 2], 'EXISTS'),
  );
