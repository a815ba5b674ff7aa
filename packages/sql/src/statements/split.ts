import { invalidCharacter, invalidCharacterAt, type SqlLocation } from '@tessera/common';
import { Semicolon, tokenize } from '../text/lexer.ts';
import { locationAt } from '../text/location.ts';

export interface StatementText {
  /** Without the semicolon and the white space and comments around it. */
  readonly text: string;
  /** Where it begins in the whole text, in UTF-16 units. */
  readonly offset: number;
}

/**
 * The statements of a text, empty ones dropped. Every text of a client passes here before anything else looks at it.
 * @throws TesseraError SYNTAX_ERROR for strings, names and comments that never end; INVALID_ENCODING for a NUL character
 */
export function splitStatements(text: string): StatementText[] {
  const invalidAt = invalidCharacterAt(text);
  if (invalidAt !== undefined)
    throw invalidCharacter(text, invalidAt, 'the statement').with({ location: locationAt(text, invalidAt) });
  const statements: StatementText[] = [];
  let start: number | undefined;
  let end = 0;
  const finish = () => {
    if (start !== undefined) statements.push({ text: text.slice(start, end), offset: start });
    start = undefined;
  };
  for (const token of tokenize(text)) {
    if (token.tokenType === Semicolon) finish();
    else {
      start ??= token.startOffset;
      end = token.startOffset + token.image.length;
    }
  }
  finish();
  return statements;
}

/** The place that `location` (in a statement's own text) has in the whole text the statement was split from. */
export function locationInText(whole: string, statement: StatementText, location: SqlLocation): SqlLocation {
  const before = whole.slice(0, statement.offset);
  const lines = before.split('\n');
  if (location.line > 1) return { ...location, line: location.line + lines.length - 1 };
  const shift = [...(lines.at(-1) ?? '')].length;
  return {
    line: lines.length,
    startColumn: location.startColumn + shift,
    endColumn: location.endColumn + shift,
  };
}
