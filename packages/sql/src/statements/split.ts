import {
  atOnce,
  inTurns,
  invalidCharacter,
  invalidCharacterAt,
  remembered,
  type SqlLocation,
  type Steps,
} from '@tessera/common';
import type { IToken } from 'chevrotain';
import { inStandardForm } from '../text/backslash-strings.ts';
import { rememberTokens, Semicolon, TooManyTokens, tokenizeInSteps } from '../text/lexer.ts';
import { locationAt } from '../text/location.ts';
import { maxTokens, refuseTokens, StatementSize } from '../text/statement-size.ts';
import { withoutPasswords } from '../text/without-passwords.ts';

export interface StatementText {
  /** The statement without its semicolon and the white space and comments around it. */
  readonly text: string;
  /** The offset at which it begins in the whole text, in UTF-16 units. */
  readonly offset: number;
  /** The offsets in `text` of characters that the whole text does not have (`inStandardForm`). */
  readonly inserted?: readonly number[] | undefined;
}

/**
 * Splits a text into statements and drops empty ones. Every text of a client passes through here first.
 * @throws TesseraError SYNTAX_ERROR for unterminated strings, names and comments; INVALID_ENCODING for a NUL
 * character;
 *   STATEMENT_TOO_COMPLEX
 */
export const splitStatements: (text: string) => readonly StatementText[] = remembered(
  (text) => atOnce(split(text)),
  (statements, text) => statements.length === 1 && withoutPasswords(text) === text,
);

/** A shorter text is split in one turn of the event loop. */
const LONG_CHARACTERS = 10_000;

/** `splitStatements`, in several turns of the event loop if the text is long. */
export const splitInTurns = async (text: string): Promise<readonly StatementText[]> =>
  text.length < LONG_CHARACTERS ? splitStatements(text) : inTurns(split(text));

/**
 * Splits a text in which a backslash escapes the next character of a plain string, too (`standard_conforming_strings = off`).
 * @throws TesseraError as `splitStatements` does
 */
export async function splitWithBackslashes(whole: string): Promise<readonly StatementText[]> {
  const { text, inserted } = inStandardForm(whole);
  let before = 0;
  return (await splitInTurns(text)).map((statement) => {
    const end = statement.offset + statement.text.length;
    let after = before;
    while (inserted[after]! < end) after += 1;
    const own = inserted.slice(before, after).map((at) => at - statement.offset);
    const offset = statement.offset - before;
    before = after;
    return { text: statement.text, offset, inserted: own };
  });
}

function* split(text: string): Steps<readonly StatementText[]> {
  const invalidAt = invalidCharacterAt(text);
  if (invalidAt !== undefined)
    throw invalidCharacter(text, invalidAt, 'the statement').with({ location: locationAt(text, invalidAt) });
  const statements: StatementText[] = [];
  const { tokens, semicolons } = yield* tokensWithin(text);
  let start = 0;
  for (const end of [...semicolons, tokens.length]) {
    if (end > start) {
      const last = tokens[end - 1]!;
      const offset = tokens[start]!.startOffset;
      statements.push({ text: text.slice(offset, last.startOffset + last.image.length), offset });
    }
    start = end + 1;
  }
  const [only, ...more] = statements;
  // Its tokens are read again to classify and to prepare it.
  if (only?.offset === 0 && more.length === 0 && only.text !== text)
    rememberTokens(only.text, tokens.slice(0, tokens.length - semicolons.length));
  return statements;
}

/** The tokens of the text, and which of them are semicolons. */
function* tokensWithin(
  text: string,
): Steps<{ readonly tokens: readonly IToken[]; readonly semicolons: readonly number[] }> {
  let size = new StatementSize(text);
  let count = 0;
  const semicolons: number[] = [];
  const add = (token: IToken) => {
    if (token.tokenType === Semicolon) {
      semicolons.push(count);
      size = new StatementSize(text);
    } else size.add(token);
    count += 1;
  };
  try {
    return { tokens: yield* tokenizeInSteps(text, { maxTokens: maxTokens(text), add }), semicolons };
  } catch (error) {
    if (error instanceof TooManyTokens) return refuseTokens(error.limit);
    throw error;
  }
}

/** Translates `location` in a statement to the place in the whole text that the statement was split from. */
export function locationInText(whole: string, statement: StatementText, shown: SqlLocation): SqlLocation {
  const location = withoutInserted(statement, shown);
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

/** The place in a statement as the client wrote it. */
function withoutInserted({ text, inserted = [] }: StatementText, location: SqlLocation): SqlLocation {
  if (inserted.length === 0) return location;
  const places = inserted.map((at) => locationAt(text, at)).filter(({ line }) => line === location.line);
  const shifted = (column: number) =>
    column - places.filter(({ startColumn }) => startColumn < column).length;
  return {
    ...location,
    startColumn: shifted(location.startColumn),
    endColumn: shifted(location.endColumn),
  };
}
