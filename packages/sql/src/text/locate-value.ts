import { TesseraError } from '@tessera/common';
import { failedValueOf, keepFailedValue, quoteText } from '@tessera/kernel';
import { isPlainString, tokenize } from './lexer.ts';
import { locationAt } from './location.ts';

/**
 * An error about a text that is no value of a type, at the one literal of the statement that has this text. The kernel tells
 * no place for what fails while it runs.
 */
export function locateValue(error: unknown, text: string): unknown {
  const value = failedValueOf(error)?.text;
  if (!(error instanceof TesseraError) || value === undefined || error.location !== undefined) return error;
  const image = quoteText(value);
  const [literal, another] = tokenize(text).filter((token) => isPlainString(token) && token.image === image);
  if (literal === undefined || another !== undefined) return error;
  const end = literal.startOffset + literal.image.length;
  return keepFailedValue(error.with({ location: locationAt(text, literal.startOffset, end) }), error);
}
