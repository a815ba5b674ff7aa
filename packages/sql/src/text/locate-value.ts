import { TesseraError } from '@tessera/common';
import { failedValueOf, keepDetails, quoteText } from '@tessera/kernel';
import { isPlainString, tokenize } from './lexer.ts';
import { locationAt } from './location.ts';

/**
 * Adds a place to an error about an invalid value, if exactly one literal of the statement has that text. The
 * kernel reports no place for errors at run time.
 */
export function locateValue(error: unknown, text: string): unknown {
  const value = failedValueOf(error)?.text;
  if (!(error instanceof TesseraError) || value === undefined || error.location !== undefined) return error;
  const image = quoteText(value);
  const [literal, another] = tokenize(text).filter((token) => isPlainString(token) && token.image === image);
  if (literal === undefined || another !== undefined) return error;
  const end = literal.startOffset + literal.image.length;
  return keepDetails(error.with({ location: locationAt(text, literal.startOffset, end) }), error);
}
