import { type SqlLocation, TesseraError } from '@tessera/common';
import { failedValueOf, keepDetails, quoteText } from '@tessera/kernel';
import type { IToken } from 'chevrotain';
import { isPlainString, nameOf, QuotedName, tokenize, Word } from './lexer.ts';
import { locationAt } from './location.ts';

/**
 * Translates a place in the text that the kernel ran to the user's text: the same occurrence of the same
 * token, counted from the start. Undefined if the user wrote no such token. `caret` counts UTF-16 units.
 */
export function locateError(original: string, ran: string, caret: number): SqlLocation | undefined {
  const ranTokens = tokensOf(ran);
  const index = ranTokens.findIndex((t) => caret < t.startOffset + t.image.length);
  const culprit = ranTokens[index];
  if (culprit === undefined) return undefined;
  const key = keyOf(culprit);
  const ordinal = ranTokens.slice(0, index).filter((t) => keyOf(t) === key).length;
  const same = tokensOf(original).filter((t) => keyOf(t) === key);
  const found = same[Math.min(ordinal, same.length - 1)];
  return found && locationAt(original, found.startOffset, found.startOffset + found.image.length);
}

const keyOf = (token: IToken): string =>
  token.tokenType === Word || token.tokenType === QuotedName ? nameOf(token) : token.image;

/** The tokens of a text; a text that cannot be tokenized has no place to point at. */
function tokensOf(text: string): readonly IToken[] {
  try {
    return tokenize(text);
  } catch {
    return [];
  }
}

/** The text in the message of an error that another node has reported, without the details that this process keeps. */
const FAILED_VALUE =
  /^(?:invalid input syntax for type .*?: "(.*)"|value "(.*)" is out of range for type .*)$/s;

/**
 * Adds a place to an error about an invalid value, if exactly one literal of the statement has that text. The
 * kernel reports no place for errors at run time.
 */
export function locateValue(error: unknown, text: string): unknown {
  if (!(error instanceof TesseraError) || error.location !== undefined) return error;
  const value = failedValueOf(error)?.text ?? FAILED_VALUE.exec(error.message)?.slice(1).join('');
  if (value === undefined) return error;
  const image = quoteText(value);
  const [literal, another] = tokenize(text).filter((token) => isPlainString(token) && token.image === image);
  if (literal === undefined || another !== undefined) return error;
  const end = literal.startOffset + literal.image.length;
  return keepDetails(error.with({ location: locationAt(text, literal.startOffset, end) }), error);
}
