import { fail } from '@tessera/common';
import type { IToken } from 'chevrotain';
import { Close, Comma, isWord, Open } from './lexer.ts';
import { locationAt } from './location.ts';

/** The words that end a list, and that name nothing without quotes. */
const ENDS = 'FROM WHERE GROUP HAVING ORDER LIMIT OFFSET WINDOW UNION INTERSECT EXCEPT'.split(' ');

/**
 * Refuses forms that only the kernel's parser reads: a comma after the last item of a list, and `count()` for `count(*)`.
 * @throws TesseraError SYNTAX_ERROR, WRONG_OBJECT_TYPE
 */
export function refuseKernelForms(text: string, tokens: readonly IToken[]): void {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1];
    if (
      token.tokenType === Comma &&
      (next === undefined || next.tokenType === Close || isWord(next, ...ENDS))
    ) {
      const at = next ?? token;
      const place = next === undefined ? 'at end of input' : `at or near "${next.image}"`;
      const location = locationAt(text, at.startOffset, at.startOffset + at.image.length);
      fail(
        'SYNTAX_ERROR',
        { message: `Syntax error ${place}: an item is missing after the comma` },
        { location },
      );
    }
    const isCall = next?.tokenType === Open && next.image === '(' && tokens[i + 2]?.image === ')';
    if (isCall && isWord(token, 'COUNT')) {
      const location = locationAt(text, token.startOffset, token.startOffset + token.image.length);
      const message =
        'count() needs an argument: count(*) counts all rows, and count(x) those whose x is not NULL';
      fail('WRONG_OBJECT_TYPE', { message }, { location });
    }
  }
}
